"""Forward-MAP: the most probable T, a priori near symmetric noise of any level."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncbench import NcbenchError, NoiseMatrix, NoisySample
from ncbench.finalise import finalise
from ncbench.learnt_noise import fit_learnt_noise

Array = NDArray[np.float64]


class ForwardMAP:
    """T and a linear softmax posterior, fitted together; T drawn towards symmetric noise.

    Maximises the likelihood of the noisy labels under ``(T g(x))_y`` times a normal prior on the
    log odds V of T's off-diagonal entries, around their own mean: unless the data says otherwise
    all mistakes are equally frequent, how frequent is free. The prior's part vanishes as the
    sample grows.

    Parameters
    ----------
    tau : float
        Standard deviation of the prior. Large: as the likelihood alone; small: symmetric noise.
    penalty : float
        Of the weights W of the linear softmax, on standardised features.
    max_iter : int
        Iterations of L-BFGS.
    """

    def __init__(self, tau: float = 1.0, penalty: float = 1e-4, max_iter: int = 500) -> None:
        if not tau > 0:
            raise NcbenchError(f"t_estimator=forward_map: tau is {tau}; expected a number > 0")
        self.tau = tau
        self.penalty = penalty
        self.max_iter = max_iter

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate; the CPE learner is not used."""
        fit = fit_learnt_noise(
            sample.X,
            sample.y,
            sample.n_classes,
            SymmetricPrior(self.tau, len(sample.y)),
            penalty=self.penalty,
            max_iter=self.max_iter,
        )
        return finalise(fit.T, sample.classes)


class SymmetricPrior:
    """``1 / (2 m tau^2) sum_{i != j} (V_ij - mean V)^2``: a log prior, in units of a mean loss.

    Parameters
    ----------
    tau : float
    m : int
        Size of the sample.

    Examples
    --------
    >>> value, gradient, _ = SymmetricPrior(0.5, m=10)(np.array([-1.0, 1.0]), np.eye(2))
    >>> value, gradient
    (0.4, array([-0.4,  0.4]))
    """

    def __init__(self, tau: float, m: int) -> None:
        self.precision = 1 / (m * tau**2)

    def __call__(self, V: Array, T: Array) -> tuple[float, Array, Array]:
        """Return value, gradient in V, gradient in T."""
        centred = V - V.mean()
        value = self.precision / 2 * float(centred @ centred)
        return value, self.precision * centred, np.zeros_like(T)
