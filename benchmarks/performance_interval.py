"""How often the interval of ``estimate_performance`` has the loss on clean labels.

    python benchmarks/performance_interval.py --repetitions 200

First with known T, on three overlapping Gaussian classes, 300 held-out labels of which 20% are
wrong: the loss is that of the distribution. Then with known symmetric noise and two to ten classes,
also rare ones, of which a classifier finds given shares. Then with T estimated from the training
half, on four data sets with 22% wrong labels, ``--data-repetitions`` draws each: the loss is that
of the clean labels of the same held-out half.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from doubtful_data import labeled
from sklearn.base import BaseEstimator, ClassifierMixin
from threadpoolctl import threadpool_limits

import ncbench
from ncbench import (
    NoiseCorrectedClassifier,
    NoiseMatrix,
    estimate_noise,
    estimate_performance,
    load,
)
from ncbench.data import random_matrix
from ncbench.noise_estimation import HeldOut
from ncbench.types import Array, Labels

CENTERS = 1.5 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
MEASURES = ("g_mean", "h_mean", "q_mean", "micro_f1", "zero_one")
RARE = 0.75 ** np.arange(10)
# Class frequencies, recalls before wrong guesses that hit by chance, share of wrong labels, labels.
PROBLEMS = {
    "two classes": ([1, 1], [0.95] * 2, 0.25, 300),
    "three classes": ([1] * 3, [0.95] * 3, 0.25, 300),
    "ten classes": ([1] * 10, [0.95] * 10, 0.25, 1200),
    "ten classes, more labels": ([1] * 10, [0.95] * 10, 0.25, 5000),
    "ten classes, some rare": (RARE, [0.9] * 10, 0.22, 2000),
    "four classes, a rare one": ([12, 5, 2, 1], [0.95, 0.9, 0.8, 0.7], 0.2, 500),
    "no mistake": ([1] * 5, [1.0] * 5, 0.2, 600),
    "many mistakes": ([1] * 5, [0.9, 0.7, 0.5, 0.3, 0.2], 0.3, 600),
}


class Nearest(ClassifierMixin, BaseEstimator):
    """Predicts the class of the nearest center."""

    def __init__(self) -> None:
        self.classes_ = np.arange(3)

    def fit(self, X: Array, y: Labels) -> Nearest:
        return self

    def predict(self, X: Array) -> Labels:
        return np.asarray(((X[:, None] - CENTERS) ** 2).sum(axis=2).argmin(axis=1))


def draw(m: int, rng: np.random.Generator) -> tuple[Array, Labels]:
    y = rng.choice(3, size=m, p=[0.5, 0.3, 0.2])
    return CENTERS[y] + 0.7 * rng.normal(size=(m, 2)), y


def known_noise(repetitions: int) -> None:
    X, y = draw(400_000, np.random.default_rng(0))
    truth = {name: getattr(ncbench, name)(y, Nearest().predict(X)) for name in MEASURES}
    covered = dict.fromkeys(MEASURES, 0)
    for k in range(repetitions):
        rng = np.random.default_rng([k, 2])
        noise = NoiseMatrix(random_matrix(3, 0.2, rng))
        X, y = draw(300, rng)
        noisy = noise.draw_labels(y, rng)
        for name in MEASURES:
            found = estimate_performance(Nearest(), X, noisy, noise, name)
            covered[name] += found.low <= truth[name] <= found.high
    for name, count in covered.items():
        print(f"known T, {name}: covered in {count / repetitions:.1%} of {repetitions}", flush=True)


def known_recalls(name: str, repetitions: int) -> None:
    weights, found, wrong, m = PROBLEMS[name]
    n, prior, rng = len(found), np.divide(weights, np.sum(weights)), np.random.default_rng(0)
    noise = NoiseMatrix(np.full((n, n), wrong / (n - 1)) + (1 - wrong * n / (n - 1)) * np.eye(n))
    C = prior[:, None] * (np.diag(found) + (1 - np.array(found))[:, None] / n)
    measures = {name: load("measure", name)() for name in MEASURES}
    covered, errors = dict.fromkeys(MEASURES, 0), dict.fromkeys(MEASURES, 0.0)
    for _ in range(repetitions):
        y = rng.choice(n, size=m, p=prior)
        guess = np.where(rng.random(m) < np.array(found)[y], y, rng.integers(n, size=m))
        held_out = HeldOut(noise, noise.draw_labels(y, rng), np.arange(m), np.eye(n)[guess])
        for which, (loss, half) in held_out.estimates(measures).items():
            covered[which] += abs(loss - measures[which](C)) <= half
            errors[which] += (loss - measures[which](C)) / repetitions
    each = ", ".join(f"{k} {v / repetitions:.0%} ({errors[k]:+.3f})" for k, v in covered.items())
    print(f"known T, {name}: covered (estimate minus truth): {each}", flush=True)


def estimated_noise(name: str, repetitions: int) -> None:
    covered, errors, widths, wide = 0, [], [], 0
    for seed in range(repetitions):
        data = labeled(name, seed)
        half = np.random.default_rng(seed).permutation(len(data.y)) % 2 == 0
        noise = estimate_noise(data.X[half], data.y[half], random_state=seed)
        model = NoiseCorrectedClassifier("g_mean", noise, "logistic", random_state=seed)
        model.fit(data.X[half], data.y[half])
        found = estimate_performance(model, data.X[~half], data.y[~half], noise)
        truth = ncbench.g_mean(data.truth[~half], model.predict(data.X[~half]))
        covered += found.low <= truth <= found.high
        errors.append(found.loss - truth)
        widths.append(found.high - found.low)
        wide += found.too_wide
    print(
        f"estimated T, {name}, g_mean: covered in {covered} of {repetitions}; estimate minus truth "
        f"{np.mean(errors):+.3f} on average, {np.abs(errors).mean():.3f} in size; width "
        f"{np.mean(widths):.3f}; called too wide in {wide}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--data-repetitions", type=int, default=20)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        known_noise(args.repetitions)
        for name in PROBLEMS:
            known_recalls(name, args.repetitions)
        for name in ("wine", "breast_cancer", "vehicle", "digits"):
            estimated_noise(name, args.data_repetitions)


if __name__ == "__main__":
    main()
