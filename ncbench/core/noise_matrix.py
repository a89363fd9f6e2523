"""The noise matrix T and its two corrections, OP1 and OP2.

``T[i, j] = P(noisy label = i | clean label = j)``: columns sum to one. No other module
corrects with ``T^-1``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncbench.errors import NcbenchError
from ncbench.types import Array

MAX_CONDITION = 1e6
"""Largest accepted condition number. Beyond it, ``T^-1`` mostly amplifies rounding errors."""

_TOLERANCE = 1e-6


class SingularNoise(NcbenchError):
    """A noise matrix that cannot be inverted: such labels do not tell classes apart."""


class NoiseMatrix:
    """Column-stochastic, invertible matrix of label noise.

    Parameters
    ----------
    T : array of shape (n, n)
        ``T[i, j] = P(noisy = i | clean = j)``.
    max_condition : float
        Largest condition number (2-norm) accepted.

    Attributes
    ----------
    matrix : array of shape (n, n)
        T itself, read-only.
    condition : float
        Its condition number.

    Examples
    --------
    >>> noise = NoiseMatrix([[0.9, 0.2], [0.1, 0.8]])
    >>> C = np.array([[0.4, 0.1], [0.2, 0.3]])
    >>> noise.correct_confusion(noise.corrupt_confusion(C)).round(12)
    array([[0.4, 0.1],
           [0.2, 0.3]])
    >>> round(noise.inverse_norm, 6)
    1.571429
    """

    def __init__(self, T: ArrayLike, *, max_condition: float = MAX_CONDITION) -> None:
        self.matrix = _checked(T)
        self.condition = float(np.linalg.cond(self.matrix))
        if not self.condition <= max_condition:
            raise SingularNoise(
                f"noise matrix: condition number {self.condition:.3g} exceeds {max_condition:.3g}, "
                "so it cannot be inverted reliably: this noise makes classes "
                f"indistinguishable. T = {self.matrix.tolist()}"
            )
        self._inverse = np.linalg.inv(self.matrix)
        self.matrix.setflags(write=False)
        self._inverse.setflags(write=False)

    @classmethod
    def identity(cls, n: int) -> NoiseMatrix:
        """Return the noise matrix of n classes without noise."""
        return cls(np.eye(n))

    @classmethod
    def of(cls, T: NoiseMatrix | ArrayLike | None, n: int) -> NoiseMatrix:
        """Convert a ``noise_matrix`` argument: None (no noise), an array, or a NoiseMatrix."""
        noise = cls.identity(n) if T is None else T if isinstance(T, cls) else cls(T)
        if noise.n != n:
            raise NcbenchError(
                f"noise matrix: shape {noise.matrix.shape} does not fit {n} classes; "
                f"expected ({n}, {n})"
            )
        return noise

    @property
    def n(self) -> int:
        """Number of classes."""
        return len(self.matrix)

    @property
    def inverse_norm(self) -> float:
        """``||T^-1||_1``, the noise factor in the regret bounds of the paper."""
        return float(np.abs(self._inverse).sum(axis=0).max())

    @property
    def smallest_singular_value(self) -> float:
        """Smallest singular value of T."""
        return float(np.linalg.svd(self.matrix, compute_uv=False)[-1])

    def correct_loss(self, L: Array) -> Array:
        """Apply OP1 to a loss matrix: ``L' = T^-T L`` (Proposition 8)."""
        return np.asarray(self._inverse.T @ L)

    def correct_posterior(self, posterior: Array) -> Array:
        """Apply OP1 to the rows of a posterior: ``T^-1 eta~``; ``(T^-1 eta~)^T L = eta~^T L'``."""
        return np.asarray(posterior @ self._inverse.T)

    def correct_confusion(self, C: Array) -> Array:
        """Apply OP2: ``C = T^-1 C~`` (Proposition 9). With a finite sample, C may be negative."""
        return np.asarray(self._inverse @ C)

    def corrupt_posterior(self, posterior: Array) -> Array:
        """Return the noisy posterior, rows ``eta~(x) = T eta(x)``."""
        return np.asarray(posterior @ self.matrix.T)

    def corrupt_confusion(self, C: Array) -> Array:
        """Return the noisy confusion matrix ``C~ = T C`` (Proposition 9)."""
        return np.asarray(self.matrix @ C)

    def inverse_error(self, other: NoiseMatrix) -> float:
        """Return ``||T^-1 - other^-1||_1``, the cost of an estimate in Theorems 16 and 17."""
        return float(np.abs(self._inverse - other._inverse).sum(axis=0).max())

    def draw_labels(self, y: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw a noisy label for each clean label.

        Examples
        --------
        >>> y = np.array([0, 1, 1])
        >>> NoiseMatrix([[0.0, 1.0], [1.0, 0.0]]).draw_labels(y, np.random.default_rng(0))
        array([1, 0, 0])
        """
        cumulated = np.cumsum(self.matrix, axis=0)
        cumulated[-1] = 1.0  # the sum may round to slightly less than 1
        u = rng.random(len(y))
        return np.asarray((u[:, None] >= cumulated.T[y]).sum(axis=1), dtype=np.int64)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.matrix, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoiseMatrix) and np.array_equal(self.matrix, other.matrix)

    def __hash__(self) -> int:
        return hash(self.matrix.tobytes())

    def __repr__(self) -> str:
        return f"NoiseMatrix({self.matrix.tolist()})"


def _checked(T: ArrayLike) -> Array:
    try:
        given = np.asarray(T)
        if given.dtype.kind not in "biufO":
            raise ValueError(f"numbers of type {given.dtype}")
        matrix = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise NcbenchError(f"noise matrix: not a matrix of numbers: {T!r}") from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise NcbenchError(
            f"noise matrix: shape {matrix.shape}; expected (n, n) with n >= 2 classes"
        )
    outside = np.argwhere(~((matrix >= -_TOLERANCE) & (matrix <= 1 + _TOLERANCE)))  # or NaN
    if len(outside):
        i, j = outside[0]
        raise NcbenchError(
            f"noise matrix: entry [{i}, {j}] is {matrix[i, j]:g}; probabilities lie in [0, 1]"
        )
    sums = matrix.sum(axis=0)
    wrong = np.flatnonzero(np.abs(sums - 1) > _TOLERANCE)
    if len(wrong):
        rows_do = np.allclose(matrix.sum(axis=1), 1, atol=_TOLERANCE)
        hint = "; yours has rows that do: transpose it" if rows_do else ""
        raise NcbenchError(
            f"noise matrix: column {wrong[0]} sums to {sums[wrong[0]]:g}, not 1 "
            f"(T[i, j] = P(noisy = i | clean = j), so columns sum to 1{hint})"
        )
    # Files hold rounded decimals: make the matrix exactly stochastic.
    matrix = np.clip(matrix, 0.0, 1.0)
    return np.asarray(matrix / matrix.sum(axis=0))
