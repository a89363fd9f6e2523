"""Base classes of noise models: class-conditional, and dependent on the example."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ncbench.core import MAX_CONDITION, NoiseMatrix
from ncbench.data.dataset import Dataset, NoisyLabels
from ncbench.errors import NcbenchError
from ncbench.types import Array


class MatrixNoise(ABC):
    """Class-conditional noise: labels drawn from a noise matrix.

    Attributes
    ----------
    uses_sigma : bool
        False for a model that ignores sigma, or for which it is not the share of wrong labels.
    """

    uses_sigma: ClassVar[bool] = True

    @abstractmethod
    def matrix(self, n: int, sigma: float, rng: np.random.Generator) -> ArrayLike:
        """Return ``T[i, j] = P(noisy = i | clean = j)`` for n classes at noise level sigma."""

    def corrupt(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> NoisyLabels:
        """Return noisy labels of the whole data set and the noise matrix."""
        require_clean(dataset)
        noise = NoiseMatrix(self.matrix(dataset.n_classes, sigma, rng))
        return NoisyLabels(noise, noise.draw_labels(dataset.y, rng))


class InstanceNoise(ABC):
    """Noise that depends on the example: each has its own distribution of noisy labels.

    Algorithms are told the average over the examples of each class, a noise matrix.
    """

    @abstractmethod
    def probabilities(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> Array:
        """Return ``P[k, i] = P(noisy = i | example k and its clean label)``, of shape (m, n)."""

    def corrupt(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> NoisyLabels:
        """Return noisy labels of the whole data set and the noise matrix of each class."""
        require_clean(dataset)
        P = self.probabilities(dataset, sigma, rng)
        of_class = np.eye(dataset.n_classes)[dataset.y]
        noise = NoiseMatrix(P.T @ of_class / of_class.sum(axis=0))
        cumulated = P.cumsum(axis=1)
        cumulated[:, -1] = 1.0  # the sum may round to slightly less than 1
        y = (rng.random(len(P))[:, None] >= cumulated).sum(axis=1, dtype=np.int64)
        return NoisyLabels(noise, y, class_conditional=False)


def require_clean(dataset: Dataset) -> None:
    """Raise NcbenchError if noise cannot be added, because a clean label is not known."""
    missing = len(dataset.y) - len(dataset.checked)
    if missing:
        raise NcbenchError(
            f"data set {dataset.name!r}: noise can only be added to clean labels, and "
            f"{missing} of {len(dataset.y)} examples have none; noise=annotators takes its labels "
            "as they are"
        )


def random_matrix(n: int, sigma: float, rng: np.random.Generator) -> Array:
    """Return a matrix whose off-diagonal entries are random and sum to sigma in each column.

    Singular matrices are drawn again.
    """
    for _ in range(100):
        T = rng.random((n, n))
        np.fill_diagonal(T, 0.0)
        T *= sigma / T.sum(axis=0)
        np.fill_diagonal(T, 1 - sigma)
        if np.linalg.cond(T) <= MAX_CONDITION:
            break
    # For n = 2 and sigma = 0.5 every draw is singular; NoiseMatrix then raises an error.
    return np.asarray(T)
