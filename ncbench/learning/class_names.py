"""Classes of a noise matrix and of labels: which are which, also if the labels lack one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncbench.core import NoiseMatrix
from ncbench.errors import NcbenchError

_NUMBERED = (
    ". If the labels were numbered, as cross_val_predict does for predict_proba, give a matrix "
    "without names, in the sorted order of the classes: noise_matrix=T.matrix"
)


def aligned_noise(
    noise_matrix: NoiseMatrix | ArrayLike | None, seen: NDArray[Any]
) -> tuple[NDArray[Any], NoiseMatrix]:
    """Return the classes, sorted, and T in their order.

    Parameters
    ----------
    noise_matrix : NoiseMatrix, DataFrame, array of shape (n, n), or None
        A DataFrame, or a NoiseMatrix with ``classes``, is aligned by the names of the classes.
        Other matrices follow the sorted order of the classes. None means no noise.
    seen : array
        The labels that occur, sorted. They may lack a class of a matrix with names.

    Examples
    --------
    >>> import pandas as pd
    >>> T = pd.DataFrame([[0.8, 0.0], [0.2, 1.0]], index=["well", "ill"], columns=["well", "ill"])
    >>> classes, noise = aligned_noise(T, np.array(["ill"]))
    >>> classes, noise.matrix
    (array(['ill', 'well'], dtype='<U4'), array([[1. , 0.2],
           [0. , 0.8]]))
    """
    names, columns = _names(noise_matrix)
    if names is None:
        classes = numbered(seen, noise_matrix)
        return classes, _of_size(noise_matrix, len(classes))
    if sorted(names) != sorted(columns) or len(set(names)) < len(names):
        raise NcbenchError(
            f"noise matrix: rows {', '.join(names)} and columns {', '.join(columns)}; expected "
            "each class once in the rows and once in the columns"
        )
    known = {str(value): value for value in seen}
    unknown = [name for name in known if name not in names]
    if unknown:
        raise NcbenchError(
            f"noise matrix: label {unknown[0]!r} is none of its classes, {', '.join(names)}; "
            "expected the classes of the labels"
            + (_NUMBERED if np.asarray(seen).dtype.kind in "iu" else "")
        )
    values = np.array([known.get(name, _like(name, seen)) for name in names])
    rows = np.argsort(values)
    if list(names) == list(columns) and (rows == np.arange(len(rows))).all():
        return values, NoiseMatrix.of(noise_matrix, len(rows))
    order = [columns.index(names[k]) for k in rows]
    return values[rows], NoiseMatrix(np.asarray(noise_matrix)[rows][:, order])


def _names(noise_matrix: Any) -> tuple[list[str] | None, list[str]]:
    """Return the names of the rows and of the columns, if the matrix has any."""
    if hasattr(noise_matrix, "columns"):
        index, columns = noise_matrix.index, noise_matrix.columns
        return [str(name) for name in index], [str(name) for name in columns]
    classes = getattr(noise_matrix, "classes", None)
    names = [str(name) for name in classes or ()]
    return names or None, names


def _like(name: str, seen: NDArray[Any]) -> Any:
    """Return the name of a class as a label of the same type as the labels that occur."""
    try:
        return seen.dtype.type(name) if seen.dtype.kind in "iuf" else name
    except ValueError as error:
        raise NcbenchError(
            f"noise matrix: class {name!r}, but labels are numbers such as {seen[0]!r}"
        ) from error


def _of_size(noise_matrix: Any, n: int) -> NoiseMatrix:
    try:
        return NoiseMatrix.of(noise_matrix, n)
    except NcbenchError as error:
        if noise_matrix is not None and len(np.atleast_1d(np.asarray(noise_matrix))) > n:
            hint = "if the labels lack a class, give a DataFrame with the names of the classes"
            raise NcbenchError(f"{error}; {hint}") from error
        raise


def numbered(seen: NDArray[Any], noise_matrix: NoiseMatrix | ArrayLike | None) -> NDArray[Any]:
    """Return the classes: 0..n-1 if the labels are such integers and T has n classes."""
    if noise_matrix is None or not np.issubdtype(seen.dtype, np.integer):
        return seen
    n = (
        noise_matrix.n
        if isinstance(noise_matrix, NoiseMatrix)
        else len(np.atleast_1d(noise_matrix))
    )
    return np.arange(n) if seen[0] >= 0 and len(seen) < n and seen[-1] < n else seen
