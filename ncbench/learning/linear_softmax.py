"""The linear softmax model ``g(x) = softmax(W^T x + b)``, its losses under noise, and their fit.

A loss is a function of the posterior g. It gives its derivative with respect to ``log g`` rather
than g (``d/d log g = g * d/dg``): that one stays finite where a probability underflows to 0.
Losses may carry parameters of their own, such as those of a noise matrix that is learnt along.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import minimize

from ncbench.core import NoiseMatrix
from ncbench.errors import NcbenchError, require
from ncbench.types import Array, Labels

_NO_EXTRA: Array = np.zeros(0)
_NO_EXTRA.setflags(write=False)

# Below it a probability is noise of the floating point, above it a quotient of two is exact.
_SMALLEST = 1e-200


class LossValue(NamedTuple):
    """A mean loss and its derivatives."""

    value: float
    gradient: Array
    """With respect to ``log g``, shape (m, n), the 1/m of the mean included."""
    extra_gradient: Array = _NO_EXTRA
    """With respect to the loss's own parameters, shape (e,)."""


class Loss(Protocol):
    """A mean loss over a sample, as a function of the posterior and of parameters of its own."""

    def __call__(self, log_posterior: Array, posterior: Array, extra: Array) -> LossValue:
        """Return the loss at ``log g`` and g, both m x n; ``extra`` is empty where unused."""


class CrossEntropy:
    """``-mean_i sum_k targets[i, k] log g_k(x_i)``, for targets whose rows sum to one.

    Rows need not be distributions, they may have negative entries. Because they sum to one, the
    loss in terms of the scores ``z = W^T x + b`` is ``log sum_k exp z_k - targets^T z``, so it is
    convex in (W, b) all the same. What negative entries take away is the lower bound, see
    :meth:`backward`.

    Parameters
    ----------
    targets : array of shape (m, n)

    Attributes
    ----------
    moved : float
        Probability that was moved between classes to bound the loss, see :meth:`backward`.

    Examples
    --------
    >>> loss = CrossEntropy.of_labels(np.array([0, 1]), n=2)
    >>> g = np.array([[0.5, 0.5], [0.75, 0.25]])
    >>> round(loss(np.log(g), g).value, 4)  # log(2 * 4) / 2
    1.0397
    """

    def __init__(self, targets: Array) -> None:
        # The loss is linear in log g. Fortran order, as in LinearSoftmax.log_posterior.
        self._gradient = np.asfortranarray(-targets / len(targets))
        self.moved = 0.0

    @classmethod
    def of_labels(cls, y: Labels, n: int) -> CrossEntropy:
        """Return the usual log loss of labels 0..n-1."""
        return cls(np.eye(n)[y])

    @classmethod
    def backward(cls, noise: NoiseMatrix, y: Labels, *, bounded: bool = False) -> CrossEntropy:
        """Return the backward-corrected log loss (Patrini et al. 2017) of noisy labels.

        With ``l_k = -log g_k``, the corrected losses ``l' = T^-T l`` satisfy
        ``E[l'_noisy | clean = k] = l_k``: the loss is an unbiased estimate of the clean log loss.

        It has no lower bound as it stands, since ``T^-T`` has negative entries. In the weights W
        any penalty mends that: scores, and so the loss, are Lipschitz in W, and
        ``mu/2 ||W||^2`` wins against any linear descent. The intercept is not penalised. With
        ``p = T^-1 p~`` the corrected class priors (the mean of the targets),
        ``log sum_k exp(x_k + b_k) >= log sum_k exp(b_k) - max_k |x_k|`` gives::

            objective >= (log sum_k exp b_k - p^T b) - c ||W|| + mu/2 ||W||^2

        and the first bracket is bounded below if and only if p is a distribution, with a minimum
        if no p_k is zero; if p has a negative entry the objective falls without end along b
        alone. Of a finite sample p may have one. ``bounded=True`` therefore lifts entries of p
        below 1/m (a class has at least one example) to 1/m, rescales, and shifts all targets by
        the difference. Where p needs no lift, nothing is changed. With centred features the
        shift is felt by the intercept alone. With it, every penalty ``mu > 0`` makes the
        objective convex, bounded below and attained.

        Parameters
        ----------
        noise : NoiseMatrix
        y : array of shape (m,)
            Noisy labels, 0..n-1.
        bounded : bool
            True for a loss to be minimised; False, the unbiased one, for validation.

        Examples
        --------
        >>> noise = NoiseMatrix([[0.9, 0.4], [0.1, 0.6]])
        >>> y = np.zeros(10, dtype=np.int64)  # p = T^-1 (1, 0) = (1.2, -0.2)
        >>> round(CrossEntropy.backward(noise, y, bounded=True).moved, 2)
        0.28
        """
        # Column k of the identity is the loss of class k alone: entry [y, k] is its weight.
        targets = noise.correct_loss(np.eye(noise.n))[y]
        if not bounded:
            return cls(targets)
        prior = targets.mean(axis=0)
        feasible = np.maximum(prior, 1 / len(y))
        shift = feasible / feasible.sum() - prior
        loss = cls(targets + shift)
        loss.moved = float(np.abs(shift).sum() / 2)
        return loss

    def __call__(
        self, log_posterior: Array, posterior: Array, extra: Array = _NO_EXTRA
    ) -> LossValue:
        """Return the loss at this posterior."""
        # Transposed, both are contiguous: no copies.
        value = float(np.vdot(self._gradient.T, log_posterior.T))
        return LossValue(value, self._gradient)


class ForwardCrossEntropy:
    """``-mean_i log (T g(x_i))_{y_i}``, the log loss of noisy labels (Patrini et al. 2017).

    The likelihood of the noisy labels under the model: at least 0, but, as a difference of two
    convex functions of the scores, not convex unless T is the identity.

    Parameters
    ----------
    noise : NoiseMatrix
    y : array of shape (m,)
        Noisy labels, 0..n-1.

    Examples
    --------
    >>> loss = ForwardCrossEntropy(NoiseMatrix([[0.9, 0.4], [0.1, 0.6]]), np.array([0]))
    >>> g = np.array([[0.2, 0.8]])
    >>> round(loss(np.log(g), g).value, 4)  # -log(0.9 * 0.2 + 0.4 * 0.8)
    0.6931
    """

    def __init__(self, noise: NoiseMatrix, y: Labels) -> None:
        # likelihood[i, j] = P(noisy = y_i | clean = j)
        self._likelihood = np.asfortranarray(noise.matrix[y])

    def __call__(
        self, log_posterior: Array, posterior: Array, extra: Array = _NO_EXTRA
    ) -> LossValue:
        """Return the loss at this posterior."""
        # The clean class's share of P(noisy = y_i | x_i) is the gradient; the floor keeps it
        # right (it would be 0 / 0) where g underflows at every class that could give y_i.
        share = self._likelihood * np.maximum(posterior, _SMALLEST)
        evidence = share.sum(axis=1)
        share /= -len(share) * evidence[:, None]
        return LossValue(-float(np.log(evidence).mean()), share)


@dataclass(frozen=True)
class LinearSoftmax:
    """The model ``g(x) = softmax(coef^T x + intercept)``, and how its fit went.

    Parameters
    ----------
    coef : array of shape (d, n)
    intercept : array of shape (n,)
    extra : array of shape (e,)
        Parameters of the loss that were fitted along.
    objective : float
        Penalised loss reached.
    n_iter : int
    converged : bool

    Examples
    --------
    >>> LinearSoftmax.zero(d=3, n=2).posterior(np.ones((1, 3)))
    array([[0.5, 0.5]])
    """

    coef: Array
    intercept: Array
    extra: Array = field(default_factory=lambda: _NO_EXTRA)
    objective: float = float("nan")
    n_iter: int = 0
    converged: bool = False

    @classmethod
    def zero(cls, d: int, n: int) -> LinearSoftmax:
        """Return the model that gives each class 1/n."""
        return cls(np.zeros((d, n)), np.zeros(n))

    def log_posterior(self, X: Array) -> Array:
        """Return ``log g`` for each row of X."""
        return _log_softmax(X, self.coef, self.intercept)[0]

    def posterior(self, X: Array) -> Array:
        """Return g for each row of X."""
        return np.ascontiguousarray(_log_softmax(X, self.coef, self.intercept)[1])

    def loss(self, X: Array, loss: Loss) -> float:
        """Return the mean loss, without penalty, for example on held-out data."""
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
    """Minimise ``loss(g) + penalty/2 ||W||^2`` by L-BFGS; the intercept is not penalised.

    Deterministic: the result is a function of the arguments.

    Parameters
    ----------
    X : array of shape (m, d)
        Best centred and of unit scale: the penalty treats features alike.
    loss : Loss
        Of the sample's m labels. Must have a minimum: see :meth:`CrossEntropy.backward`.
    start : LinearSoftmax
        Where to start: ``LinearSoftmax.zero(d, n)``, or the solution of a neighbouring problem.
        Its ``extra`` starts the loss's own parameters.
    penalty : float
        mu. scikit-learn's ``LogisticRegression(C=C)`` has ``mu = 1 / (C m)``.
    extra_bounds : sequence of (low, high), optional
        One for each of the loss's own parameters.
    max_iter : int
    tol : float
        Converged when no entry of the gradient exceeds it, in terms of whitened features.

    Examples
    --------
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
            # Next to a pass over the data a long memory costs nothing and saves a third of them.
            "maxcor": 50,
            "gtol": tol,
            # The gradient decides; this only ends runs that have reached the rounding error.
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
    """Go down ``loss(g) + penalty/2 ||W||^2`` in small steps, without end.

    For losses that must not be minimised: who iterates decides when to stop, by held-out data.

    Parameters
    ----------
    X, loss, start, penalty
        As of :func:`fit_linear_softmax`.
    step, extra_step : float
        Length of a step in units of the gradient, of the model (in terms of whitened features)
        and of the loss's own parameters.
    project : callable
        Takes the loss's own parameters back to where they must be.

    Examples
    --------
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
    """The penalised loss as a function of one vector, and its gradient.

    Correlated features make L-BFGS slow. It is given V of ``W = P V``, where P whitens them:
    the problem has about the same curvature in all directions, and the same solution.
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
    # The loss's curvature is this variance times a mean of g_k (1 - g_k), some tenth, to which
    # the penalty adds its own.
    variance += 10 * penalty
    variance = np.maximum(variance, 1e-10 * variance.max() + np.finfo(float).tiny)
    return np.asarray(directions / np.sqrt(variance) @ directions.T)


def _log_softmax(X: Array, coef: Array, intercept: Array) -> tuple[Array, Array]:
    """Return ``log g`` and g. In Fortran order: sums over few classes are slow in C order."""
    scores = (coef.T @ X.T).T
    scores += intercept
    scores -= scores.max(axis=1)[:, None]
    posterior = np.exp(scores)
    total = posterior.sum(axis=1)
    scores -= np.log(total)[:, None]
    posterior /= total[:, None]
    return scores, posterior
