"""Labels that people give beside the noisy ones: checked labels, and those of several annotators.

None, NaN or, beside whole numbers, -1 stand for no label.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ncbench.data import UNKNOWN, as_text
from ncbench.errors import NcbenchError
from ncbench.types import Labels


def given_labels(
    values: Any, y: NDArray[Any], name: str, dimensions: int = 1
) -> NDArray[np.object_]:
    """Return labels of the type of ``y``, None where there is none.

    Parameters
    ----------
    values : array of shape (m,) or (m, people)
    y : array of shape (m,)
        Noisy labels.
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
        texts = ((str(value), as_text(value)) for value in given[present].tolist())
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


def classes_with(y: NDArray[Any], *given: NDArray[np.object_] | None) -> NDArray[Any]:
    """Return the sorted classes of noisy and given labels."""
    classes = np.unique(y)
    for labels in given:
        if labels is not None:
            classes = np.union1d(classes, _known(labels, classes))
    return classes


def label_codes(given: NDArray[np.object_], classes: NDArray[Any]) -> Labels:
    """Return the numbers of given labels, ``UNKNOWN`` where there is none.

    Examples
    --------
    >>> label_codes(np.array(["b", None], dtype=object), np.array(["a", "b"]))
    array([ 1, -1])
    """
    codes = np.full(given.shape, UNKNOWN, dtype=np.int64)
    codes[given != None] = np.searchsorted(classes, _known(given, classes))  # noqa: E711
    return codes


def _known(given: NDArray[np.object_], classes: NDArray[Any]) -> NDArray[Any]:
    kind = classes.dtype if classes.dtype.kind in "biuf" else str
    return np.asarray(given[given != None].astype(kind))  # noqa: E711
