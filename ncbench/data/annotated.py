"""Tables whose labels are doubtful: columns of one or more annotators, and checked labels.

Missing labels are allowed, in every column. Classes are compared by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ncbench.data.column_values import notice_alike
from ncbench.data.dataset import Annotations, Dataset
from ncbench.data.encoding import (
    fitted_encoder,
    notice_spellings,
    refuse_missing,
    require_columns,
)
from ncbench.data.labels import UNKNOWN, Classes, label_array, refuse_odd_labels
from ncbench.data.tables import at_row
from ncbench.errors import NcbenchError
from ncbench.types import Labels

_ENOUGH = 20  # labels from which on an annotator can be called constant or contrary


def annotated_dataset(
    table: pd.DataFrame,
    *,
    name: str,
    where: str,
    target: str | None = None,
    columns: Sequence[str] = (),
    long: pd.DataFrame | None = None,
    source: str = "",
    **encoding: Sequence[str] | None,
) -> Dataset:
    """Return a data set with labels by annotators.

    Parameters
    ----------
    table : DataFrame
        One row for each example.
    name : str
        The name of the data set.
    where : str
        The origin of the table, for messages.
    target : str, optional
        The column of the checked labels, which may be empty in most rows.
    columns : sequence of str
        The columns of the annotators.
    long : DataFrame, optional
        Instead of ``columns``: a row for each label, with three columns: the row of the example in
        ``table``, counted from 1; the annotator; the label.
    source : str
        Stored in the record.
    **encoding
        ``drop``, ``keep`` and ``categorical`` of :class:`TableEncoder`.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1, 2, 3], "ann": ["a", "b", "b"], "bob": ["a", None, "b"],
    ...                       "checked": ["a", None, None]})
    >>> data = annotated_dataset(table, name="toy", where="toy", target="checked",
    ...                          columns=["ann", "bob"])
    >>> data.y, data.annotations.names, data.annotations.labels
    (array([ 0, -1, -1]), ('ann', 'bob'), array([0, 1, 1, 0, 1]))
    """
    labels = annotated_labels(table, where=where, target=target, columns=columns, long=long)
    encoder = fitted_encoder(labels.others, where=where, **encoding)
    return Dataset(
        X=encoder.transform(labels.others, where=where),
        y=labels.clean,
        classes=labels.classes,
        name=name,
        source=source,
        annotations=labels.annotations,
    )


class AnnotatedLabels(NamedTuple):
    """The labels of a table, and its other columns."""

    others: pd.DataFrame
    classes: tuple[str, ...]
    clean: Labels
    """Checked labels, or ``UNKNOWN``."""
    annotations: Annotations


def annotated_labels(
    table: pd.DataFrame,
    *,
    where: str,
    target: str | None = None,
    columns: Sequence[str] = (),
    long: pd.DataFrame | None = None,
) -> AnnotatedLabels:
    """Split a table into labels and other columns; parameters as in :func:`annotated_dataset`."""
    labels_in = [*([target] if target else []), *columns]
    require_columns(table, labels_in, where)
    if long is None and not columns:
        raise NcbenchError(f"{where}: no column of labels is named; expected one for each person")
    others = table.drop(columns=[c for c in table.columns if str(c) in labels_in])
    if others.shape[1] == 0:
        raise NcbenchError(f"{where}: no column besides {', '.join(labels_in)}, so no features")
    said: dict[str, pd.Series[Any]] = {str(c): table[c] for c in table.columns}
    for column in labels_in:
        of_column = f"{where}, column {column!r}"
        refuse_odd_labels(said[column], of_column, lambda row: at_row(table, row))
    notice_spellings(table[labels_in], where)
    given = {column: _present(said[column]) for column in labels_in}
    if long is not None:
        source = long.attrs.get("path")
        by_person = _by_person(long, len(table), f"file {source!r}" if source else where)
    else:
        by_person = {column: given[column] for column in columns}
    clean = given[target] if target else {}
    _check(by_person, clean, target, table, where)
    texts = [label for labels in (*by_person.values(), clean) for label in labels.values()]
    found = label_array(np.array(texts), where=f"{where}, labels")
    classes = Classes.of(found)
    numbers = classes.numbers(found)
    labels, checked = np.split(numbers, [len(texts) - len(clean)])
    y = np.full(len(table), UNKNOWN, dtype=np.int64)
    y[list(clean)] = checked
    pairs = [(row, k) for k, given in enumerate(by_person.values()) for row in given]
    rows, people = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    notice_alike(
        lambda k: int(rows[labels == k].min(initial=len(table) - 1)),
        classes.values,
        table,
        f"{where}: classes",
    )
    annotations = Annotations(rows, people, labels, tuple(by_person))
    return AnnotatedLabels(others, classes.names, y, annotations)


def _present(column: pd.Series[Any]) -> dict[int, str]:
    """Return the labels of a column by row, as text, without missing ones."""
    values = column.reset_index(drop=True).dropna()
    if values.dtype.kind == "f" and (values % 1 == 0).all():
        values = values.astype(np.int64)  # a column of numbers with gaps was read as floats
    texts = zip(values.index.tolist(), values.astype(str).str.strip(), strict=True)
    return {row: label for row, label in texts if label}


def _by_person(long: pd.DataFrame, m: int, where: str) -> dict[str, dict[int, str]]:
    if long.shape[1] != 3:
        raise NcbenchError(
            f"{where}: {long.shape[1]} columns ({', '.join(map(str, long.columns))}); expected "
            "three: the row of the example, counted from 1, the annotator, and the label"
        )
    first = [str(name) for name in long.columns]
    if first[0].isdecimal():
        raise NcbenchError(
            f"{where}: its first line is {', '.join(first)!r}, which is a label, not the names of "
            "the columns; add a first line such as row,annotator,label"
        )
    refuse_missing(long, where)
    notice_spellings(long.iloc[:, [2]], where)
    refuse_odd_labels(long.iloc[:, 2], where, lambda row: at_row(long, row))
    found: dict[str, dict[int, str]] = {}
    for line, (row, person, label) in enumerate(long.itertuples(index=False, name=None)):
        try:
            example = int(row) - 1
        except (TypeError, ValueError):
            example = -1
        if not 0 <= example < m or float(row) != example + 1:
            raise NcbenchError(
                f"{where}: {at_row(long, line)} labels example {row!r}; expected a row of "
                f"the data, 1 to {m}"
            )
        labels = found.setdefault(str(person), {})
        if example in labels:
            raise NcbenchError(
                f"{where}: {at_row(long, line)}: annotator {str(person)!r} labels example "
                f"{row} twice; keep one of the two"
            )
        labels[example] = str(label).strip()
    return found


def _check(
    people: Mapping[str, Mapping[int, str]],
    clean: Mapping[int, str],
    target: str | None,
    table: pd.DataFrame,
    where: str,
) -> None:
    """Raise NcbenchError for labels that cannot be what they are said to be."""
    if not people:
        raise NcbenchError(f"{where}: no label by anybody in the annotations")
    for person, labels in people.items():
        if not labels:
            raise NcbenchError(f"{where}: {person!r} has no label in any row; leave it out")
        shared = [
            label == labels[row]
            for other, theirs in people.items()
            if other != person
            for row, label in theirs.items()
            if row in labels
        ]
        # Of a frequent class, an honest person may have seen no other.
        contradicted = 2 * sum(shared) < len(shared)
        constant = len(set(labels.values())) == 1 and (contradicted or len(people) == 1)
        if len(labels) >= _ENOUGH and constant:
            row = next(iter(labels))
            others = ", and the others mostly do not" if contradicted else ""
            raise NcbenchError(
                f"{where}: {person!r} says {labels[row]!r} in all {len(labels)} rows, first in "
                f"{at_row(table, row)}{others}; such labels say nothing: leave it out"
            )
        if len(shared) >= _ENOUGH and not any(shared):
            raise NcbenchError(
                f"{where}: {person!r} agrees with no other annotator in any of {len(shared)} "
                f"comparisons, first in {at_row(table, next(iter(labels)))}; check the names "
                "of its classes, or leave it out"
            )
    if target is None:
        return
    if not clean:
        raise NcbenchError(
            f"{where}: column {target!r} has no checked label in any row; leave target out"
        )
    named = {label for labels in people.values() for label in labels.values()}
    for row, label in clean.items():
        if label not in named:
            raise NcbenchError(
                f"{where}: {at_row(table, row)} is {label!r} in the checked column {target!r}, a "
                "class that no annotator names; correct the name, or leave those rows empty"
            )
    labeled = set().union(*people.values())
    if len(people) == 1 and len(labeled) < len(clean) and labeled <= set(clean):
        (person,) = people
        raise NcbenchError(
            f"{where}: every row has a checked label in {target!r}, but only {len(labeled)} of "
            f"{len(clean)} have one in {person!r}: are the two columns swapped?"
        )
