"""Joint fit of the noise matrix and a linear softmax model of the clean posterior.

Maximizes the likelihood of the noisy labels under ``(T g(x))_y`` over T and g. The likelihood alone
does not identify them (``T g = (T M) (M^-1 g)``). Three assumptions do: g is softmax-linear, the
diagonal of T dominates its columns, and T is regularized.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from ncbench.core import NoiseMatrix
from ncbench.learning.linear_softmax import (
    SMALLEST,
    CrossEntropy,
    LinearSoftmax,
    LossValue,
    fit_linear_softmax,
)
from ncbench.types import Array, Labels

# Clean class probabilities from those of noisy labels.

_STEPS = 30
_SURE = 1e-3  # a learner is never surer than this that an example is not of a class
_WEIGHT_SD = 1.0
_OFFSET_SD = 0.3
_PART = 8192  # examples at a time, so that they stay in the cache


def clean_posterior(noisy: Array, noise: NoiseMatrix) -> Array:
    r"""Return clean class probabilities, ``T^-1 eta~`` where that is a distribution.

    Elsewhere it is close to the distribution whose noisy one is closest to eta~ in relative
    entropy. EM finds it (Richardson 1972): each step multiplies :math:`\eta_j` by
    :math:`\sum_i \tilde\eta_i T_{ij} / (T \eta)_i`. After thirty steps, no probability is 0, and
    examples that are beyond the range of T keep their order.

    Parameters
    ----------
    noisy : array of shape (m, n)
    noise : NoiseMatrix

    Examples
    --------
    >>> noise = NoiseMatrix([[0.8, 0.2], [0.2, 0.8]])
    >>> clean_posterior(np.array([[0.5, 0.5], [0.74, 0.26], [0.9, 0.1]]), noise).round(3)
    array([[0.5, 0.5],
           [0.9, 0.1],
           [1. , 0. ]])
    """
    T, transposed = noise.matrix, np.ascontiguousarray(noise.matrix.T)
    posterior = np.empty(np.shape(noisy))
    for start in range(0, len(noisy), _PART):
        part = slice(start, start + _PART)
        columns = np.ascontiguousarray(np.maximum(noisy[part], 1e-12).T)  # a row for each class
        clean = columns / columns.sum(axis=0)
        for _ in range(_STEPS):
            # The sum over classes stays 1, because columns of T sum to 1.
            clean *= transposed @ (columns / (T @ clean))
        posterior[part] = np.maximum(clean / clean.sum(axis=0), 1e-300).T
    return posterior


def log_clean(noisy: Sequence[Array] | Array, noise: NoiseMatrix) -> Array:
    """Return the logarithms of clean class probabilities of several learners, k x m x n."""
    return np.log(np.maximum([clean_posterior(P, noise) for P in noisy], _SURE))


def combined_clean(noisy: Sequence[Array] | Array, y: Labels, noise: NoiseMatrix) -> Array:
    """Return one clean posterior from those of several learners: see :func:`fit_weights`.

    A learner is less sure of held-out examples than it could be, because it is penalized; or too
    sure, because its model is too simple. Labels that it has not seen show which, even noisy ones.

    Parameters
    ----------
    noisy : sequence of arrays of shape (m, n)
        Held-out probabilities of the noisy labels, by each learner.
    y : array of shape (m,)
        Noisy labels.
    noise : NoiseMatrix

    Examples
    --------
    Three of five labels are the likeliest, where T allows four:

    >>> noise = NoiseMatrix([[0.8, 0.2], [0.2, 0.8]])
    >>> P = np.repeat([[0.7, 0.3], [0.3, 0.7]], 500, axis=0)
    >>> y = np.tile([0, 0, 1, 0, 1], 200) ^ (np.arange(1000) >= 500)
    >>> combined_clean([P], y, noise)[0].round(2)
    array([0.67, 0.33])
    """
    F = log_clean(noisy, noise)
    a, b = fit_weights(F, y, noise)
    return np.asarray(softmax(np.tensordot(a, F, 1) + b, axis=1))


def fit_weights(F: Array, y: Labels, noise: NoiseMatrix) -> tuple[Array, Array]:
    """Return the weights a and the offsets b of ``g = softmax(sum_k a_k F_k + b)``.

    They maximize the likelihood ``(T g)_y`` of labels that no learner has seen, times a prior, and
    ``KL(pi || mean g)`` holds the frequencies of the classes.

    Parameters
    ----------
    F : array of shape (k, m, n)
        Logarithms of held-out clean probabilities, by k learners.
    y : array of shape (m,)
        Noisy labels.
    noise : NoiseMatrix
    """
    k, m, n = F.shape
    frequencies = np.maximum(noise.correct_posterior(np.bincount(y, minlength=n)[None] / m), 1 / m)
    frequencies = frequencies[0] / frequencies.sum()
    T = noise.matrix[y]
    mean = np.concatenate([np.full(k, 1 / k), np.zeros(n)])
    precision = np.concatenate([np.full(k, _WEIGHT_SD**-2), np.full(n, _OFFSET_SD**-2)])

    def objective(theta: Array) -> tuple[float, Array]:
        log_g = log_softmax(np.tensordot(theta[:k], F, 1) + theta[k:], axis=1)
        g = np.exp(log_g)
        share = T * g
        q = np.maximum(share.sum(axis=1), 1e-300)
        average = np.maximum(g.mean(axis=0), 1e-300)
        value = -np.log(q).sum() + m * frequencies @ np.log(frequencies / average)
        # Chain rule through log softmax, as in linear_softmax: D = d value / d log g.
        D = -share / q[:, None] - g * (frequencies / average)
        dZ = D - g * D.sum(axis=1)[:, None]
        off = theta - mean
        pull = precision * off
        gradient = np.concatenate([np.tensordot(F, dZ, 2), dZ.sum(axis=0)])
        return float(value + off @ pull / 2), gradient + pull

    bounds = [(0, None)] * k + [(None, None)] * n
    found = minimize(objective, mean, jac=True, method="L-BFGS-B", bounds=bounds).x
    return found[:k], found[k:]


def true_label_posterior(clean: Array, y: Labels, noise: NoiseMatrix) -> Array:
    """Return the probability of each true label, given x and the noisy label y.

    ``P(clean = j | x, noisy = y)`` is proportional to ``T[y, j] eta_j(x)``.

    Parameters
    ----------
    clean : array of shape (m, n)
        Probabilities of the clean classes, eta.
    y : array of shape (m,)
    noise : NoiseMatrix

    Examples
    --------
    >>> noise = NoiseMatrix([[0.8, 0.2], [0.2, 0.8]])
    >>> true_label_posterior(np.array([[0.5, 0.5]]), np.array([0]), noise).round(3)
    array([[0.8, 0.2]])
    """
    joint = noise.matrix[y] * clean
    total = joint.sum(axis=1, keepdims=True)
    # T may exclude the label for every class that is possible here.
    return np.where(total > 0, joint / np.where(total > 0, total, 1), np.eye(noise.n)[y])


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
    """``-mean_i log (T(V) g(x_i))_{y_i}`` plus a regularizer of T; V is fitted jointly.

    Parameters
    ----------
    y : array of shape (m,)
        Noisy labels, 0..n-1.
    n : int
        Number of classes.
    regulariser : Regulariser
    """

    def __init__(self, y: Labels, n: int, regulariser: Regulariser) -> None:
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
        more, dV, more_dT = self.regulariser(extra, T)
        value = more - float(np.log(evidence).mean())
        return LossValue(value, share, dV + self.noise.chain(extra, dT + more_dT))


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
    regulariser: Regulariser,
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
    regulariser : Regulariser
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
