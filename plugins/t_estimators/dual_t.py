"""Dual-T: the noise matrix as a product of two that are easier to estimate."""

from __future__ import annotations

import numpy as np

from ncbench import NoiseMatrix, NoisySample
from ncbench.noise_estimation import repair_estimate
from ncbench.types import Array, Labels


class DualT:
    """``T = S T_anchor``, by way of the predicted class (Yao et al. 2020).

    ``T_anchor[l, j]``, from the example with the largest ``P[:, j]``, is the probability that an
    example of class j is *predicted* as l; ``S[i, l]``, counted, that one predicted as l is
    labelled i. Counting is more exact than reading off posteriors. But ``T_anchor`` is read off
    the *noisy* posterior, so it holds the noise as S does: where classes are apart both are T,
    and their product ``T^2`` overstates the noise.

    Examples
    --------
    >>> P = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.3, 0.7]])
    >>> DualT().product(P, np.array([0, 1, 1, 1]))
    array([[0.45, 0.1 ],
           [0.55, 0.9 ]])
    """

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate, from the learner's posteriors of the sample it was fitted to."""
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
