"""Algorithms that first learn class probabilities and then predict by argmin rules."""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import Any

from ncbench.core import Mixture, NoiseMatrix
from ncbench.imports import renamed
from ncbench.learning import class_probabilities
from ncbench.learning.classifier import NoisyLabelClassifier, not_written
from ncbench.types import Array, Labels


class PosteriorClassifier(NoisyLabelClassifier):
    """Mixture of argmin rules over noise-corrected class probabilities.

    Subclasses take ``cpe`` and ``random_state`` as parameters and implement ``fit_mixture``. A
    parameter ``sample_split``, if they have it, selects the examples for confusion matrices.

    Attributes
    ----------
    cpe_ : scikit-learn classifier
        The fitted learner of noisy class probabilities.
    noise_matrix_ : NoiseMatrix
        The noise matrix used for the correction.
    mixture_ : Mixture
        The classifier, as a function of the corrected posterior.
    confusion_ : array of shape (n, n)
        The mixture's estimated noisy confusion matrix, if the algorithm uses OP2.
    diagnostics_ : dict
        Plain numbers about the optimization, for the record.
    seconds_ : dict
        Duration of the two stages of the fit, ``cpe`` and ``optimise``.
    """

    cpe: Any
    random_state: int | None
    _mix: Any
    sample_split: class_probabilities.SampleSplit = "none"
    randomized = True

    def _fit(self, X: Array, y: Labels, noise: NoiseMatrix) -> None:
        learner = self.cpe
        if learner is None:
            learner = class_probabilities.cpe_learner("logistic", self.random_state)
        started = time.perf_counter()
        fitted = class_probabilities.fit_posterior(
            learner, X, y, noise.n, self.sample_split, self.random_state, noise
        )
        self.cpe_ = fitted.cpe
        learned = time.perf_counter()
        self.noise_matrix_ = noise
        self.diagnostics_: dict[str, Any] = {}
        # OP1 (Proposition 8): compute T^-1 eta~ once instead of T^-T L in every step.
        self.mixture_ = self.fit_mixture(noise.correct_posterior(fitted.posterior), fitted.y, noise)
        self.seconds_ = {"cpe": learned - started, "optimise": time.perf_counter() - learned}

    def _predict_proba(self, X: Array) -> Array:
        noisy = class_probabilities.posterior(self.cpe_, X, self.noise_matrix_.n)
        return self.mixture_.distribution(self.noise_matrix_.correct_posterior(noisy))

    @abstractmethod
    def fit_mixture(self, posterior: Array, y: Labels, noise: NoiseMatrix) -> Mixture:
        r"""Return the fitted mixture; a subclass implements this method.

        A classifier is a mixture of argmin rules. A rule with loss matrix L predicts
        :math:`\operatorname{argmin}_k \sum_y p_y(x) L_{yk}` for corrected posteriors
        :math:`p(x) = T^{-1} \tilde\eta(x)`. This is OP1: :math:`p^\top L =
        \tilde\eta^\top (T^{-\top} L)`, so L is a loss of *clean* labels. If :math:`\tilde C` is the
        rule's confusion matrix with the noisy labels, its confusion matrix with the clean labels is
        :math:`C = T^{-1} \tilde C`. This is OP2: ``noise.correct_confusion``.

        Parameters
        ----------
        posterior : array of shape (m, n)
            Rows p(x). They sum to 1 and may have negative entries.
        y : array of shape (m,)
            Noisy labels, 0..n-1, of the same examples.
        noise : NoiseMatrix
            T, as used to correct the posteriors.

        Returns
        -------
        Mixture
            Loss matrices and their weights; ``Mixture.single(L)`` for one rule.
        """
        raise not_written(self, "fit_mixture(self, posterior, y, noise)")

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Accept ``_mix``, the name of ``fit_mixture`` before ncbench 0.2."""
        super().__init_subclass__(**arguments)
        own = vars(cls)
        if "fit_mixture" in own:
            cls._mix = cls.fit_mixture  # for a subclass that calls super()._mix
        elif "_mix" in own:
            renamed(f"{cls.__name__}._mix", "fit_mixture")
            cls.fit_mixture = own["_mix"]  # type: ignore[method-assign]
