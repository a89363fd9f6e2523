"""Contract checks of noise models."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from ncbench.core import NoiseMatrix
from ncbench.data import Dataset, NoisyLabels
from ncbench.testing.contract import Build, DoesNotApply, broken
from ncbench.testing.shared import accepted_classes, require_noise_matrix, twice, unchanged
from ncbench.testing.state import Answers, Steps
from ncbench.testing.trial import SIGMAS, dataset
from ncbench.types import Labels

SIGMA = 0.3
_SEEDS = range(5)
_ERRORS = 5.0  # standard errors; exceeded by chance once in a million


def check_noise_matrix(build: Build) -> None:
    """It returns NoisyLabels whose matrix is a NoiseMatrix for the data set's classes, or None."""
    for model, data in _models(build):
        for sigma in SIGMAS:
            noisy = model.corrupt(data, sigma, np.random.default_rng(0))
            if not isinstance(noisy, NoisyLabels):
                broken(
                    f"corrupt returned {noisy!r:.200}",
                    "return ncbench.NoisyLabels(noise_matrix, y)",
                )
            T = noisy.noise_matrix
            if T is not None:  # somebody knows it
                require_noise_matrix(T, data.n_classes, "noise_matrix is", "dataset")


def check_labels(build: Build) -> None:
    """Its labels are integers 0..n-1, one for each example."""
    for model, data in _models(build):
        noisy = _corrupt(model, data)
        y = np.asarray(noisy.y)
        shape = np.shape(data.y if noisy.rows is None else noisy.rows)
        if y.shape != shape or not np.issubdtype(y.dtype, np.integer):
            broken(
                f"the noisy labels have shape {y.shape} and type {y.dtype} for "
                f"{len(data.y)} examples",
                f"return integers of shape {shape}",
            )
        if y.min() < 0 or y.max() >= data.n_classes:
            broken(
                f"the noisy labels lie in {y.min()}..{y.max()} for {data.n_classes} classes",
                "number classes from 0 to n - 1",
            )


def check_labels_follow_the_matrix(build: Build) -> None:
    """The noisy labels of each clean class are as frequent as its matrix says."""
    for model, data in _models(build):
        noisy = _corrupt(model, data)
        if noisy.noise_matrix is None:
            continue
        for j in range(data.n_classes):
            mine = noisy.y[_truth(noisy, data) == j]
            share = np.bincount(mine, minlength=data.n_classes) / len(mine)
            p = noisy.noise_matrix.matrix[:, j]
            off = np.abs(share - p) - _ERRORS * np.sqrt(p * (1 - p) / len(mine)) - 1 / len(mine)
            i = int(off.argmax())
            if off[i] > 0:
                broken(
                    f"of {len(mine)} examples of class {j}, {share[i]:.3f} were labeled {i}, but "
                    f"T[{i}, {j}] is {p[i]:.3f}",
                    "draw with NoiseMatrix.draw_labels; T[i, j] is P(noisy = i | clean = j), "
                    "so columns are clean classes",
                )


def check_probabilities(build: Build) -> None:
    """Its probabilities, if it has any, are distributions whose class averages are its matrix."""
    if not hasattr(build(), "probabilities"):
        raise DoesNotApply("its noise does not depend on the example")
    for model, data in _models(build):
        P = np.asarray(model.probabilities(data, SIGMA, np.random.default_rng(0)))
        if P.shape != (len(data.y), data.n_classes) or P.min() < 0 or np.ptp(P.sum(axis=1)) > 1e-6:
            broken(
                f"probabilities of shape {P.shape}, smallest {P.min():.3g}, with sums from "
                f"{P.sum(axis=1).min():.3g} to {P.sum(axis=1).max():.3g}",
                f"return a distribution for each example, of shape {(len(data.y), data.n_classes)}",
            )
        noisy = _corrupt(model, data)
        average = np.array([P[data.y == j].mean(axis=0) for j in range(data.n_classes)]).T
        if noisy.noise_matrix is None or np.abs(average - noisy.noise_matrix.matrix).max() > 1e-6:
            broken(
                "the average of its probabilities over the examples of a class is not its matrix",
                "return NoiseMatrix(average) with the labels; InstanceNoise does",
            )
        if noisy.class_conditional:
            broken(
                "its noise depends on the example, but class_conditional is True",
                "return NoisyLabels(noise_matrix, y, class_conditional=False)",
            )
        chance = P[np.arange(len(P)), noisy.y]  # of the label that was drawn: E[1 / P] is n
        surprise = np.mean(1 / np.maximum(chance, 1e-12)) / np.mean((P > 0).sum(axis=1))
        if not 0.5 < surprise < 2:
            broken(
                "its labels do not follow its probabilities",
                "draw each label from its row, with the argument rng",
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
                float(prior @ (1 - np.diagonal(noisy.noise_matrix.matrix)))
                for noisy in drawn
                if noisy.noise_matrix is not None
            ]
            wrong = [float(np.mean(noisy.y != _truth(noisy, data))) for noisy in drawn]
            by_chance = np.sqrt(sigma * (1 - sigma) / (len(data.y) * len(drawn)))
            found = (("its T expects", expected), ("it made", wrong))
            for what, shares in ((what, shares) for what, shares in found if shares):
                spread = np.std(shares) / np.sqrt(len(shares))  # a T that is itself drawn
                if abs(np.mean(shares) - sigma) > _ERRORS * (spread + by_chance) + 1e-9:
                    broken(
                        f"{what} {np.mean(shares):.3f} of the labels wrong at sigma={sigma:g}, "
                        f"with {data.n_classes} classes",
                        "scale the off-diagonal entries of T; if sigma is not the share of wrong "
                        "labels in this model, set uses_sigma = False",
                    )


def check_seeded(build: Build) -> None:
    """The same seed gives the same noise, another seed gives other labels."""
    for model, data in _models(build):
        first, again = twice(lambda data=data: _corrupt(build(), data))  # type: ignore[misc]
        if first.noise_matrix != again.noise_matrix or not np.array_equal(first.y, again.y):
            broken(
                f"with two generators of one seed, {np.mean(first.y != again.y):.3f} of the "
                "labels differ",
                "draw only from the argument rng, never from numpy.random",
            )
        other = _corrupt(model, data, seed=1)
        noiseless = first.noise_matrix == NoiseMatrix.identity(data.n_classes)
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
        with unchanged("dataset.", X=data.X, y=data.y):
            _corrupt(model, data)


def accepted(build: Build) -> int:
    """Return a number of classes that it accepts."""
    return next(_models(build))[1].n_classes


def steps(build: Build, n: int) -> Steps:
    """Return noise of two levels for one data set, and noise for another one."""
    data, other = dataset(n), dataset(n, 600)

    def corrupt(data: Dataset, sigma: float, seed: int) -> Answers:
        noisy = _corrupt(build(), data, sigma, seed)
        T = noisy.noise_matrix
        return {"matrix": "unknown" if T is None else T.matrix, "vector of labels": noisy.y}

    return {
        f"data A at sigma={SIGMA:g}": partial(corrupt, data, SIGMA, 0),
        "data A at sigma=0.1": partial(corrupt, data, 0.1, 1),
        "data B": partial(corrupt, other, SIGMA, 2),
    }


def _models(build: Build) -> Iterator[tuple[Any, Dataset]]:
    """Yield the model and a data set, for each number of classes it accepts."""
    model = build()
    for n in accepted_classes(build, lambda n: _corrupt(model, dataset(n)), "data of "):
        yield model, dataset(n)


def _corrupt(model: Any, data: Dataset, sigma: float = SIGMA, seed: int = 0) -> NoisyLabels:
    noisy: NoisyLabels = model.corrupt(data, sigma, np.random.default_rng(seed))
    return noisy


def _truth(noisy: NoisyLabels, data: Dataset) -> Labels:
    """Return the clean label of the example of each noisy label."""
    return data.y if noisy.rows is None else data.y[noisy.rows]
