"""Small, fast problems with known answers for contract checks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ncbench.core import Measure, NoiseMatrix, RecallMeasure
from ncbench.data import Annotations, Dataset, NoisyLabels, read_only
from ncbench.types import Array, Labels

SIGMAS = (0.0, 0.1, 0.3)
"""Noise levels at which noise models are checked."""

STRONG_T = np.array([[0.2, 0.1, 0.7], [0.7, 0.2, 0.1], [0.1, 0.7, 0.2]])
"""Most labels name the next class: a classifier that trusts them fails by any measure."""


class Blobs(NamedTuple):
    """Classes as round clouds of points in the plane, with centers on a circle."""

    X: Array
    y: Labels


def blobs(m: int, n: int = 3, *, spread: float = 1.0, seed: int = 0) -> Blobs:
    """Draw m examples of n equally frequent classes.

    Neighboring centers have distance 4: with a spread of 0.4, classes do not overlap.
    """
    rng = np.random.default_rng([m, n, seed])
    y = np.arange(m) % n
    return Blobs(_centres(n)[y] + spread * rng.normal(size=(m, 2)), y)


def trials() -> dict[str, Blobs]:
    """Return the training parts of two trials of one problem, and those of another problem.

    They have one shape, overlapping classes, and cannot be written to.
    """
    X, y = blobs(150, spread=1.5, seed=1)
    other = blobs(120, spread=1.5, seed=2)
    parts = {
        "trial 0 of data A": Blobs(X[:120], y[:120]),
        "trial 1 of data A": Blobs(X[30:], y[30:]),
        "data B": Blobs(1.5 * other.X[:, ::-1] + 1, other.y),
    }
    return {name: Blobs(*map(read_only, part)) for name, part in parts.items()}


def _centres(n: int) -> Array:
    angle = 2 * np.pi * np.arange(n) / n
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.asarray(2 / np.sin(np.pi / n) * circle)


def noisy_blobs(m: int, T: Array, *, spread: float = 0.4, seed: int = 0) -> tuple[Blobs, Labels]:
    """Draw blobs and noisy labels for them."""
    data = blobs(m, len(T), spread=spread, seed=seed)
    return data, NoiseMatrix(T).draw_labels(data.y, np.random.default_rng([seed, m, 1]))


def dataset(n: int, m: int = 3000) -> Dataset:
    """Return blobs as a data set with labels by three annotators and recorded noise."""
    X, y = blobs(m, n)
    recorded = {}
    for k, sigma in enumerate(SIGMAS):
        noise = NoiseMatrix((1 - sigma) * np.eye(n) + sigma * np.roll(np.eye(n), 1, axis=0))
        recorded[sigma] = NoisyLabels(noise, noise.draw_labels(y, np.random.default_rng(k)))
    names = tuple(f"class {i}" for i in range(n))
    return Dataset(
        X=X, y=y, classes=names, name="blobs", recorded_noise=recorded,
        annotations=labels_by_people(y, 0.7 * np.eye(n) + 0.3 * np.roll(np.eye(n), 1, axis=0)),
    )  # fmt: skip


def labels_by_people(y: Labels, T: Array, people: int = 3, seed: int = 0) -> Annotations:
    """Return labels of every example by several people, all with the noise T."""
    rows, who = np.divmod(np.arange(people * len(y)), people)
    labels = NoiseMatrix(T).draw_labels(y[rows], np.random.default_rng([seed, people]))
    return Annotations(rows, who, labels, tuple(f"person {k + 1}" for k in range(people)))


# One measure of each family, for algorithms.


class Linear(Measure):
    """Errors cost more for higher classes."""

    family = "linear"

    def __call__(self, C: Array) -> float:
        """Return the loss."""
        return float(np.sum(self.gradient(C) * C))

    def gradient(self, C: Array) -> Array:
        """Return L."""
        cost = np.arange(1, len(C) + 1) / len(C)
        return np.asarray(cost[:, None] * (1 - np.eye(len(C))))


class Convex(RecallMeasure):
    """The mean of (1 - recall)^2."""

    def value(self, recall: Array) -> float:
        """Return the loss of these recalls."""
        return float(np.mean((1 - recall) ** 2))

    def slope(self, recall: Array) -> Array:
        """Return its derivative."""
        return np.asarray(-2 * (1 - recall) / len(recall))


class Ratio(Measure):
    """Jaccard loss: share of errors where the truth or the prediction is class 1 or above."""

    family = "ratio_of_linear"

    def __call__(self, C: Array) -> float:
        """Return the loss."""
        A, B = self.ratio(len(C))
        total = np.sum(B * C)
        return float(np.sum(A * C) / total) if total > 0 else 0.0

    def ratio(self, n: int) -> tuple[Array, Array]:
        """Return A and B."""
        B = np.ones((n, n))
        B[0, 0] = 0
        return B * (1 - np.eye(n)), B


MEASURES: dict[str, Measure] = {
    "monotonic_convex": Convex(),
    "ratio_of_linear": Ratio(),
    "linear": Linear(),
}
"""Measures by family, the most expensive ones first."""
