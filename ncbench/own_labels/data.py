"""A user's noisy labels, and how they are read from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ncbench.core import stream
from ncbench.data import (
    UNKNOWN,
    Annotations,
    Classes,
    Dataset,
    TableEncoder,
    annotated_labels,
    at_row,
    fitted_encoder,
    given_labels,
    label_array,
    lines_of,
    notice_spellings,
    plain_array,
    plain_name,
    read_table,
    split_labels,
    table_name,
)
from ncbench.data.columns import Column
from ncbench.errors import NcbenchError, counted, did_you_mean, notice_once
from ncbench.noise_estimation import CleanLabels, NoisySample, dawid_skene
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

    def sample(self, cpe: Any, seed: int | None, clean: CleanLabels | None) -> NoisySample:
        """Return the labels as the input of estimators."""
        return NoisySample(
            X=self.X,
            y=self.y,
            n_classes=len(self.classes),
            cpe=cpe,
            rng=np.random.default_rng() if seed is None else stream(seed, "estimate-noise"),
            clean=clean,
            classes=self.classes,
            rows=self.examples,
            annotations=self.annotations,
            checked=self.clean,
            seed=seed,
        )

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
    _notice_given_away(rest, labels, encoder, where)
    X = encoder.transform(rest, where=where)
    data = Dataset.from_labels(X, labels, name=table_name(place))  # which checks them
    own = OwnData(data.name, X, data.y, data.classes, encoder=encoder, lines=lines_of(table))
    if checked is None:
        return own
    where = f"{where}, column {clean_column!r}"
    label_array(checked.dropna().to_numpy(), where=where)  # classes, not a quantity
    given = given_labels(checked, labels, where)
    classes = Classes.of(labels, given)
    clean = classes.numbers(given)
    for name in classes.names:
        if name not in data.classes:
            row = at_row(table, int(np.argmax(clean == classes.names.index(name))))
            notice_once(f"{where}, {row}: {only_checked(name, data.classes)}")
    return replace(own, y=classes.numbers(labels), classes=classes.names, clean=clean)


def _without(
    table: pd.DataFrame, clean_column: str, target: str, where: str
) -> tuple[pd.DataFrame, pd.Series[Any]]:
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
    for column in encoder.columns:
        _notice_names_of_classes(column, found.classes, where, people=True)
    without = len(table) - len(np.unique(given.rows))
    if without:
        notice_once(f"{where}: {counted(without, 'row has', 'rows have')} no label: left out")
    X = encoder.transform(found.others, where=where)
    return OwnData(
        table_name(place),
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


def shown_names(classes: Sequence[str]) -> tuple[str, ...]:
    """Return names for a table, in quotes where only capitals or spaces tell them apart.

    Examples
    --------
    >>> shown_names(["pear", "pear ", "apple"])
    ("'pear'", "'pear '", 'apple')
    """
    plain = [plain_name(name) for name in classes]
    return tuple(
        repr(name) if plain.count(same) > 1 or name != name.strip() else name
        for name, same in zip(classes, plain, strict=True)
    )


def only_checked(name: str, known: Sequence[str]) -> str:
    """Say that a class occurs only among checked labels, and what it may be meant to be.

    Examples
    --------
    >>> only_checked("pear", ["Pear", "apple"])
    "class 'pear' occurs only among the checked labels; if 'Pear' is meant, write it so"
    >>> only_checked("gourd", ["Pear", "apple"])
    "class 'gourd' occurs only among the checked labels, so no noisy label can be right there"
    """
    said = f"class {name!r} occurs only among the checked labels"
    alike = [other for other in known if plain_name(other) == plain_name(name)]
    if alike:
        return f"{said}; if {alike[0]!r} is meant, write it so"
    return f"{said}, so no noisy label can be right there"


def _notice_given_away(
    table: pd.DataFrame, labels: NDArray[Any], encoder: TableEncoder, where: str
) -> None:
    """Point out features that have one value for each label, or the names of classes.

    With such a feature every label can be predicted, so that no label looks wrong.

    Parameters
    ----------
    table : DataFrame
        Without the labels.
    labels : array of shape (m,)
    encoder : TableEncoder
        Fitted to the table.
    where : str
    """
    classes = np.unique(labels)
    for position, column in enumerate(encoder.columns):
        values = table.iloc[:, position]
        name, present = column["name"], values.notna().to_numpy()
        distinct = values.nunique()
        if column["kind"] == "left out" or not 2 <= distinct <= 2 * len(classes):
            continue
        found = labels[present]
        pairs = pd.DataFrame({"value": values[present].to_numpy(), "label": found})
        enough = 2 * len(found) >= len(labels) and len(found) > 2 * distinct
        if enough and distinct == len(np.unique(found)) == len(pairs.drop_duplicates()):
            notice_once(
                f"{where}: column {name!r} has one value for each label: it gives the labels away, "
                f"and no label looks wrong; leave it out with --drop {quote(name)}"
            )
        elif labels.dtype.kind == "U":
            _notice_names_of_classes(column, classes, where)


def _notice_names_of_classes(
    column: Column, classes: Sequence[str] | NDArray[Any], where: str, people: bool = False
) -> None:
    """Point out a feature whose values are names of classes, such as checked labels."""
    values = {plain_name(value) for value in column["values"] if value}
    name, person = column["name"], ""
    if people:
        person = "labels of one more person, name it among --annotators, if they are "
    if column["kind"] == "categories" and len(values) > 1 and values <= {*map(plain_name, classes)}:
        notice_once(
            f"{where}: column {name!r} is a feature, but its values are names of classes; if they "
            f"are {person}checked labels, give --clean-column {quote(name)}, if they repeat the "
            f"labels, leave them out with --drop {quote(name)}"
        )
