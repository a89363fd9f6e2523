"""Convert a table with named columns to features and labels.

Numeric columns are kept. Any other column (text, categories, true/false) is replaced by one 0/1
column for each of its values, in sorted order, so the same table always gives the same features.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncbench.errors import NcbenchError, did_you_mean
from ncbench.types import Array

if TYPE_CHECKING:
    import pandas as pd


MAX_CATEGORIES = 1000
"""Largest number of values to one-hot encode: a column with more is an id or free text."""

MAX_FRACTIONAL_CLASSES = 20
"""Largest number of classes with fractional labels: a target with more is a quantity."""

_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def features_and_labels(
    table: pd.DataFrame, target: str | None, *, where: str
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
    columns = [str(column) for column in table.columns]
    if target is None or target not in columns:
        raise NcbenchError(_which_target(target, columns, where))
    if columns.count(target) > 1:
        raise NcbenchError(
            f"{where}: {columns.count(target)} columns are named {target!r}; the others would give "
            "the labels away, so delete or rename them"
        )
    if len(table) == 0:
        raise NcbenchError(f"{where}: no rows, only the columns {', '.join(columns)}")
    if len(columns) == 1:
        raise NcbenchError(f"{where}: no column besides the target {target!r}, so no features")
    refuse_missing(table, target, where)
    labels = label_array(table.iloc[:, columns.index(target)], where=f"{where}, target {target!r}")
    return features(table, [target], where=where), labels


def features(table: pd.DataFrame, without: Sequence[str], *, where: str) -> Array:
    """Return the columns of a table as features, m x d, without those of labels."""
    parts = [
        _encoded(table.iloc[:, i], f"{where}, column {column!r}")
        for i, column in enumerate(map(str, table.columns))
        if column not in without
    ]
    return np.ascontiguousarray(np.hstack(parts))


def label_array(values: ArrayLike, *, where: str) -> NDArray[Any]:
    """Convert labels so that their sorted order is the natural order.

    Whole numbers become integers, even if they are stored as text or floats, so class 10 comes after
    class 9. Other values that are not numbers become text.

    Examples
    --------
    >>> label_array(["10", "9"], where="example").tolist()
    [10, 9]
    >>> label_array([1.0, 2.0], where="example").tolist()
    [1, 2]
    >>> label_array([0.25, 0.5, 0.75, 1.25], where="example")
    Traceback (most recent call last):
    ...
    ncbench.errors.NcbenchError: example: 4 distinct numbers in 4 rows, such as 0.25, 0.5, 0.75: a quantity, not classes; group them into classes first or name another target
    """  # noqa: E501
    array = _plain(values, where)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array))[0])
        raise NcbenchError(f"{where}: label {array[row]} in row {row + 1}; expected classes")
    if array.dtype.kind in "iuf":
        distinct = np.unique(array)
        fractional = array.dtype.kind == "f" and bool(np.any(distinct != np.round(distinct)))
        half = len(array) // 2
        limit = min(MAX_FRACTIONAL_CLASSES, half) if fractional else max(20, half)
        if len(distinct) > max(2, limit):
            raise NcbenchError(
                f"{where}: {len(distinct)} distinct numbers in {len(array)} rows, such as "
                f"{', '.join(f'{value:g}' for value in distinct[:3])}: a quantity, not classes; "
                "group them into classes first or name another target"
            )
    return array


def _plain(values: ArrayLike, where: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind == "S":
        try:
            array = np.char.decode(array, "utf-8")
        except UnicodeDecodeError as error:
            raise NcbenchError(f"{where}: text that is not UTF-8 ({error.object!r})") from error
    if array.dtype.kind in "OT":  # Python objects and numpy's variable-width strings
        try:
            array = array.astype(str)
        except ValueError as error:
            raise NcbenchError(
                f"{where}: values that are not plain text, such as {array.flat[0]!r}"
            ) from error
    if array.dtype.kind == "U":
        whole = all(_WHOLE_NUMBER.fullmatch(value) for value in np.unique(array).tolist())
        return array.astype(np.int64) if whole and len(array) else array
    if array.dtype.kind == "f" and np.all(np.abs(array) < 2**53) and np.all(array % 1 == 0):
        return array.astype(np.int64)
    if array.dtype.kind not in "biuf":
        raise NcbenchError(
            f"{where}: values of type {array.dtype}, such as {array.flat[0]}; expected numbers, "
            "text, categories or true/false"
        )
    return array


def _encoded(column: pd.Series[Any], where: str) -> Array:
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        if pd.api.types.is_complex_dtype(column):
            raise NcbenchError(f"{where}: complex numbers; split real and imaginary parts")
        return column.to_numpy(dtype=np.float64)[:, None]
    values, position = np.unique(_plain(column, where), return_inverse=True)
    if len(values) > MAX_CATEGORIES:
        raise NcbenchError(
            f"{where}: {len(values)} distinct values that are not numbers, such as "
            f"{str(values[0])!r} and {str(values[-1])!r}; at most {MAX_CATEGORIES} are one-hot "
            "encoded. Drop the column or turn it into numbers"
        )
    return np.asarray(position.ravel()[:, None] == np.arange(len(values)), dtype=np.float64)


def require_columns(table: pd.DataFrame, names: Sequence[str], where: str) -> None:
    """Raise NcbenchError if a table does not have a column, or has it named twice."""
    columns = [str(column) for column in table.columns]
    for name in names:
        if name not in columns:
            raise NcbenchError(_which_target(name, columns, where))
        if list(names).count(name) > 1:
            raise NcbenchError(f"{where}: column {name!r} is named twice")


def refuse_missing(table: pd.DataFrame, target: str, where: str) -> None:
    """Raise NcbenchError for the first missing value of a table."""
    missing = table.isna()
    counts = missing.to_numpy().sum(axis=0)
    if not counts.any():
        return
    column, columns = int(np.flatnonzero(counts)[0]), int((counts > 0).sum())
    row = int(np.flatnonzero(missing.iloc[:, column].to_numpy())[0])
    name = str(table.columns[column])
    # Do not drop rows without a label: "None" may be a class, and pandas reads it as missing.
    remedy = (
        f"drop those rows, df.dropna(subset=[{target!r}]) in pandas; if None, NA or null is the "
        "name of a class, rename the class"
        if name == target
        else "drop those rows or fill them in, df.fillna(df.median(numeric_only=True)) in pandas"
    )
    raise NcbenchError(
        f"{where}: missing value in column {name!r}, row {row + 1} of the data "
        f"({int(counts.sum())} missing in {columns} column{'' if columns == 1 else 's'}); {remedy}"
    )


def _which_target(target: str | None, columns: list[str], where: str) -> str:
    known = ", ".join(columns) or "none"
    if target is None:
        return f"{where}: which column holds the labels? Set target to one of: {known}"
    hint = did_you_mean(target, columns)
    return f"{where}: no column {target!r}; {hint}Columns: {known}"
