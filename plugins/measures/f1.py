"""F1 measures of the confusion matrix, in loss form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncbench import Measure, NcbenchError

Array = NDArray[np.float64]


class MicroF1(Measure):
    """Micro F1 without the background class (Example 3 of the paper).

    ``psi = 1 - 2 sum_{i != b} C[i,i] / (2 - sum_i C[b,i] - sum_i C[i,b])``: of what is not
    background, in truth or in prediction, the share that was not found. Where everything is
    background, in truth and in prediction, there is nothing to find: psi = 0.

    Parameters
    ----------
    background : int
        Number of the background class b.

    Examples
    --------
    >>> MicroF1()(np.array([[0.5, 0.0], [0.25, 0.25]]))
    0.33333333333333337
    """

    family = "ratio_of_linear"

    def __init__(self, background: int = 0) -> None:
        self.background = background

    def __call__(self, C: Array) -> float:
        """Return the loss ``psi(C)``."""
        b = self._checked(len(C))
        hits = np.trace(C) - C[b, b]
        total = 2 * C.sum() - C[b].sum() - C[:, b].sum()
        return float(1 - 2 * hits / total) if total > 0 else 0.0

    def ratio(self, n: int) -> tuple[Array, Array]:
        """Return A and B: B counts non-background truths and predictions, A those that miss."""
        b = self._checked(n)
        B = np.full((n, n), 2.0)
        B[b, :] -= 1
        B[:, b] -= 1
        hit = np.eye(n)
        hit[b, b] = 0
        return B - 2 * hit, B

    def _checked(self, n: int) -> int:
        if not 0 <= self.background < n:
            raise NcbenchError(
                f"measure.background={self.background}; with {n} classes it lies in 0..{n - 1}"
            )
        return self.background


class MacroF1(Measure):
    """Macro F1: one minus the mean of the classes' F1. Reported, not optimised.

    A class that is neither present nor predicted is left out.

    Examples
    --------
    >>> round(MacroF1()(np.array([[0.5, 0.0], [0.25, 0.25]])), 6)
    0.266667
    """

    def __call__(self, C: Array) -> float:
        """Return the loss ``psi(C)``."""
        total = C.sum(axis=0) + C.sum(axis=1)
        seen = total > 0
        return float(1 - np.mean(2 * np.diagonal(C)[seen] / total[seen]))
