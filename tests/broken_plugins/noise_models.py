"""Broken noise models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ncbench import NoiseMatrix, NoisyLabels
from ncbench.data import InstanceNoise, MatrixNoise


def symmetric(n, sigma):
    T = np.full((n, n), sigma / (n - 1))
    np.fill_diagonal(T, 1 - sigma)
    return T


def to_the_first(n, sigma):
    """Mistakes are always class 0: far from symmetric."""
    T = (1 - sigma) * np.eye(n)
    T[0] += sigma
    return T


class Good(MatrixNoise):
    """Each class has a noise level of its own, drawn around sigma."""

    def matrix(self, n, sigma, rng):
        level = sigma * rng.uniform(0.5, 1.5, size=n)
        level *= sigma * n / level.sum() if sigma else 1
        T = np.repeat(level[None, :] / (n - 1), n, axis=0)
        np.fill_diagonal(T, 1 - level)
        return T


class RawMatrix:
    """An array where a NoiseMatrix is due."""

    def corrupt(self, dataset, sigma, rng):
        T = symmetric(dataset.n_classes, sigma)
        return NoisyLabels(T, NoiseMatrix(T).draw_labels(dataset.y, rng))


class LabelsOnly:
    """Noisy labels, and no matrix."""

    def corrupt(self, dataset, sigma, rng):
        return NoiseMatrix(symmetric(dataset.n_classes, sigma)).draw_labels(dataset.y, rng)


class RowStochastic(MatrixNoise):
    """The matrix the other way round."""

    def matrix(self, n, sigma, rng):
        return to_the_first(n, sigma).T


class OneClassMore:
    """A matrix for a class that is not there."""

    def corrupt(self, dataset, sigma, rng):
        noise = NoiseMatrix(symmetric(dataset.n_classes + 1, sigma))
        return NoisyLabels(noise, dataset.y)


class NumbersFromOne(MatrixNoise):
    """Labels 1..n."""

    def matrix(self, n, sigma, rng):
        return symmetric(n, sigma)

    def corrupt(self, dataset, sigma, rng):
        noise, y = super().corrupt(dataset, sigma, rng)
        return NoisyLabels(noise, y + 1)


class Floats(NumbersFromOne):
    """Labels that are no integers."""

    def corrupt(self, dataset, sigma, rng):
        noise, y = super().corrupt(dataset, sigma, rng)
        return NoisyLabels(noise, (y - 1).astype(float))


class DrawsTransposed:
    """Labels drawn from rows of T."""

    def corrupt(self, dataset, sigma, rng):
        noise = NoiseMatrix(to_the_first(dataset.n_classes, sigma))
        rows = noise.matrix / noise.matrix.sum(axis=1, keepdims=True)
        y = np.array([rng.choice(dataset.n_classes, p=rows[label]) for label in dataset.y])
        return NoisyLabels(noise, y)


class TwiceSigma(MatrixNoise):
    """Sigma off the diagonal in two places."""

    def matrix(self, n, sigma, rng):
        return symmetric(n, min(2 * sigma, 0.45))


class AlwaysATenth(MatrixNoise):
    """Does not look at sigma, and does not say so."""

    def matrix(self, n, sigma, rng):
        return symmetric(n, 0.1)


class GlobalGenerator(MatrixNoise):
    """Draws from numpy's global generator."""

    def matrix(self, n, sigma, rng):
        return symmetric(n, sigma)

    def corrupt(self, dataset, sigma, rng):
        return super().corrupt(dataset, sigma, np.random)


class FixedSeed(GlobalGenerator):
    """The same noise for every seed."""

    def corrupt(self, dataset, sigma, rng):
        return MatrixNoise.corrupt(self, dataset, sigma, np.random.default_rng(42))


class FlipsInPlace(MatrixNoise):
    """Overwrites the clean labels."""

    def matrix(self, n, sigma, rng):
        return symmetric(n, sigma)

    def corrupt(self, dataset, sigma, rng):
        noise, y = super().corrupt(dataset, sigma, rng)
        dataset.y[:] = y
        return NoisyLabels(noise, dataset.y)


class FlipsUnderneath(FlipsInPlace):
    """Overwrites the array that the read-only labels are a view of."""

    def corrupt(self, dataset, sigma, rng):
        noise, y = MatrixNoise.corrupt(self, dataset, sigma, rng)
        dataset.y.base[:] = y
        return NoisyLabels(noise, y)


class FailsAtLowLevels(Good):
    """Of the levels that are checked it takes 0 and 0.3, and a run has 0.1."""

    def corrupt(self, dataset, sigma, rng):
        return [][0] if 0 < sigma < 0.2 else super().corrupt(dataset, sigma, rng)


class ForgetsMatrix(MatrixNoise):
    """Without matrix."""


class GoodForEach(InstanceNoise):
    """Every other example is wrong twice as often."""

    def probabilities(self, dataset, sigma, rng):
        n, y = dataset.n_classes, dataset.y
        level = 2 * sigma * (rng.permutation(len(y)) % 2)
        P = np.repeat(level[:, None] / (n - 1), n, axis=1)
        P[np.arange(len(y)), y] = 1 - level
        return P


class SumsToTwo(GoodForEach):
    """Probabilities that are not distributions."""

    def probabilities(self, dataset, sigma, rng):
        return super().probabilities(dataset, sigma, rng) * (1 + dataset.y % 2)[:, None]

    def corrupt(self, dataset, sigma, rng):
        return GoodForEach().corrupt(dataset, sigma, rng)


class AnotherAverage(GoodForEach):
    """A matrix that is not the average of its probabilities."""

    def corrupt(self, dataset, sigma, rng):
        noise = NoiseMatrix(symmetric(dataset.n_classes, sigma / 2))
        return NoisyLabels(noise, noise.draw_labels(dataset.y, rng), class_conditional=False)


class SaysItIsClassConditional(GoodForEach):
    """Noise that depends on the example, and does not say so."""

    def corrupt(self, dataset, sigma, rng):
        return replace(super().corrupt(dataset, sigma, rng), class_conditional=True)


class DrawsFromTheAverage(GoodForEach):
    """Labels that have nothing to do with its probabilities."""

    def corrupt(self, dataset, sigma, rng):
        noise = super().corrupt(dataset, sigma, rng).noise_matrix
        return NoisyLabels(noise, noise.draw_labels(dataset.y, rng), class_conditional=False)


GOOD = [Good, GoodForEach]


class SilencesNumpy(Good):
    """Silences warnings of numpy for everybody."""

    def matrix(self, n, sigma, rng):
        np.seterr(all="ignore")
        return super().matrix(n, sigma, rng)


class PatchesNumpy(Good):
    """Takes the place of a function of numpy."""

    def matrix(self, n, sigma, rng):
        argmax = np.argmax
        np.argmax = lambda *given, **named: argmax(*given, **named)
        return super().matrix(n, sigma, rng)


BROKEN = {
    "state": {
        r"after its use, numpy\.geterr\(\) .* To fix it: pass settings as": SilencesNumpy,
        r"numpy\.argmax was replaced": PatchesNumpy,
    },
    "probabilities": {
        r"with sums from 1 to 2": SumsToTwo,
        r"is not its matrix": AnotherAverage,
        r"class_conditional is True": SaysItIsClassConditional,
        r"do not follow its probabilities": DrawsFromTheAverage,
    },
    "trial": {
        r"it raised IndexError: list index out of range .*noise_models\.py": FailsAtLowLevels,
        r"abstract class ForgetsMatrix with.* abstract method '?matrix": ForgetsMatrix,
    },
    "noise_matrix": {
        r"noise_matrix is array\(.*, a ndarray": RawMatrix,
        r"corrupt returned array\(\[": LabelsOnly,
        r"column 0 sums to 1\.\d+, not 1 .*transpose it": RowStochastic,
        r"noise_matrix is 3 x 3 for 2 classes": OneClassMore,
    },
    "labels": {
        r"lie in 1\.\.2 for 2 classes": NumbersFromOne,
        r"type float64": Floats,
    },
    "labels_follow_the_matrix": {
        r"of 1500 examples of class 0, 0\.\d+ were labeled \d, but T\[\d, 0\] is": DrawsTransposed
    },
    "sigma": {
        r"its T expects 0\.200 of the labels wrong at sigma=0\.1": TwiceSigma,
        r"its T expects 0\.100 of the labels wrong at sigma=0,": AlwaysATenth,
    },
    "seeded": {
        r"0\.\d+ of the labels differ": GlobalGenerator,
        r"seeds 0 and 1 give the same 3000 labels": FixedSeed,
    },
    "inputs_unchanged": {
        r"assignment destination is read-only": FlipsInPlace,
        r"\d{3} entries of dataset\.y changed": FlipsUnderneath,
    },
}
