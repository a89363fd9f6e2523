"""Algorithms that learn class probabilities first and decide by argmin rules afterwards."""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncbench.core.mixture import Mixture
from ncbench.core.noise_matrix import NoiseMatrix
from ncbench.learning import class_probabilities
from ncbench.learning.classifier import NoisyLabelClassifier

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


class PosteriorClassifier(NoisyLabelClassifier):
    """Fits a CPE learner to the noisy labels, corrects its output once, and mixes argmin rules.

    Subclasses take ``cpe`` and ``random_state`` as parameters and write ``_mix``. Where they
    have a parameter ``sample_split`` it says which examples estimate confusion matrices.

    Attributes
    ----------
    cpe_ : scikit-learn classifier
        The fitted learner of noisy class probabilities.
    noise_matrix_ : NoiseMatrix
        The matrix that was corrected for.
    mixture_ : Mixture
        The classifier, as a function of the corrected posterior.
    confusion_ : array of shape (n, n)
        The mixture's noisy confusion matrix as OP2 estimated it, where the algorithm did.
    diagnostics_ : dict
        What is worth recording about the optimisation, as plain numbers.
    seconds_ : dict
        Time of the fit's two stages, ``cpe`` and ``optimise``.
    """

    cpe: Any
    random_state: int | None
    sample_split: class_probabilities.SampleSplit = "none"
    randomized = True

    def _fit(self, X: Array, y: Labels, noise: NoiseMatrix) -> None:
        learner = self.cpe
        if learner is None:
            from ncbench.plugin.registry import get_registry

            learner = get_registry().build("cpe", "stacked", random_state=self.random_state)
        started = time.perf_counter()
        fitted = class_probabilities.fit_posterior(
            learner, X, y, noise.n, self.sample_split, self.random_state, noise
        )
        self.cpe_ = fitted.cpe
        learned = time.perf_counter()
        self.noise_matrix_ = noise
        self.diagnostics_: dict[str, Any] = {}
        # OP1 by Proposition 1: T^-1 eta~ once, instead of T^-T L in every step.
        self.mixture_ = self._mix(noise.correct_posterior(fitted.posterior), fitted.y, noise)
        self.seconds_ = {"cpe": learned - started, "optimise": time.perf_counter() - learned}

    def _predict_proba(self, X: Array) -> Array:
        noisy = class_probabilities.posterior(self.cpe_, X, self.noise_matrix_.n)
        return self.mixture_.distribution(self.noise_matrix_.correct_posterior(noisy))

    @abstractmethod
    def _mix(self, posterior: Array, y: Labels, noise: NoiseMatrix) -> Mixture:
        """Return the classifier, given corrected posteriors and the noisy labels beside them."""
