"""Base class of noise models that draw labels from a matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ncbench.core import NoiseMatrix
from ncbench.data.dataset import Dataset, NoisyLabels


class MatrixNoise(ABC):
    """Class-conditional noise: a matrix for n classes, and labels drawn from it.

    Attributes
    ----------
    uses_sigma : bool
        False for a model whose noise has the level it has, whatever sigma says.
    """

    uses_sigma: ClassVar[bool] = True

    @abstractmethod
    def matrix(self, n: int, sigma: float, rng: np.random.Generator) -> ArrayLike:
        """Return ``T[i, j] = P(noisy = i | clean = j)`` for n classes at noise level sigma."""

    def corrupt(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> NoisyLabels:
        """Return noisy labels for the whole data set and the matrix that made them."""
        noise = NoiseMatrix(self.matrix(dataset.n_classes, sigma, rng))
        return NoisyLabels(noise, noise.draw_labels(dataset.y, rng))
