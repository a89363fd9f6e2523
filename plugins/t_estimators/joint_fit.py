"""Joint fits of T and a linear softmax posterior: they differ in how T is regularized."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from sklearn.preprocessing import StandardScaler

from ncbench import NcbenchError, NoiseMatrix, NoisySample
from ncbench.errors import require
from ncbench.learning import JointFit, deal_folds, fit_joint_noise
from ncbench.noise_estimation import repair_estimate
from ncbench.types import Array, Labels


class _JointFit:
    """Base class: fits T and the posterior with the regularizer of a subclass."""

    def __init__(self, penalty: float, max_iter: int) -> None:
        require(penalty >= 0, "t_estimator.penalty", penalty, "at least 0")
        require(max_iter >= 1, "t_estimator.max_iter", max_iter, "at least 1")
        self.penalty = penalty
        self.max_iter = max_iter

    @abstractmethod
    def _regulariser(self, m: int) -> Volume | SymmetricPrior: ...

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate; the CPE learner is not used."""
        fit = fit_joint_noise(
            StandardScaler().fit_transform(sample.X),
            sample.y,
            sample.n_classes,
            self._regulariser(len(sample.y)),
            penalty=self.penalty,
            max_iter=self.max_iter,
        )
        return repair_estimate(fit.matrix, sample.classes)


class VolMin(_JointFit):
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
        super().__init__(penalty, max_iter)
        self.weight = weight

    def _regulariser(self, m: int) -> Volume | SymmetricPrior:
        return Volume(self.weight)


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


class ForwardMAP(_JointFit):
    """Joint fit of T and a linear softmax posterior, with a prior towards symmetric noise.

    Maximizes the likelihood of the noisy labels under ``(T g(x))_y`` times a normal prior on the
    log odds V of the off-diagonal entries of T, around their mean. So unless the data say
    otherwise, all mistakes are equally frequent, at any noise level. The prior's influence vanishes
    as the sample grows.

    Parameters
    ----------
    tau : float
        Standard deviation of the prior. If large, the likelihood decides; if small, the noise is
        symmetric.
    penalty : float
        Penalty on the weights W of the linear softmax, on standardized features.
    max_iter : int
        Iterations of L-BFGS.
    """

    def __init__(self, tau: float = 1.0, penalty: float = 1e-4, max_iter: int = 500) -> None:
        if not tau > 0:
            raise NcbenchError(f"t_estimator=forward_map: tau is {tau}; expected a number > 0")
        super().__init__(penalty, max_iter)
        self.tau = tau

    def _regulariser(self, m: int) -> Volume | SymmetricPrior:
        return SymmetricPrior(self.tau, m)


class CautiousMAP:
    """Forward-MAP as close to symmetric noise as the data allow.

    A small sample shows how many labels are wrong. It takes a large one to show which class is
    mistaken for which, and a wrong T is worse than no correction. So tau is the smallest candidate
    that no larger one beats in held-out likelihood. To beat it, the gain must exceed two standard
    errors times the ratio of the two ``||T^-1||_1``, the factor of errors of T in the result.

    Parameters
    ----------
    taus : list of float, optional
        Candidates. By default 0.3 and 1.
    folds : int
        Folds of the cross-validation, stratified by noisy label.
    penalty : float
        Penalty on the weights W of the linear softmax, on standardized features.
    """

    def __init__(
        self, taus: list[float] | None = None, folds: int = 3, penalty: float = 1e-4
    ) -> None:
        self.taus = sorted([0.3, 1.0] if taus is None else taus)
        if not self.taus or not self.taus[0] > 0:
            raise NcbenchError(
                f"t_estimator=cautious_map: taus is {self.taus}; expected positive numbers"
            )
        if folds < 2:
            raise NcbenchError(f"t_estimator=cautious_map: folds is {folds}; expected 2 or more")
        require(penalty >= 0, "t_estimator.penalty", penalty, "at least 0")
        self.folds = folds
        self.penalty = penalty

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate; the CPE learner is not used."""
        X = StandardScaler().fit_transform(sample.X)
        fold = deal_folds(sample.y, self.folds, sample.rng.permutation(len(sample.y)))
        losses = np.zeros((len(self.taus), len(sample.y)))
        inverse_norms = np.zeros(len(self.taus))
        for k in range(int(fold.max()) + 1 if len(self.taus) > 1 else 0):
            held_out = fold == k
            fit = None
            for i, tau in enumerate(self.taus):  # each starts at the previous solution
                fit = self._fit(X[~held_out], sample.y[~held_out], sample.n_classes, tau, fit)
                losses[i, held_out] = fit.losses(X[held_out], sample.y[held_out])
                inverse_norms[i] += repair_estimate(fit.matrix).inverse_norm
        tau = self.taus[cautious_choice(losses, inverse_norms)]
        final = self._fit(X, sample.y, sample.n_classes, tau, None)
        return repair_estimate(final.matrix, sample.classes)

    def _fit(self, X: Array, y: Labels, n: int, tau: float, before: JointFit | None) -> JointFit:
        start, tol = (None, 1e-5) if before is None else (before.model, 1e-4)
        prior = SymmetricPrior(tau, len(y))
        return fit_joint_noise(X, y, n, prior, penalty=self.penalty, tol=tol, start=start)


def cautious_choice(losses: Array, inverse_norms: Array) -> int:
    """Return the first row that no later row beats by a sufficient margin.

    The margin is two standard errors of the mean difference, times the ratio of the norms.

    Parameters
    ----------
    losses : array of shape (k, m)
        Held-out losses of the candidates, the most cautious first.
    inverse_norms : array of shape (k,)
        ``||T^-1||_1`` of each candidate.

    Examples
    --------
    >>> losses = np.array([[2.0, 2.1, 2.9], [1.0, 1.0, 2.0]])
    >>> cautious_choice(losses, np.array([1.5, 2.0]))
    1
    >>> cautious_choice(losses, np.array([1.5, 40.0]))
    0
    """
    last = len(losses) - 1
    for i in range(last):
        gain = losses[i] - losses[i + 1 :]
        error = gain.std(axis=1) / np.sqrt(losses.shape[1])
        if (gain.mean(axis=1) <= 2 * error * inverse_norms[i + 1 :] / inverse_norms[i]).all():
            return i
    return last


class SymmetricPrior:
    """Negative log prior ``1 / (2 m tau^2) sum_{i != j} (V_ij - mean V)^2``, as a mean loss.

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
