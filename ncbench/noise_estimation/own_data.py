"""A user's noisy labels, and how they are read from a file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ncbench.data import (
    TABLES,
    UNKNOWN,
    Annotations,
    Dataset,
    TableEncoder,
    fitted_encoder,
    label_array,
    lines_of,
    plain_array,
    read_table,
    split_labels,
)
from ncbench.errors import NcbenchError, did_you_mean
from ncbench.noise_estimation.given_labels import given_labels
from ncbench.noise_estimation.label_notices import (
    notice_given_away,
    notice_only_checked,
)
from ncbench.plugin import get_registry
from ncbench.types import Array, Labels


@dataclass(frozen=True)
class OwnData:
    """A user's noisy labels, and the clean labels that are known."""

    name: str
    X: Array
    y: Labels
    classes: tuple[str, ...]
    clean: Labels | None = None
    """``UNKNOWN`` if not checked."""
    annotations: Annotations | None = None
    """If several people gave labels; ``X``, ``y`` and ``clean`` then have a row for each label."""
    encoder: TableEncoder | None = None
    """What became of the columns, if the file is a table."""
    lines: Labels | None = None
    """The line of the file on which each row begins, if it has lines."""

    @property
    def labels(self) -> NDArray[Any]:
        """The noisy labels themselves: whole numbers, if all are, or text."""
        return np.asarray(self._names[self.y])

    @property
    def clean_labels(self) -> NDArray[Any] | None:
        """The clean labels themselves, None where not checked."""
        if self.clean is None:
            return None
        labels = self._names.astype(object)[self.clean]
        labels[self.clean == UNKNOWN] = None
        return labels

    @property
    def _names(self) -> NDArray[Any]:
        return plain_array(self.classes, self.name)


def read_own_data(
    path: str, target: str, clean_column: str | None, **columns: Sequence[str] | None
) -> OwnData:
    """Read a file; the clean column is not a feature and may have empty rows.

    ``columns`` are ``drop``, ``keep`` and ``categorical`` of ``TableEncoder``.
    """
    place = Path(path).expanduser()
    if place.suffix.lower() == ".npz" and clean_column is None:
        build = get_registry().build
        dataset: Dataset = build("dataset", "file", path=path, target=target, **columns)
        return OwnData(dataset.name, dataset.X, dataset.y, dataset.classes)
    table, where = read_table(place), f"file {path!r}"
    checked = None
    if clean_column is not None:
        table, checked = _without(table, clean_column, target, where)
    rest, labels = split_labels(table, target, where=where)
    encoder = fitted_encoder(rest, where=where, **columns)
    notice_given_away(rest, labels, encoder, where)
    name = next(place.name[: -len(s)] for s in TABLES if place.name.lower().endswith(s))
    dataset = Dataset.from_labels(encoder.transform(rest, where=where), labels, name=name)
    classes, clean = dataset.classes, None
    if checked is not None:
        y = label_array(labels, where=where)
        noisy, where = len(classes), f"{where}, column {clean_column!r}"
        classes, clean = _numbered(checked, y, classes, where)
        notice_only_checked(clean, classes, noisy, table, where)
    return OwnData(
        *(name, dataset.X, dataset.y, classes, clean), encoder=encoder, lines=lines_of(table)
    )


def _without(
    table: pd.DataFrame, clean_column: str, target: str, where: str
) -> tuple[pd.DataFrame, "pd.Series[Any]"]:
    """Return a table without its column of clean labels, and the column."""
    names = [str(name) for name in table.columns]
    if clean_column not in names or clean_column == target:
        others = [name for name in names if name != target]
        raise NcbenchError(
            f"{where}: --clean-column {clean_column!r} is not one of the other columns: "
            f"{did_you_mean(clean_column, others)}{', '.join(others)}"
        )
    position = names.index(clean_column)
    return table.drop(columns=table.columns[position]), table.iloc[:, position]


def _numbered(
    column: "pd.Series[Any]", y: NDArray[Any], classes: tuple[str, ...], where: str
) -> tuple[tuple[str, ...], Labels]:
    """Return the classes, with those that occur in the column only, and the column's numbers."""
    label_array(column.dropna().to_numpy(), where=where)  # classes, not a quantity
    given = given_labels(column, y, where)
    # Compare clean labels by name; a class may occur only among them.
    names = [None if label is None else str(label) for label in given]
    classes = (*classes, *sorted({name for name in names if name is not None} - {*classes}))
    numbers = {name: k for k, name in enumerate(classes)}
    return classes, np.array([UNKNOWN if name is None else numbers[name] for name in names])


def read_annotations(
    path: str,
    people: Sequence[str],
    long: str | None,
    clean_column: str | None,
    **columns: Sequence[str] | None,
) -> OwnData:
    """Read a file with the labels of several people, as ``dataset=file`` does."""
    data: Dataset = get_registry().build(
        "dataset",
        "file",
        path=path,
        target=clean_column,
        annotators=list(people) or None,
        annotations=long,
        **columns,
    )
    given = data.annotations
    assert given is not None
    if not given.overlap:
        raise NcbenchError(
            f"file {path!r}: no example has more than one label, so people cannot be compared; "
            "put all labels into one column and name it with --target"
        )
    clean = data.y[given.rows] if clean_column else None
    return OwnData(data.name, data.X[given.rows], given.labels, data.classes, clean, given)


def read_noise_matrix(path: str) -> pd.DataFrame | None:
    """Read a noise matrix with the names of its classes; None for the word ``none``.

    Parameters
    ----------
    path : str
        A CSV file with the names of the classes in its first line and first column: labeled in the
        rows, true in the columns. Or a JSON file that ``estimate-noise --json`` wrote.
    """
    if path == "none":
        return None
    what = f"--noise-matrix {path}"
    try:
        if Path(path).suffix.lower() == ".json":
            found = json.loads(Path(path).read_text(encoding="utf-8"))
            names = [str(name) for name in found["classes"]]
            return pd.DataFrame(found["T"], index=names, columns=names, dtype=float)
        frame = pd.read_csv(path, index_col=0, skipinitialspace=True)
        frame.index = frame.index.map(str)
        return frame.astype(float)
    except OSError as error:
        raise NcbenchError(f"{what}: {error.strerror} (looked in {Path.cwd()})") from error
    except (ValueError, KeyError, TypeError) as error:
        raise NcbenchError(
            f"{what}: cannot be read ({error}); expected a CSV file with the names of the classes "
            "in its first line and first column, a JSON file of estimate-noise, or none"
        ) from error
