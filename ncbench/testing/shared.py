"""What the checks of several kinds share; each takes the kind's own way to run a plug-in."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from ncbench.core import NoiseMatrix
from ncbench.errors import NcbenchError
from ncbench.testing.contract import Build, broken, made_something_bad
from ncbench.types import Array

FLOAT32 = 1e-5
"""Differences up to this size are rounding: a float32 network differs from batch to batch."""

CLASSES = (2, 3, 4, 5, 7)
"""Numbers of classes with which a plug-in is checked, if it accepts them."""

Result = TypeVar("Result")


def accepted_classes(
    build: Build, use: Callable[[int], object], data_of: str = ""
) -> Iterator[int]:
    """Yield the numbers of classes that a plug-in accepts, by trying; at least one is required.

    Parameters
    ----------
    build : Build
    use : function of a number of classes
        Raises NcbenchError for a number that it does not accept.
    data_of : str
        What is rejected, for the message.
    """
    refusals = []
    for n in CLASSES:
        try:
            use(n)
        except NcbenchError as error:  # a given matrix has a fixed size
            made_something_bad(error)
            refusals.append(error)
        else:
            yield n
    if len(refusals) == len(CLASSES):
        broken(
            f"it rejects {data_of}{', '.join(map(str, CLASSES))} classes; the last error: "
            f"{refusals[-1]}",
            f"accept one of them, or check it with other parameters ({build.kind}.KEY=...)",
        )


def twice(run: Callable[[], Result]) -> tuple[Result, Result]:
    """Run something twice. Numpy's global generator is seeded first: whoever uses it is found."""
    np.random.seed(0)  # noqa: NPY002
    return run(), run()


def require_same(first: Any, second: Any, differing: str, fix: str, most: float = FLOAT32) -> None:
    """Raise ContractError if two arrays differ by more than rounding.

    Examples
    --------
    >>> require_same([0.1, 0.9], [0.2, 0.8], "two fits differ", "set a seed")
    Traceback (most recent call last):
    ...
    ncbench.testing.contract.ContractError: two fits differ by up to 0.1. To fix it: set a seed
    """
    difference = np.abs(np.asarray(first) - np.asarray(second)).max()
    if not difference <= most:
        broken(f"{differing} by up to {difference:.3g}", fix)


@contextmanager
def unchanged(of: str = "", **arrays: Any) -> Iterator[None]:
    """Raise ContractError if one of these arrays changes in the block.

    Examples
    --------
    >>> y = np.zeros(3)
    >>> with unchanged("sample.", y=y):
    ...     y[:2] = 1
    Traceback (most recent call last):
    ...
    ncbench.testing.contract.ContractError: 2 entries of sample.y changed. To fix it: work on a \
copy: sample.y.copy()
    """
    before = {name: array.copy() for name, array in arrays.items()}
    yield
    for name, array in arrays.items():
        if not np.array_equal(array, before[name]):
            broken(
                f"{np.sum(array != before[name])} entries of {of}{name} changed",
                f"work on a copy: {of}{name}.copy()",
            )


def unpickled(thing: Any) -> Any:
    """Return a fitted estimator or a measure after pickling and unpickling."""
    try:
        return pickle.loads(pickle.dumps(thing))
    except Exception as error:
        broken(
            f"pickling raises {type(error).__name__}: {error}",
            "do not keep a lambda, open file or local class in an attribute",
        )


def require_classes(fitted: Any, labels: Array) -> None:
    """Raise ContractError if ``classes_`` of a classifier is not the sorted labels."""
    classes, expected = getattr(fitted, "classes_", None), np.unique(labels)
    if classes is None or not np.array_equal(classes, expected):
        broken(
            f"classes_ is {classes!r} after labels {expected.tolist()}",
            "set self.classes_ = numpy.unique(y) in fit",
        )


def require_noise_matrix(T: Any, n: int, said: str, given: str) -> None:
    """Raise ContractError if T is not a NoiseMatrix for n classes, those of what is ``given``."""
    if not isinstance(T, NoiseMatrix):
        broken(
            f"{said} {T!r:.200}, a {type(T).__name__}",
            "wrap it: NoiseMatrix(T), which also checks that columns sum to one",
        )
    if T.n != n:
        broken(f"{said} {T.n} x {T.n} for {n} classes", f"make it for {given}.n_classes classes")
