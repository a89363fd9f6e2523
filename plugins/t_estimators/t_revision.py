"""T-Revision: an anchor-point estimate that is revised during learning."""

from __future__ import annotations

from itertools import islice

import numpy as np
from sklearn.preprocessing import StandardScaler

from ncbench import NcbenchError, NoiseMatrix, NoisySample
from ncbench.errors import require
from ncbench.learning import (
    CrossEntropy,
    LinearSoftmax,
    LossValue,
    descend_linear_softmax,
    fit_linear_softmax,
)
from ncbench.noise_estimation import project_columns, repair_estimate
from ncbench.types import Array, Labels

_PATIENCE = 20
_SMALLEST = 1e-12


class TRevision:
    """Anchor points give T, then T + dT is fitted with importance weights (Xia et al. 2019).

    With ``q = T g(x)``, noisy labels weighted by ``beta = g_y / q_y`` are as good as clean ones:
    the loss is ``beta * -log g_y``. First the linear softmax model g is fitted with fixed T,
    without differentiating the weights. Then g and T descend the loss with differentiated weights.
    This loss is not proper in T and its minimum is useless. So the steps are small, and the iterate
    with the smallest forward loss on held-out noisy labels is kept.

    Parameters
    ----------
    steps : int
        Largest number of steps.
    step : float
        Step size for T, as a multiple of the gradient; for g it is 1, on whitened features.
    held_out : float
        Share of the sample used to choose the iterate.
    penalty : float
        Penalty on the weights W of the linear softmax, on standardized features.
    """

    def __init__(
        self,
        steps: int = 200,
        step: float = 0.05,
        held_out: float = 0.2,
        penalty: float = 1e-4,
    ) -> None:
        if not 0 < held_out < 1:
            raise NcbenchError(
                f"t_estimator=t_revision: held_out is {held_out}; expected a number in (0, 1)"
            )
        require(steps >= 1, "t_estimator.steps", steps, "at least 1")
        require(step > 0, "t_estimator.step", step, "a number > 0")
        require(penalty >= 0, "t_estimator.penalty", penalty, "at least 0")
        self.steps = steps
        self.step = step
        self.held_out = held_out
        self.penalty = penalty

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate; it starts from the CPE learner's posteriors."""
        n = sample.n_classes
        P = sample.posterior()
        start = repair_estimate(P[P.argmax(axis=0)].T * P.any(axis=0), sample.classes)
        held_out = sample.rng.random(len(sample.y)) < self.held_out
        if held_out.all() or not held_out.any():
            return repair_estimate(
                start.matrix, sample.classes, ["too few examples to revise T with"]
            )
        X = StandardScaler().fit_transform(sample.X)
        X_train, y = X[~held_out], sample.y[~held_out]
        model = self._with_fixed(start.matrix, X_train, y)
        iterates = descend_linear_softmax(
            X_train,
            ReweightedCrossEntropy(y),
            LinearSoftmax(model.coef, model.intercept, start.matrix.ravel()),
            penalty=self.penalty,
            step=1.0,
            extra_step=self.step,
            project=lambda T: project_columns(T.reshape(n, n)).ravel(),
        )
        best, least, waited = start.matrix, np.inf, 0
        for model in islice(iterates, self.steps + 1):
            loss = _forward_loss(model, X[held_out], sample.y[held_out])
            waited = 0 if loss < least else waited + 1
            if loss < least:
                best, least = model.extra.reshape(n, n), loss
            if waited == _PATIENCE or not np.isfinite(loss):
                break
        return repair_estimate(best, sample.classes)

    def _with_fixed(self, T: Array, X: Array, y: Labels) -> LinearSoftmax:
        """Fit g to labels weighted by beta, which depends on g: a fixed-point iteration."""
        n = len(T)
        one_hot = np.eye(n)[y]
        beta = np.ones(len(y))
        model = LinearSoftmax.zero(X.shape[1], n)
        for _ in range(5):
            weighted = CrossEntropy(beta[:, None] * one_hot)
            model = fit_linear_softmax(
                X, weighted, model, penalty=self.penalty, max_iter=100, tol=1e-4
            )
            g = model.posterior(X)
            own = np.maximum((g * one_hot).sum(axis=1), _SMALLEST)
            beta = own / np.maximum((g * T[y]).sum(axis=1), own * T[y, y])
        return model


class ReweightedCrossEntropy:
    """``mean_i beta_i l_i`` with ``l = -log g_y`` and ``beta = g_y / (T g)_y``.

    The parameters of the loss are the entries of T, row by row.

    Parameters
    ----------
    y : array of shape (m,)
        Noisy labels, 0..n-1.
    """

    def __init__(self, y: Labels) -> None:
        self._y = y

    def __call__(self, log_posterior: Array, posterior: Array, extra: Array) -> LossValue:
        """Return the loss at this posterior and T."""
        m, n = posterior.shape
        T = extra.reshape(n, n)
        rows = np.arange(m)
        g = np.maximum(posterior, _SMALLEST)
        q = np.maximum((g * T[self._y]).sum(axis=1), _SMALLEST)
        beta = g[rows, self._y] / q
        log_loss = -log_posterior[rows, self._y]
        # In log g: (l - 1) g_y / q_y at y, and -(beta l / q_y) T[y, :] g.
        pull = beta * log_loss / q / m
        gradient = -pull[:, None] * T[self._y] * g
        gradient[rows, self._y] += (log_loss - 1) * beta / m
        dT = np.zeros((n, n))
        np.add.at(dT, self._y, -pull[:, None] * g)
        return LossValue(float((beta * log_loss).mean()), gradient, dT.ravel())


def _forward_loss(model: LinearSoftmax, X: Array, y: Labels) -> float:
    n = len(model.intercept)
    likelihood = (model.posterior(X) * model.extra.reshape(n, n)[y]).sum(axis=1)
    return -float(np.log(np.maximum(likelihood, _SMALLEST)).mean())
