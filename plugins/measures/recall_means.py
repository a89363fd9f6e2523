"""Means of the recalls ``r_i = C[i,i] / sum_j C[i,j]``, in loss form (Example 2 of the paper)."""

from __future__ import annotations

import math

import numpy as np

from ncbench import RecallMeasure
from ncbench.types import Array


class HMean(RecallMeasure):
    """H-mean: one minus the harmonic mean of the recalls.

    ``psi = 1 - n / sum_i (1 / r_i)``; if a recall is 0, the limit 1.

    Examples
    --------
    >>> HMean()(np.array([[0.5, 0.0], [0.25, 0.25]]))
    0.33333333333333337
    """

    def value(self, recall: Array) -> float:
        """Return the loss of these recalls."""
        if recall.min() <= 0:
            return 1.0
        return float(1 - len(recall) / (1 / recall).sum())

    def slope(self, recall: Array) -> Array:
        """Return ``-n / (s r_i)^2`` with ``s = sum_i 1 / r_i``.

        If z recalls are 0, the limit depends on the path. If they tend to 0 equally, ``s r_i``
        tends to z for these recalls and to infinity for the others.
        """
        n = len(recall)
        if recall.min() <= 0:
            zero = recall <= 0
            return np.where(zero, -n / zero.sum() ** 2, 0.0)
        return np.asarray(-n / (recall * (1 / recall).sum()) ** 2)


class QMean(RecallMeasure):
    """Q-mean: the quadratic mean of one minus the recalls.

    ``psi = sqrt(mean_i (1 - r_i)^2)``.

    Examples
    --------
    >>> round(QMean()(np.array([[0.5, 0.0], [0.25, 0.25]])), 6)
    0.353553
    """

    def value(self, recall: Array) -> float:
        """Return the loss of these recalls."""
        return math.sqrt(((1 - recall) ** 2).sum() / len(recall))

    def slope(self, recall: Array) -> Array:
        """Return ``-(1 - r_i) / (n psi)``; at psi = 0, the limit along equal recalls, ``-1/n``."""
        n = len(recall)
        psi = self.value(recall)
        if psi == 0:
            return np.full(n, -1 / n)
        return np.asarray(-(1 - recall) / (n * psi))


class GMean(RecallMeasure):
    """G-mean: one minus the geometric mean of the recalls.

    ``psi = 1 - (prod_i r_i)^(1/n)``.

    Examples
    --------
    >>> round(GMean()(np.array([[0.5, 0.0], [0.25, 0.25]])), 6)
    0.292893
    """

    def value(self, recall: Array) -> float:
        """Return the loss of these recalls."""
        if recall.min() <= 0:
            return 1.0
        return float(1 - np.exp(np.log(recall).sum() / len(recall)))

    def slope(self, recall: Array) -> Array:
        """Return ``-(1/n) G / r_i``.

        If a recall is 0, the slope is unbounded. Along equal recalls, its direction tends to equal
        weights on the classes with recall 0 only. This returns that direction with entries -1,
        because a linear minimization does not depend on the length.
        """
        if recall.min() <= 0:
            return np.where(recall <= 0, -1.0, 0.0)
        return np.asarray(-(1 - self.value(recall)) / (len(recall) * recall))


class BalancedError(RecallMeasure):
    """Balanced error: one minus the arithmetic mean of the recalls.

    Examples
    --------
    >>> BalancedError()(np.array([[0.5, 0.0], [0.25, 0.25]]))
    0.25
    """

    def value(self, recall: Array) -> float:
        """Return the loss of these recalls."""
        return float(1 - np.mean(recall))

    def slope(self, recall: Array) -> Array:
        """Return ``-1/n``."""
        return np.full(len(recall), -1 / len(recall))


class WorstClass(RecallMeasure):
    """Worst class: one minus the smallest recall. Reported, not optimized.

    Examples
    --------
    >>> WorstClass()(np.array([[0.5, 0.0], [0.25, 0.25]]))
    0.5
    """

    family = None

    def value(self, recall: Array) -> float:
        """Return the loss of these recalls."""
        return float(1 - recall.min())
