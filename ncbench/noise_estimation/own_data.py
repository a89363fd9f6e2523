"""A user's noisy labels, and how they are read from a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ncbench.data import UNKNOWN, Annotations, Dataset, features_and_labels, label_array, read_table
from ncbench.errors import NcbenchError
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


def read_own_data(
    path: str, target: str, clean_column: str | None, **columns: Sequence[str] | None
) -> OwnData:
    """Read a file; the clean column is not a feature and may have empty rows.

    ``columns`` are ``drop``, ``keep`` and ``categorical`` of ``TableEncoder``.
    """
    if clean_column is None:
        build = get_registry().build
        dataset: Dataset = build("dataset", "file", path=path, target=target, **columns)
        return OwnData(dataset.name, dataset.X, dataset.y, dataset.classes)
    table = read_table(Path(path).expanduser())
    where = f"file {path!r}"
    names = [str(name) for name in table.columns]
    if clean_column not in names or clean_column == target:
        raise NcbenchError(
            f"{where}: --clean-column {clean_column!r} is not one of the other columns: "
            f"{', '.join(name for name in names if name != target)}"
        )
    position = names.index(clean_column)
    column = table.iloc[:, position]
    rest = table.drop(columns=table.columns[position])
    X, labels = features_and_labels(rest, target, where=where, **columns)
    dataset = Dataset.from_labels(X, labels, name=Path(path).name, source=path)
    present = column.notna().to_numpy()
    if not present.any():
        raise NcbenchError(f"{where}: column {clean_column!r} has no clean label in any row")
    named = label_array(column[present].to_numpy(), where=f"{where}, column {clean_column!r}")
    # Compare clean labels by name; a class may occur only among them.
    known = [str(name) for name in named]
    classes = (*dataset.classes, *sorted(set(known) - set(dataset.classes)))
    clean = np.full(len(labels), UNKNOWN, dtype=np.int64)
    clean[present] = [classes.index(name) for name in known]
    return OwnData(dataset.name, dataset.X, dataset.y, classes, clean)


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
