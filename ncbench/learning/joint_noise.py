"""Joint fit of the noise matrix and a linear softmax model of the clean posterior.

Maximizes the likelihood of the noisy labels under ``(T g(x))_y`` over T and g. The likelihood alone
does not identify them (``T g = (T M) (M^-1 g)``). Three assumptions do: g is softmax-linear, the
diagonal of T dominates its columns, and T is regularized.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ncbench.learning.linear_softmax import LinearSoftmax, fit_linear_softmax
from ncbench.learning.noisy_losses import SMALLEST, CrossEntropy, LossValue
from ncbench.types import Array, Labels

START = -2.0
"""Initial value of the off-diagonal entries of V. With 3 classes, the diagonal of T is 0.81."""

BOUNDS = (-8.0, 4.0)
"""Bounds of the entries of V: beyond them, the sigmoid is flat."""


class Regulariser(Protocol):
    """A term of the objective that depends only on T."""

    def __call__(self, V: Array, T: Array) -> tuple[float, Array, Array]:
        """Return the value, the gradient in V (off-diagonal, flat) and the gradient in T."""


class OffDiagonal:
    """Map any V to a noise matrix: ``A = I + sigmoid(V) * (1 - I)``, ``T = A / colsum(A)``.

    No entry of a column exceeds its diagonal entry.

    Parameters
    ----------
    n : int
        Number of classes. V holds the ``n (n - 1)`` off-diagonal entries, row by row.

    Examples
    --------
    >>> OffDiagonal(2).matrix(np.array([0.0, -np.log(3)])).round(3)
    array([[0.8  , 0.333],
           [0.2  , 0.667]])
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._off = ~np.eye(n, dtype=bool)

    def matrix(self, V: Array) -> Array:
        """Return T."""
        A = self._unnormalised(V)
        return np.asarray(A / A.sum(axis=0))

    def chain(self, V: Array, dT: Array) -> Array:
        """Return the gradient in V of a function with gradient dT in T."""
        A = self._unnormalised(V)
        total = A.sum(axis=0)
        dA = (dT - (dT * A).sum(axis=0) / total) / total
        s = A[self._off]
        return np.asarray(dA[self._off] * s * (1 - s))

    def _unnormalised(self, V: Array) -> Array:
        A = np.eye(self.n)
        A[self._off] = 1 / (1 + np.exp(-V))
        return A


class JointCrossEntropy:
    """``-mean_i log (T(V) g(x_i))_{y_i}`` plus a regularizer; V is fitted jointly.

    Parameters
    ----------
    y : array of shape (m,)
        Noisy labels, 0..n-1.
    n : int
        Number of classes.
    regulariser : Regulariser, optional
    """

    def __init__(self, y: Labels, n: int, regulariser: Regulariser | None = None) -> None:
        self.noise = OffDiagonal(n)
        self.regulariser = regulariser
        self._y = y
        self._one_hot = np.asfortranarray(np.eye(n)[y])

    def __call__(self, log_posterior: Array, posterior: Array, extra: Array) -> LossValue:
        """Return the loss at this posterior and V."""
        T = self.noise.matrix(extra)
        g = np.maximum(posterior, SMALLEST)  # as in ForwardCrossEntropy
        share = np.asfortranarray(T[self._y])
        share *= g
        evidence = share.sum(axis=1)
        share /= -len(share) * evidence[:, None]
        g /= -len(g) * evidence[:, None]
        dT = self._one_hot.T @ g
        value = -float(np.log(evidence).mean())
        dV = np.zeros_like(extra)
        if self.regulariser is not None:
            more, dV, more_dT = self.regulariser(extra, T)
            value += more
            dT = dT + more_dT
        return LossValue(value, share, dV + self.noise.chain(extra, dT))


class JointFit(NamedTuple):
    """Result of a joint fit."""

    matrix: Array
    """T, column stochastic."""
    model: LinearSoftmax
    """Model of the clean posterior; ``extra`` is V."""

    def losses(self, X: Array, y: Labels) -> Array:
        """Return ``-log (T g(x))_y`` for each example, for instance on held-out data."""
        likelihood = (self.model.posterior(X) * self.matrix[y]).sum(axis=1)
        return np.asarray(-np.log(np.maximum(likelihood, SMALLEST)))


def fit_joint_noise(
    X: Array,
    y: Labels,
    n: int,
    regulariser: Regulariser | None = None,
    *,
    penalty: float,
    max_iter: int = 500,
    tol: float = 1e-5,
    start: LinearSoftmax | None = None,
) -> JointFit:
    """Fit T and a linear softmax model of the clean posterior to noisy labels.

    Deterministic. By default it starts from the model fitted as if there were no noise.

    Parameters
    ----------
    X : array of shape (m, d)
        Standardized, because the penalty treats all features alike.
    y : array of shape (m,)
        Noisy labels, 0..n-1.
    n : int
        Number of classes.
    regulariser : Regulariser, optional
        Regularizer of T.
    penalty : float
        mu in ``mu/2 ||W||^2``.
    max_iter, tol
        Parameters of L-BFGS.
    start : LinearSoftmax, optional
        The model of a similar problem.
    """
    if start is None:
        naive = CrossEntropy.of_labels(y, n)
        zero = LinearSoftmax.zero(X.shape[1], n)
        start = fit_linear_softmax(X, naive, zero, penalty=penalty, tol=1e-4)
        start = LinearSoftmax(start.coef, start.intercept, np.full(n * (n - 1), START))
    model = fit_linear_softmax(
        X,
        JointCrossEntropy(y, n, regulariser),
        start,
        penalty=penalty,
        extra_bounds=[BOUNDS] * (n * (n - 1)),
        max_iter=max_iter,
        tol=tol,
    )
    return JointFit(OffDiagonal(n).matrix(model.extra), model)
