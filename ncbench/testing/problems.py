"""Small problems that checks put to plug-ins: the answers are known, and they take no time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ncbench.core import Measure, NoiseMatrix, RecallMeasure
from ncbench.data import Dataset, NoisyLabels
from ncbench.types import Array, Labels

SIGMAS = (0.0, 0.1, 0.3)
"""Noise levels that noise models are asked for."""

STRONG_T = np.array([[0.2, 0.1, 0.7], [0.7, 0.2, 0.1], [0.1, 0.7, 0.2]])
"""Most labels of each class name the next one: whoever believes them is wrong, by any measure."""


class Blobs(NamedTuple):
    """Classes as round clouds of points in the plane, their centres on a circle."""

    X: Array
    y: Labels


def blobs(m: int, n: int = 3, *, spread: float = 1.0, seed: int = 0) -> Blobs:
    """Draw m examples of n classes, every class as often as any other.

    Neighbouring centres have distance 4: with a spread of 0.4, nothing overlaps.
    """
    rng = np.random.default_rng([m, n, seed])
    y = np.arange(m) % n
    return Blobs(_centres(n)[y] + spread * rng.normal(size=(m, 2)), y)


def _centres(n: int) -> Array:
    angle = 2 * np.pi * np.arange(n) / n
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.asarray(2 / np.sin(np.pi / n) * circle)


def noisy_blobs(m: int, T: Array, *, spread: float = 0.4, seed: int = 0) -> tuple[Blobs, Labels]:
    """Draw blobs and noisy labels of them."""
    data = blobs(m, len(T), spread=spread, seed=seed)
    return data, NoiseMatrix(T).draw_labels(data.y, np.random.default_rng([seed, m, 1]))


def dataset(n: int, m: int = 3000) -> Dataset:
    """Return blobs as a data set that brings noise of its own for every level in SIGMAS."""
    X, y = blobs(m, n)
    recorded = {}
    for k, sigma in enumerate(SIGMAS):
        noise = NoiseMatrix((1 - sigma) * np.eye(n) + sigma * np.roll(np.eye(n), 1, axis=0))
        recorded[sigma] = NoisyLabels(noise, noise.draw_labels(y, np.random.default_rng(k)))
    names = tuple(f"class {i}" for i in range(n))
    return Dataset(X=X, y=y, classes=names, name="blobs", recorded_noise=recorded)


# One measure of each family, to hand to algorithms.


class Linear(Measure):
    """Errors are the dearer the higher the class."""

    family = "linear"

    def __call__(self, C: Array) -> float:
        """Return the loss."""
        return float(np.sum(self.gradient(C) * C))

    def gradient(self, C: Array) -> Array:
        """Return L."""
        cost = np.arange(1, len(C) + 1) / len(C)
        return np.asarray(cost[:, None] * (1 - np.eye(len(C))))


class Convex(RecallMeasure):
    """The mean square of what recalls lack."""

    def value(self, recall: Array) -> float:
        """Return the loss of these recalls."""
        return float(np.mean((1 - recall) ** 2))

    def slope(self, recall: Array) -> Array:
        """Return its derivative."""
        return np.asarray(-2 * (1 - recall) / len(recall))


class Ratio(Measure):
    """Errors among what is class 1 or above, in truth or in prediction: a Jaccard loss."""

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
"""By family, the ones that take most work first."""
