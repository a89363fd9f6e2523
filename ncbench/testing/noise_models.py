"""Contract checks of noise models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ncbench.core import NoiseMatrix
from ncbench.data import Dataset, NoisyLabels
from ncbench.errors import NcbenchError
from ncbench.testing.contract import Build, DoesNotApply, broken, made_something_bad
from ncbench.testing.problems import SIGMAS, dataset
from ncbench.testing.trial import check_trial

CLASSES = (2, 3, 4, 5, 7)
"""Numbers of classes with which a noise model is checked, if it accepts them."""

SIGMA = 0.3
_SEEDS = range(5)
_ERRORS = 5.0  # standard errors; exceeded by chance once in a million


def check_noise_matrix(build: Build) -> None:
    """It returns NoisyLabels whose matrix is a NoiseMatrix for the data set's classes."""
    for model, data in _models(build):
        for sigma in SIGMAS:
            noisy = model.corrupt(data, sigma, np.random.default_rng(0))
            if not isinstance(noisy, tuple) or len(noisy) != 2:
                broken(
                    f"corrupt returned {noisy!r:.200}",
                    "return ncbench.NoisyLabels(noise_matrix, y)",
                )
            T = noisy[0]
            if not isinstance(T, NoiseMatrix):
                broken(
                    f"noise_matrix is {T!r:.200}, a {type(T).__name__}",
                    "wrap it: NoiseMatrix(T), which also checks that columns sum to one",
                )
            if data.n_classes != T.n:
                broken(
                    f"noise_matrix is {T.n} x {T.n} for {data.n_classes} classes",
                    "make it for dataset.n_classes classes",
                )


def check_labels(build: Build) -> None:
    """Its labels are integers 0..n-1, one for each example."""
    for model, data in _models(build):
        y = np.asarray(_corrupt(model, data).y)
        if y.shape != data.y.shape or not np.issubdtype(y.dtype, np.integer):
            broken(
                f"the noisy labels have shape {y.shape} and type {y.dtype} for "
                f"{len(data.y)} examples",
                f"return integers of shape {data.y.shape}",
            )
        if y.min() < 0 or y.max() >= data.n_classes:
            broken(
                f"the noisy labels lie in {y.min()}..{y.max()} for {data.n_classes} classes",
                "number classes from 0 to n - 1",
            )


def check_labels_follow_the_matrix(build: Build) -> None:
    """The noisy labels of each clean class are as frequent as its matrix says."""
    for model, data in _models(build):
        T, y = _corrupt(model, data)
        for j in range(data.n_classes):
            mine = y[data.y == j]
            share = np.bincount(mine, minlength=data.n_classes) / len(mine)
            p = T.matrix[:, j]
            off = np.abs(share - p) - _ERRORS * np.sqrt(p * (1 - p) / len(mine)) - 1 / len(mine)
            i = int(off.argmax())
            if off[i] > 0:
                broken(
                    f"of {len(mine)} examples of class {j}, {share[i]:.3f} were labeled {i}, but "
                    f"T[{i}, {j}] is {p[i]:.3f}",
                    "draw with NoiseMatrix.draw_labels; T[i, j] is P(noisy = i | clean = j), "
                    "so columns are clean classes",
                )


def check_sigma(build: Build) -> None:
    """The expected share of wrong labels is sigma, in its matrix and in its labels."""
    if not getattr(build(), "uses_sigma", True):
        raise DoesNotApply("uses_sigma is False")
    for model, data in _models(build):
        prior = np.bincount(data.y) / len(data.y)
        for sigma in SIGMAS:
            drawn = [_corrupt(model, data, sigma, seed) for seed in _SEEDS]
            expected = [
                float(prior @ (1 - np.diagonal(noisy.noise_matrix.matrix))) for noisy in drawn
            ]
            wrong = [float(np.mean(noisy.y != data.y)) for noisy in drawn]
            by_chance = np.sqrt(sigma * (1 - sigma) / (len(data.y) * len(drawn)))
            for what, shares in (("its T expects", expected), ("it made", wrong)):
                spread = np.std(shares) / np.sqrt(len(shares))  # a T that is itself drawn
                if abs(np.mean(shares) - sigma) > _ERRORS * (spread + by_chance) + 1e-9:
                    broken(
                        f"{what} {np.mean(shares):.3f} of the labels wrong at sigma={sigma:g}, "
                        f"with {data.n_classes} classes",
                        "scale the off-diagonal entries of T; if sigma means nothing to this "
                        "model, set uses_sigma = False",
                    )


def check_seeded(build: Build) -> None:
    """The same seed gives the same noise, another seed gives other labels."""
    for model, data in _models(build):
        np.random.seed(0)  # noqa: NPY002  (detects plug-ins that use it)
        first = _corrupt(model, data)
        again = _corrupt(build(), data)
        if first.noise_matrix != again.noise_matrix or not np.array_equal(first.y, again.y):
            broken(
                f"with two generators of one seed, {np.mean(first.y != again.y):.3f} of the "
                "labels differ",
                "draw only from the argument rng, never from numpy.random",
            )
        other = _corrupt(model, data, seed=1)
        noiseless = np.array_equal(first.noise_matrix.matrix, np.eye(data.n_classes))
        draws = getattr(model, "draws", True)
        if draws and not noiseless and np.array_equal(first.y, other.y):
            broken(
                f"seeds 0 and 1 give the same {len(first.y)} labels",
                "draw from the argument rng; a model that does not draw its noise sets "
                "draws = False",
            )


def check_inputs_unchanged(build: Build) -> None:
    """It does not modify the data set."""
    for model, data in _models(build):
        before = data.X.copy(), data.y.copy()
        _corrupt(model, data)
        for name, now, then in zip("Xy", (data.X, data.y), before, strict=True):
            if not np.array_equal(now, then):
                broken(
                    f"{np.sum(now != then)} entries of dataset.{name} changed",
                    f"work on a copy: dataset.{name}.copy()",
                )


CHECKS = (
    check_noise_matrix,
    check_labels,
    check_labels_follow_the_matrix,
    check_sigma,
    check_seeded,
    check_inputs_unchanged,
    check_trial,
)


def _models(build: Build) -> Iterator[tuple[Any, Dataset]]:
    """Yield the model and a data set, for each number of classes it accepts."""
    model = build()
    accepted = []
    for n in CLASSES:
        try:
            model.corrupt(dataset(n), SIGMA, np.random.default_rng(0))
        except NcbenchError as error:
            made_something_bad(error)
            refusal = error  # a given matrix has a fixed size
            continue
        accepted.append(n)
        yield model, dataset(n)
    if not accepted:
        broken(
            f"it rejects data of {', '.join(map(str, CLASSES))} classes; the last error: {refusal}",
            f"accept one of them, or check it with other parameters ({build.kind}.KEY=...)",
        )


def _corrupt(model: Any, data: Dataset, sigma: float = SIGMA, seed: int = 0) -> NoisyLabels:
    return NoisyLabels(*model.corrupt(data, sigma, np.random.default_rng(seed)))
