"""Noise matrices made from one number: sigma is the probability that a label is wrong."""

from __future__ import annotations

import numpy as np

from ncbench.core import MAX_CONDITION
from ncbench.data import Dataset, MatrixNoise, NoisyLabels
from ncbench.types import Array


class Symmetric(MatrixNoise):
    """Every wrong class equally likely: sigma / (n - 1) off the diagonal.

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
    """The paper's process for real data: random off-diagonal entries, columns sum to sigma.

    Off-diagonal entries are uniform on [0, 1], each column is rescaled to sum to sigma, and the
    diagonal is 1 - sigma; singular matrices are drawn again.

    Parameters
    ----------
    recorded : bool
        Take the noise that the data set brings for this sigma, where it brings some.

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
        """Return noisy labels for the whole data set and the matrix that made them."""
        if self.recorded:
            found = dataset.noise_recorded_at(sigma)
            if found is not None:
                return found
        return super().corrupt(dataset, sigma, rng)

    def matrix(self, n: int, sigma: float, rng: np.random.Generator) -> Array:
        """Return T for n classes at noise level sigma."""
        for _ in range(100):
            T = rng.random((n, n))
            np.fill_diagonal(T, 0.0)
            T *= sigma / T.sum(axis=0)
            np.fill_diagonal(T, 1 - sigma)
            if np.linalg.cond(T) <= MAX_CONDITION:
                break
        # For n = 2 and sigma = 0.5 every draw is singular; NoiseMatrix then says so.
        return T


class PairFlip(MatrixNoise):
    """Each class is mistaken for the next one only, with probability sigma.

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
    """Clean labels, whatever sigma is.

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
