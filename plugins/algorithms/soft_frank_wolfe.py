"""Frank-Wolfe on soft labels: a rule for means of recalls that does not give up a rare class."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ncbench.core import Measure, Mixture, NoiseMatrix
from ncbench.errors import require
from ncbench.learning import PosteriorClassifier, resolve_measure, true_label_posterior
from ncbench.types import Array, Labels

PSEUDO_MISSES = 2.0
"""Misses of each class that nobody has seen; two were chosen on tables with rare classes."""

_SMALLEST = 1e-6  # probability of a class


class SoftFrankWolfe(PosteriorClassifier):
    r"""Frank-Wolfe on a confusion matrix of soft labels, with two more misses of each class.

    Algorithm 1 corrects the confusion matrix of noisy labels, :math:`T^{-1} \tilde C`. If a class
    is rare, its corrected recall rests on a few labels, and may be 0 whatever the rule is: then the
    gradient asks for this class alone. Here, the probability of each true label, given x and the
    noisy label y, takes the place of the correction:

    .. math:: q_i(x) \propto T_{y i} \, p_i(x), \qquad C = \mathrm{mean}_x \, q(x) h(x)^\top .

    Its recalls are never negative. A recall that rests on :math:`N_i` expected examples counts as
    :math:`r_i N_i / (N_i + 2)`, as if two more had been missed: a measure then does not rely on
    the recall of a few examples.

    Parameters
    ----------
    measure : str or Measure
        The loss to minimize, monotonic convex or linear.
    cpe : scikit-learn classifier, optional
        Learner of noisy class probabilities; by default the registered ``logistic``.
    max_iter : int
        Number of steps; step t has size 2 / (t + 1).
    sample_split : {"none", "half", "crossfit"}
        Which examples estimate confusion matrices; see ``fit_posterior``.
    random_state : int, optional
        Seed of the sample split and the CPE learner.

    Attributes
    ----------
    n_iter_ : int
        Number of steps.
    expected_ : array of shape (n,)
        Expected number of true examples of each class, N.
    """

    measure_families = frozenset({"monotonic_convex", "linear"})

    def __init__(
        self,
        measure: Any = "g_mean",
        cpe: Any = None,
        max_iter: int = 1000,
        sample_split: Literal["none", "half", "crossfit"] = "none",
        random_state: int | None = None,
    ) -> None:
        self.measure = measure
        self.cpe = cpe
        self.max_iter = max_iter
        self.sample_split = sample_split
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise NcbenchError if ``max_iter`` is invalid."""
        require(1 <= self.max_iter <= 10**6, "max_iter", self.max_iter, "1 to 1000000 steps")

    def fit_mixture(self, posterior: Array, y: Labels, noise: NoiseMatrix) -> Mixture:
        """Return the mixture of all steps."""
        psi: Measure = resolve_measure(self.measure, self)
        p = np.maximum(posterior, _SMALLEST)
        p /= p.sum(axis=1, keepdims=True)
        q = true_label_posterior(p, y, noise)
        m, n = q.shape
        self.expected_ = expected = q.sum(axis=0)
        kept, steps = expected / (expected + PSEUDO_MISSES), self.max_iter
        if psi.family == "linear":  # it is its own gradient, and relies on no recall
            kept, steps = np.ones(n), 1
        losses = np.empty((steps, n, n))
        C = np.repeat(expected[:, None] / (m * n), n, axis=1)
        for t in range(1, steps + 1):
            losses[t - 1] = L = _gradient(psi, C, kept)
            rule = (posterior @ L).argmin(axis=1)
            Gamma = q.T @ np.eye(n)[rule] / m
            C += 2 / (t + 1) * (Gamma - C)
        self.n_iter_ = steps
        self.diagnostics_ = {
            "iterations": steps,
            "objective": psi(with_misses(C, kept)),
            "expected_examples": expected.tolist(),
        }
        step = np.arange(1.0, steps + 1)
        return Mixture(losses, step / step.sum()).merged()  # weights as in Algorithm 1


def with_misses(C: Array, kept: Array) -> Array:
    """Return C with the share ``kept`` of each recall; the rest is spread over the other classes.

    Examples
    --------
    >>> with_misses(np.array([[0.5, 0.0], [0.0, 0.5]]), np.array([1.0, 0.8]))
    array([[0.5, 0. ],
           [0.1, 0.4]])
    """
    n = len(C)
    missed = np.diagonal(C) * (1 - kept)
    return np.asarray(C + missed[:, None] * (1 - n * np.eye(n)) / (n - 1))


def _gradient(psi: Measure, C: Array, kept: Array) -> Array:
    """Return the gradient of psi in C, by the chain rule through ``with_misses``."""
    G = psi.gradient(with_misses(C, kept))
    n = len(C)
    others = (G.sum(axis=1) - np.diagonal(G)) / (n - 1)
    L = G.copy()
    np.fill_diagonal(L, kept * np.diagonal(G) + (1 - kept) * others)
    return L
