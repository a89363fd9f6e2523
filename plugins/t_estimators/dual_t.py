"""Dual-T: the noise matrix as a product of two matrices that are easier to estimate."""

from __future__ import annotations

import numpy as np

from ncbench import NoiseMatrix, NoisySample
from ncbench.noise_estimation import repair_estimate
from ncbench.types import Array, Labels


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
