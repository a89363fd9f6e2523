"""Labels of any type: as an array whose sorted order is the natural one, and as numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ncbench.errors import NcbenchError
from ncbench.types import Labels

UNKNOWN = -1
"""The number of a label that nobody knows."""

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


@dataclass(frozen=True)
class Classes:
    """The classes of labels, and the numbers 0, 1, ... of labels of these classes.

    Parameters
    ----------
    values : array of shape (n,)
        Sorted.

    Examples
    --------
    >>> classes = Classes.of(np.array(["b", "a"]), np.array(["c", None], dtype=object))
    >>> classes.names
    ('a', 'b', 'c')
    >>> classes.numbers(np.array(["b", None], dtype=object))
    array([ 1, -1])
    """

    values: NDArray[Any]

    @classmethod
    def of(cls, labels: ArrayLike, *others: NDArray[np.object_] | None) -> Classes:
        """Return the classes of labels, and of others of their type, with None where is none."""
        values = np.unique(np.asarray(labels))
        for given in others:
            if given is not None:
                values = np.union1d(values, _present(given, values))
        return cls(values)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the classes."""
        return tuple(str(value) for value in self.values)

    @overload
    def numbers(self, labels: None) -> None: ...

    @overload
    def numbers(self, labels: NDArray[Any]) -> Labels: ...

    def numbers(self, labels: NDArray[Any] | None) -> Labels | None:
        """Return the numbers of labels, ``UNKNOWN`` for None; all must be of these classes."""
        if labels is None:
            return None
        if labels.dtype.kind != "O":
            return np.searchsorted(self.values, labels).astype(np.int64)
        codes = np.full(labels.shape, UNKNOWN, dtype=np.int64)
        codes[labels != None] = np.searchsorted(self.values, _present(labels, self.values))  # noqa: E711
        return codes


def _present(given: NDArray[np.object_], values: NDArray[Any]) -> NDArray[Any]:
    """Return the labels that are there, as values of the same type."""
    kind = values.dtype if values.dtype.kind in "biufO" else str
    return np.asarray(given[given != None].astype(kind))  # noqa: E711


def given_labels(
    values: Any, y: NDArray[Any], name: str, dimensions: int = 1
) -> NDArray[np.object_]:
    """Return labels that people gave beside others, as labels of their type, None for no label.

    None, NaN or, beside whole numbers, -1 stand for no label.

    Parameters
    ----------
    values : array of shape (m,) or (m, people)
    y : array of shape (m,)
        The others.
    name : str
        What errors call the values.
    dimensions : int

    Examples
    --------
    >>> given_labels([2.0, None, -1], np.array([1, 2, 2]), "clean")
    array([2, None, None], dtype=object)
    >>> given_labels([0.5, None, 1], np.array([0, 1, 1]), "clean")
    Traceback (most recent call last):
    ...
    ncbench.errors.NcbenchError: clean: label 0.5 in row 1; expected whole numbers, as the noisy labels are
    """  # noqa: E501
    given = np.asarray(values, dtype=object)
    if given.ndim != dimensions or len(given) != len(y):
        shape = f"({len(y)},)" if dimensions == 1 else f"({len(y)}, people)"
        raise NcbenchError(f"{name}: shape {given.shape}; expected {shape}, as many rows as y has")
    numeric = y.dtype.kind in "biuf"
    whole = numeric and bool(np.all(y % 1 == 0))
    present = np.asarray(pd.notna(given))
    if whole and -1 not in y:
        present &= np.asarray(given != -1, dtype=bool)
    if not present.any():
        raise NcbenchError(f"{name}: no label in any row; leave it out if there is none")
    labels = np.full(given.shape, None, dtype=object)
    if not numeric:
        known = set(y.tolist())
        texts = ((str(value), whole_text(value)) for value in given[present].tolist())
        # A column of whole numbers with gaps has floats, where y may have the numbers as text.
        labels[present] = [text if text in known else number for text, number in texts]
        return labels
    numbers = np.asarray(pd.to_numeric(pd.Series(given[present]), errors="coerce"), dtype=float)
    with np.errstate(invalid="ignore"):
        labels[present] = numbers.astype(y.dtype)
    wrong = (labels[present] != numbers) | (whole & (numbers % 1 != 0))
    if wrong.any():
        place = np.argwhere(present)[wrong.argmax()]
        raise NcbenchError(
            f"{name}: label {given[tuple(place)]} in row {place[0] + 1}; expected "
            f"{'whole ' if whole else ''}numbers, as the noisy labels are"
        )
    return labels


def whole_text(value: Any) -> str:
    """Return a value as text; 1 and 1.0 are the same."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
