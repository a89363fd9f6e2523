"""Plug-in rules for the zero-one loss: the argmax of learned class probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from ncbench.core import Mixture, NoiseMatrix
from ncbench.learning import PosteriorClassifier
from ncbench.types import Array, Labels


class NCLRPlugIn(PosteriorClassifier):
    """NCLR-Plug-in: predict the largest entry of T^-1 eta~(x) (Zhang, Lee & Agarwal 2021).

    Parameters
    ----------
    cpe : scikit-learn classifier, optional
        Learner of noisy class probabilities; by default the registered ``logistic``.
    random_state : int, optional
        Seed of the CPE learner.
    """

    def __init__(self, cpe: Any = None, random_state: int | None = None) -> None:
        self.cpe = cpe
        self.random_state = random_state

    def fit_mixture(self, posterior: Array, y: Labels, noise: NoiseMatrix) -> Mixture:
        """Return the rule of the most probable class."""
        return Mixture.single(1.0 - np.eye(noise.n))


class CPEArgmax(NCLRPlugIn):
    """Uncorrected baseline: predict the most probable noisy label."""

    uses_noise_matrix = False
