"""A user's noisy labels, and how they are read from a file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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
    annotated_labels,
    fitted_encoder,
    label_array,
    lines_of,
    notice_spellings,
    plain_array,
    read_table,
    split_labels,
)
from ncbench.errors import NcbenchError, counted, did_you_mean, notice_once
from ncbench.files import has_no_end, reads
from ncbench.noise_estimation.dawid_skene import dawid_skene
from ncbench.noise_estimation.given_labels import given_labels
from ncbench.noise_estimation.label_notices import (
    notice_given_away,
    notice_names_of_classes,
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
    """If several people gave labels."""
    examples: Labels | None = None
    """The example of ``annotations`` that each row of ``X``, ``y`` and ``clean`` is about."""
    encoder: TableEncoder | None = None
    """What became of the columns, if the file is a table."""
    lines: Labels | None = None
    """The line of the file on which each row begins, if it has lines."""
    table_rows: Labels | None = None
    """The row of the file, counted from 1, of each row, if some of the file's are left out."""

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

    @cached_property
    def said(self) -> pd.DataFrame | None:
        """The labels of several people, a column for each, None where they said nothing."""
        given = self.annotations
        if given is None:
            return None
        labels = np.full((len(self.y), len(given.names)), None, dtype=object)
        labels[given.rows, given.annotators] = self._names.astype(object)[given.labels]
        return pd.DataFrame(labels, columns=list(given.names))

    @property
    def _names(self) -> NDArray[Any]:
        return plain_array(self.classes, self.name)


def read_own_data(
    path: str, target: str, clean_column: str | None, **columns: Sequence[str] | None
) -> OwnData:
    """Read a file; the clean column is not a feature and may have empty rows.

    ``columns`` are ``drop``, ``keep`` and ``categorical`` of ``TableEncoder``.
    """
    place = Path(path)
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
    name = _name(place)
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


def _name(place: Path) -> str:
    """Return the name of a table's file without its ending."""
    return next(place.name[: -len(s)] for s in TABLES if place.name.lower().endswith(s))


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
    notice_spellings(table[[name for name in names if name in (target, clean_column)]], where)
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
    """Read a file with the labels of several people: a row for each label."""
    place, where = Path(path), f"file {path!r}"
    table = read_table(place)
    found = annotated_labels(
        table,
        where=where,
        target=clean_column,
        columns=people,
        long=read_table(Path(long)) if long else None,
    )
    given = found.annotations
    if not given.overlap:
        raise NcbenchError(
            f"{where}: no example has more than one label, so people cannot be compared; "
            "put all labels into one column and name it with --target"
        )
    encoder = fitted_encoder(found.others, where=where, **columns)
    notice_names_of_classes(found.classes, encoder, where)
    without = len(table) - len(np.unique(given.rows))
    if without:
        notice_once(f"{where}: {counted(without, 'row has', 'rows have')} no label: left out")
    X = encoder.transform(found.others, where=where)
    return OwnData(
        _name(place),
        X[given.rows],
        given.labels,
        found.classes,
        found.clean[given.rows] if clean_column else None,
        given,
        given.rows,
        encoder,
        lines_of(table),
        np.arange(1, len(table) + 1),
    )


def one_label_each(data: OwnData) -> OwnData:
    """Return the labels of several people as one for each example, the most probable one.

    Of the labels that people gave to the example, it is the most probable one by Dawid and Skene's
    method. Checked labels are not used for it, so that they can tell how often it is wrong.
    Examples that nobody labeled are left out.

    Examples
    --------
    >>> given = Annotations([0, 0, 0, 2, 2], [0, 1, 2, 0, 1], [1, 1, 0, 0, 0], ("a", "b", "c"))
    >>> X = np.array([[5.0], [6.0], [7.0]])
    >>> data = OwnData("toy", X[given.rows], given.labels, ("no", "yes"), None, given, given.rows)
    >>> one = one_label_each(data)
    >>> one.labels.tolist(), one.X.ravel().tolist()
    (['yes', 'no'], [5.0, 7.0])
    """
    given = data.annotations
    assert given is not None
    labeled, first = np.unique(given.rows, return_index=True)
    of_labeled = given.of(labeled)
    return replace(
        data,
        X=data.X[first],
        y=dawid_skene(of_labeled, len(labeled), len(data.classes)).labels_given(of_labeled),
        clean=None if data.clean is None else data.clean[first],
        annotations=of_labeled,
        examples=np.arange(len(labeled)),
        lines=None if data.lines is None else data.lines[labeled],
        table_rows=None if data.table_rows is None else data.table_rows[labeled],
    )


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
    reads(path)
    if has_no_end(path):
        raise NcbenchError(f"{what}: not a regular file")
    try:
        if Path(path).suffix.lower() == ".json":
            found = json.loads(Path(path).read_text(encoding="utf-8"))
            names = [str(name) for name in found["classes"]]
            if found.get("annotators"):
                notice_once(
                    f"{what}: this is the noise of all labels of {len(found['annotators'])} people;"
                    " that of one of them, or of one label for each row, is another"
                )
            T = np.array(found["T"], dtype=float)  # numbers only: a table would fill or repeat them
            return pd.DataFrame(T, index=names, columns=names)
        frame = pd.read_csv(path, index_col=0, skipinitialspace=True)
        if frame.empty:
            raise ValueError("it names no classes")
        frame.index = frame.index.map(str)
        return frame.astype(float)
    except OSError as error:
        raise NcbenchError(f"{what}: {error.strerror} (looked in {Path.cwd()})") from error
    except RecursionError as error:
        raise NcbenchError(f"{what}: nested too deeply") from error
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise NcbenchError(
            f"{what}: cannot be read ({error}); expected a CSV file with the names of the classes "
            "in its first line and first column, a JSON file of estimate-noise, or none"
        ) from error
