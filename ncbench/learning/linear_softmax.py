"""The linear softmax model ``g(x) = softmax(W^T x + b)`` and its fit by L-BFGS.

scikit-learn's ``LogisticRegression`` was considered. It minimizes the log loss of hard labels; the
noise-corrected losses of :mod:`ncbench.learning.linear_softmax` need targets with negative entries,
other losses, and parameters of their own.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ncbench.core import NoiseMatrix
from ncbench.errors import require
from ncbench.learning.class_probabilities import deal_folds
from ncbench.types import Array, Labels

# Losses of a posterior under label noise, for linear softmax models.

NO_EXTRA: Array = np.zeros(0)
NO_EXTRA.setflags(write=False)

# Floor for probabilities that underflow; quotients of probabilities above it are accurate.
SMALLEST = 1e-200


class LossValue(NamedTuple):
    """A mean loss and its derivatives."""

    value: float
    gradient: Array
    """With respect to ``log g``, shape (m, n), including the 1/m of the mean."""
    extra_gradient: Array = NO_EXTRA
    """With respect to the loss's own parameters, shape (e,)."""


class Loss(Protocol):
    """A mean loss over a sample, as a function of the posterior and its own parameters."""

    def __call__(self, log_posterior: Array, posterior: Array, extra: Array) -> LossValue:
        """Return the loss at ``log g`` and g, both m x n; ``extra`` is empty if unused."""


class CrossEntropy:
    """``-mean_i sum_k targets[i, k] log g_k(x_i)``, for targets whose rows sum to one.

    Rows may have negative entries. Because they sum to one, the loss as a function of the scores
    ``z = W^T x + b`` is ``log sum_k exp z_k - targets^T z``, which is convex in (W, b). With
    negative entries, however, it may have no lower bound; see :meth:`backward`.

    Parameters
    ----------
    targets : array of shape (m, n)

    Attributes
    ----------
    moved : float
        Probability mass moved between classes to bound the loss; see :meth:`backward`.

    Examples
    --------
    >>> loss = CrossEntropy.of_labels(np.array([0, 1]), n=2)
    >>> g = np.array([[0.5, 0.5], [0.75, 0.25]])
    >>> round(loss(np.log(g), g).value, 4)  # log(2 * 4) / 2
    1.0397
    """

    def __init__(self, targets: Array) -> None:
        # The loss is linear in log g. Fortran order, as in ``_log_softmax``.
        self._gradient = np.asfortranarray(-targets / len(targets))
        self.moved = 0.0

    @classmethod
    def of_labels(cls, y: Labels, n: int) -> CrossEntropy:
        """Return the log loss of labels 0..n-1."""
        return cls(np.eye(n)[y])

    @classmethod
    def backward(cls, noise: NoiseMatrix, y: Labels, *, bounded: bool = False) -> CrossEntropy:
        """Return the backward-corrected log loss (Patrini et al. 2017) of noisy labels.

        With ``l_k = -log g_k``, the corrected losses ``l' = T^-T l`` satisfy
        ``E[l'_noisy | clean = k] = l_k``: the loss is an unbiased estimate of the clean log loss.

        It has no lower bound, because ``T^-T`` has negative entries. In the weights W, any penalty
        fixes this: the scores, and so the loss, are Lipschitz in W, and ``mu/2 ||W||^2`` outgrows
        any linear descent. The intercept is not penalized. Let ``p = T^-1 p~`` be the corrected
        class priors, which are the mean of the targets. Then
        ``log sum_k exp(x_k + b_k) >= log sum_k exp(b_k) - max_k |x_k|`` gives::

            objective >= (log sum_k exp b_k - p^T b) - c ||W|| + mu/2 ||W||^2

        The first bracket is bounded below if and only if p is a distribution, and attains its
        minimum if no p_k is zero. If p has a negative entry, which can happen with a finite sample,
        the objective decreases without bound along b. ``bounded=True`` therefore raises entries of
        p below 1/m (a class has at least one example) to 1/m, rescales p, and shifts all targets by
        the difference. If no entry is below 1/m, nothing changes. With centered features, the shift
        only affects the intercept. With it, every penalty ``mu > 0`` makes the objective convex and
        bounded below, and the minimum is attained.

        Parameters
        ----------
        noise : NoiseMatrix
        y : array of shape (m,)
            Noisy labels, 0..n-1.
        bounded : bool
            True for a loss to minimize; False, the unbiased loss, for validation.

        Examples
        --------
        >>> noise = NoiseMatrix([[0.9, 0.4], [0.1, 0.6]])
        >>> y = np.zeros(10, dtype=np.int64)  # p = T^-1 (1, 0) = (1.2, -0.2)
        >>> round(CrossEntropy.backward(noise, y, bounded=True).moved, 2)
        0.28
        """
        # Column k of the identity is the loss of class k: entry [y, k] becomes its weight.
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
        self, log_posterior: Array, posterior: Array, extra: Array = NO_EXTRA
    ) -> LossValue:
        """Return the loss at this posterior."""
        # The transposes are contiguous, so vdot does not copy.
        value = float(np.vdot(self._gradient.T, log_posterior.T))
        return LossValue(value, self._gradient)


class ForwardCrossEntropy:
    """``-mean_i log (T g(x_i))_{y_i}``, the log loss of noisy labels (Patrini et al. 2017).

    This is the negative log likelihood of the noisy labels under the model. It is at least 0. As a
    difference of two convex functions of the scores it is not convex, unless T is the identity.

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
        self, log_posterior: Array, posterior: Array, extra: Array = NO_EXTRA
    ) -> LossValue:
        """Return the loss at this posterior."""
        # The gradient is each clean class's share of P(noisy = y_i | x_i). The floor avoids 0 / 0
        # where g underflows for every class that can produce y_i.
        share = self._likelihood * np.maximum(posterior, SMALLEST)
        evidence = share.sum(axis=1)
        share /= -len(share) * evidence[:, None]
        return LossValue(-float(np.log(evidence).mean()), share)


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


# Choose the penalty of a linear softmax model by the likelihood of held-out noisy labels.

PENALTIES = tuple(float(mu) for mu in np.logspace(0, -6, 13))
"""Default penalties mu, two per decade. In scikit-learn's terms, ``C = 1 / (mu m)``."""

SEARCH_SIZE = 20_000
"""Largest number of examples used to choose the penalty and to find the start of the fit."""

_PATIENCE = 2


class PathFit(NamedTuple):
    """The model at the chosen penalty."""

    model: LinearSoftmax
    penalty: float
    n_iter: int


def fit_penalty_path(
    X: Array,
    y: Labels,
    noise: NoiseMatrix,
    training_loss: Callable[[NoiseMatrix, Labels], Loss],
    *,
    penalties: Sequence[float] | None = None,
    folds: int = 3,
    max_iter: int = 500,
    tol: float = 1e-5,
    search_size: int = SEARCH_SIZE,
    random_state: int | None = None,
) -> PathFit:
    """Fit from strong to weak penalties and stop at the best held-out likelihood.

    Each fit starts at the previous solution. So if the loss is not convex, the folds and the final
    fit follow the same path to the same kind of minimum. For a large sample, a subsample follows
    the path and only the last fit uses all examples.

    Parameters
    ----------
    X : array of shape (m, d)
        Standardized.
    y : array of shape (m,)
        Noisy labels, 0..n-1.
    noise : NoiseMatrix
    training_loss : callable
        Returns the loss to minimize, given the noise and the labels. The penalty is chosen by the
        forward loss, the negative log likelihood of held-out noisy labels.
    penalties : sequence of float, optional
        Candidates for mu in ``mu/2 ||W||^2``; ``PENALTIES`` by default.
    folds : int
        Folds of the cross-validation, stratified by noisy label.
    max_iter, tol
        Parameters of each fit; see ``fit_linear_softmax``.
    search_size : int
        Size of the subsample that chooses the penalty if the sample is larger. The chosen penalty
        is multiplied by the subsample's share of the sample, so that it has the same weight
        relative to the likelihood of the whole sample.
    random_state : int, optional
        Seed of the folds and of the subsample.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> y = (X[:, 0] > 0).astype(np.int64)
    >>> path = fit_penalty_path(X, y, NoiseMatrix.identity(2), ForwardCrossEntropy, random_state=0)
    >>> path.model.posterior(np.array([[-0.5], [0.5]])).argmax(axis=1)
    array([0, 1])
    """
    candidates = check_path(penalties, folds, max_iter, tol)

    def solve(X: Array, loss: Loss, start: LinearSoftmax, penalty: float) -> LinearSoftmax:
        return fit_linear_softmax(X, loss, start, penalty=penalty, max_iter=max_iter, tol=tol)

    few, few_y = X, y
    if len(y) > search_size:
        chosen = check_random_state(random_state).permutation(len(y))[:search_size]
        few, few_y = X[chosen], y[chosen]
    loss = training_loss(noise, few_y)
    model, n_iter = LinearSoftmax.zero(X.shape[1], noise.n), 0
    best = 0
    if len(candidates) > 1:
        order = check_random_state(random_state).permutation(len(few_y))
        fold = deal_folds(few_y, folds, order)
        masks = [fold == k for k in range(fold.max() + 1)]
        training = [(few[~mask], training_loss(noise, few_y[~mask])) for mask in masks]
        held_out = [(few[mask], ForwardCrossEntropy(noise, few_y[mask])) for mask in masks]
        models = [model] * len(masks)
        losses: list[float] = []
        for penalty in candidates:
            models = [solve(*part, m, penalty) for part, m in zip(training, models, strict=True)]
            unseen = zip(held_out, models, strict=True)
            losses.append(sum(len(X) * m.loss(X, loss) for (X, loss), m in unseen))
            best = int(np.argmin(losses))
            # Weak penalties are slow, and beyond the minimum they only overfit more.
            if len(losses) - 1 - best >= _PATIENCE:
                break
    for penalty in candidates[: best + 1]:
        model = solve(few, loss, model, penalty)
        n_iter += model.n_iter
    penalty = candidates[best]
    if len(y) > search_size:
        if len(candidates) > 1:
            penalty *= search_size / len(y)
        model = solve(X, training_loss(noise, y), model, penalty)
        n_iter += model.n_iter
    if not model.converged:
        warnings.warn(
            f"linear softmax model: did not converge in max_iter={max_iter} iterations at penalty "
            f"{penalty:g}",
            ConvergenceWarning,
            stacklevel=3,
        )
    return PathFit(model, penalty, max(n_iter, 1))


def check_path(
    penalties: Sequence[float] | None, folds: int, max_iter: int, tol: float
) -> list[float]:
    """Validate parameters of ``fit_penalty_path``; return the penalties from strong to weak.

    Examples
    --------
    >>> check_path([0.01, 0.1], folds=3, max_iter=500, tol=1e-5)
    [0.1, 0.01]
    """
    given = list(PENALTIES if penalties is None else penalties)
    positive = len(given) > 0 and all(0 < penalty < np.inf for penalty in given)
    require(positive, "penalties", given, "one or more positive numbers")
    require(folds >= 2, "folds", folds, "at least 2")
    require(max_iter >= 1, "max_iter", max_iter, "at least 1")
    require(tol >= 0, "tol", tol, "at least 0")
    return sorted({float(penalty) for penalty in given}, reverse=True)
