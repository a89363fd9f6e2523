"""The file that ``ncbench predict`` writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ncbench.errors import notice_once
from ncbench.show import no_formula
from ncbench.types import Array

_DIGITS = 6
_MARKS = {0: ",", 2: "."}  # of ",0.250000", by place
_PART = 8192  # rows at a time


def predictions_csv(
    others: pd.DataFrame,
    lines: NDArray[np.int64] | None,
    classes: Sequence[str],
    predicted: NDArray[Any],
    probabilities: Array,
) -> bytes:
    """Return predictions as CSV: rows counted from 1, other columns, classes, probabilities.

    ``DataFrame.to_csv`` would take nine times as long, twelve seconds for half a million rows of
    seven classes, and does not quote a carriage return.

    Parameters
    ----------
    others : DataFrame
        Columns to copy. Those with the name of a column of ours are left out, with a notice.
    lines : array of shape (m,), optional
        The line of the file on which each row begins.
    classes : sequence of str
    predicted : array of shape (m,)
    probabilities : array of shape (m, n)
        Written with six digits.

    Examples
    --------
    >>> others = pd.DataFrame({"id": [7, 8], "note": ["a, b", None]})
    >>> P = np.array([[0.25, 0.75], [1.0, 0.0]])
    >>> print(predictions_csv(others, None, ["ill", "well"], np.array(["well", "ill"]), P).decode())
    row,id,note,predicted,p_ill,p_well
    1,7,"a, b",well,0.250000,0.750000
    2,8,,ill,1.000000,0.000000
    <BLANKLINE>
    """
    of_classes = [f"p_{name}" for name in classes]
    columns: dict[str, Any] = {"row": np.arange(1, len(predicted) + 1)}
    if lines is not None:
        columns["line"] = lines
    names = [*columns]
    copied = [str(name) for name in others.columns]
    clash = {*columns, "predicted", *of_classes}.intersection(copied)
    if clash:
        notice_once(
            f"columns of the table that have the name of one of the predictions are left out: "
            f"{', '.join(sorted(clash))}"
        )
    keep = [k for k, name in enumerate(copied) if name not in clash]
    names += [*(copied[k] for k in keep), "predicted", *of_classes]
    series = [*columns.values(), *(others.iloc[:, k] for k in keep), predicted]
    starts = map(",".join, zip(*map(_texts, series), strict=True))
    header = ",".join(map(_quoted, names)) + "\n"
    rows = zip(starts, _decimals(probabilities), strict=True)
    return (header + "".join(chain.from_iterable(rows))).encode()


def _texts(values: Any) -> list[str]:
    """Return values as fields of a CSV file; of text, each different one is converted once."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        return list(map(str, values.tolist()))
    try:
        codes, found = pd.factorize(values)
    except TypeError:  # lists, as in a Parquet file
        return list(map(_quoted, values))
    fields = np.array([*map(_quoted, found.tolist()), ""], dtype=object)  # the code of none is -1
    texts: list[str] = fields[codes].tolist()
    return texts


def _quoted(value: Any) -> str:
    text = str(no_formula(value))
    if text != str(value):
        notice_once(
            "text that begins like a formula (=, +, -, @) has an apostrophe in front in the "
            "predictions, so that a spreadsheet does not run it"
        )
    if any(special in text for special in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _decimals(probabilities: Array) -> Iterator[str]:
    r"""Yield the end of each row, ``,0.250000,0.750000\n``."""
    width = probabilities.shape[1] * (_DIGITS + 3) + 1
    for start in range(0, len(probabilities), _PART):
        left = np.rint(probabilities[start : start + _PART].T * 10**_DIGITS).astype(np.int32)
        m = left.shape[1]
        text = np.full((m, width), ord("\n"), dtype=np.uint8)
        for k in reversed(range(_DIGITS + 3)):
            place = text[:, k : width - 1 : _DIGITS + 3].T
            if k in _MARKS:
                place[:] = ord(_MARKS[k])
            else:
                rest = left // 10
                place[:] = left - 10 * rest + ord("0")
                left = rest
        whole = text.tobytes().decode("ascii")
        yield from (whole[k : k + width] for k in range(0, m * width, width))
