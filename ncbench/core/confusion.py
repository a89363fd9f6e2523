"""Confusion matrices ``C[i, j] = P(Y = i, h(X) = j)``: entries sum to one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ncbench.types import Array, Labels


def expected_confusion(y: Labels, distribution: Array) -> Array:
    """Return the expected confusion matrix of a randomized classifier.

    Parameters
    ----------
    y : array of shape (m,)
    distribution : array of shape (m, n)
        Row i is the distribution of the prediction for example i.

    Examples
    --------
    >>> expected_confusion(np.array([0, 1]), np.array([[0.5, 0.5], [0.0, 1.0]]))
    array([[0.25, 0.25],
           [0.  , 0.5 ]])
    """
    n = distribution.shape[1]
    C = np.empty((n, n))
    for j in range(n):
        C[:, j] = np.bincount(y, weights=distribution[:, j], minlength=n)
    return C / len(y)


class Projection(NamedTuple):
    """A confusion matrix on the simplex, and the mass that was moved to get it there."""

    confusion: Array
    moved: float


def project_to_joint(C: Array) -> Projection:
    """Project a noise-corrected confusion matrix onto the joint distributions.

    On a finite sample ``T^-1 C~`` can have negative entries, mostly in the rows of rare classes.
    Negative entries become 0 and the rest is rescaled to sum to 1. ``moved`` is the mass of the
    negative entries.

    Examples
    --------
    >>> project_to_joint(np.array([[0.5, -0.1], [0.2, 0.4]])).moved
    0.1
    """
    if C.min() >= 0:  # Frank-Wolfe comes here in every step
        return Projection(C, 0.0)
    negative = -C[C < 0].sum()
    clipped = np.maximum(C, 0.0)
    return Projection(clipped / clipped.sum(), float(negative))


def with_possible_recalls(C: Array) -> Array:
    """Return a noise-corrected confusion matrix from which a loss can be estimated.

    Rows whose recall is below 0 or above 2 are projected as by :func:`project_to_joint`, and no
    others: a little above 1 is chance, but a class with hardly any mass would have any recall. That
    function, which is for optimization, moves all negative entries. With many classes, half of the
    entries off the diagonal are near 0 and negative by chance, and moving them takes mass from the
    diagonal: every estimated loss would be too high.

    Examples
    --------
    >>> with_possible_recalls(np.array([[0.5, -0.1], [0.2, 0.4]]))
    array([[ 0.5, -0.1],
           [ 0.2,  0.4]])
    >>> with_possible_recalls(np.array([[0.7, 0.2], [0.1, -0.1]]))
    array([[0.7, 0.2],
           [0.1, 0. ]])
    """
    found, mass = np.diagonal(C), C.sum(axis=1)
    impossible = (found < 0) | (found > 2 * mass) | (mass <= 0)
    repaired = np.where(impossible[:, None], np.maximum(C, 0.0), C)
    total = repaired.sum()
    return np.asarray(repaired / total) if impossible.any() and total > 0 else C
