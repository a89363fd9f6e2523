"""Measures psi: losses of a confusion matrix. Lower is always better.

``C[i, j] = P(Y = i, h(X) = j)``. A measure declares its family, which determines the algorithms
that can optimize it:

================== =================================== ==========================================
family             provides                            definition
================== =================================== ==========================================
linear             value, gradient                     ``<L, C>``
monotonic_convex   value, gradient                     convex, smooth; decreases only in C[i,i]
ratio_of_linear    value, ratio (the matrices A and B) ``<A, C> / <B, C>``
None               value                               reported, not optimized
================== =================================== ==========================================
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncbench.errors import NcbenchError, NotApplicable
from ncbench.types import Array

Family = Literal["linear", "monotonic_convex", "ratio_of_linear"]


class Measure(ABC):
    """Base class of measures.

    A subclass sets ``family`` and implements the methods that the family provides.

    Attributes
    ----------
    family : str or None
        See the table above.
    largest : float
        The largest possible loss; infinity if losses are unbounded. The losses of a ratio of linear
        functions lie in [0, 1].
    """

    family: ClassVar[Family | None] = None
    largest: float = 1.0

    @abstractmethod
    def __call__(self, C: Array) -> float:
        """Return the loss ``psi(C)``."""

    def of_labels(
        self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the loss of predicted labels, given the true ones. Lower is better.

        ``ncbench.g_mean(y_true, y_pred)`` is short for this, and so for each measure without
        parameters.

        Parameters
        ----------
        y_true, y_pred : arrays of shape (m,)
            Labels of any type. Classes that occur in neither do not count.
        sample_weight : array of shape (m,), optional

        Examples
        --------
        >>> from ncbench import load
        >>> y_true, y_pred = ["ill", "ill", "well", "well"], ["ill", "well", "well", "well"]
        >>> load("measure", "balanced_error")().of_labels(y_true, y_pred)
        0.25
        >>> load("measure", "micro_f1")(background="well").of_labels(y_true, y_pred)
        0.33333333333333337
        """
        true, predicted = np.asarray(y_true), np.asarray(y_pred)
        weight = np.ones(true.shape) if sample_weight is None else np.asarray(sample_weight, float)
        if true.ndim != 1 or not true.shape == predicted.shape == weight.shape or not len(true):
            raise NcbenchError(
                f"y_true has shape {true.shape}, y_pred {predicted.shape}, sample_weight "
                f"{weight.shape}; expected the same (m,), with m at least 1"
            )
        if (true.dtype.kind in "biuf") != (predicted.dtype.kind in "biuf"):
            raise NcbenchError(
                f"y_true has labels such as {true[0]!r}, y_pred such as {predicted[0]!r}; expected "
                "labels of the same type"
            )
        classes, codes = np.unique(np.concatenate([true, predicted]), return_inverse=True)
        n = len(classes)
        cells = codes[: len(true)] * n + codes[len(true) :]
        C = np.bincount(cells, weights=weight, minlength=n**2).reshape(n, n)
        return self.for_classes([str(name) for name in classes])(C / weight.sum())

    def for_classes(self, names: Sequence[str]) -> Measure:
        """Return the measure for classes with these names, in the order of their numbers.

        Called before anything else wherever data is available. Measures with a parameter that may
        name a class override it.
        """
        return self

    def gradient(self, C: Array) -> Array:
        """Return ``d psi / d C``, treating all n^2 entries of C as free."""
        raise NotApplicable(f"{type(self).__name__} has no gradient (its family is {self.family})")

    def ratio(self, n: int) -> tuple[Array, Array]:
        """Return A and B of ``psi(C) = <A, C> / <B, C>`` for n classes."""
        raise NotApplicable(
            f"{type(self).__name__} is not a ratio of linear functions "
            f"(its family is {self.family})"
        )


class RecallMeasure(Measure):
    """A measure that is a function of the recalls ``r_i = C[i,i] / sum_j C[i,j]``.

    Subclasses implement :meth:`value` and :meth:`slope`; this class applies the chain rule. A class
    without mass (``sum_j C[i,j] = 0``) has no recall; value and gradient ignore it.

    Attributes
    ----------
    per_class : bool
        False for a mean that treats all classes alike: it gets the recalls of the classes with
        mass. True if the order of the classes matters, as with a weight for each: it gets the
        recalls of all classes, NaN for those without mass.
    """

    family: ClassVar[Family | None] = "monotonic_convex"
    per_class: ClassVar[bool] = False

    @abstractmethod
    def value(self, recall: Array) -> float:
        """Return the loss of these recalls."""

    def slope(self, recall: Array) -> Array:
        """Return the derivative of :meth:`value` with respect to each recall."""
        name = type(self).__name__
        raise NotApplicable(
            f"{name} has no slope, so it cannot be optimized; write one, or set family = None for "
            "a measure that is only reported"
        )

    def __call__(self, C: Array) -> float:
        """Return the loss ``psi(C)``."""
        prior = C.sum(axis=1)
        if prior.min() > _NO_MASS:
            return float(self.value(C.diagonal() / prior))
        present = _with_mass(prior)
        if self.per_class:
            return float(self.value(_recall(C, prior, present)))
        recall = np.diagonal(C)[present] / prior[present]
        loss = float(self.value(recall))
        for other in (recall[::-1], np.roll(recall, 1)):
            if not math.isclose(self.value(other), loss, rel_tol=1e-9, abs_tol=1e-12):
                raise NcbenchError(
                    f"{type(self).__name__}: class {np.flatnonzero(~present)[0]} has no examples, "
                    "and the loss depends on the order of the classes, which leaving it out would "
                    "shift; set per_class = True and handle the recall NaN"
                )
        return loss

    def gradient(self, C: Array) -> Array:
        """Return ``d psi / d C``.

        With ``r_i = C[i,i] / p_i`` and ``p_i = sum_j C[i,j]``: ``d r_i / d C[i,j]`` is
        ``(delta_ij - r_i) / p_i``.
        """
        prior = C.sum(axis=1)
        if prior.min() > _NO_MASS:
            recall = C.diagonal() / prior
            weight = self.slope(recall) / prior
            gradient = np.empty(C.shape)
            gradient[:] = (-weight * recall)[:, None]
            gradient.ravel()[:: len(C) + 1] += weight
            return gradient
        present = _with_mass(prior)
        gradient = np.zeros_like(C)
        index = np.flatnonzero(present)
        recall = _recall(C, prior, present)
        slope = self.slope(recall)[index] if self.per_class else self.slope(recall[index])
        weight = slope / prior[index]
        gradient[index] = -(weight * recall[index])[:, None]
        gradient[index, index] += weight
        return gradient


_NO_MASS = 1e-300
"""The mass of a class without examples, in numbers whose inverse may overflow."""


def _with_mass(prior: Array) -> NDArray[np.bool_]:
    present = prior > _NO_MASS
    if not present.any():
        raise NcbenchError(f"confusion matrix: its entries sum to {prior.sum():g}; expected 1")
    return np.asarray(present)


def _recall(C: Array, prior: Array, present: NDArray[np.bool_]) -> Array:
    recall: Array = np.divide(np.diagonal(C), prior, out=np.full(len(C), np.nan), where=present)
    return recall
