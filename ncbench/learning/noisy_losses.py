"""Losses of a posterior under label noise, for linear softmax models.

A loss is a function of the posterior g. It returns its derivative with respect to ``log g`` rather
than g (``d/d log g = g * d/dg``), which stays finite where a probability underflows to 0. A loss
may have parameters of its own, such as those of a noise matrix that is learned jointly.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ncbench.core import NoiseMatrix
from ncbench.types import Array, Labels

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
        # The loss is linear in log g. Fortran order, as in LinearSoftmax.log_posterior.
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
