"""VolMin: the smallest simplex that contains the noisy posteriors."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import StandardScaler

from ncbench import NoiseMatrix, NoisySample
from ncbench.errors import require
from ncbench.learning import fit_joint_noise
from ncbench.noise_estimation import repair_estimate
from ncbench.types import Array


class VolMin:
    """Joint fit of T and a linear softmax posterior with minimum ``det T`` (Li et al. 2021).

    Minimizes ``-mean log (T g(x))_y + weight log|det T| + penalty/2 ||W||^2``. It does not need
    anchor points, but sufficiently scattered clean posteriors.

    Parameters
    ----------
    weight : float
        Weight of the volume. Values ten or a hundred times larger are much worse.
    penalty : float
        Penalty on the weights W of the linear softmax, on standardized features.
    max_iter : int
        Iterations of L-BFGS. The default is small, as the original trains for few epochs: with
        little data, the maximum likelihood overfits T (on vehicle, the error of T^-1 is 0.9 after
        60 iterations and 1.7 at the maximum; see docs/noise_matrix.md).
    """

    def __init__(self, weight: float = 1e-4, penalty: float = 1e-4, max_iter: int = 60) -> None:
        require(weight >= 0, "t_estimator.weight", weight, "at least 0")
        require(penalty >= 0, "t_estimator.penalty", penalty, "at least 0")
        require(max_iter >= 1, "t_estimator.max_iter", max_iter, "at least 1")
        self.weight = weight
        self.penalty = penalty
        self.max_iter = max_iter

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate; the CPE learner is not used."""
        fit = fit_joint_noise(
            StandardScaler().fit_transform(sample.X),
            sample.y,
            sample.n_classes,
            Volume(self.weight),
            penalty=self.penalty,
            max_iter=self.max_iter,
        )
        return repair_estimate(fit.matrix, sample.classes)


class Volume:
    """``weight log|det T|``, cut off at ``log det = n log 1e-4`` to bound it from below.

    Parameters
    ----------
    weight : float

    Examples
    --------
    >>> value, _, gradient = Volume(2.0)(np.zeros(2), np.diag([0.5, 0.5]))
    >>> round(value, 4), gradient  # 2 log(1/4), 2 T^-T
    (-2.7726, array([[4., 0.],
           [0., 4.]]))
    """

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def __call__(self, V: Array, T: Array) -> tuple[float, Array, Array]:
        """Return value, gradient in V, gradient in T."""
        floor = len(T) * np.log(1e-4)
        volume = float(np.linalg.slogdet(T)[1])
        if volume < floor:
            return self.weight * floor, np.zeros_like(V), np.zeros_like(T)
        return self.weight * volume, np.zeros_like(V), np.asarray(self.weight * np.linalg.inv(T).T)
