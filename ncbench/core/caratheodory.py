"""Caratheodory's theorem, carried out: a mean of many points as a mean of a few of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncbench.types import Array


def reduce_support(points: Array, weights: Array) -> tuple[NDArray[np.intp], Array]:
    """Choose few of the points, and weights for them, with the same weighted mean.

    Points are taken in one after the other. Once there are more of them than their dimension
    allows to be affinely independent, weight is moved along a dependency until one of them has
    none left. Early points of small weight go first, as do the early steps of Frank-Wolfe.

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
        Their weights; not negative, sum to 1.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> index, weights = reduce_support(square, np.full(4, 0.25))
    >>> len(index), weights @ square[index]
    (2, array([0.5, 0.5]))
    """
    centred = points - weights @ points
    # Coordinates within the affine hull: as many as it has dimensions.
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
    """Return weights, some of them positive, that combine the columns to zero."""
    rows, size = columns.shape
    if size == rows + 1:
        try:
            dependency = np.append(np.linalg.solve(columns[:, :-1], columns[:, -1]), -1.0)
        except np.linalg.LinAlgError:
            pass
        else:
            scale = np.abs(dependency).max()
            if np.abs(columns @ dependency).max() <= 1e-12 * scale and scale < 1e8:
                return np.asarray(dependency if dependency.max() > 0 else -dependency)
    dependency = np.linalg.svd(columns)[2][-1]
    return np.asarray(dependency if dependency.max() > 0 else -dependency)
