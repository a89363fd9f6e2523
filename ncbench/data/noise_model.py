"""Base class of noise models that draw labels from a noise matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ncbench.core import NoiseMatrix
from ncbench.data.dataset import Dataset, NoisyLabels


class MatrixNoise(ABC):
    """Class-conditional noise: labels drawn from a noise matrix.

    Attributes
    ----------
    uses_sigma : bool
        False for a model whose noise level does not depend on sigma.
    """

    uses_sigma: ClassVar[bool] = True

    @abstractmethod
    def matrix(self, n: int, sigma: float, rng: np.random.Generator) -> ArrayLike:
        """Return ``T[i, j] = P(noisy = i | clean = j)`` for n classes at noise level sigma."""

    def corrupt(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> NoisyLabels:
        """Return noisy labels of the whole data set and the noise matrix."""
        noise = NoiseMatrix(self.matrix(dataset.n_classes, sigma, rng))
        return NoisyLabels(noise, noise.draw_labels(dataset.y, rng))
