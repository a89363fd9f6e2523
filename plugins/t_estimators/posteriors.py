"""Estimates from the noisy posteriors of a learner: anchor points, Dual-T, the confident joint."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ncbench import NcbenchError, NoiseMatrix, NoisySample
from ncbench.noise_estimation import repair_estimate
from ncbench.types import Array, Labels


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


class DualT:
    """Dual-T: ``T = S T_anchor`` via the predicted class (Yao et al. 2020).

    ``T_anchor[l, j]`` is the probability that an example of class j is *predicted* as l, from the
    example with the largest ``P[:, j]``. ``S[i, l]`` is the share of examples predicted as l that
    are labeled i. Counts are more accurate than posteriors. But ``T_anchor`` comes from the *noisy*
    posterior, so it contains the noise as S does: if classes do not overlap, both are T, and their
    product ``T^2`` overstates the noise.

    Examples
    --------
    >>> P = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.3, 0.7]])
    >>> DualT().product(P, np.array([0, 1, 1, 1]))
    array([[0.45, 0.1 ],
           [0.55, 0.9 ]])
    """

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate from the learner's posteriors on its training sample."""
        P = sample.posterior()
        empty = np.setdiff1d(np.arange(sample.n_classes), P.argmax(axis=1))
        warnings = [
            f"class {sample.classes[j]}: never predicted, its labels taken to be right"
            for j in empty
        ]
        return repair_estimate(self.product(P, sample.y), sample.classes, warnings)

    def product(self, P: Array, y: Labels) -> Array:
        """Return the estimate from noisy posteriors, m x n, and noisy labels."""
        n = P.shape[1]
        anchor = P[P.argmax(axis=0)].T * P.any(axis=0)
        counts = np.zeros((n, n))
        np.add.at(counts, (y, P.argmax(axis=1)), 1.0)
        empty = np.flatnonzero(counts.sum(axis=0) == 0)
        counts[empty, empty] = 1.0
        return np.asarray(counts / counts.sum(axis=0) @ anchor)


class ConfidentJoint:
    """Confident learning (Northcutt et al. 2021), as in cleanlab.

    Example i is assigned to class j if ``P[i, j]`` is at least the mean of ``P[:, j]`` over the
    examples labeled j. The counts of noisy labels against assigned classes, scaled to the label
    frequencies, estimate the joint distribution of noisy and clean labels. If classes overlap,
    wrong assignments count as wrong labels.

    Examples
    --------
    >>> P = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.2, 0.8], [0.3, 0.7]])
    >>> ConfidentJoint().matrix(P, np.array([0, 0, 1, 1, 0]))  # counts: thresholds 0.667, 0.85
    array([[3., 0.],
           [0., 2.]])
    """

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate from out-of-fold posteriors."""
        return repair_estimate(
            self.matrix(sample.out_of_fold_posterior(), sample.y), sample.classes
        )

    def matrix(self, P: Array, y: Labels) -> Array:
        """Return the joint frequencies, noisy by clean, from posteriors m x n and noisy labels."""
        n = P.shape[1]
        labels = np.bincount(y, minlength=n)
        # A label without examples gets an infinite threshold.
        own = np.bincount(y, weights=P[np.arange(len(y)), y], minlength=n)
        threshold = np.where(labels > 0, own / np.maximum(labels, 1), np.inf)
        confident = threshold - 1e-6 <= P
        # With several confident classes, guess the most probable class, confident or not.
        guess = np.where(confident.sum(axis=1) > 1, P.argmax(axis=1), confident.argmax(axis=1))
        sure = confident.any(axis=1)
        joint = np.zeros((n, n))
        np.add.at(joint, (y[sure], guess[sure]), 1.0)
        np.fill_diagonal(joint, np.maximum(np.diagonal(joint), 1.0))
        joint *= (labels / joint.sum(axis=1))[:, None]
        return joint
