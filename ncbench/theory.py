"""The smallest possible loss of any classifier, where the distribution is known.

``psi* = min { psi(C[h]) : h }`` (Definition 5 of the paper), over a
population of equally weighted points with known class probabilities eta. Each family of measures
has its own method, and each method certifies its result by an upper bound on the error: ``gap``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.optimize import minimize

from ncbench.core import Measure, Mixture, NoiseMatrix
from ncbench.data import Dataset
from ncbench.errors import NotApplicable
from ncbench.learning import class_probabilities, prediction
from ncbench.types import Array

_MAX_STEPS = 500  # a dozen is typical; ``gap`` bounds the error after any number


class BayesOptimal(NamedTuple):
    """The optimal loss on a population, a bound on its error, and a classifier that attains it."""

    value: float
    gap: float
    classifier: Mixture


def bayes_optimal(psi: Measure, posterior: Array, tol: float = 1e-6) -> BayesOptimal:
    """Return the smallest psi over all randomized classifiers on a population.

    Parameters
    ----------
    psi : Measure
        Linear, monotonic convex or ratio of linear.
    posterior : array of shape (k, n)
        eta at the points of the population, which have equal weights.
    tol : float
        Stop when ``gap`` is at most this.

    Returns
    -------
    BayesOptimal
        ``value - gap <= psi* <= value``, up to rounding.

    Examples
    --------
    Two kinds of points: class 1 is rare at one and likely at the other.

    >>> from ncbench import load
    >>> eta = np.array([[0.9, 0.1], [0.4, 0.6]])
    >>> optimum = bayes_optimal(load("measure", "zero_one")(), eta)
    >>> optimum.value, optimum.gap
    (0.25, 0.0)
    """
    if psi.family == "ratio_of_linear":
        return _ratio_of_linear(psi, posterior, tol)
    if psi.family in ("linear", "monotonic_convex"):
        return _convex(psi, posterior, tol)
    raise NotApplicable(f"{type(psi).__name__} is reported, not optimized: it has no family")


def _convex(psi: Measure, posterior: Array, tol: float) -> BayesOptimal:
    """Run fully corrective Frank-Wolfe: each step minimizes psi over the hull of all vertices.

    For convex psi, the gap ``<L, C - Gamma>`` at ``L = grad psi(C)`` bounds ``psi(C) - psi*``, with
    Gamma the vertex that minimizes ``<L, .>`` (Jaggi 2013).
    """
    n = posterior.shape[1]
    C = np.repeat(posterior.mean(axis=0)[:, None] / n, n, axis=1)  # each class with 1/n
    losses, vertices = np.empty((0, n, n)), np.empty((0, n, n))
    weights = np.empty(0)
    gap = np.inf
    for step in range(_MAX_STEPS):
        L = psi.gradient(C)
        Gamma = _vertex(posterior, L)
        gap = float(np.sum(L * (C - Gamma)))
        if step > 0 and gap <= tol:
            break
        losses, vertices = np.append(losses, L[None], 0), np.append(vertices, Gamma[None], 0)
        weights = _minimise_over_hull(psi, vertices, np.append(weights, float(len(weights) == 0)))
        used = weights > 0
        losses, vertices, weights = losses[used], vertices[used], weights[used]
        C = np.tensordot(weights, vertices, axes=1)
    return BayesOptimal(psi(C), max(gap, 0.0), Mixture(losses, weights))


def _minimise_over_hull(psi: Measure, vertices: Array, start: Array) -> Array:
    """Return the weights of the vertices that minimize psi of their mixture."""

    def mixed(weights: Array) -> Array:
        return np.tensordot(weights, vertices, axes=1)

    # Give a new vertex some weight: at weight 0 the slope towards it may vanish.
    start = 0.9 * start + 0.1 / len(start)
    found = minimize(
        lambda w: psi(mixed(w)),
        start,
        jac=lambda w: np.tensordot(vertices, psi.gradient(mixed(w)), axes=2),
        bounds=[(0.0, 1.0)] * len(start),
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    weights = np.where(found.x > 1e-12, found.x, 0.0)
    return np.asarray(weights / weights.sum())


def _ratio_of_linear(psi: Measure, posterior: Array, tol: float) -> BayesOptimal:
    """Run Dinkelbach's method: set gamma to psi of the classifier optimal for A - gamma B.

    With ``F = min_h <A - gamma B, C[h]> <= 0`` and ``<B, C> >= b > 0`` for all h, psi* is at least
    ``gamma + F / b``.
    """
    A, B = psi.ratio(posterior.shape[1])
    b = float(np.sum(B * _vertex(posterior, B)))
    L = A - B
    for _ in range(_MAX_STEPS):
        C = _vertex(posterior, L)
        gamma = psi(C)
        following = A - gamma * B
        gap = -float(np.sum(following * _vertex(posterior, following))) / b if b > 0 else np.inf
        if gap <= tol or np.array_equal(following, L):
            break
        L = following
    return BayesOptimal(gamma, max(gap, 0.0), Mixture.single(L))


def _vertex(posterior: Array, L: Array) -> Array:
    """Return the confusion matrix of the classifier that minimizes ``<L, C>``."""
    k, n = posterior.shape
    predicted = (posterior @ L).argmin(axis=1)
    columns = [posterior[predicted == j].sum(axis=0) for j in range(n)]
    return np.asarray(np.stack(columns, axis=1) / k)


# The terms of the paper's regret bounds, computed for one fitted algorithm.

SIZE = 20_000
"""Number of points in the population that runs use."""


@dataclass(frozen=True)
class Population:
    """A known distribution: equally weighted points and eta at each of them."""

    X: Array
    posterior: Array

    @classmethod
    def of(cls, dataset: Dataset, size: int = SIZE) -> Self | None:
        """Return the population of a data set; None if its distribution is unknown."""
        if dataset.population is None or dataset.true_posterior is None:
            return None
        X = dataset.population(size)
        return cls(X, dataset.true_posterior(X))

    def terms(self, algorithm: Any, noise: NoiseMatrix) -> dict[str, Any]:
        """Return the terms of the regret bounds for a fitted algorithm, for any measure.

        Parameters
        ----------
        algorithm : fitted classifier
            An algorithm that only predicts yields the first two terms.
        noise : NoiseMatrix
            The true T. The algorithm corrected for T^, its ``noise_matrix_``. Lemmas 18 and 19 are
            Lemmas 22 and 23 with T^ = T.

        Returns
        -------
        dict
            ============== ==============================================================
            confusion      ``C[h]``, which determines the regret for any measure
            inverse_norm   ``||T^-1||_1``
            inverse_error  ``||T^^-1 - T^-1||_1``
            cpe_error      ``E ||eta~^(X) - eta~(X)||_1``
            op1            ``E ||T^^-1 eta~^(X) - eta(X)||_1``
            op1_bound      right-hand side of Lemma 22
            op2_error      ``||C~[h] - C^[h]||_vec,inf``, C^ on the sample of OP2
            op2            ``||C[h] - T^^-1 C^[h]||_vec,inf``
            op2_bound      right-hand side of Lemma 23
            ============== ==============================================================
        """
        C = self.posterior.T @ prediction(algorithm, self.X, np.arange(noise.n)) / len(self.X)
        terms: dict[str, Any] = {"confusion": C.tolist(), "inverse_norm": noise.inverse_norm}
        if hasattr(algorithm, "cpe_"):
            corrected_for: NoiseMatrix = algorithm.noise_matrix_
            terms["inverse_error"] = noise.inverse_error(corrected_for)
            noisy = class_probabilities.posterior(algorithm.cpe_, self.X, noise.n)
            terms |= op1_terms(noisy, self.posterior, noise, corrected_for)
            if hasattr(algorithm, "confusion_"):
                terms |= op2_terms(algorithm.confusion_, C, noise, corrected_for)
        return terms


def op1_terms(
    noisy: Array, posterior: Array, noise: NoiseMatrix, corrected_for: NoiseMatrix
) -> dict[str, float]:
    """Return both sides of Lemma 18, or of Lemma 22 if ``corrected_for`` is not T.

    Parameters
    ----------
    noisy : array of shape (k, n)
        Estimated noisy class probabilities eta~^.
    posterior : array of shape (k, n)
        True clean class probabilities.
    noise, corrected_for : NoiseMatrix
        T and T^.

    Examples
    --------
    >>> noise = NoiseMatrix([[0.9, 0.2], [0.1, 0.8]])
    >>> terms = op1_terms(np.array([[0.6, 0.4]]), np.array([[0.5, 0.5]]), noise, noise)
    >>> {name: round(value, 4) for name, value in terms.items()}
    {'cpe_error': 0.1, 'op1': 0.1429, 'op1_bound': 0.1571}
    """
    error = _mean_norm(noisy - noise.corrupt_posterior(posterior))
    return {
        "cpe_error": error,
        "op1": _mean_norm(corrected_for.correct_posterior(noisy) - posterior),
        "op1_bound": noise.inverse_norm * error + noise.inverse_error(corrected_for),
    }


def op2_terms(
    estimate: Array, C: Array, noise: NoiseMatrix, corrected_for: NoiseMatrix
) -> dict[str, float]:
    """Return both sides of Lemma 19, or of Lemma 23 if ``corrected_for`` is not T.

    Parameters
    ----------
    estimate : array of shape (n, n)
        Noisy confusion matrix C^ of a classifier on a sample.
    C : array of shape (n, n)
        Its true clean confusion matrix.
    noise, corrected_for : NoiseMatrix
        T and T^.

    Examples
    --------
    >>> noise = NoiseMatrix([[0.9, 0.2], [0.1, 0.8]])
    >>> C = np.array([[0.4, 0.1], [0.2, 0.3]])
    >>> estimate = noise.corrupt_confusion(C) + np.array([[0.01, -0.01], [0.0, 0.0]])
    >>> terms = op2_terms(estimate, C, noise, noise)
    >>> {name: round(value, 4) for name, value in terms.items()}
    {'op2_error': 0.01, 'op2': 0.0114, 'op2_bound': 0.0314}
    """
    error = float(np.abs(noise.corrupt_confusion(C) - estimate).max())
    return {
        "op2_error": error,
        "op2": float(np.abs(C - corrected_for.correct_confusion(estimate)).max()),
        "op2_bound": noise.n * noise.inverse_norm * error + noise.inverse_error(corrected_for),
    }


def _mean_norm(rows: Array) -> float:
    return float(np.abs(rows).sum(axis=1).mean())
