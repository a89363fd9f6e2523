"""Noise matrices with a noise level: sigma is the probability that a label is wrong."""

from __future__ import annotations

import numpy as np

from ncbench.data import Dataset, MatrixNoise, NoisyLabels, random_matrix
from ncbench.types import Array


class Symmetric(MatrixNoise):
    """Symmetric noise: every wrong class is equally likely, with probability sigma / (n - 1).

    Examples
    --------
    >>> Symmetric().matrix(3, 0.2, np.random.default_rng(0))
    array([[0.8, 0.1, 0.1],
           [0.1, 0.8, 0.1],
           [0.1, 0.1, 0.8]])
    """

    def matrix(self, n: int, sigma: float, rng: np.random.Generator) -> Array:
        """Return T for n classes at noise level sigma."""
        T = np.full((n, n), sigma / (n - 1))
        np.fill_diagonal(T, 1 - sigma)
        return T


class Random(MatrixNoise):
    """Random noise, as in the paper for real data: random off-diagonal entries.

    Off-diagonal entries are uniform on [0, 1] and rescaled to sum to sigma in each column. The
    diagonal is 1 - sigma. Singular matrices are drawn again.

    Parameters
    ----------
    recorded : bool
        Use the recorded noise of the data set for this sigma, if it has any.

    Examples
    --------
    >>> T = Random().matrix(4, 0.3, np.random.default_rng(0))
    >>> T.sum(axis=0).round(12), np.diagonal(T)
    (array([1., 1., 1., 1.]), array([0.7, 0.7, 0.7, 0.7]))
    """

    def __init__(self, recorded: bool = False) -> None:
        self.recorded = recorded
        self.draws = not recorded

    def corrupt(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> NoisyLabels:
        """Return noisy labels of the whole data set and the noise matrix."""
        if self.recorded:
            found = dataset.noise_recorded_at(sigma)
            if found is not None:
                return found
        return super().corrupt(dataset, sigma, rng)

    def matrix(self, n: int, sigma: float, rng: np.random.Generator) -> Array:
        """Return T for n classes at noise level sigma."""
        return random_matrix(n, sigma, rng)


class PairFlip(MatrixNoise):
    """Pair flip: each class is mistaken only for the next one, with probability sigma.

    Examples
    --------
    >>> PairFlip().matrix(3, 0.2, np.random.default_rng(0))
    array([[0.8, 0. , 0.2],
           [0.2, 0.8, 0. ],
           [0. , 0.2, 0.8]])
    """

    def matrix(self, n: int, sigma: float, rng: np.random.Generator) -> Array:
        """Return T for n classes at noise level sigma."""
        return np.asarray((1 - sigma) * np.eye(n) + sigma * np.roll(np.eye(n), 1, axis=0))


class NoNoise(MatrixNoise):
    """No noise: clean labels for any sigma.

    Examples
    --------
    >>> NoNoise().matrix(2, 0.4, np.random.default_rng(0))
    array([[1., 0.],
           [0., 1.]])
    """

    uses_sigma = False

    def matrix(self, n: int, sigma: float, rng: np.random.Generator) -> Array:
        """Return the identity."""
        return np.eye(n)
