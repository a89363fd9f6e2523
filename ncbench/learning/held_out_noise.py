"""The noise matrix and the sharpness of several learners, given labels that they have not seen.

Each learner k predicts each label without having seen it: ``p_k``. The clean posterior combines
them, ``g = softmax(sum_k a_k log p_k + b)``, and a label has probability ``(T g)_y``. If classes
are apart, a becomes large: the posterior is sharp, and what is left is noise. If classes overlap,
it stays flat. A label that was checked enters with its likelihood ``T_yc g_c``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit, log_softmax, logit, softmax

from ncbench.data import UNKNOWN
from ncbench.learning.joint_noise import OffDiagonal
from ncbench.types import Array, Labels

TYPICAL_LEVEL = 0.2
"""Wrong labels for each right one, where the prior is centered: 17 % are wrong."""
LEVEL_SD = 1.0
"""Of the mean of V; two reach from 3 % wrong labels to 39 % (two classes) or 60 %."""

_BOUNDS = (-12.0, 4.0)  # of V; beyond them, the sigmoid is flat
SHARPNESS_SD = 10.0
"""Of the weights a and the offsets b."""


@dataclass(frozen=True)
class NoisePrior:
    """A normal prior of the log odds V of the entries of T.

    Parameters
    ----------
    tau : float
        Standard deviation of the entries around their mean. With 0.3 noise is nearly symmetric;
        with 3 it can be that of one class.
    level : float
        Wrong labels for each right one, where the mean is centered.
    level_sd : float
        Standard deviation of the mean.
    """

    tau: float
    level: float = TYPICAL_LEVEL
    level_sd: float = LEVEL_SD

    def center(self, n: int) -> float:
        """Return the prior mean of V, for n classes."""
        return float(logit(self.level / (n - 1)))


class Fit(NamedTuple):
    """A maximum of the posterior and its Gaussian approximation."""

    theta: Array
    T: Array
    log_evidence: float
    ambiguous: float
    """Expected number of examples whose class is not the one with the largest posterior."""
    log_checked: float
    """The part of checked labels in ``log_evidence``."""

    @property
    def inverse_norm(self) -> float:
        """``||T^-1||_1``."""
        return float(np.abs(np.linalg.inv(self.T)).sum(axis=0).max())


class HeldOutNoise:
    """The posterior of ``theta = (a, b, V)`` given held-out labels.

    Parameters
    ----------
    F : array of shape (k, m, n)
        Logarithms of held-out probabilities.
    y : array of shape (m,)
        Noisy labels.
    n : int
    checked : array of shape (m,), optional
        Clean labels, or UNKNOWN.
    """

    def __init__(self, F: Array, y: Labels, n: int, checked: Labels | None = None) -> None:
        self.F, self.n, self.learners = F, n, len(F)
        self.noise: Any = OffDiagonal(n)
        self.off = ~np.eye(n, dtype=bool)
        self.entries = n * (n - 1)
        self.bounds = [_BOUNDS] * self.entries
        known = np.zeros(len(y), bool) if checked is None else checked != UNKNOWN
        self.unseen = np.flatnonzero(~known)
        self.y = y[self.unseen]
        self.one_hot: Any = np.eye(n)[self.y]
        self.seen = np.flatnonzero(known)
        self.truth = np.eye(n)[checked[known]] if checked is not None else np.zeros((0, n))
        self.given = y[known]
        self.pairs = np.eye(n)[self.given].T @ self.truth

    def start(self, sharpness: float, T: Array) -> Array:
        """Return a theta to start from."""
        ratio = np.clip(T / np.diagonal(T), 1e-3, 0.95)
        a = np.full(self.learners, sharpness / self.learners)
        return np.concatenate([a, np.zeros(self.n), logit(ratio)[self.off]])

    def from_little_noise(self) -> Array:
        """Return the start with a flat posterior and little noise."""
        n, level = self.n, 0.02
        diagonal = (1 - level - level / (n - 1)) * np.eye(n)
        return self.start(1.0, np.full((n, n), level / (n - 1)) + diagonal)

    def from_predictions(self) -> Array:
        """Return the start with a sharp posterior and the noise of its predictions."""
        guess = np.exp(self.F[:, self.unseen]).mean(axis=0).argmax(axis=1)
        counted = np.full((self.n, self.n), 0.5 / self.n) + 0.5 * np.eye(self.n)
        np.add.at(counted, (self.y, guess), 1.0)
        return self.start(3.0, counted / counted.sum(axis=0))

    def at_level(self, theta: Array, change: float) -> Array:
        """Return theta with another level of noise: the mean of V changes by this."""
        moved = theta.copy()
        moved[-self.entries :] += change
        return moved

    def fit(self, start: Array, prior: NoisePrior) -> Fit:
        """Return the maximum that is reached from this start."""
        free = [(None, None)] * (self.learners + self.n)
        result = minimize(
            self.objective, start, (prior,), jac=True, method="L-BFGS-B",
            bounds=free + self.bounds,
            options={"maxiter": 1000, "maxcor": 20, "ftol": 1e-8},
        )  # fmt: skip
        theta = result.x
        root = self.root(theta, prior)
        log_evidence = -result.fun + self._log_scale(prior) - np.log(np.diagonal(root)).sum()
        g = self.clean(theta)
        T = self.matrix(theta)
        checked = (self.truth * np.log(np.maximum(g[self.seen], 1e-300))).sum()
        checked += (self.pairs * np.log(T)).sum()
        ambiguous = float((1 - g.max(axis=1)).sum())
        return Fit(theta, T, float(log_evidence), ambiguous, float(checked))

    def matrix(self, theta: Array) -> Array:
        """Return T."""
        return np.asarray(self.noise.matrix(theta[-self.entries :]))

    def clean(self, theta: Array) -> Array:
        """Return the clean posterior g of each example."""
        return np.asarray(np.exp(combined(self.F, theta)))

    def draw(self, fit: Fit, prior: NoisePrior, count: int, rng: np.random.Generator) -> Array:
        """Return draws of theta from the Gaussian approximation, a row for each."""
        root = self.root(fit.theta, prior)
        normal = rng.standard_normal((len(root), count))
        thetas = fit.theta + solve_triangular(root.T, normal, lower=False).T
        thetas[:, -self.entries :] = np.clip(thetas[:, -self.entries :], *np.transpose(self.bounds))
        return np.asarray(thetas)

    def objective(self, theta: Array, prior: NoisePrior) -> tuple[float, Array]:
        """Return the negative log posterior and its gradient."""
        log_g = combined(self.F, theta)
        V = theta[-self.entries :]
        g, T = np.exp(log_g), self.noise.matrix(V)
        dZ = np.empty_like(g)
        # A noisy label has probability q = (T g)_y.
        share = T[self.y] * g[self.unseen]
        q = np.maximum(share.sum(axis=1), 1e-300)
        dZ[self.unseen] = g[self.unseen] - share / q[:, None]
        dT = -self.one_hot.T @ (g[self.unseen] / q[:, None])
        value = -np.log(q).sum()
        # A noisy and a checked label have probability T_yc g_c.
        dZ[self.seen] = g[self.seen] - self.truth
        dT -= self.pairs / T
        value -= (self.truth * log_g[self.seen]).sum() + (self.pairs * np.log(T)).sum()
        deviation, pull = self._pull(theta, prior)
        slopes = [np.einsum("ij,ij->", f, dZ) for f in self.F]
        gradient = np.concatenate([slopes, dZ.sum(axis=0), self.noise.chain(V, dT)])
        return float(value + deviation @ pull / 2), gradient + pull

    def _log_scale(self, prior: NoisePrior) -> float:
        """Return half the log determinant of the prior's precision."""
        # Of a and b, of the deviations, and of the mean.
        size = self.learners + self.n
        half = -size * np.log(SHARPNESS_SD) - (self.entries - 1) * np.log(prior.tau)
        return float(half - np.log(prior.level_sd * np.sqrt(self.entries)))

    def _pull(self, theta: Array, prior: NoisePrior) -> tuple[Array, Array]:
        """Return the deviation from the prior's mean, and the precision times it."""
        deviation = theta.copy()
        deviation[: self.learners] -= 1 / self.learners
        V = deviation[-self.entries :]
        V -= prior.center(self.n)
        pull = deviation / SHARPNESS_SD**2
        mean = V.mean()
        pull[-self.entries :] = (V - mean) / prior.tau**2
        pull[-self.entries :] += mean / self.entries / prior.level_sd**2
        return deviation, pull

    def precision(self, prior: NoisePrior) -> Array:
        """Return the precision of the prior."""
        size = self.learners + self.n
        precision = np.eye(size + self.entries) / SHARPNESS_SD**2
        V = precision[size:, size:]
        V[:] = 1 / (self.entries * prior.level_sd) ** 2 - 1 / self.entries / prior.tau**2
        V[np.diag_indices(self.entries)] += 1 / prior.tau**2
        return precision

    def root(self, theta: Array, prior: NoisePrior) -> Array:
        """Return the lower Cholesky factor of the precision of theta; V comes last."""
        information = self.information(theta)
        information += self.precision(prior)
        return np.asarray(np.linalg.cholesky(information), dtype=np.float64)

    def information(self, theta: Array) -> Array:
        """Return the expected information of the labels about theta."""
        n, off = self.n, self.off.ravel()
        g, T = self.clean(theta), self.matrix(theta)
        A = np.eye(n)
        A[self.off] = expit(theta[-self.entries :])
        # dT_yl / dV_kl = S_kl (1[y = k] - T_yl)
        S = A * (1 - A) / A.sum(axis=0)
        u, F = g[self.unseen], self.F[:, self.unseen]
        weight = 1 / np.maximum(u @ T.T, 1e-300)
        W = np.stack([(u * w[:, None]).T @ u for w in weight.T])  # W[y, j, l]
        Q = np.einsum("yj,yl,yjl->jl", T, T, W)
        noisy = u @ T.T
        slope = np.stack([(u * f) @ T.T - noisy * (u * f).sum(axis=1)[:, None] for f in F])
        X = np.stack([(s * weight).T @ u for s in slope])  # X[k, y, j], of q in a and u
        aa = np.einsum("kiy,liy,iy->kl", slope, slope, weight, optimize=True)
        ab = np.einsum("yj,kyj->kj", T, X)
        bb = Q - u.T @ u
        aV = S * (X - ab[:, None, :])
        bV = S * ((T.T[:, :, None] * W.transpose(1, 0, 2)) - Q[:, None, :])
        # VV[k, l, j, m], with T_ym for y = j and y = k: see S.
        VV = -(W * T[:, None, :])[:, :, None] - (W * T[:, :, None]).transpose(1, 0, 2)[None]
        VV += Q[None, :, None, :]
        each = np.arange(n)
        VV[each, :, each, :] += W
        # A checked label says of g what a clean one would, and of T what a pair does.
        s, F = g[self.seen], self.F[:, self.seen]
        centered = F - np.einsum("ij,kij->ki", s, F)[:, :, None]
        aa = aa + np.einsum("ij,kij,lij->kl", s, centered, centered, optimize=True)
        ab = ab + np.einsum("ij,kij->kj", s, centered)
        bb = bb + np.diag(s.sum(axis=0)) - s.T @ s
        pairs = self.pairs.sum(axis=0)
        VV[:, each, :, each] -= pairs[:, None, None]
        VV[each[:, None], each, each[:, None], each] += pairs / T
        VV *= S[:, :, None, None]
        VV *= S
        aV, bV = (part.reshape(-1, n * n)[:, off] for part in (aV, bV))
        VV = VV.reshape(n * n, n * n)[np.ix_(off, off)]
        return np.block([[aa, ab, aV], [ab.T, bb, bV], [aV.T, bV.T, VV]])


def combined(F: Array, theta: Array) -> Array:
    """Return ``log softmax(sum_k a_k F_k + b)``, m x n.

    Parameters
    ----------
    F : array of shape (k, m, n)
    theta : array
        a, b, and what follows.
    """
    k, _, n = F.shape
    return np.asarray(log_softmax(np.tensordot(theta[:k], F, 1) + theta[k : k + n], axis=1))


# The posterior of the noise of many classes: a rate for each, and a shape that they share.

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
