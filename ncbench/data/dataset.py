"""Data sets: features, clean labels 0..n-1, and class names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncbench.core import NoiseMatrix
from ncbench.errors import NcbenchError
from ncbench.types import Array, Labels

_Loader = TypeVar("_Loader", bound=Callable[..., Any])


class NoisyLabels(NamedTuple):
    """Noisy labels of a whole data set and the noise matrix they were drawn with."""

    noise_matrix: NoiseMatrix
    y: Labels


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of an array that cannot be written to.

    Examples
    --------
    >>> read_only(np.zeros(2))[0] = 1.0
    Traceback (most recent call last):
    ValueError: assignment destination is read-only
    """
    view = array.view()
    view.flags.writeable = False
    return view


def identified_by(source: Callable[..., str]) -> Callable[[_Loader], _Loader]:
    """Attach a fingerprint, such as a file's checksum, that identifies a data set before loading.

    Also used by plug-ins of other kinds that read a file named by their parameter ``path``.

    Parameters
    ----------
    source : callable
        Takes the same arguments as the decorated function and returns a short string that changes
        when the data changes. It should be fast and not load the data.

    Examples
    --------
    >>> @identified_by(lambda path: f"version of {path}")
    ... def table(path: str) -> Dataset: ...
    >>> table.source_fingerprint("a.csv")
    'version of a.csv'
    """

    def mark(loader: _Loader) -> _Loader:
        loader.source_fingerprint = source  # type: ignore[attr-defined]
        return loader

    return mark


@dataclass(frozen=True)
class Dataset:
    """Validated features and clean labels.

    Use :meth:`from_labels` to build one from labels of any type.

    Parameters
    ----------
    X : array of shape (m, d)
    y : array of shape (m,)
        Clean labels, 0..n-1.
    classes : tuple of str
        Names of the classes, in the order of their numbers.
    name : str
        The name shown in results.
    test_size : int, optional
        Size of the test part, if the data set fixes it.
    recorded_noise : mapping from sigma to NoisyLabels
        Noise that comes with the data set, for ``noise=recorded``.
    true_posterior : callable, optional
        ``eta(X)``, if the distribution is known.
    population : callable, optional
        ``population(size)``, if the distribution is known: about ``size`` equally weighted points
        that represent the distribution of x, so a mean over them is an expectation.
    source : str
        Where the data came from; stored in the record.

    Examples
    --------
    >>> data = Dataset.from_labels([[0.0], [1.0], [2.0]], ["no", "yes", "no"], name="toy")
    >>> data.y, data.classes
    (array([0, 1, 0]), ('no', 'yes'))
    """

    X: Array
    y: Labels
    classes: tuple[str, ...]
    name: str
    test_size: int | None = None
    recorded_noise: Mapping[float, NoisyLabels] = field(default_factory=dict)
    true_posterior: Callable[[Array], Array] | None = None
    population: Callable[[int], Array] | None = None
    source: str = ""

    def __post_init__(self) -> None:
        if self.X.ndim != 2 or len(self.X) != len(self.y):
            raise NcbenchError(
                f"data set {self.name!r}: X has shape {self.X.shape} and y {self.y.shape}; "
                "expected (m, d) and (m,)"
            )
        if self.n_classes < 2:
            raise NcbenchError(
                f"data set {self.name!r}: {len(self.y)} labels of {self.n_classes} "
                f"class{'' if self.n_classes == 1 else 'es'}; expected at least 2 classes"
            )
        bad = np.asarray(~np.isfinite(self.X).all(axis=1))
        if bad.any():
            raise NcbenchError(
                f"data set {self.name!r}: NaN or infinity in X, first in row "
                f"{int(np.flatnonzero(bad)[0])} ({int(bad.sum())} of {len(bad)} rows); "
                "drop those rows or fill them in"
            )
        counts = np.bincount(self.y, minlength=self.n_classes)
        if (counts == 0).any():
            missing = self.classes[int(np.flatnonzero(counts == 0)[0])]
            raise NcbenchError(f"data set {self.name!r}: class {missing!r} has no example")
        # Every plug-in of a run sees this data set: none may change it for the others.
        object.__setattr__(self, "X", read_only(self.X))
        object.__setattr__(self, "y", read_only(self.y))

    @classmethod
    def from_labels(cls, X: ArrayLike, labels: ArrayLike, *, name: str, **more: Any) -> Dataset:
        """Build a data set from labels of any type; classes are numbered in sorted order."""
        values, y = np.unique(np.asarray(labels), return_inverse=True)
        return cls(
            X=np.ascontiguousarray(X, dtype=np.float64),
            y=y.astype(np.int64).ravel(),
            classes=tuple(str(value) for value in values),
            name=name,
            **more,
        )

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    def noise_recorded_at(self, sigma: float) -> NoisyLabels | None:
        """Return the recorded noise for a noise level, or None."""
        for level, noisy in self.recorded_noise.items():
            if np.isclose(level, sigma):
                return noisy
        return None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of features, labels and recorded noise."""
        digest = hashlib.sha256()
        arrays = [self.X, self.y]
        for sigma, noisy in sorted(self.recorded_noise.items()):
            arrays += [np.float64(sigma), noisy.noise_matrix.matrix, noisy.y]  # type: ignore[list-item]
        for array in arrays:
            digest.update(f"{array.shape}{array.dtype}".encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()
