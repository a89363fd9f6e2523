"""Confident joint: count noisy labels against classes the learner is confident of."""

from __future__ import annotations

import numpy as np

from ncbench import NoiseMatrix, NoisySample
from ncbench.noise_estimation import repair_estimate
from ncbench.types import Array, Labels


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
