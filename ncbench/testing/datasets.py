"""Contract checks of data sets."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ncbench.core import NoiseMatrix
from ncbench.data import Dataset
from ncbench.testing.contract import Build, DoesNotApply, broken
from ncbench.testing.shared import twice
from ncbench.testing.state import Answers, Steps

DATA_DIR = "data"
"""Default folder of data files, as in a run."""


def check_shapes(build: Build) -> None:
    """It is a Dataset: X is m x d, of finite float64; y has m integers."""
    data = _load(build)
    if data.X.dtype != np.float64:
        broken(
            f"X has type {data.X.dtype} and shape {data.X.shape}",
            "give float64 of shape (m, d); Dataset.from_labels does",
        )
    if data.y.shape != (len(data.X),) or data.y.dtype != np.int64:
        broken(
            f"y has type {data.y.dtype} and shape {data.y.shape} for {len(data.X)} rows of X",
            "give int64 of shape (m,); Dataset.from_labels does",
        )
    if data.test_size is not None and not 0 < data.test_size < len(data.y):
        broken(
            f"test_size is {data.test_size} of {len(data.y)} examples",
            "leave some for the training part",
        )


def check_labels(build: Build) -> None:
    """All labels 0..n-1 are present, and class names differ."""
    data = _load(build)
    found, n = np.unique(data.y), len(data.classes)
    if not np.array_equal(found, np.arange(n)):
        broken(
            f"y holds the labels {found[:20].tolist()}, but there are {n} classes",
            f"number them 0..{n - 1}; Dataset.from_labels does",
        )
    if len(set(data.classes)) < n or not all(isinstance(name, str) for name in data.classes):
        broken(
            f"classes is {data.classes!r:.300}",
            "give every class a different name, as text",
        )
    if not isinstance(data.name, str) or not data.name:
        broken(f"name is {data.name!r}", "give the data set a name; it is shown in results")


def check_fingerprint(build: Build) -> None:
    """Loading it twice gives the same data."""
    first, again = twice(lambda: _load(build))
    if first.fingerprint != again.fingerprint:
        same = first.X.shape == again.X.shape
        what = f"{np.sum(first.X != again.X)} entries of X differ" if same else "its shape differs"
        broken(
            f"two loads have the fingerprints {first.fingerprint[:12]} and "
            f"{again.fingerprint[:12]} ({what})",
            "keep the order of rows fixed, and draw only from the argument rng",
        )


def check_source_fingerprint(build: Build) -> None:
    """Its source fingerprint is a text and the same each time."""
    source: Callable[..., Any] | None = getattr(build.target, "source_fingerprint", None)
    if source is None:
        raise DoesNotApply("it declares no source fingerprint (@identified_by)")
    _load(build)  # a data set that is not available has no fingerprint
    wanted = inspect.signature(source).parameters
    given = {"data_dir": DATA_DIR, **build.arguments}
    arguments = {key: value for key, value in given.items() if key in wanted}
    first, again = source(**arguments), source(**arguments)
    if not isinstance(first, str) or first != again:
        broken(
            f"identified_by returns {first!r:.200}, and then {again!r:.200}",
            "return a text that changes only when the data changes, such as the file's checksum",
        )


def check_recorded_noise(build: Build) -> None:
    """Its recorded noise fits its examples and classes."""
    data = _load(build)
    if not data.recorded_noise:
        raise DoesNotApply("it has none")
    for sigma, (T, y) in data.recorded_noise.items():
        if not isinstance(T, NoiseMatrix) or data.n_classes != T.n:
            broken(
                f"the noise matrix for sigma={sigma:g} is {T!r:.200}",
                f"give a NoiseMatrix for all {data.n_classes} classes",
            )
        if y.shape != data.y.shape or y.min() < 0 or y.max() >= data.n_classes:
            broken(
                f"the noisy labels for sigma={sigma:g} have shape {y.shape} and lie in "
                f"{y.min()}..{y.max()}",
                f"give {len(data.y)} labels in 0..{data.n_classes - 1}",
            )


def check_true_posterior(build: Build) -> None:
    """Its true_posterior returns distributions that match the label frequencies."""
    data = _load(build)
    if data.true_posterior is None:
        raise DoesNotApply("its distribution is not known")
    eta = np.asarray(data.true_posterior(data.X))
    if eta.shape != (len(data.y), data.n_classes):
        broken(
            f"true_posterior(X) has shape {eta.shape}",
            f"return shape {(len(data.y), data.n_classes)}",
        )
    if not np.isfinite(eta).all() or eta.min() < 0 or np.abs(eta.sum(axis=1) - 1).max() > 1e-9:
        worst = np.abs(eta.sum(axis=1) - 1).max()
        broken(
            f"row sums of true_posterior(X) differ from 1 by up to {worst:.3g} and its smallest "
            f"entry is {eta.min():.3g}",
            "return probabilities",
        )
    expected, seen = eta.mean(axis=0), np.bincount(data.y) / len(data.y)
    error = np.sqrt((eta * (1 - eta)).sum(axis=0)) / len(eta)
    k = int((np.abs(expected - seen) - 5 * error).argmax())
    if abs(expected[k] - seen[k]) > 5 * error[k] + 1 / len(eta):
        broken(
            f"true_posterior expects {expected[k]:.4f} of the labels to be class {k}, but "
            f"{seen[k]:.4f} are",
            "return the posterior that y was drawn from, in the order of the classes",
        )


def steps(build: Build, n: int) -> Steps:
    """Return loads with two seeds."""

    def load(seed: int) -> Answers:
        data = _load(build, seed)
        return {"fingerprint": data.fingerprint, "name": data.name, "classes": str(data.classes)}

    return {f"seed {seed}": partial(load, seed) for seed in (0, 1)}


def _load(build: Build, seed: int = 0) -> Dataset:
    data = build(data_dir=DATA_DIR, rng=np.random.default_rng(seed))
    if not isinstance(data, Dataset):
        broken(
            f"{build} returns {data!r:.200}, which is not a Dataset",
            "return ncbench.Dataset.from_labels(X, labels, name=...)",
        )
    return data
