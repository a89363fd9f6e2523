"""Noise with one matrix for all examples: drawn at a noise level, given, or recorded."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ncbench import Dataset, NcbenchError, NoisyLabels, identified_by
from ncbench.data import MatrixNoise, content_of_path, random_matrix
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


@identified_by(content_of_path)
class GivenMatrix(MatrixNoise):
    """Your own noise matrix, inline or from a CSV or npy file; sigma is not used.

    Parameters
    ----------
    matrix : list of lists
        ``matrix[i][j] = P(noisy = i | clean = j)``: columns sum to one.
    path : str
        CSV file without header, or npy file, with the matrix, instead of ``matrix``.

    Examples
    --------
    >>> GivenMatrix(matrix=[[0.9, 0.2], [0.1, 0.8]]).matrix(2, 0.0, np.random.default_rng(0))
    array([[0.9, 0.2],
           [0.1, 0.8]])
    """

    uses_sigma = False

    def __init__(self, matrix: list[list[float]] | None = None, path: str | None = None) -> None:
        if (matrix is None) == (path is None):
            raise NcbenchError(
                "noise=matrix: give either noise.matrix=[[0.9,0.2],[0.1,0.8]] or noise.path=T.csv"
            )
        self._T = _read(path) if path is not None else _inline(matrix)

    def matrix(self, n: int, sigma: float, rng: np.random.Generator) -> Array:
        """Return the given T."""
        if np.shape(self._T) != (n, n):
            raise NcbenchError(
                f"T has shape {np.shape(self._T)}, but there are {n} classes: expected ({n}, {n})"
            )
        return self._T


class Recorded:
    """The noise that comes with the data set: its noise matrix and noisy labels for sigma."""

    draws = False  # the same noise for every seed

    def corrupt(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> NoisyLabels:
        """Return the recorded noise."""
        noisy = dataset.noise_recorded_at(sigma)
        if noisy is not None:
            return noisy
        levels = ", ".join(f"{level:g}" for level in sorted(dataset.recorded_noise))
        raise NcbenchError(
            f"data set {dataset.name!r} has "
            + (f"recorded noise only for sigma={levels}" if levels else "no recorded noise")
            + "; use noise=random to draw noise"
        )


def _inline(matrix: list[list[float]] | None) -> Array:
    try:
        return np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise NcbenchError(f"noise.matrix={matrix}: not n rows of n numbers") from error


def _read(path: str) -> Array:
    file = Path(path)
    if not file.is_file():
        raise NcbenchError(f"noise.path={path}: no such file (looked in {Path.cwd()})")
    try:
        if not file.stat().st_size:
            raise ValueError("the file is empty")
        if file.suffix == ".npy":
            return np.asarray(np.load(file, allow_pickle=False), dtype=np.float64)
        return np.loadtxt(file, delimiter=",", ndmin=2)
    except (ValueError, OSError, EOFError) as error:
        raise NcbenchError(
            f"noise.path={path}: expected a CSV file of numbers without header, or an npy file "
            f"({error})"
        ) from error
