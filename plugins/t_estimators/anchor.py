"""Anchor points: examples that certainly belong to a class reveal its column of T."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ncbench import NcbenchError, NoiseMatrix, NoisySample
from ncbench.noise_estimation import repair_estimate
from ncbench.types import Array


class Anchor:
    """Noisy posteriors of the most certain examples as columns of T (Patrini et al. 2017).

    Where ``P(clean = j | x) = 1``, the noisy posterior is column j of T. If a class has no such
    example because classes overlap, its noise is overestimated, even with large samples.

    Parameters
    ----------
    variant : {"max", "quantile", "classwise"}
        Which examples represent class j: the one with the largest ``P[:, j]``; the largest below
        the 97% quantile, for posteriors with outliers (not for classes rarer than 3%); or the
        mean over the top 3% of the examples predicted as j.

    Examples
    --------
    >>> P = np.array([[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]])
    >>> Anchor().columns(P)
    array([[0.9, 0.3],
           [0.1, 0.7]])
    """

    def __init__(self, variant: Literal["max", "quantile", "classwise"] = "max") -> None:
        rules = {"max": _largest, "quantile": _below_quantile, "classwise": _surest}
        if variant not in rules:
            raise NcbenchError(
                f"t_estimator=anchor: variant is {variant!r}; expected one of {', '.join(rules)}"
            )
        self._chosen = rules[variant]

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate from the learner's posteriors on its training sample."""
        return repair_estimate(self.columns(sample.posterior()), sample.classes)

    def columns(self, P: Array) -> Array:
        """Return the estimate from noisy posteriors, m x n."""
        T = np.zeros((P.shape[1],) * 2)
        for j in np.flatnonzero(P.any(axis=0)).tolist():  # skip classes that were never seen
            T[:, j] = P[self._chosen(P, j)].mean(axis=0)
        return T


def _largest(P: Array, j: int) -> NDArray[np.intp]:
    return np.asarray([P[:, j].argmax()])


def _below_quantile(P: Array, j: int) -> NDArray[np.intp]:
    below = P[:, j] < np.quantile(P[:, j], 0.97, method="higher")
    if not below.any():
        return _largest(P, j)
    return np.asarray([np.where(below, P[:, j], -1.0).argmax()])


def _surest(P: Array, j: int) -> NDArray[np.intp]:
    members = np.flatnonzero(P.argmax(axis=1) == j)
    if len(members) == 0:
        return _largest(P, j)
    top = np.argsort(-P[members, j], kind="stable")[: int(np.ceil(0.03 * len(members)))]
    return members[top]
