"""Clean class probabilities from those of noisy labels."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from ncbench.core import NoiseMatrix
from ncbench.types import Array, Labels

_STEPS = 30
_LOG_SHARPNESS_SD = 0.5  # of its prior: few labels change little, and promise rather too little
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


def as_sharp_as_labels(clean: Array, y: Labels, noise: NoiseMatrix) -> Array:
    """Return ``softmax(a log eta)``, with the sharpness a that noisy labels show.

    A learner is less sure of held-out examples than it could be, because it is penalized; or too
    sure, because its model is too simple. Labels that it has not seen show which, even noisy ones:
    a maximizes their likelihood, ``(T g)_y``, times a log-normal prior around 1.

    Parameters
    ----------
    clean : array of shape (m, n)
        Probabilities of the clean classes, all above 0.
    y : array of shape (m,)
        Noisy labels that the learner has not seen.
    noise : NoiseMatrix

    Examples
    --------
    Four of five labels are the likeliest, which is as many as T allows:

    >>> noise = NoiseMatrix([[0.8, 0.2], [0.2, 0.8]])
    >>> y = np.tile([0, 0, 1, 0, 0], 100)
    >>> as_sharp_as_labels(np.full((500, 2), [0.7, 0.3]), y, noise)[0].round(2)
    array([0.96, 0.04])
    """
    log_clean, rows = np.log(clean), noise.matrix[y]

    def surprise(log_sharpness: float) -> float:
        g = softmax(np.exp(log_sharpness) * log_clean, axis=1)
        likelihood = np.maximum((rows * g).sum(axis=1), 1e-300)
        return (log_sharpness / _LOG_SHARPNESS_SD) ** 2 / 2 - float(np.log(likelihood).sum())

    best = minimize_scalar(surprise, bounds=(-3, 3), method="bounded")
    return np.asarray(softmax(np.exp(best.x) * log_clean, axis=1))


def as_likely_as_labels(first: Array, second: Array, y: Labels, noise: NoiseMatrix) -> Array:
    """Return the mixture ``w g + (1 - w) h`` that makes noisy labels most likely.

    Where two learners differ, the mixture is not sure. It follows the one that is right more often.
    It is flatter than both, and flatter than it should be if they are not (Ranjan and Gneiting
    2010), so :func:`as_sharp_as_labels` comes after it.

    Parameters
    ----------
    first, second : arrays of shape (m, n)
        Probabilities of the clean classes, g and h, of examples that neither learner has seen.
    y : array of shape (m,)
        Their noisy labels.
    noise : NoiseMatrix

    Examples
    --------
    >>> noise = NoiseMatrix([[0.8, 0.2], [0.2, 0.8]])
    >>> right, wrong = np.array([[0.9, 0.1]] * 10), np.array([[0.1, 0.9]] * 10)
    >>> as_likely_as_labels(right, wrong, np.zeros(10, int), noise)[0].round(2)
    array([0.9, 0.1])
    """
    rows = noise.matrix[y]
    q = np.maximum([(rows * g).sum(axis=1) for g in (first, second)], 1e-300)

    def surprise(w: float) -> float:
        return -float(np.log(w * q[0] + (1 - w) * q[1]).sum())

    w = minimize_scalar(surprise, bounds=(0, 1), method="bounded").x
    return np.asarray(np.maximum(w * first + (1 - w) * second, 1e-300))


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
