"""Measures psi: losses of a confusion matrix, lower is better, always.

``C[i, j] = P(Y = i, h(X) = j)``. A measure says which family it belongs to, and so which
algorithms can optimise it:

================== =================================== ==========================================
family             gives                               definition
================== =================================== ==========================================
linear             value, gradient                     ``<L, C>``
monotonic_convex   value, gradient                     convex; falls in C[i,i], never in C[i,j]
ratio_of_linear    value, ratio (the matrices A and B) ``<A, C> / <B, C>``
None               value                               reported, not optimised
================== =================================== ==========================================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from ncbench.errors import NotApplicable
from ncbench.types import Array

Family = Literal["linear", "monotonic_convex", "ratio_of_linear"]


class Measure(ABC):
    """Base class of measures. Subclass it, set ``family``, and write what the family gives.

    Attributes
    ----------
    family : str or None
        See the table above.
    largest : float
        The largest loss there is; infinity if there is none. A ratio of linear functions has
        losses in [0, 1].
    """

    family: ClassVar[Family | None] = None
    largest: float = 1.0

    @abstractmethod
    def __call__(self, C: Array) -> float:
        """Return the loss ``psi(C)``."""

    def for_classes(self, names: Sequence[str]) -> Measure:
        """Return the measure for classes of these names, in the order of their numbers.

        It is asked wherever data is at hand, before anything else. For measures with a parameter
        that may name a class; others are the same for all.
        """
        return self

    def gradient(self, C: Array) -> Array:
        """Return ``d psi / d C``, all n^2 entries of C taken as free."""
        raise NotApplicable(f"{type(self).__name__} has no gradient (its family is {self.family})")

    def ratio(self, n: int) -> tuple[Array, Array]:
        """Return A and B of ``psi(C) = <A, C> / <B, C>`` for n classes."""
        raise NotApplicable(
            f"{type(self).__name__} is no ratio of linear functions (its family is {self.family})"
        )


class RecallMeasure(Measure):
    """A measure that is a function of the recalls ``r_i = C[i,i] / sum_j C[i,j]``.

    Subclasses give :meth:`value` and :meth:`slope`; this class does the chain rule. A class
    with no mass (``sum_j C[i,j] = 0``) has no recall and is left out, in value and gradient.
    """

    family: ClassVar[Family | None] = "monotonic_convex"

    @abstractmethod
    def value(self, recall: Array) -> float:
        """Return the loss of these recalls."""

    def slope(self, recall: Array) -> Array:
        """Return the derivative of :meth:`value` with respect to each recall."""
        raise NotApplicable(f"{type(self).__name__} is reported, not optimised")

    def __call__(self, C: Array) -> float:
        """Return the loss ``psi(C)``."""
        prior = C.sum(axis=1)
        present = prior > 0
        return float(self.value(np.diagonal(C)[present] / prior[present]))

    def gradient(self, C: Array) -> Array:
        """Return ``d psi / d C``.

        With ``r_i = C[i,i] / p_i`` and ``p_i = sum_j C[i,j]``: ``d r_i / d C[i,j]`` is
        ``(delta_ij - r_i) / p_i``.
        """
        prior = C.sum(axis=1)
        present = prior > 0
        if present.all():
            recall = np.diagonal(C) / prior
            weight = self.slope(recall) / prior
            gradient = np.repeat(-weight * recall, len(C)).reshape(C.shape)
            gradient.flat[:: len(C) + 1] += weight
            return gradient
        gradient = np.zeros_like(C)
        index = np.flatnonzero(present)
        recall = C[index, index] / prior[index]
        weight = self.slope(recall) / prior[index]
        gradient[index] = -(weight * recall)[:, None]
        gradient[index, index] += weight
        return gradient
