"""Randomized classifiers: mixtures of argmin rules over one posterior."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ncbench.core.argmin import mixture_distribution
from ncbench.types import Array

_PART = 16  # losses to compare at a time


@dataclass(frozen=True)
class Mixture:
    """``h = sum_k weights[k] * (x -> argmin_j eta(x)^T losses[k][:, j])``.

    Parameters
    ----------
    losses : array of shape (K, n, n)
    weights : array of shape (K,)
        Nonnegative, sum to 1.
    """

    losses: Array
    weights: Array

    @classmethod
    def single(cls, loss: Array) -> Self:
        """Return the deterministic classifier of one loss matrix."""
        return cls(loss[None], np.ones(1))

    def merged(self) -> Self:
        """Return the same classifier with equal components merged.

        Components are equal if their losses differ only by a positive factor and by constants added
        to rows, which do not change the argmin. Losses are compared to 12 digits, their accuracy.

        Examples
        --------
        >>> zero_one = 1.0 - np.eye(2)
        >>> Mixture(np.stack([zero_one, 3 * zero_one - 1]), np.array([0.3, 0.7])).merged().weights
        array([1.])
        """
        number: dict[bytes, int] = {}  # of each component, in the order in which they come:
        first: list[int] = []  # neighbors stay together, so lazy evaluation is fast
        component = np.empty(len(self.losses), dtype=np.intp)
        for start in range(0, len(self.losses), _PART):
            part = self.losses[start : start + _PART]  # all at once would be several times all
            canonical = part - part.mean(axis=2, keepdims=True)
            scale = np.abs(canonical).max(axis=(1, 2), keepdims=True)
            np.divide(canonical, scale, out=canonical, where=scale > 0)
            canonical = canonical.round(12) + 0.0  # not -0.0, which has other bytes
            for k, loss in enumerate(canonical, start):
                same = number.setdefault(blake2b(loss.tobytes()).digest(), len(first))
                if same == len(first):
                    first.append(k)
                component[k] = same
        weights = np.zeros(len(first))
        np.add.at(weights, component, self.weights)
        losses = self.losses if len(first) == len(self.losses) else self.losses[first]
        return type(self)(losses, weights)

    def compressed(self, confusions: Array) -> Self:
        """Return a mixture of at most n^2 components with the same confusion matrix.

        By Caratheodory's theorem, a point in the convex hull of confusion matrices is in the convex
        hull of a few of them. Predictions on examples not in ``confusions`` may change.

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
        """Return the distribution of the prediction for each row of ``posterior``."""
        return mixture_distribution(posterior, self.losses, self.weights)


def reduce_support(points: Array, weights: Array) -> tuple[NDArray[np.intp], Array]:
    """Choose a few of the points and new weights that give the same weighted mean.

    This is Caratheodory's theorem. Points are added one at a time. Once there are too many to be
    affinely independent, weight moves along a dependency until one point has none left. Early
    points with small weights, such as the first steps of Frank-Wolfe, go first. A basic solution
    from ``scipy.optimize.linprog`` would also do, but it has no such preference.

    Parameters
    ----------
    points : array of shape (K, d)
    weights : array of shape (K,)
        Positive, sum to 1.

    Returns
    -------
    index : array of int
        The chosen points, at most 1 + the dimension of the points' affine hull.
    weights : array
        Their weights; nonnegative, sum to 1.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> index, weights = reduce_support(square, np.full(4, 0.25))
    >>> len(index), weights @ square[index]
    (2, array([0.5, 0.5]))
    """
    centred = points - weights @ points
    # Coordinates within the affine hull, one per dimension.
    _, spread, axes = np.linalg.svd(centred, full_matrices=False)
    rank = int(np.sum(spread > 1e-12 * max(1.0, spread[0])))
    columns = np.vstack([axes[:rank] @ centred.T, np.ones(len(points))])
    active: list[int] = []
    share = weights.astype(np.float64).copy()
    for k in range(len(points)):
        active.append(k)
        if len(active) <= rank + 1:
            continue
        dependency = _dependency(columns[:, active])
        current = share[active]
        positive = np.flatnonzero(dependency > 0)
        ratio = current[positive] / dependency[positive]
        step = ratio.min()
        share[active] = current - step * dependency
        gone = positive[ratio.argmin()]
        share[active[gone]] = 0.0
        active = [i for i in active if share[i] > 0.0]
    index = np.array(active)
    return index, share[index] / share[index].sum()


def _dependency(columns: Array) -> Array:
    """Return weights with which columns, one more than rows, sum to zero.

    The last row is ones, so the weights sum to zero, too: some are positive.
    """
    try:
        dependency = np.append(np.linalg.solve(columns[:, :-1], columns[:, -1]), -1.0)
    except np.linalg.LinAlgError:
        pass
    else:
        if np.abs(dependency).max() < 1e8:  # otherwise nearly singular
            return dependency
    return np.asarray(np.linalg.svd(columns)[2][-1])
