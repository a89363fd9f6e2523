"""Repair of estimated noise matrices before use.

An estimate consists of frequencies or fitted values. It may be neither stochastic nor safely
invertible. All repairs are made here and reported as warnings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ncbench.core import NoiseMatrix
from ncbench.errors import NcbenchError
from ncbench.types import Array

if TYPE_CHECKING:
    from ncbench.noise_estimation.posterior import NoisePosterior

SMALLEST_SINGULAR_VALUE = 0.05
"""Lower limit for estimates. Below it, ``T^-1`` magnifies errors of T too much."""


class EstimatedNoiseMatrix(NoiseMatrix):
    """A repaired noise matrix and the repairs that were made.

    Use :func:`repair_estimate` to build one.

    Attributes
    ----------
    a : float
        Weight of the identity that was mixed in to make T invertible; 0 if not needed.
    warnings : tuple of str
        Reasons to doubt the estimate.
    draws : array of shape (k, n, n) or None
        Draws from the distribution of T given the data, if the estimator has them.
    posterior : NoisePosterior or None
        All that the labels leave open, if the estimator knows it. It is not stored with a model.
    """

    def __init__(
        self,
        T: ArrayLike,
        a: float,
        warnings: Sequence[str],
        draws: Array | None = None,
        posterior: NoisePosterior | None = None,
    ) -> None:
        super().__init__(T)
        self.a = a
        self.warnings = tuple(warnings)
        self.draws = draws
        self.posterior = posterior

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "posterior": None}


def repair_estimate(
    T: ArrayLike,
    classes: Sequence[str] | None = None,
    warnings: Sequence[str] = (),
    draws: Array | None = None,
    posterior: NoisePosterior | None = None,
) -> EstimatedNoiseMatrix:
    """Turn an estimate into a usable noise matrix and report the repairs.

    NaN, infinite and negative entries become 0, and columns are normalized. A column of zeros
    becomes a column of the identity. If the smallest singular value is under 0.05, T becomes
    ``(1 - a) T + a I`` with the smallest sufficient a among 0.05, 0.10, ..., 1. The last two
    repairs add a warning. So does a class whose most frequent label is not its own.

    Parameters
    ----------
    T : array of shape (n, n)
    classes : sequence of str, optional
        Class names for warnings; by default their numbers.
    warnings : sequence of str
        The estimator's own warnings.
    draws : array of shape (k, n, n), optional
        Draws from the distribution of T given the data, for intervals.
    posterior : NoisePosterior, optional
        For the share of wrong labels, and which they are.

    Examples
    --------
    >>> noise = repair_estimate([[8, np.nan], [2, 0]], classes=["cat", "dog"])
    >>> noise.matrix, noise.a, noise.warnings
    (array([[0.8, 0. ],
           [0.2, 1. ]]), 0.0, ('class dog: no estimate, taken to be free of noise',))
    >>> noise = repair_estimate([[0.6, 0.58], [0.4, 0.42]])
    >>> noise.matrix.round(4), noise.a
    (array([[0.62 , 0.551],
           [0.38 , 0.449]]), 0.05)
    """
    matrix, empty = _stochastic(T)
    names = list(map(str, range(len(matrix)))) if classes is None else list(classes)
    # Records hold these texts and ``rerun`` compares them: do not reword.
    said = list(warnings)
    said += [f"class {names[j]}: no estimate, taken to be free of noise" for j in empty]

    smallest, enough = _smallest(matrix), SMALLEST_SINGULAR_VALUE - 1e-9
    a = next(a for a in np.arange(21) / 20 if _smallest(_mixed(matrix, a)) >= enough)
    if a > 0:
        said.append(
            f"smallest singular value {smallest:.2g}, under {SMALLEST_SINGULAR_VALUE}: mixed "
            f"with the identity, a = {a:g}"
        )
    matrix = _mixed(matrix, a)
    for j, i in enumerate(matrix.argmax(axis=0)):
        if matrix[i, j] > matrix[j, j]:
            said.append(
                f"class {names[j]}: labelled {names[i]} more often ({matrix[i, j]:.2f}) than "
                f"{names[j]} ({matrix[j, j]:.2f})"
            )
    return EstimatedNoiseMatrix(matrix, float(a), said, draws, posterior)


def diagnostics(noise: NoiseMatrix, truth: NoiseMatrix | None) -> dict[str, Any]:
    """Return the diagnostics of an estimate for the record; errors are None if T is unknown.

    Examples
    --------
    >>> truth = NoiseMatrix([[0.8, 0.2], [0.2, 0.8]])
    >>> found = diagnostics(NoiseMatrix.identity(2), truth)
    >>> round(found["T_error"], 9), round(found["inverse_error"], 9), found["a"]
    (0.2, 0.666666667, 0.0)
    """
    return {
        "T_error": None if truth is None else float(np.abs(noise.matrix - truth.matrix).mean()),
        "inverse_error": None if truth is None else noise.inverse_error(truth),
        "smallest_singular_value": noise.smallest_singular_value,
        "inverse_norm": noise.inverse_norm,
        "a": getattr(noise, "a", 0.0),
        "warnings": list(getattr(noise, "warnings", ())),
    }


def stored(noise: NoiseMatrix) -> dict[str, Any]:
    """Return an estimate as plain data for :func:`restored`, without its draws."""
    warnings = list(getattr(noise, "warnings", ()))
    return {"T": noise.matrix.tolist(), "a": getattr(noise, "a", 0.0), "warnings": warnings}


def restored(data: Mapping[str, Any]) -> EstimatedNoiseMatrix:
    """Return a stored estimate, bit for bit.

    Examples
    --------
    >>> noise = repair_estimate(np.random.default_rng(0).random((7, 7)))
    >>> bool((restored(stored(noise)).matrix == noise.matrix).all())
    True
    """
    noise = EstimatedNoiseMatrix(data["T"], data["a"], data["warnings"])
    # Columns that were normalized twice may differ in the last bit.
    noise.matrix = np.array(data["T"])
    noise._inverse = np.linalg.inv(noise.matrix)
    return noise


def project_columns(T: Array) -> Array:
    """Project each column onto the probability simplex (Euclidean distance).

    For estimates with negative entries: clipping them would favor the other entries.

    Examples
    --------
    >>> project_columns(np.array([[1.2, 0.6], [-0.1, 0.6]]))
    array([[1. , 0.5],
           [0. , 0.5]])
    """
    # Duchi et al. 2008: subtract the threshold for which the positive parts sum to one.
    ordered = -np.sort(-T, axis=0)
    excess = np.cumsum(ordered, axis=0) - 1
    count = np.arange(1, len(T) + 1)[:, None]
    kept = np.maximum((ordered * count > excess).sum(axis=0), 1)
    threshold = excess[kept - 1, np.arange(T.shape[1])] / kept
    return np.asarray(np.maximum(T - threshold, 0.0))


def _stochastic(T: ArrayLike) -> tuple[Array, list[int]]:
    matrix = np.array(T, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise NcbenchError(f"estimate of T: shape {matrix.shape}; expected (n, n)")
    matrix = np.maximum(np.nan_to_num(matrix, nan=0.0, posinf=0.0, neginf=0.0), 0.0)
    empty = np.flatnonzero(matrix.max(axis=0) == 0)
    matrix[empty, empty] = 1.0
    matrix /= matrix.max(axis=0)  # the sum of huge entries could overflow
    return matrix / matrix.sum(axis=0), empty.tolist()


def _mixed(T: Array, a: float) -> Array:
    return np.asarray((1 - a) * T + a * np.eye(len(T)))


def _smallest(T: Array) -> float:
    return float(np.linalg.svd(T, compute_uv=False)[-1])
