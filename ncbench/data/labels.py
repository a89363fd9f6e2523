"""Labels of any type as an array whose sorted order is the natural one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncbench.errors import NcbenchError

MAX_FRACTIONAL_CLASSES = 20
"""Largest number of classes with fractional labels: a target with more is a quantity."""

MAX_LABEL_LENGTH = 500
"""Longest name of a class: more is a text, or many rows in one field."""

_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")


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
    values = np.asarray(values)
    if values.dtype.kind in "OTU":
        refuse_odd_labels(values.ravel().tolist(), where, lambda k: f"row {k + 1}")
    array = plain_array(values, where)
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


def refuse_odd_labels(labels: Iterable[Any], where: str, at: Callable[[int], str]) -> None:
    r"""Raise NcbenchError for the first label that can hardly be the name of a class.

    A quotation mark that is closed at the wrong place makes such labels, and as an array, all labels
    take the memory of the longest.

    Parameters
    ----------
    labels : iterable
    where : str
    at : function of the number of a label, from 0
        Where it is, for the message.

    Examples
    --------
    >>> refuse_odd_labels(["pear", "pe\nar"], "example", lambda k: f"line {k + 2}")
    Traceback (most recent call last):
    ...
    ncbench.errors.NcbenchError: example: the label in line 3 has a line break: 'pe\nar'; expected the name of a class
    """  # noqa: E501
    for k, label in enumerate(labels):
        if not isinstance(label, str):
            continue
        broken = "\n" in label or "\r" in label
        if broken or len(label) > MAX_LABEL_LENGTH:
            what = "a line break" if broken else f"{len(label):,} characters"
            start = label if len(label) <= 40 else f"{label[:37]}..."
            raise NcbenchError(
                f"{where}: the label in {at(k)} has {what}: {start!r}; expected the name of a class"
            )


def plain_array(values: ArrayLike, where: str) -> NDArray[Any]:
    """Convert values to whole numbers, true/false, floats or text, whichever all of them are."""
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
