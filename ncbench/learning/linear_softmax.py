"""The linear softmax model ``g(x) = softmax(W^T x + b)`` and its fit by L-BFGS.

scikit-learn's ``LogisticRegression`` was considered. It minimizes the log loss of hard labels; the
noise-corrected losses of :mod:`ncbench.learning.noisy_losses` need targets with negative entries,
other losses, and parameters of their own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from ncbench.errors import NcbenchError, require
from ncbench.learning.noisy_losses import NO_EXTRA, Loss
from ncbench.types import Array


@dataclass(frozen=True)
class LinearSoftmax:
    """The model ``g(x) = softmax(coef^T x + intercept)`` and the outcome of its fit.

    Parameters
    ----------
    coef : array of shape (d, n)
    intercept : array of shape (n,)
    extra : array of shape (e,)
        Fitted parameters of the loss.
    objective : float
        Penalized loss at the solution.
    n_iter : int
    converged : bool

    Examples
    --------
    >>> LinearSoftmax.zero(d=3, n=2).posterior(np.ones((1, 3)))
    array([[0.5, 0.5]])
    """

    coef: Array
    intercept: Array
    extra: Array = field(default_factory=lambda: NO_EXTRA)
    objective: float = float("nan")
    n_iter: int = 0
    converged: bool = False

    @classmethod
    def zero(cls, d: int, n: int) -> LinearSoftmax:
        """Return the model that gives each class probability 1/n."""
        return cls(np.zeros((d, n)), np.zeros(n))

    def log_posterior(self, X: Array) -> Array:
        """Return ``log g`` for each row of X."""
        return _log_softmax(X, self.coef, self.intercept)[0]

    def posterior(self, X: Array) -> Array:
        """Return g for each row of X."""
        return np.ascontiguousarray(_log_softmax(X, self.coef, self.intercept)[1])

    def loss(self, X: Array, loss: Loss) -> float:
        """Return the mean loss without penalty, for instance on held-out data."""
        return loss(*_log_softmax(X, self.coef, self.intercept), self.extra).value


def fit_linear_softmax(
    X: Array,
    loss: Loss,
    start: LinearSoftmax,
    *,
    penalty: float,
    extra_bounds: Sequence[tuple[float, float]] | None = None,
    max_iter: int = 500,
    tol: float = 1e-6,
) -> LinearSoftmax:
    """Minimize ``loss(g) + penalty/2 ||W||^2`` by L-BFGS; the intercept is not penalized.

    Deterministic.

    Parameters
    ----------
    X : array of shape (m, d)
        Should be standardized, because the penalty treats all features alike.
    loss : Loss
        The loss of the m labels. It must have a minimum; see :meth:`.CrossEntropy.backward`.
    start : LinearSoftmax
        Starting point: ``LinearSoftmax.zero(d, n)`` or the solution of a similar problem. Its
        ``extra`` holds the initial parameters of the loss.
    penalty : float
        mu. scikit-learn's ``LogisticRegression(C=C)`` has ``mu = 1 / (C m)``.
    extra_bounds : sequence of (low, high), optional
        Bounds of the loss's own parameters.
    max_iter : int
    tol : float
        Converged when no entry of the gradient, for whitened features, exceeds this.

    Examples
    --------
    >>> from ncbench.learning import CrossEntropy
    >>> X, y = np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.array([0, 1, 0, 1])
    >>> loss = CrossEntropy.of_labels(y, n=2)
    >>> model = fit_linear_softmax(X, loss, LinearSoftmax.zero(1, 2), penalty=0.1)
    >>> model.converged, model.posterior(X).argmax(axis=1)
    (True, array([0, 1, 0, 1]))
    """
    d, n = start.coef.shape
    if X.ndim != 2 or X.shape[1] != d:
        raise NcbenchError(f"linear softmax: X has shape {X.shape}; the start expects (m, {d})")
    if not penalty >= 0:
        raise NcbenchError(f"linear softmax: penalty is {penalty}; expected a number >= 0")
    require(max_iter >= 1, "max_iter", max_iter, "at least 1")
    require(tol >= 0, "tol", tol, "at least 0")

    problem = _Problem(X, _whitening(X, penalty), loss, penalty, n)
    bounds = None
    if extra_bounds is not None:
        bounds = [(None, None)] * (n * d + n) + list(extra_bounds)
    result = minimize(
        problem,
        problem.pack(start),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={
            "maxiter": max_iter,
            "maxls": 50,
            # A long memory costs little compared to a pass over the data and saves a third of them.
            "maxcor": 50,
            "gtol": tol,
            # The gradient decides convergence; this only stops runs limited by rounding errors.
            "ftol": 64 * np.finfo(float).eps,
        },
    )
    V, intercept, extra = problem.unpack(result.x)
    return LinearSoftmax(
        problem.P @ V, intercept, extra, float(result.fun), int(result.nit), result.status == 0
    )


def descend_linear_softmax(
    X: Array,
    loss: Loss,
    start: LinearSoftmax,
    *,
    penalty: float,
    step: float,
    extra_step: float,
    project: Callable[[Array], Array],
) -> Iterator[LinearSoftmax]:
    """Yield the iterates of gradient descent on ``loss(g) + penalty/2 ||W||^2``, without end.

    For losses that should not be minimized fully: the caller decides when to stop.

    Parameters
    ----------
    X, loss, start, penalty
        See :func:`fit_linear_softmax`.
    step, extra_step : float
        Step sizes, as multiples of the gradient, of the model (for whitened features) and of the
        loss's own parameters.
    project : callable
        Projects the loss's own parameters onto the feasible set.

    Examples
    --------
    >>> from ncbench.learning import CrossEntropy
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([0, 1])
    >>> models = descend_linear_softmax(
    ...     X, CrossEntropy.of_labels(y, n=2), LinearSoftmax.zero(1, 2),
    ...     penalty=0.0, step=1.0, extra_step=0.0, project=lambda extra: extra,
    ... )
    >>> [round(next(models).objective, 3) for _ in range(3)]
    [0.693, 0.313, 0.195]
    """
    n = start.coef.shape[1]
    problem = _Problem(X, _whitening(X, penalty), loss, penalty, n)
    theta = problem.pack(start)
    split = len(theta) - len(start.extra)
    for n_iter in itertools.count():
        value, gradient = problem(theta)
        V, intercept, extra = problem.unpack(theta)
        yield LinearSoftmax(problem.P @ V, intercept, extra, value, n_iter)
        model = theta[:split] - step * gradient[:split]
        theta = np.append(model, project(theta[split:] - extra_step * gradient[split:]))


class _Problem:
    """The penalized loss and its gradient as a function of one vector.

    Correlated features make L-BFGS slow. So it optimizes V with ``W = P V``, where P whitens the
    features. The problem then has similar curvature in all directions and the same solution.
    """

    def __init__(self, X: Array, P: Array, loss: Loss, penalty: float, n: int) -> None:
        self.X = X @ P
        self.P = P
        self.loss = loss
        self.penalty = penalty
        self.n = n

    def pack(self, model: LinearSoftmax) -> Array:
        V = np.linalg.solve(self.P, model.coef)
        return np.concatenate([V.T.ravel(), model.intercept, model.extra])

    def unpack(self, theta: Array) -> tuple[Array, Array, Array]:
        d, n = self.X.shape[1], self.n
        V, intercept, extra = np.split(theta, [n * d, n * d + n])
        return V.reshape(n, d).T, intercept, extra

    def __call__(self, theta: Array) -> tuple[float, Array]:
        V, intercept, extra = self.unpack(theta)
        W = self.P @ V
        log_posterior, posterior = _log_softmax(self.X, V, intercept)
        value, gradient, extra_gradient = self.loss(log_posterior, posterior, extra)
        # Chain rule through log softmax: dZ = D - g rowsum(D), D = d loss / d log g.
        dZ = gradient - posterior * gradient.sum(axis=1)[:, None]
        dV = (dZ.T @ self.X).T + self.penalty * (self.P @ W)
        value += self.penalty / 2 * float(np.vdot(W, W))
        return value, np.concatenate([dV.T.ravel(), dZ.sum(axis=0), extra_gradient])


def _whitening(X: Array, penalty: float) -> Array:
    """Return the symmetric ``(X^T X / m + 10 penalty)^-1/2``."""
    variance, directions = np.linalg.eigh(X.T @ X / len(X))
    # The curvature of the loss is this variance times the mean of g_k (1 - g_k), about a tenth. The
    # penalty adds its own curvature.
    variance += 10 * penalty
    variance = np.maximum(variance, 1e-10 * variance.max() + np.finfo(float).tiny)
    return np.asarray(directions / np.sqrt(variance) @ directions.T)


def _log_softmax(X: Array, coef: Array, intercept: Array) -> tuple[Array, Array]:
    """Return ``log g`` and g in Fortran order, which makes sums over few classes fast.

    ``scipy.special.log_softmax`` was considered: it returns only ``log g``, in C order.
    """
    scores = (coef.T @ X.T).T
    scores += intercept
    scores -= scores.max(axis=1)[:, None]
    posterior = np.exp(scores)
    total = posterior.sum(axis=1)
    scores -= np.log(total)[:, None]
    posterior /= total[:, None]
    return scores, posterior
