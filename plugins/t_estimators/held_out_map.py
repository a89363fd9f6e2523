"""Held-out MAP: maximum a posteriori T from labels that the learners have not seen."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, logit
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from ncbench import NoiseMatrix, NoisySample
from ncbench.data import UNKNOWN
from ncbench.errors import NcbenchError, require
from ncbench.learning import OffDiagonal, deal_folds, fit_cpe, posterior
from ncbench.noise_estimation import repair_estimate
from ncbench.types import Array, Labels

PENALTIES = (0.003, 0.03, 0.3, 3.0)
SPREADS = (0.3, 3.0)
"""Candidates for tau. With 0.3 noise is nearly symmetric; with 3 it can be that of one class."""

_SMALLEST = 1e-4  # a learner is never surer than this
_BOUNDS = (-12.0, 4.0)  # of V; beyond them, the sigmoid is flat
_TYPICAL_LEVEL = 0.2  # wrong labels for each right one, where the prior is centered: 17 % are wrong
_LEVEL_SD = 1.0  # of the mean of V; two reach from 3 % wrong labels to 39 % (two classes) or 60 %
_SHARPNESS_SD = 10.0
_MOST_CLASSES = 80  # the covariance of all entries of T would have n^2 (n - 1)^2 numbers
_CLEAR = 0.05  # share of ambiguous examples up to which classes are apart


class HeldOutMAP:
    """Joint fit of T and the sharpness of two learners to held-out labels.

    A model that is fitted to noisy labels follows some of the noise. So a joint fit of T and the
    model to the same labels finds too little noise, as a variance is too small if it is computed
    from the residuals of a fit. Here, two learners (linear and trees) predict each label without
    having seen it. A second model combines the logarithms of their probabilities,
    ``g = softmax(sum_k a_k log p_k + b)``, and T, a and b maximize the likelihood ``(T g)_y`` of
    the held-out labels times a prior. If classes are apart, a becomes large: the posterior is
    sharp, and what is left is noise. If classes overlap, it stays flat. A label that was checked
    enters with its likelihood ``T_yc g_c``.

    The prior is that of forward_map, for two values of its standard deviation tau, times one of the
    level of noise. The evidence (marginal likelihood, by Laplace's method) chooses the smaller tau,
    unless the larger one beats it clearly: see ``caution`` and ``allowance``. The estimate is the
    mode of its posterior. Intervals do not share the caution: they come from the posterior with the
    larger tau, where the data decide how mistakes are spread.

    Parameters
    ----------
    caution : float
        Nats of evidence that the larger tau must gain if its ``||T^-1||_1`` is twice as large; in
        proportion for other ratios, and much less if its clean posterior leaves fewer than 5 % of
        the examples ambiguous: an eighth if 2.5 %.
    allowance : float
        Nats that it must gain, in addition, for each example that its own clean posterior leaves
        ambiguous: there, the model may be wrong.
    folds : int
        Folds of the learners, stratified by noisy label.
    max_rows : int
        Largest number of examples to use; drawn if there are more.
    draws : int
        Number of draws from the posterior of T, for intervals.
    """

    def __init__(
        self,
        caution: float = 70.0,
        allowance: float = 0.05,
        folds: int = 5,
        max_rows: int = 10_000,
        draws: int = 500,
    ) -> None:
        require(caution >= 0, "t_estimator.caution", caution, "at least 0")
        require(allowance >= 0, "t_estimator.allowance", allowance, "at least 0")
        require(folds >= 2, "t_estimator.folds", folds, "at least 2")
        require(max_rows >= 10, "t_estimator.max_rows", max_rows, "at least 10")
        require(draws >= 1, "t_estimator.draws", draws, "at least 1")
        self.caution = caution
        self.allowance = allowance
        self.folds = folds
        self.max_rows = max_rows
        self.draws = draws

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate; the CPE learner is not used."""
        n = sample.n_classes
        if n > _MOST_CLASSES:
            raise NcbenchError(
                f"held_out_map: {n} classes; it takes at most {_MOST_CLASSES}. Are these labels "
                "classes? If so, merge rare ones, or use another estimator, such as confident_joint"
            )
        rng = sample.rng
        rows = self._rows(sample)
        X, y = sample.X[rows], sample.y[rows]
        checked = None if sample.checked is None else sample.checked[rows]
        fold = deal_folds(y, self.folds, rng.permutation(len(y)))
        F = held_out_log_probabilities(X, y, n, fold)
        careful, vague = (best_fit(F, y, n, tau, checked) for tau in SPREADS)
        T = (vague if self._beats(vague, careful, len(y)) else careful).T
        accuracy = float((F.argmax(axis=2) == y).mean(axis=1).max())
        draws = vague.draw(self.draws, rng)
        return repair_estimate(T, sample.classes, draws=draws, accuracy=accuracy)

    def _rows(self, sample: NoisySample) -> Labels:
        """Return the examples to use: all, or checked ones first and others at random."""
        order = sample.rng.permutation(len(sample.y))
        if sample.checked is not None:
            order = order[np.argsort(sample.checked[order] == UNKNOWN, kind="stable")]
        return np.sort(order[: self.max_rows])

    def _beats(self, vague: "Fit", careful: "Fit", rows: int) -> bool:
        """Return whether the evidence for the larger tau outweighs its inverse and ambiguity."""
        larger = max(vague.inverse_norm / careful.inverse_norm - 1, 0.0)
        unclear = min(vague.ambiguous / (_CLEAR * rows), 1.0) ** 3
        needed = self.caution * larger * unclear + self.allowance * vague.ambiguous
        return vague.log_evidence - careful.log_evidence > needed


def held_out_log_probabilities(X: Array, y: Labels, n: int, fold: Labels) -> Array:
    """Return ``log p_k(y | x)`` of each learner for each example, 2 x m x n.

    No learner has seen the label that it predicts. The penalty is the one with the largest
    held-out likelihood.
    """
    Z = StandardScaler().fit_transform(X)
    rows = np.arange(len(y))
    linear = [
        _out_of_fold(LogisticRegression(C=C, max_iter=300, tol=1e-3), Z, y, n, fold)
        for C in PENALTIES
    ]
    best = max(linear, key=lambda P: np.log(np.maximum(P[rows, y], _SMALLEST)).sum())
    trees = ExtraTreesClassifier(200, min_samples_leaf=3, random_state=0)
    return np.log(np.maximum([best, _out_of_fold(trees, Z, y, n, fold)], _SMALLEST))


def _out_of_fold(learner: object, X: Array, y: Labels, n: int, fold: Labels) -> Array:
    P = np.empty((len(y), n))
    for k in range(int(fold.max()) + 1):
        out = fold == k
        P[out] = posterior(fit_cpe(learner, X[~out], y[~out], None), X[out], n)
    return P


class Fit(NamedTuple):
    """A maximum of the posterior and its Gaussian approximation."""

    V: Array
    T: Array
    log_evidence: float
    ambiguous: float
    """Expected number of examples whose class is not the one with the largest posterior."""
    root: Array
    """Lower Cholesky factor of the precision of all parameters; V comes last."""

    @property
    def inverse_norm(self) -> float:
        """``||T^-1||_1``."""
        return float(np.abs(np.linalg.inv(self.T)).sum(axis=0).max())

    def draw(self, count: int, rng: np.random.Generator) -> Array:
        """Return draws from the posterior of T, count x n x n."""
        normal = rng.standard_normal((len(self.root), count))
        parameters = solve_triangular(self.root.T, normal, lower=False)
        V = np.clip(self.V[:, None] + parameters[-len(self.V) :], *_BOUNDS)
        noise = OffDiagonal(len(self.T))
        return np.array([noise.matrix(v) for v in V.T])


def best_fit(F: Array, y: Labels, n: int, tau: float, checked: Labels | None = None) -> Fit:
    """Return the better of two maxima: from little noise, and from the noise of predictions.

    The likelihood often has two: a flat posterior with little noise and a sharp one with much.
    """
    model = _Model(F, y, n, tau, checked)
    guess = np.exp(F).mean(axis=0).argmax(axis=1)
    counted = np.full((n, n), 0.5 / n) + 0.5 * np.eye(n)
    np.add.at(counted, (y, guess), 1.0)
    fits = [model.fit(1.0, _symmetric(n, 0.02)), model.fit(3.0, counted / counted.sum(axis=0))]
    return max(fits, key=lambda fit: fit.log_evidence)


class _Model:
    """The posterior of ``theta = (a, b, V)`` given held-out labels.

    Parameters
    ----------
    F : array of shape (k, m, n)
        Logarithms of held-out probabilities.
    y : array of shape (m,)
        Noisy labels.
    n : int
    tau : float
        Standard deviation of the entries of V around their mean.
    checked : array of shape (m,), optional
        Clean labels, or UNKNOWN.
    """

    def __init__(self, F: Array, y: Labels, n: int, tau: float, checked: Labels | None) -> None:
        self.F, self.n, self.learners = F, n, len(F)
        self.noise = OffDiagonal(n)
        self.off = ~np.eye(n, dtype=bool)
        self.k, self.l = np.nonzero(self.off)
        size, entries = len(F) + n, n * (n - 1)
        self.mean = np.zeros(size + entries)
        self.mean[: len(F)] = 1 / len(F)
        self.mean[size:] = logit(_TYPICAL_LEVEL / (n - 1))
        average = np.full((entries, entries), 1 / entries)
        self.precision = np.eye(size + entries) / _SHARPNESS_SD**2
        self.precision[size:, size:] = (
            np.eye(entries) - average
        ) / tau**2 + average / entries / _LEVEL_SD**2
        known = np.zeros(len(y), bool) if checked is None else checked != UNKNOWN
        self.unseen = np.flatnonzero(~known)
        self.y = y[self.unseen]
        self.one_hot = np.eye(n)[self.y]
        self.seen = np.flatnonzero(known)
        self.truth = np.eye(n)[checked[known]] if checked is not None else np.zeros((0, n))
        self.pairs = np.eye(n)[y[known]].T @ self.truth

    def fit(self, sharpness: float, T: Array) -> Fit:
        """Return the maximum that is reached from this start."""
        start = self.mean.copy()
        start[: self.learners] = sharpness / self.learners
        ratio = np.clip(T / np.diagonal(T), 1e-3, 0.95)
        start[-len(self.k) :] = logit(ratio)[self.off]
        free = [(None, None)] * (self.learners + self.n)
        result = minimize(
            self.objective, start, jac=True, method="L-BFGS-B",
            bounds=free + [_BOUNDS] * len(self.k), options={"maxiter": 1000, "maxcor": 20},
        )  # fmt: skip
        root = np.asarray(np.linalg.cholesky(self.information(result.x)), dtype=np.float64)
        _, prior = np.linalg.slogdet(self.precision)
        V = result.x[-len(self.k) :]
        log_evidence = -result.fun + prior / 2 - np.log(np.diagonal(root)).sum()
        ambiguous = float((1 - np.exp(self._posterior(result.x)).max(axis=1)).sum())
        return Fit(V, self.noise.matrix(V), float(log_evidence), ambiguous, root)

    def _posterior(self, theta: Array) -> Array:
        a, b = theta[: self.learners], theta[self.learners : self.learners + self.n]
        return np.asarray(log_softmax(np.tensordot(a, self.F, 1) + b, axis=1))

    def objective(self, theta: Array) -> tuple[float, Array]:
        """Return the negative log posterior and its gradient."""
        log_g = self._posterior(theta)
        V = theta[-len(self.k) :]
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
        deviation = theta - self.mean
        pull = self.precision @ deviation
        gradient = np.concatenate(
            [np.tensordot(self.F, dZ, 2), dZ.sum(axis=0), self.noise.chain(V, dT)]
        )
        return float(value + deviation @ pull / 2), gradient + pull

    def _jacobian(self, theta: Array) -> Array:
        """Return the derivatives of T in V, n^2 x n (n - 1)."""
        V = theta[-len(self.k) :]
        A = np.eye(self.n)
        A[self.off] = expit(V)
        total = A.sum(axis=0)
        slope = A[self.off] * (1 - A[self.off]) / total[self.l]
        J = np.zeros((self.n, self.n, len(V)))
        entry = np.arange(len(V))
        J[:, self.l, entry] = -(A / total)[:, self.l] * slope
        J[self.k, self.l, entry] += slope
        return J.reshape(-1, len(V))

    def information(self, theta: Array) -> Array:
        """Return the expected information about theta, including the prior's."""
        g = np.exp(self._posterior(theta))
        T = self.noise.matrix(theta[-len(self.k) :])
        n, J = self.n, self._jacobian(theta)
        # V enters a label's probability through T only: columns of J by (row, column) of T.
        u = g[self.unseen]
        weight = 1 / np.maximum(u @ T.T, 1e-300)
        W = np.einsum("ij,il,iy->jly", u, u, weight, optimize=True)
        slope = np.stack(  # of q in a
            [
                (u * f) @ T.T - (u @ T.T) * (u * f).sum(axis=1)[:, None]
                for f in self.F[:, self.unseen]
            ]
        )
        X = np.einsum("kiy,ij,iy->kjy", slope, u, weight, optimize=True)
        aa = np.einsum("kiy,liy,iy->kl", slope, slope, weight, optimize=True)
        ab = np.einsum("yj,kjy->kj", T, X)
        bb = np.einsum("yj,yl,jly->jl", T, T, W) - u.T @ u
        cube = J.reshape(n, n, -1)
        aV = np.einsum("kly,yle->ke", X, cube, optimize=True)
        bV = np.einsum("yj,jly,yle->je", T, W, cube, optimize=True)
        VV = sum(cube[y].T @ W[:, :, y] @ cube[y] for y in range(n))
        # A checked label says of g what a clean one would, and of T what a pair does.
        s = g[self.seen]
        centered = (
            self.F[:, self.seen] - np.einsum("ij,kij->ki", s, self.F[:, self.seen])[:, :, None]
        )
        aa = aa + np.einsum("ij,kij,lij->kl", s, centered, centered, optimize=True)
        ab = ab + np.einsum("ij,kij->kj", s, centered)
        bb = bb + np.diag(s.sum(axis=0)) - s.T @ s
        pairs = self.pairs.sum(axis=0) / T
        VV = VV + J.T @ (pairs.ravel()[:, None] * J)
        return np.block([[aa, ab, aV], [ab.T, bb, bV], [aV.T, bV.T, VV]]) + self.precision


def _symmetric(n: int, level: float) -> Array:
    return np.asarray(np.full((n, n), level / (n - 1)) + (1 - level - level / (n - 1)) * np.eye(n))
