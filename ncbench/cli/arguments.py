"""Options shared by several subcommands; slow imports wait until the arguments are parsed."""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ncbench.errors import NcbenchError, UnknownName, did_you_mean
from ncbench.files import writes

if TYPE_CHECKING:
    from ncbench.own_labels import OwnData
    from ncbench.results import FrameBuilder, Records


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, as all errors are."""

    def __init__(self, **options: Any) -> None:
        loads = "--plugins-from FILE loads plug-ins from a file first; it may be repeated."
        super().__init__(**{"epilog": loads, **options})

    def error(self, message: str) -> NoReturn:
        """Raise NcbenchError with what is wrong."""
        said, hint = re.sub(r"^argument (\S+): ", r"\1 ", message), ""
        if unknown := re.match(r"unrecognized arguments: (--[^\s=]+)", message):
            said = f"option {unknown[1]} is not known"
            hint = did_you_mean(unknown[1], self._option_string_actions)
        raise NcbenchError(f"{said}; {hint}see `{self.prog} --help`")


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the records, and the number to read from each."""
    parser.add_argument(
        "folders", metavar="DIR", nargs="+", help="folders to search for records, recursively"
    )
    parser.add_argument(
        "--value",
        metavar="NAME",
        default="loss",
        help="a measure, which may be newer than the records, or a number that each trial stores, "
        "such as seconds.fit (default: the loss of the measure that was optimized)",
    )
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="parameters of that measure; its loss is computed from the confusion matrices",
    )
    add_where(parser)


def add_where(parser: argparse.ArgumentParser) -> None:
    """Add the filter of cells."""
    parser.add_argument(
        "--where",
        metavar="KEY=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="keep only cells with this value, or one of several: sigma=0.1,0.2 algo.max_iter=500",
    )


def read(args: argparse.Namespace) -> FrameBuilder:
    """Read the records that the options of ``add_reading`` choose."""
    from ncbench.results import Value, collect, parse_where

    where = parse_where(args.where)
    return collect(args.folders, Value.parse(args.value, args.set), where)


def read_losses(args: argparse.Namespace) -> FrameBuilder:
    """Read the records as ``read`` does; raise NcbenchError if the value is not a loss."""
    cells = read(args)
    if not cells.value.is_loss:
        raise NcbenchError(f"--value {cells.value}: expected a loss; only losses can be compared")
    return cells


def read_into_memory(folders: Sequence[str], where: Sequence[str] = ()) -> Records:
    """Read records for figures, and report on standard error what they cannot show."""
    from ncbench.results import parse_where, read_records
    from ncbench.results.series import bayes_remarks

    found = read_records(folders, parse_where(where))
    found.problems.extend(bayes_remarks(found.records))
    for problem in found.problems:
        print(problem, file=sys.stderr)
    return found


def add_own_data(parser: argparse.ArgumentParser) -> None:
    """Add a file, the columns of its noisy and checked labels, and what becomes of the others."""
    parser.add_argument(
        "data", metavar="FILE", help="CSV, TSV, Parquet, Excel, ARFF or npz file with labels"
    )
    add_labels(parser, "checked labels, empty elsewhere; they are used to estimate the noise")
    add_columns(parser)


def add_labels(parser: argparse.ArgumentParser, clean_help: str) -> None:
    """Add the columns of noisy labels, by one or several people, and of checked ones."""
    labels = parser.add_mutually_exclusive_group(required=True)
    labels.add_argument("--target", metavar="COLUMN", help="the noisy labels")
    labels.add_argument(
        "--annotators",
        metavar="COLUMNS",
        type=names,
        default=[],
        help="instead of --target: a column for each of several people, as a,b,c",
    )
    labels.add_argument(
        "--annotations",
        metavar="FILE",
        help="instead of --target: a file with a row for each label: row of the example, from 1; "
        "annotator; label",
    )
    parser.add_argument("--clean-column", metavar="COLUMN", help=clean_help)


def read_labeled(args: argparse.Namespace, one_each: bool = True) -> OwnData:
    """Read the file and the labels that ``add_labels`` names.

    Of several people's labels, the most probable one of each row, or all.
    """
    from ncbench.own_labels import one_label_each, read_annotations, read_own_data
    from ncbench.run import working

    checked, others = args.clean_column, columns(args)
    with working(f"Reading {args.data}"):
        if args.target:
            return read_own_data(args.data, args.target, checked, **others)
        data = read_annotations(args.data, args.annotators, args.annotations, checked, **others)
        return one_label_each(data) if one_each else data


def add_learning(parser: argparse.ArgumentParser, cpe: str) -> None:
    """Add what is known of the noise, the learner, whose default is ``cpe``, and the seed."""
    noise = parser.add_mutually_exclusive_group()
    noise.add_argument(
        "--t-estimator",
        default="estimate",
        metavar="NAME",
        help="estimator of the noise matrix; default: that of estimate-noise; `ncbench plugins` "
        "lists all",
    )
    add_noise_matrix(noise)
    parser.add_argument("--cpe", metavar="NAME", help=f"class probability learner; default: {cpe}")
    add_seed(parser)


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add the seed."""
    parser.add_argument("--seed", type=seed, default=0, help="of random choices; default: 0")


def add_noise_matrix(parser: argparse._ActionsContainer) -> None:
    """Add the noise matrix."""
    parser.add_argument(
        "--noise-matrix",
        metavar="FILE",
        help="the noise matrix: a CSV file with the names of the classes in its first line and "
        "first column, or what `ncbench estimate-noise --json` prints; `none`: treat all labels as "
        "correct",
    )


def add_background(parser: argparse.ArgumentParser, default: str = "the first one") -> None:
    """Add the class that Micro F1 leaves out."""
    parser.add_argument(
        "--background",
        metavar="CLASS",
        help=f"the class that micro_f1 leaves out, such as `none of these`; default: {default}",
    )


def require_background(background: str | None, classes: Sequence[str]) -> None:
    """Raise NcbenchError if there is no such class."""
    if background is not None and background not in classes:
        raise UnknownName.among("--background: class", background, classes)


def noise_matrix(args: argparse.Namespace) -> Any:
    """Return what ``add_learning`` says of the noise, as ``NoiseCorrectedClassifier`` takes it."""
    from ncbench.own_labels import read_noise_matrix

    if args.cpe is not None:
        require_buildable("--cpe", "cpe", args.cpe)
    if args.noise_matrix is not None:
        if args.clean_column is not None:
            raise NcbenchError(
                "--clean-column is for an estimate of the noise, which --noise-matrix replaces; "
                "leave one of the two out"
            )
        if not args.target:
            raise NcbenchError(
                "the labels of several people are for an estimate of the noise, which "
                "--noise-matrix replaces; leave it out, or name one column with --target"
            )
        return read_noise_matrix(args.noise_matrix)
    if args.t_estimator != "estimate":
        require_buildable("--t-estimator", "t_estimator", args.t_estimator)
        _require_needs(args)
    return args.t_estimator


def _require_needs(args: argparse.Namespace) -> None:
    """Raise NcbenchError if a T estimator needs what the options do not give."""
    from ncbench.plugin import get_registry, needs_of

    instead = {"noise_matrix": "the noise matrix; use --noise-matrix FILE instead"}
    if args.target:
        instead["annotations"] = "the labels of several people; give --annotators COLUMNS"
    if args.clean_column is None:
        instead["clean_labels"] = "checked labels; give --clean-column COLUMN"
    for need in sorted(needs_of(get_registry().build("t_estimator", args.t_estimator))):
        if need in instead:
            raise NcbenchError(f"--t-estimator {args.t_estimator} needs {instead[need]}")


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
        plugins = [plugin for plugin in registry.plugins() if plugin.kind == kind]
        known = [p.name for p in plugins if not any(q.required for q in p.parameters)]
        raise UnknownName.among(option, name, known) from error
    if missing:
        raise NcbenchError(
            f"{option} {name} needs a value for {', '.join(missing)}, which this command "
            "cannot pass; in Python, ncbench takes the object"
        )


def require_out(out: str | None, ending: str) -> None:
    """Raise NcbenchError, before work starts, if ``--out`` cannot be written or misleads.

    Parameters
    ----------
    out : str or None
    ending : str
        How the names of such files end. A name without an ending is taken, too.
    """
    if not out:
        return
    try:
        os.stat(out)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:  # a name that is too long, or a link to itself
        raise NcbenchError(f"--out {out}: cannot be written: {error.strerror}") from error
    if not Path(out).absolute().parent.is_dir():
        raise NcbenchError(f"--out {out}: no such folder")
    if Path(out).is_dir():
        raise NcbenchError(f"--out {out}: is a folder; expected the name of a file")
    writes(out)
    if Path(out).suffix.lower() not in ("", ending):
        raise NcbenchError(f"--out {out}: expected a name that ends in {ending}")


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what becomes of the columns of a table."""
    for name, text in (
        ("drop", "columns to leave out, as a,b,c"),
        ("keep", "columns to use though they look like ids or dates"),
        ("categorical", "columns of numbers to use as categories"),
    ):
        parser.add_argument(
            f"--{name}", metavar="COLUMNS", type=names, action="extend", default=[], help=text
        )


def columns(args: argparse.Namespace) -> dict[str, list[str]]:
    """Return the options of ``add_columns``, as TableEncoder and ``dataset=file`` take them."""
    return {"drop": args.drop, "keep": args.keep, "categorical": args.categorical}


def names(text: str) -> list[str]:
    """Parse names between commas; a name with a comma is put between quotation marks.

    Examples
    --------
    >>> names('id, "income, EUR"')
    ['id', 'income, EUR']
    """
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True))]


def add_level(parser: argparse.ArgumentParser) -> None:
    """Add the confidence level."""
    parser.add_argument(
        "--level", type=between_0_and_1, default=0.95, help="confidence level (default: 0.95)"
    )


def add_ddof(parser: argparse.ArgumentParser) -> None:
    """Add the ddof of our standard errors."""
    parser.add_argument(
        "--ddof", type=int, choices=[0, 1], default=1, help="ddof of standard errors (default: 1)"
    )


def add_errors(parser: argparse.ArgumentParser) -> None:
    """Add the standard error that measures differences from published numbers."""
    parser.add_argument(
        "--errors",
        choices=["combined", "theirs", "ours"],
        default="combined",
        help="standard error of a difference: sqrt(ours^2 + theirs^2), which is the default, or "
        "one of the two",
    )


def add_output(parser: argparse.ArgumentParser, forms: list[str]) -> None:
    """Add the output format and the output file."""
    parser.add_argument("--format", choices=forms, default="table")
    parser.add_argument("--out", metavar="FILE", help="write to a file instead of standard output")


def between_0_and_1(text: str) -> float:
    """Parse a number strictly between 0 and 1."""
    number = float(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a number between 0 and 1")
    return number


def positive(text: str) -> float:
    """Parse a number above 0."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: expected a number above 0")
    return number


def seed(text: str) -> int:
    """Parse a seed as scikit-learn takes it: a whole number from 0 to 2^32 - 1."""
    return _whole(text, 2**32 - 1, f"a whole number from 0 to {2**32 - 1}")


def number(text: str) -> int:
    """Parse a whole number, 0 or more."""
    return _whole(text, None, "a whole number, 0 or more")


def _whole(text: str, largest: int | None, expected: str) -> int:
    if not re.fullmatch("[0-9]+", text) or (largest is not None and int(text) > largest):
        raise argparse.ArgumentTypeError(f"{text}: expected {expected}")
    return int(text)
