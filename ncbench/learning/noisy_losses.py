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

# Below it a probability is noise of the floating point, above it a quotient of two is exact.
SMALLEST = 1e-200


class LossValue(NamedTuple):
    """A mean loss and its derivatives."""

    value: float
    gradient: Array
    """With respect to ``log g``, shape (m, n), the 1/m of the mean included."""
    extra_gradient: Array = NO_EXTRA
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
        self, log_posterior: Array, posterior: Array, extra: Array = NO_EXTRA
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
        self, log_posterior: Array, posterior: Array, extra: Array = NO_EXTRA
    ) -> LossValue:
        """Return the loss at this posterior."""
        # The clean class's share of P(noisy = y_i | x_i) is the gradient; the floor keeps it
        # right (it would be 0 / 0) where g underflows at every class that could give y_i.
        share = self._likelihood * np.maximum(posterior, SMALLEST)
        evidence = share.sum(axis=1)
        share /= -len(share) * evidence[:, None]
        return LossValue(-float(np.log(evidence).mean()), share)
