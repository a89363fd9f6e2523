"""The posterior of the noise of many classes: a rate for each, and a shape that they share.

T has n (n - 1) free entries, more than the labels of many classes can tell. So class j is mistaken
at its own rate e_j, and s says which wrong labels are written, whatever the class:
``T_ij = e_j s_i / (1 - s_j)``. Where two classes are confused in particular, that cannot be told
from their overlap. So a part w of the mistakes is as held-out predictions miss labels, by pairs of
classes that they confuse more than once (absolute discounting, as in models of language).
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit, logit, softmax

from ncbench.learning.held_out_noise import SHARPNESS_SD, HeldOutNoise, NoisePrior, combined
from ncbench.types import Array, Labels

_RATES = (-9.0, 2.2)  # log odds: from 1e-4 to .9, where T is still safely invertible
_SHAPES = (-9.0, 9.0)
_PARTS = (-6.0, 6.0)
_SHAPE_SD = 1.0
_PART_SD = 2.0  # of the logit of w
_ROWS = 2000  # examples at a time


class RatesAndShape:
    """Map V to a noise matrix: logits u of the shape s, of the part w, and of the rates e.

    ``T_ij = e_j ((1 - w k_j) s_i / (1 - s_j) + w d_ij)`` for i other than j, ``k_j = sum_i d_ij``.

    Parameters
    ----------
    n : int
        Number of classes. V is u, the logit of w, and the log odds of e.
    pairs : array of shape (n, n), optional
        d, with a diagonal of zeros: which labels i examples of class j have instead, as a share.
        No column sums to more than 1. By default, 0.

    Examples
    --------
    >>> V = np.concatenate([np.log([2.0, 1.0, 1.0]), [0.0], [0.0, -np.log(3), -np.log(3)]])
    >>> RatesAndShape(3).matrix(V).round(3)
    array([[0.5  , 0.167, 0.167],
           [0.25 , 0.75 , 0.083],
           [0.25 , 0.083, 0.75 ]])
    """

    def __init__(self, n: int, pairs: Array | None = None) -> None:
        self.n = n
        self.pairs = np.zeros((n, n)) if pairs is None else pairs
        self.kept = self.pairs.sum(axis=0)

    def parts(self, V: Array) -> tuple[Array, float, Array, Array]:
        """Return s, w, e, and ``h_j = e_j (1 - w k_j) / (1 - s_j)``."""
        s, w, e = softmax(V[: self.n]), float(expit(V[self.n])), expit(V[self.n + 1 :])
        return s, w, e, e * (1 - w * self.kept) / (1 - s)

    def matrix(self, V: Array) -> Array:
        """Return T."""
        s, w, e, h = self.parts(V)
        T = np.outer(s, h) + w * e * self.pairs
        np.fill_diagonal(T, 1 - e)
        return T

    def in_w(self, V: Array) -> Array:
        """Return the derivatives of T in the logit of w."""
        s, w, e, _ = self.parts(V)
        change = e * self.pairs - np.outer(s, e * self.kept / (1 - s))
        np.fill_diagonal(change, 0.0)
        return np.asarray(w * (1 - w) * change)

    def chain(self, V: Array, dT: Array) -> Array:
        """Return the gradient in V of a function with gradient dT in T."""
        s, _, e, h = self.parts(V)
        off = dT.copy()
        np.fill_diagonal(off, 0.0)
        dr = (1 - e) * ((off * self.matrix(V)).sum(axis=0) - e * np.diagonal(dT))
        ds = off @ h + (s @ off) * h / (1 - s)
        dw = (off * self.in_w(V)).sum()
        return np.concatenate([s * (ds - s @ ds), [dw], dr])


class SharedShapeNoise(HeldOutNoise):
    """The posterior of ``theta = (a, b, V)`` given held-out labels: see :class:`RatesAndShape`.

    The log odds of the rates have the prior that the entries of T have in :class:`HeldOutNoise`.
    The shape is that of the noisy labels' frequencies, up to normal deviations of its logits.

    Parameters
    ----------
    F, y, n, checked
        As in :class:`HeldOutNoise`.
    """

    def __init__(self, F: Array, y: Labels, n: int, checked: Labels | None = None) -> None:
        super().__init__(F, y, n, checked)
        self.noise = RatesAndShape(n, self._missed_pairs())
        self.entries = 2 * n + 1
        self.bounds = [_SHAPES] * n + [_PARTS] + [_RATES] * n
        self.one_hot = csr_array(
            (np.ones(len(self.y)), (np.arange(len(self.y)), self.y)), (len(self.y), n)
        )
        frequencies = (np.bincount(y, minlength=n) + 1) / (len(y) + n)
        self._usual = np.clip(np.log(n * frequencies), *_SHAPES)

    def start(self, sharpness: float, T: Array) -> Array:
        """Return a theta to start from."""
        a = np.full(self.learners, sharpness / self.learners)
        e = np.clip(1 - np.diagonal(T), 1e-3, 0.8)
        off = T.copy()
        np.fill_diagonal(off, 0.0)
        s = off.sum(axis=1) / off.sum()
        u = np.clip(np.log(self.n * np.maximum(s, 1e-3 / self.n)), *_SHAPES)
        return np.concatenate([a, np.zeros(self.n), u, [0.0], logit(e)])

    def _missed_pairs(self) -> Array:
        """Return how held-out predictions miss labels: pairs beyond the first, as a share."""
        counts = np.zeros((self.n, self.n))
        guess = np.exp(self.F[:, self.unseen]).mean(axis=0).argmax(axis=1)
        np.add.at(counts, (self.y, guess), 1.0)
        np.fill_diagonal(counts, 0.0)
        return np.asarray(np.maximum(counts - 1, 0) / np.maximum(counts.sum(axis=0), 1))

    def at_level(self, theta: Array, change: float) -> Array:
        """Return theta with another level of noise."""
        moved = theta.copy()
        moved[-self.n :] = np.clip(moved[-self.n :] + change, *_RATES)
        return moved

    def _log_scale(self, prior: NoisePrior) -> float:
        size = self.learners + self.n
        half = -size * np.log(SHARPNESS_SD) - self.n * np.log(_SHAPE_SD) - np.log(_PART_SD)
        half -= (self.n - 1) * np.log(prior.tau)
        return float(half - np.log(prior.level_sd * np.sqrt(self.n)))

    def _pull(self, theta: Array, prior: NoisePrior) -> tuple[Array, Array]:
        n = self.n
        deviation = theta.copy()
        deviation[: self.learners] -= 1 / self.learners
        deviation[-2 * n - 1 : -n - 1] -= self._usual
        deviation[-n:] -= np.log(prior.level)  # e / (1 - e) wrong labels for each right one
        pull = deviation / SHARPNESS_SD**2
        pull[-2 * n - 1 : -n - 1] = deviation[-2 * n - 1 : -n - 1] / _SHAPE_SD**2
        pull[-n - 1] = deviation[-n - 1] / _PART_SD**2
        mean = deviation[-n:].mean()
        pull[-n:] = (deviation[-n:] - mean) / prior.tau**2 + mean / n / prior.level_sd**2
        return deviation, pull

    def precision(self, prior: NoisePrior) -> Array:
        """Return the precision of the prior."""
        n = self.n
        sd = np.repeat([SHARPNESS_SD, _SHAPE_SD, _PART_SD, 1], [self.learners + n, n, 1, n])
        precision = np.diag(sd**-2.0)
        mean = 1 / (n * prior.level_sd) ** 2 - 1 / n / prior.tau**2
        precision[-n:, -n:] = mean + np.eye(n) / prior.tau**2
        return precision

    def information(self, theta: Array) -> Array:
        """Return the information of the labels about theta: the squares of their scores."""
        total = np.zeros((len(theta), len(theta)))
        for start in range(0, len(self.y), _ROWS):
            scores = self._scores(theta, slice(start, start + _ROWS))
            total += scores.T @ scores
        scores = self._scores_of_checked(theta)
        return total + scores.T @ scores

    def _scores(self, theta: Array, part: slice) -> Array:
        """Return the derivatives of ``log (T g)_y``, a row for each label."""
        V = theta[-self.entries :]
        s, _, e, h = self.noise.parts(V)
        F, y = self.F[:, self.unseen[part]], self.y[part]
        g, own = np.exp(combined(F, theta)), (np.arange(len(y)), y)
        share = self.noise.matrix(V)[y] * g
        q = np.maximum(share.sum(axis=1), 1e-300)[:, None]
        share /= q
        dr = share * (1 - e)
        dr[own] = -share[own] * e[y]
        shaped = g * h / q
        ds = shaped * s[y][:, None] / (1 - s)
        ds[own] = shaped.sum(axis=1) - shaped[own]
        dw = (self.noise.in_w(V)[y] * g / q).sum(axis=1)
        return self._joined(F, share - g, ds, s, dw, dr)

    def _scores_of_checked(self, theta: Array) -> Array:
        """Return the derivatives of ``log T_yc g_c``, a row for each checked label."""
        V = theta[-self.entries :]
        s, _, e, h = self.noise.parts(V)
        F, rows = self.F[:, self.seen], np.arange(len(self.seen))
        y, truth = self.given, self.truth.argmax(axis=1)
        dr, ds = np.zeros_like(self.truth), np.zeros_like(self.truth)
        q, wrong = self.noise.matrix(V)[y, truth], y != truth
        dr[rows, truth] = wrong - e[truth]
        ds[rows, y] = wrong * h[truth] / q
        ds[rows, truth] += wrong * s[y] * h[truth] / (1 - s[truth]) / q
        dw = self.noise.in_w(V)[y, truth] / q
        return self._joined(F, self.truth - np.exp(combined(F, theta)), ds, s, dw, dr)

    @staticmethod
    def _joined(F: Array, dZ: Array, ds: Array, s: Array, dw: Array, dr: Array) -> Array:
        slopes = np.einsum("kij,ij->ik", F, dZ)
        return np.hstack([slopes, dZ, s * (ds - (ds @ s)[:, None]), dw[:, None], dr])
