"""Randomized classifiers: mixtures of argmin rules over one posterior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ncbench.core.argmin import mixture_distribution
from ncbench.core.caratheodory import reduce_support
from ncbench.types import Array


@dataclass(frozen=True)
class Mixture:
    """``h = sum_k weights[k] * (x -> argmin_j eta(x)^T losses[k][:, j])``.

    Parameters
    ----------
    losses : array of shape (K, n, n)
    weights : array of shape (K,)
        Not negative, sum to 1.
    """

    losses: Array
    weights: Array

    @classmethod
    def single(cls, loss: Array) -> Self:
        """Return the deterministic classifier of one loss matrix."""
        return cls(loss[None], np.ones(1))

    def merged(self) -> Self:
        """Return the same classifier with equal components made one.

        Components are equal if their losses differ by a positive factor and constants added to
        rows, which no argmin can tell; to 12 digits, since that is as well as they are known.

        Examples
        --------
        >>> zero_one = 1.0 - np.eye(2)
        >>> Mixture(np.stack([zero_one, 3 * zero_one - 1]), np.array([0.3, 0.7])).merged().weights
        array([1.])
        """
        canonical = self.losses - self.losses.mean(axis=2, keepdims=True)
        scale = np.abs(canonical).max(axis=(1, 2), keepdims=True)
        np.divide(canonical, scale, out=canonical, where=scale > 0)
        flat = canonical.round(12).reshape(len(canonical), -1) + 0.0  # -0.0 is 0.0
        _, first, component = np.unique(flat, axis=0, return_index=True, return_inverse=True)
        weights = np.zeros(len(first))
        np.add.at(weights, component.ravel(), self.weights)
        order = np.argsort(first)  # neighbours stay neighbours: the lazy evaluation profits
        return type(self)(self.losses[first[order]], weights[order])

    def compressed(self, confusions: Array) -> Self:
        """Return a mixture of at most n^2 of the components with the same confusion matrix.

        By Caratheodory's theorem a point in the convex hull of confusion matrices is in that of
        a few of them. Other examples than those of ``confusions`` may be predicted differently.

        Parameters
        ----------
        confusions : array of shape (K, n, n)
            The confusion matrix of each component, all on the same examples.

        Examples
        --------
        >>> losses = np.arange(20.0).reshape(5, 2, 2)
        >>> share = np.array([0.0, 0.1, 0.2, 0.3, 0.4])  # of class 1 that is found
        >>> C = np.stack([[[0.5, 0.0], [0.5 - s, s]] for s in share])
        >>> len(Mixture(losses, np.full(5, 0.2)).compressed(C).weights)
        2
        """
        index, weights = reduce_support(confusions.reshape(len(confusions), -1), self.weights)
        return type(self)(self.losses[index], weights)

    def distribution(self, posterior: Array) -> Array:
        """Return the distribution of the prediction for each row of posteriors."""
        return mixture_distribution(posterior, self.losses, self.weights)
