"""What an estimator of the noise matrix is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncbench.noise_matrix import NoiseMatrix


@dataclass(frozen=True)
class NoisySample:
    """The training part of one trial, as a T estimator sees it.

    Parameters
    ----------
    X : array of shape (m, d)
    y : array of shape (m,)
        Noisy labels, 0..n-1.
    n_classes : int
    cpe : scikit-learn classifier
        An unfitted class probability learner.
    rng : numpy Generator
        For whatever the estimator draws.
    noise_matrix : NoiseMatrix
        The matrix that made the noise. Only ``known`` may look at it.
    """

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    n_classes: int
    cpe: Any
    rng: np.random.Generator
    noise_matrix: NoiseMatrix
