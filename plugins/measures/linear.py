"""Linear measures ``<L, C>``: the zero-one loss and any cost matrix (Example 1 of the paper)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ncbench import Measure, NcbenchError, identified_by
from ncbench.data import content_of_path
from ncbench.types import Array


class ZeroOne(Measure):
    """Zero-one loss: the probability of a wrong prediction.

    Examples
    --------
    >>> ZeroOne()(np.array([[0.5, 0.0], [0.25, 0.25]]))
    0.25
    """

    family = "linear"

    def __call__(self, C: Array) -> float:
        """Return the loss ``psi(C)``."""
        return float(C.sum() - np.trace(C))

    def gradient(self, C: Array) -> Array:
        """Return L: 0 on the diagonal, 1 elsewhere."""
        return 1.0 - np.eye(len(C))


@identified_by(content_of_path)
class Cost(Measure):
    """Cost: the expected cost under your own cost matrix.

    Parameters
    ----------
    matrix : list of lists
        ``matrix[y][k]`` is the cost of predicting k when the truth is y.
    path : str
        CSV file with the matrix, without header, instead of ``matrix``.

    Examples
    --------
    >>> Cost(matrix=[[0, 1], [10, 0]])(np.array([[0.5, 0.0], [0.25, 0.25]]))
    2.5
    """

    family = "linear"

    def __init__(self, matrix: list[list[float]] | None = None, path: str | None = None) -> None:
        if (matrix is None) == (path is None):
            raise NcbenchError(
                "measure=cost: give either measure.matrix=[[0,1],[5,0]] or measure.path=costs.csv"
            )
        self.matrix = matrix
        self.path = path
        self._L = _as_costs(matrix, "measure.matrix") if path is None else _read(path)
        self.largest = float(self._L.max())

    def __call__(self, C: Array) -> float:
        """Return the loss ``psi(C)``."""
        return float(np.sum(self.gradient(C) * C))

    def gradient(self, C: Array) -> Array:
        """Return L."""
        if self._L.shape != C.shape:
            raise NcbenchError(
                f"measure=cost: the cost matrix has shape {self._L.shape}, "
                f"but there are {len(C)} classes: expected {C.shape}"
            )
        return self._L


_LARGEST = 1e100
"""The largest cost; sums of larger ones may overflow."""


def _read(path: str) -> Array:
    if not Path(path).is_file():
        raise NcbenchError(f"measure.path={path}: no such file (looked in {Path.cwd()})")
    try:
        rows = [line.split(",") for line in Path(path).read_text().split("\n") if line.strip()]
    except UnicodeDecodeError as error:
        raise NcbenchError(f"measure.path={path}: not a text file") from error
    return _as_costs(rows, f"measure.path={path}")


def _as_costs(rows: object, where: str) -> Array:
    try:
        L = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise NcbenchError(f"{where}: not a table of numbers: {error}") from error
    if L.ndim != 2 or L.shape[0] != L.shape[1] or not np.isfinite(L).all():
        raise NcbenchError(f"{where}: expected n rows of n finite costs, got shape {L.shape}")
    if L.max() > _LARGEST:
        raise NcbenchError(f"{where}: cost {L.max():g}; expected at most {_LARGEST:g}")
    if L.min() < 0:
        raise NcbenchError(f"{where}: costs must not be negative; found {L.min():g}")
    return L
