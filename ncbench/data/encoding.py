"""Convert a table with named columns to features and labels."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ncbench.data.column_values import is_numeric, notice_alike
from ncbench.data.columns import TableEncoder
from ncbench.data.labels import label_array, refuse_odd_labels
from ncbench.data.tables import as_written, at_row, refuse_repeated
from ncbench.errors import NcbenchError, counted, did_you_mean, notice_once
from ncbench.types import Array


def features_and_labels(
    table: pd.DataFrame, target: str | None, *, where: str, **columns: Sequence[str] | None
) -> tuple[Array, NDArray[Any]]:
    """Split a table into features and labels.

    Parameters
    ----------
    table : DataFrame
        One row per example.
    target : str or None
        The column with the labels. None raises an error that lists the columns.
    where : str
        The origin of the table for messages, such as ``"file 'a.csv'"``.
    **columns
        ``drop``, ``keep`` and ``categorical`` of :class:`TableEncoder`.

    Returns
    -------
    X : array of shape (m, d)
    labels : array of shape (m,)
        For ``Dataset.from_labels``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [3, 1], "colour": ["red", "blue"], "kind": ["b", "a"]})
    >>> X, labels = features_and_labels(table, "kind", where="example")
    >>> X.tolist(), labels.tolist()
    ([[3.0, 0.0, 1.0], [1.0, 1.0, 0.0]], ['b', 'a'])
    """
    rest, labels = split_labels(table, target, where=where)
    return fitted_encoder(rest, where=where, **columns).transform(rest, where=where), labels


def split_labels(
    table: pd.DataFrame, target: str | None, *, where: str
) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Return a table without its labels, and the labels; the arguments are as above."""
    names = [str(name) for name in table.columns]
    refuse_repeated(names)
    if target is None or target not in names:
        raise NcbenchError(_which_target(target, names, where))
    if len(table) == 0:
        raise NcbenchError(f"{where}: no rows, only the columns {', '.join(names)}")
    if len(names) == 1:
        raise NcbenchError(f"{where}: no column besides the target {target!r}, so no features")
    position = names.index(target)
    refuse_missing(table.iloc[:, [position]], where, target)
    of_target = f"{where}, target {target!r}"
    refuse_odd_labels(table.iloc[:, position], of_target, lambda row: at_row(table, row))
    labels = label_array(table.iloc[:, position], where=of_target)
    notice_spellings(table.iloc[:, [position]], where)
    found, codes = np.unique(labels, return_inverse=True)
    notice_alike(lambda k: int(np.argmax(codes == k)), found, table, f"{of_target}: classes")
    rest = table.iloc[:, [k for k in range(len(names)) if k != position]]
    return rest, labels


def notice_spellings(labels: pd.DataFrame, where: str) -> None:
    r"""Point out labels that are written differently and equal as numbers, so one class.

    In a column that has any other text, they are different classes.

    Parameters
    ----------
    labels : DataFrame
        The columns of labels, of a table that was read from a file.
    where : str

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ncbench.data.tables import read_table
    >>> path = Path(tempfile.mkdtemp(), "a.csv")
    >>> _ = path.write_text("size,y\n1,1\n2,01\n3,0\n4,x\n")
    >>> read_table(path)["y"].tolist()
    ['1', '01', '0', 'x']
    """
    if labels.attrs.get("separator") is None:  # a sheet has numbers, not how they are written
        return
    numeric = labels.iloc[:, [k for k in range(labels.shape[1]) if is_numeric(labels.iloc[:, k])]]
    spelled: dict[float, dict[str, int]] = {}
    for texts, numbers in zip(as_written(numeric).items(), numeric.items(), strict=True):
        column = numbers[1].to_frame("number").assign(text=texts[1].str.strip()).dropna()
        for row, number, text in column.drop_duplicates().itertuples(name=None):
            spelled.setdefault(number, {}).setdefault(text, row)
    several = [rows for rows in spelled.values() if len(rows) > 1]
    if several:
        places = [f"{text!r} in {at_row(labels, row)}" for text, row in several[0].items()]
        others = f" (and so in {counted(len(several) - 1, 'other class', 'other classes')})"
        notice_once(
            f"{where}: labels that are written differently are equal as numbers, so they are one "
            f"class: {', '.join(places[:3])}{others if len(several) > 1 else ''}; if they are "
            "different classes, put a letter in front of each"
        )


def fitted_encoder(
    table: pd.DataFrame,
    *,
    where: str,
    drop: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
) -> TableEncoder:
    """Decide what becomes of the columns of a table without labels, and say so."""
    encoder = TableEncoder(drop or (), keep or (), categorical or ()).fit(table, where=where)
    notice_once(f"{where}: {encoder.describe()}")
    return encoder


def require_columns(table: pd.DataFrame, names: Sequence[str], where: str) -> None:
    """Raise NcbenchError if a table does not have a column, or has it named twice."""
    columns = [str(column) for column in table.columns]
    refuse_repeated(columns)
    for name in names:
        if name not in columns:
            raise NcbenchError(_which_target(name, columns, where))
        if list(names).count(name) > 1:
            raise NcbenchError(
                f"{where}: column {name!r} is named twice; each kind of labels has its own column"
            )


def refuse_missing(table: pd.DataFrame, where: str, target: str = "") -> None:
    """Raise NcbenchError for the first missing value of a table."""
    missing = table.isna().to_numpy()
    if not missing.any():
        return
    column = int(np.argmax(missing.any(axis=0)))
    name, row = str(table.columns[column]), int(np.argmax(missing[:, column]))
    # Do not drop rows without a label: "None" may be a class, and pandas reads it as missing.
    remedy = (
        f", df.dropna(subset=[{target!r}]) in pandas; if None, NA or null is the name of a class, "
        "rename the class"
        if target
        else ""
    )
    raise NcbenchError(
        f"{where}: missing value in column {name!r}, {at_row(table, row)} ({int(missing.sum())} "
        f"missing); drop those rows{remedy}"
    )


def _which_target(target: str | None, columns: list[str], where: str) -> str:
    known = ", ".join(columns) or "none"
    if target is None:
        return f"{where}: which column holds the labels? Set the target to one of: {known}"
    hint = did_you_mean(target, columns)
    if _looks_like_data(columns):
        hint += "the first line looks like data; put the names of the columns above it. "
    return f"{where}: no column {target!r}; {hint}Columns: {known}"


def _looks_like_data(names: Sequence[str]) -> bool:
    """Whether names are numbers, other than 0, 1, 2, ..., which count columns."""
    numbers = []
    for name in names:
        with suppress(ValueError):
            numbers.append(float(name))
    counts = range(len(numbers)), range(1, len(numbers) + 1)
    return bool(numbers) and not any(numbers == list(count) for count in counts)
