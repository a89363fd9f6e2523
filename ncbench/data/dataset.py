"""Data sets: features, clean labels 0..n-1, class names, and labels that people gave."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncbench.core import MAX_CONDITION, NoiseMatrix
from ncbench.data.labels import UNKNOWN, Classes
from ncbench.errors import NcbenchError
from ncbench.types import Array, Labels

_Loader = TypeVar("_Loader", bound=Callable[..., Any])


@dataclass(frozen=True)
class Annotations:
    """Labels that people gave: label ``labels[k]`` of example ``rows[k]`` by ``annotators[k]``.

    Parameters
    ----------
    rows, annotators, labels : arrays of shape (k,)
        Numbers of examples, annotators and classes. Nobody labels an example twice.
    names : tuple of str
        The names of the annotators, in the order of their numbers.
    """

    rows: Labels
    annotators: Labels
    labels: Labels
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in ("rows", "annotators", "labels"):
            object.__setattr__(self, name, read_only(np.asarray(getattr(self, name), np.int64)))

    @property
    def overlap(self) -> bool:
        """Whether an example has more than one label, so that people can be compared."""
        return len(np.unique(self.rows)) < len(self.rows)

    def of(self, examples: NDArray[np.intp]) -> Annotations:
        """Return the labels of some examples; ``rows`` are then positions in ``examples``."""
        kept = np.isin(self.rows, examples)
        rows = positions(self.rows[kept], examples)
        return Annotations(rows, self.annotators[kept], self.labels[kept], self.names)


@dataclass(frozen=True)
class NoisyLabels:
    """Noisy labels of a data set, and what is known about the noise.

    ``noise_matrix, y = noisy`` unpacks the first two, of which a plug-in may know no more.

    Parameters
    ----------
    noise_matrix : NoiseMatrix or None
        The matrix that the labels were drawn with, or its average over the examples of each class
        if the noise depends on the example. None if it is not known.
    y : array of shape (k,)
        The labels, 0..n-1.
    rows : array of shape (k,), optional
        The example of each label. None means one label for each example, in order. An example may
        have several labels or none.
    class_conditional : bool or None
        Whether the noise depends on the clean class alone. None if it is not known.
    annotations : Annotations, optional
        The labels of several people that ``y`` was chosen from.
    """

    noise_matrix: NoiseMatrix | None
    y: Labels
    rows: Labels | None = None
    class_conditional: bool | None = True
    annotations: Annotations | None = None

    def __iter__(self) -> Iterator[Any]:
        return iter((self.noise_matrix, self.y))

    def of(self, examples: NDArray[np.intp]) -> tuple[NDArray[np.intp], Labels]:
        """Return the labels of some examples, each with the number of its example.

        Examples
        --------
        >>> noisy = NoisyLabels(None, np.array([1, 0, 1]), rows=np.array([0, 0, 2]))
        >>> noisy.of(np.array([0, 1]))
        (array([0, 0]), array([1, 0]))
        """
        if self.rows is None:
            return examples, self.y[examples]
        chosen = np.isin(self.rows, examples)
        return self.rows[chosen].astype(np.intp), self.y[chosen]


def positions(values: NDArray[Any], among: NDArray[Any]) -> NDArray[np.intp]:
    """Return the position of each value among distinct ones, all of which are there.

    Examples
    --------
    >>> positions(np.array([7, 5, 7]), among=np.array([5, 9, 7]))
    array([2, 0, 2])
    """
    order = np.argsort(among)
    return order[np.searchsorted(among, values, sorter=order)]


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


def identified_by(
    source: Callable[..., str],
    *,
    annotated: Callable[..., bool] | None = None,
    added: Sequence[str] = (),
) -> Callable[[_Loader], _Loader]:
    """Attach a fingerprint, such as a file's checksum, that identifies a data set before loading.

    Also used by plug-ins of other kinds that read a file named by their parameter ``path``.

    Parameters
    ----------
    source : callable
        Takes the same arguments as the decorated function and returns a short string that changes
        when the data changes. It should be fast and not load the data.
    annotated : callable, optional
        Takes the same arguments and says whether the data set has labels by annotators, which are
        then used as they are.
    added : sequence of str
        Parameters that an earlier version did not have. While they are None they do not count in
        the identity of a cell, so that earlier records are found.

    Examples
    --------
    >>> @identified_by(lambda path: f"version of {path}")
    ... def table(path: str) -> Dataset: ...
    >>> table.source_fingerprint("a.csv")
    'version of a.csv'
    """

    def mark(loader: _Loader) -> _Loader:
        loader.source_fingerprint = source  # type: ignore[attr-defined]
        loader.annotated = annotated  # type: ignore[attr-defined]
        loader.added_parameters = tuple(added)  # type: ignore[attr-defined]
        return loader

    return mark


_LARGEST = 1e150
"""The largest feature."""


@dataclass(frozen=True)
class Dataset:
    """Validated features and clean labels.

    Use :meth:`from_labels` to build one from labels of any type.

    Parameters
    ----------
    X : array of shape (m, d)
    y : array of shape (m,)
        Clean labels, 0..n-1, or ``UNKNOWN``, -1.
    classes : tuple of str
        Names of the classes, in the order of their numbers.
    name : str
        The name shown in results.
    test_size : int, optional
        Size of the test part, if the data set fixes it.
    recorded_noise : mapping from sigma to NoisyLabels
        Noise that comes with the data set, for ``noise=recorded``.
    annotations : Annotations, optional
        Labels that one or more people gave. Then no noise is added: ``noise=annotators``.
    test : array of int, optional
        The examples of the test part, if the data set fixes them. Every trial then has the same
        test part and trains on a random part of the other examples.
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
    annotations: Annotations | None = None
    test: NDArray[np.intp] | None = None

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
                f"{int(np.flatnonzero(bad)[0]) + 1} ({int(bad.sum())} of {len(bad)} rows); "
                "drop those rows or fill them in"
            )
        if self.X.size and max(self.X.max(), -self.X.min()) > _LARGEST:
            raise NcbenchError(
                f"data set {self.name!r}: numbers above {_LARGEST:g} in X, whose squares overflow; "
                "scale the features"
            )
        given = self.y if self.annotations is None else np.append(self.y, self.annotations.labels)
        counts = np.bincount(given[given != UNKNOWN], minlength=self.n_classes)
        if (counts == 0).any():
            missing = self.classes[int(np.flatnonzero(counts == 0)[0])]
            raise NcbenchError(f"data set {self.name!r}: class {missing!r} has no example")
        if self.annotations is not None:
            self._check_annotations(self.annotations)
        if self.test is not None and not set(self.test.tolist()) < set(range(len(self.y))):
            raise NcbenchError(
                f"data set {self.name!r}: test names examples {self.test.min()} to "
                f"{self.test.max()}; expected some of 0..{len(self.y) - 1}"
            )
        # Every plug-in of a run sees this data set: none may change it for the others.
        object.__setattr__(self, "X", read_only(self.X))
        object.__setattr__(self, "y", read_only(self.y))

    def _check_annotations(self, given: Annotations) -> None:
        ranges = (
            ("rows", given.rows, len(self.y)),
            ("annotators", given.annotators, len(given.names)),
            ("labels", given.labels, self.n_classes),
        )
        for name, numbers, end in ranges:
            bad = np.flatnonzero((numbers < 0) | (numbers >= end))
            if len(bad):
                raise NcbenchError(
                    f"data set {self.name!r}: annotations.{name}[{bad[0]}] is {numbers[bad[0]]}; "
                    f"expected 0 to {end - 1}"
                )
        pairs, count = np.unique(
            np.column_stack([given.rows, given.annotators]), axis=0, return_counts=True
        )
        if (count > 1).any():
            row, person = pairs[count.argmax()]
            raise NcbenchError(
                f"data set {self.name!r}: annotator {given.names[person]!r} labels example {row} "
                f"{count.max()} times; expected at most once"
            )

    @classmethod
    def from_labels(cls, X: ArrayLike, labels: ArrayLike, *, name: str, **more: Any) -> Dataset:
        """Build a data set from labels of any type; classes are numbered in sorted order."""
        classes = Classes.of(labels)
        return cls(
            X=np.ascontiguousarray(X, dtype=np.float64),
            y=classes.numbers(np.asarray(labels).ravel()),
            classes=classes.names,
            name=name,
            **more,
        )

    @cached_property
    def checked(self) -> NDArray[np.intp]:
        """The examples whose clean label is known."""
        return np.flatnonzero(self.y != UNKNOWN)

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
            arrays += [np.float64(sigma), noisy.noise_matrix.matrix, noisy.y]  # type: ignore[list-item, union-attr]
        if self.annotations is not None:
            given = self.annotations
            arrays += [given.rows, given.annotators, given.labels]
        if self.test is not None:
            arrays += [self.test]
        for array in arrays:
            digest.update(f"{array.shape}{array.dtype}".encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()


# Base classes of noise models: class-conditional, and dependent on the example.


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
