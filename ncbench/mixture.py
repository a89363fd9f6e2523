"""Randomized classifiers: mixtures of argmin rules over one posterior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ncbench.argmin_path import mixture_distribution

Array = NDArray[np.float64]


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

        Examples
        --------
        >>> zero_one = 1.0 - np.eye(2)
        >>> Mixture(np.stack([zero_one, zero_one]), np.array([0.3, 0.7])).merged().weights
        array([1.])
        """
        flat = self.losses.reshape(len(self.losses), -1)
        _, first, component = np.unique(flat, axis=0, return_index=True, return_inverse=True)
        weights = np.zeros(len(first))
        np.add.at(weights, component.ravel(), self.weights)
        order = np.argsort(first)  # neighbours stay neighbours: the lazy evaluation profits
        return type(self)(self.losses[first[order]], weights[order])

    def distribution(self, posterior: Array) -> Array:
        """Return the distribution of the prediction for each row of posteriors."""
        return mixture_distribution(posterior, self.losses, self.weights)
