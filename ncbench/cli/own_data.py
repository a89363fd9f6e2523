"""Options of the commands on people's own labels: the file, its labels, and what is known of T."""

from __future__ import annotations

import argparse
import contextlib
import csv
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ncbench.cli.command import Option, one_of
from ncbench.errors import NcbenchError, UnknownName
from ncbench.files import writes

if TYPE_CHECKING:
    from ncbench.own_labels import OwnData


def names(text: str) -> list[str]:
    """Parse names between commas; a name with a comma is put between quotation marks.

    Examples
    --------
    >>> names('id, "income, EUR"')
    ['id', 'income, EUR']
    """
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True))]


def whole_number(text: str, most: int | None = None) -> int:
    """Parse a whole number, 0 or more."""
    if not re.fullmatch("[0-9]+", text) or (most is not None and int(text) > most):
        expected = ", 0 or more" if most is None else f" from 0 to {most}"
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number{expected}")
    return int(text)


Columns = Annotated[Sequence[str], Option(names, metavar="COLUMNS")]
_seed = partial(whole_number, most=2**32 - 1)  # as scikit-learn takes it
Seed = Annotated[int, Option(_seed, help="of random choices")]
Background = Annotated[
    str | None,
    Option(
        metavar="CLASS",
        help="the class that micro_f1 leaves out, such as `none of these` (default: the first one)",
    ),
]
NoiseFile = Annotated[
    str | None,
    Option(
        metavar="FILE",
        help="the noise matrix: a CSV file with the names of the classes in its first line and "
        "first column, or what `ncbench estimate-noise --json` prints; `none`: treat all labels as "
        "correct",
    ),
]


@contextlib.contextmanager
def working(on: str) -> Iterator[None]:
    """Show what takes long, and do it on one thread: more would wait for each other."""
    from threadpoolctl import threadpool_limits

    from ncbench import run

    with threadpool_limits(1), run.working(on):
        yield


@one_of("target", "annotators", "annotations")
@dataclass(frozen=True)
class LabeledFile:
    """A file with noisy labels, by one or several people, and with checked ones.

    Parameters
    ----------
    file : FILE
        CSV, TSV, Parquet, Excel, ARFF or npz file with labels
    target : COLUMN
        the noisy labels
    annotators : COLUMNS
        instead of --target: a column for each of several people, as a,b,c
    annotations : FILE
        instead of --target: a file with a row for each label: row of the example, from 1;
        annotator; label
    clean_column : COLUMN
        checked labels of a random part of the rows, empty elsewhere; they are used to estimate the
        noise
    drop
        columns to leave out, as a,b,c
    keep
        columns to use though they look like ids or dates
    categorical
        columns of numbers to use as categories
    """

    file: str
    _: KW_ONLY
    target: str | None = None
    annotators: Columns = ()
    annotations: str | None = None
    clean_column: str | None = None
    drop: Columns = ()
    keep: Columns = ()
    categorical: Columns = ()

    def read(self, one_each: bool = True) -> OwnData:
        """Read the file; of several people's labels, the most probable one of each row, or all."""
        from ncbench.own_labels import one_label_each, read_annotations, read_own_data

        columns = {"drop": self.drop, "keep": self.keep, "categorical": self.categorical}
        with working(f"Reading {self.file}"):
            if self.target:
                return read_own_data(self.file, self.target, self.clean_column, **columns)
            data = read_annotations(
                self.file, self.annotators, self.annotations, self.clean_column, **columns
            )
            return one_label_each(data) if one_each else data


@one_of("t_estimator", "noise_matrix", required=False)
@dataclass(frozen=True)
class Noise:
    """What is known of the noise.

    Parameters
    ----------
    t_estimator : NAME
        estimator of the noise matrix; `ncbench plugins` lists all (default: that of estimate-noise)
    """

    _: KW_ONLY
    t_estimator: str = "estimate"
    noise_matrix: NoiseFile = None

    def of(self, labels: LabeledFile) -> Any:
        """Return what ``NoiseCorrectedClassifier`` takes, after checks that need no data."""
        from ncbench.own_labels import read_noise_matrix

        if self.noise_matrix is None:
            if self.t_estimator != "estimate":
                require_buildable("--t-estimator", "t_estimator", self.t_estimator)
                self._require_needs(labels)
            return self.t_estimator
        if labels.clean_column is not None:
            raise NcbenchError(
                "--clean-column is for an estimate of the noise, which --noise-matrix replaces; "
                "leave one of the two out"
            )
        if not labels.target:
            raise NcbenchError(
                "the labels of several people are for an estimate of the noise, which "
                "--noise-matrix replaces; leave it out, or name one column with --target"
            )
        return read_noise_matrix(self.noise_matrix)

    def _require_needs(self, labels: LabeledFile) -> None:
        """Raise NcbenchError if the T estimator needs what the options do not give."""
        from ncbench.plugin import get_registry, needs_of

        instead = {"noise_matrix": "the noise matrix; use --noise-matrix FILE instead"}
        if labels.target:
            instead["annotations"] = "the labels of several people; give --annotators COLUMNS"
        if labels.clean_column is None:
            instead["clean_labels"] = "checked labels; give --clean-column COLUMN"
        for need in sorted(needs_of(get_registry().build("t_estimator", self.t_estimator))):
            if need in instead:
                raise NcbenchError(f"--t-estimator {self.t_estimator} needs {instead[need]}")


def require_background(background: str | None, classes: Sequence[str]) -> None:
    """Raise NcbenchError if there is no such class."""
    if background is not None and background not in classes:
        raise UnknownName.among("--background: class", background, classes)


def require_measures(names: Sequence[str], optimized: bool = False) -> None:
    """Raise NcbenchError unless measures can be built by name alone, and optimized if they are."""
    from ncbench.plugin import get_registry

    found = dict(get_registry().each_built("measure"))
    usable = sorted(name for name, psi in found.items() if psi.family or not optimized)
    for name in names:
        if name in usable:
            continue
        choose = f"choose one of {', '.join(usable)}"
        if name in found:
            raise NcbenchError(f"--measure {name} is reported, not optimized; {choose}")
        if name in get_registry().names("measure"):
            raise NcbenchError(
                f"--measure {name} has parameters, which this command cannot pass; {choose}, or "
                f"use Python, where load('measure', {name!r}) takes them"
            )
        raise UnknownName.among("--measure", name, usable)


def require_buildable(option: str, kind: str, name: str) -> None:
    """Raise NcbenchError if a plug-in is not known or has a parameter without a default."""
    from ncbench.plugin import get_registry

    registry = get_registry()
    try:
        missing = [p.name for p in registry.plugin(kind, name).parameters if p.required]
    except UnknownName as error:
        if registry.problems:  # the message says which plug-ins could not be loaded
            raise
        plugins = registry.plugins(kind)
        known = [p.name for p in plugins if not any(q.required for q in p.parameters)]
        raise UnknownName.among(option, name, known) from error
    if missing:
        raise NcbenchError(
            f"{option} {name} needs a value for {', '.join(missing)}, which this command "
            "cannot pass; in Python, ncbench takes the object"
        )


def require_out(out: str | None, *endings: str, option: str = "--out") -> None:
    """Raise NcbenchError, before work starts, if a file cannot be written or its name misleads.

    Parameters
    ----------
    out : str or None
    endings : str
        How the names of such files end; an empty one: a name without an ending is taken, too.
    option : str
        The option that names the file.
    """
    if not out:
        return
    try:
        os.stat(out)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:  # a name that is too long, or a link to itself
        raise NcbenchError(f"{option} {out}: cannot be written: {error.strerror}") from error
    if not Path(out).absolute().parent.is_dir():
        raise NcbenchError(f"{option} {out}: no such folder")
    if Path(out).is_dir():
        raise NcbenchError(f"{option} {out}: is a folder; expected the name of a file")
    writes(out, option)
    if Path(out).suffix.lower() not in endings:
        expected = ", ".join(filter(None, endings))
        raise NcbenchError(f"{option} {out}: expected a name that ends in {expected}")
