"""Bisection for ratio-of-linear measures, with noise correction: Algorithm 2 of the paper."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ncbench.core import ConfusionPath, Mixture, NoiseMatrix
from ncbench.errors import require
from ncbench.learning import PosteriorClassifier, resolve_measure
from ncbench.types import Array, Labels


class NoiseCorrectedBisection(PosteriorClassifier):
    """NCBS: bisection on the noise-corrected confusion matrix (Algorithm 2).

    Parameters
    ----------
    measure : str or Measure
        The loss to minimize, a ratio of linear functions with values in [0, 1].
    cpe : scikit-learn classifier, optional
        Learner of noisy class probabilities; by default the registered ``logistic``.
    max_iter : int
        Number of steps; each halves the interval of possible losses.
    sample_split : {"none", "half", "crossfit"}
        Which examples estimate confusion matrices; see ``fit_posterior``.
    random_state : int, optional
        Seed of the sample split and the CPE learner.
    """

    measure_families = frozenset({"ratio_of_linear"})

    def __init__(
        self,
        measure: Any = "micro_f1",
        cpe: Any = None,
        max_iter: int = 200,
        sample_split: Literal["none", "half", "crossfit"] = "crossfit",
        random_state: int | None = None,
    ) -> None:
        self.measure = measure
        self.cpe = cpe
        self.max_iter = max_iter
        self.sample_split = sample_split
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise NcbenchError if ``max_iter`` is invalid."""
        require(1 <= self.max_iter <= 10**7, "max_iter", self.max_iter, "1 to 10000000 steps")

    def fit_mixture(self, posterior: Array, y: Labels, noise: NoiseMatrix) -> Mixture:
        """Run Algorithm 2 and return its final rule."""
        A, B = resolve_measure(self.measure, self).ratio(noise.n)
        confusion = ConfusionPath(posterior, y, noise.n)
        best = 1.0 - np.eye(noise.n)  # h^0: the most probable class
        alpha, beta = 0.0, 1.0
        for _ in range(self.max_iter):
            gamma = (alpha + beta) / 2
            L = A - gamma * B  # line 7; T^-T is applied to the posterior instead
            C = noise.correct_confusion(confusion(L))  # OP2: T^-1 Gamma^t
            # This is psi(C) <= gamma, multiplied by <B, C>. Every confusion matrix has <B, C> > 0,
            # but an estimate may not; it is then no evidence for this classifier.
            if np.sum(B * C) > 0 and np.sum(L * C) <= 0:
                beta, best = gamma, L
            else:
                alpha = gamma
        self.n_iter_ = self.max_iter
        self.confusion_ = confusion(best)
        self.diagnostics_ = {"iterations": self.max_iter, "components": 1, "objective": beta}
        return Mixture.single(best)


class Bisection(NoiseCorrectedBisection):
    """BS: bisection without noise correction (T = I)."""

    uses_noise_matrix = False
