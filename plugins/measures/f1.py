"""F1 measures of the confusion matrix, in loss form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ncbench import Measure, NcbenchError
from ncbench.errors import UnknownName
from ncbench.types import Array


class MicroF1(Measure):
    """Micro F1 without the background class (Example 3 of the paper).

    ``psi = 1 - 2 sum_{i != b} C[i,i] / (2 - sum_i C[b,i] - sum_i C[i,b])``. If all labels and all
    predictions are background, psi = 0.

    Parameters
    ----------
    background : int or str
        The background class b: its number, starting at 0, or its name.

    Examples
    --------
    >>> MicroF1()(np.array([[0.5, 0.0], [0.25, 0.25]]))
    0.33333333333333337
    >>> MicroF1("well").for_classes(["ill", "well"]).background
    1
    """

    family = "ratio_of_linear"

    def __init__(self, background: int | str = 0) -> None:
        self.background = background

    def for_classes(self, names: Sequence[str]) -> MicroF1:
        """Return the measure with the background class as a number."""
        if not isinstance(self.background, str):
            return self
        if self.background not in names:
            raise UnknownName.among("measure.background: class", self.background, names)
        return MicroF1(names.index(self.background))

    def __call__(self, C: Array) -> float:
        """Return the loss ``psi(C)``."""
        b = self._checked(len(C))
        hits = np.trace(C) - C[b, b]
        total = 2 * C.sum() - C[b].sum() - C[:, b].sum()
        return float(1 - 2 * hits / total) if total > 0 else 0.0

    def ratio(self, n: int) -> tuple[Array, Array]:
        """Return A and B: B counts non-background labels and predictions, A the wrong ones."""
        b = self._checked(n)
        B = np.full((n, n), 2.0)
        B[b, :] -= 1
        B[:, b] -= 1
        hit = np.eye(n)
        hit[b, b] = 0
        return B - 2 * hit, B

    def _checked(self, n: int) -> int:
        if isinstance(self.background, str):
            raise NcbenchError(
                f"measure.background={self.background!r}: class names are not known here; give a "
                f"number, 0..{n - 1}, or use for_classes(names)"
            )
        if not 0 <= self.background < n:
            raise NcbenchError(
                f"measure.background={self.background}; with {n} classes, expected 0..{n - 1}"
            )
        return self.background


class MacroF1(Measure):
    """Macro F1: one minus the mean F1 of the classes. Reported, not optimized.

    Ignores a class that is neither present nor predicted.

    Examples
    --------
    >>> round(MacroF1()(np.array([[0.5, 0.0], [0.25, 0.25]])), 6)
    0.266667
    """

    def __call__(self, C: Array) -> float:
        """Return the loss ``psi(C)``."""
        total = C.sum(axis=0) + C.sum(axis=1)
        seen = total > 0
        if not seen.any():
            raise NcbenchError("confusion matrix: its entries sum to 0; expected 1")
        return float(1 - np.mean(2 * np.diagonal(C)[seen] / total[seen]))
