"""How often equal methods get a verdict, and how often intervals cover the truth.

    python benchmarks/false_verdicts.py [--seed 1]
    python benchmarks/false_verdicts.py --data-dir DIR

A population of three classes is known. Each repetition draws a sample, corrupts its labels with a
fixed T, and splits it at random several times, as a cell does. Six methods are linear discriminant
analysis of noisy labels, corrected by T^-1, with classes weighted by their corrected frequencies.
Each sees two features that all share and three of its own, which have the same distribution for
all: the methods are different and exactly equal in expectation. Their H-mean losses are measured
on the clean test part. Their estimates of T, from soft counts over the training part, have errors
that use no test part. The truth is the mean over all repetitions and methods.

Columns: the share of pairs that a plain t test and the corrected one separate at 5%; the share of
tables of six methods in which the rule of the marks leaves one unmarked; the coverage of 95%
intervals of means; and the share of tables of 20 cells in which ``compare`` finds a cell ahead or
behind of a table that was made by an equal method from other samples.

With ``--data-dir`` it measures on vehicle instead how much the mean loss of NCFW over five splits
varies if noisy labels and splits are drawn anew 30 times, with T fixed, and compares
that with the plain and the corrected standard errors.
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from ncbench.core import expected_confusion
from ncbench.learning import posterior
from ncbench.plugin import get_registry
from ncbench.results import Comparison, tidy
from ncbench.results.statistics import mean_interval, overlap
from ncbench.run.record import Data, Record, Trial

T = np.array([[0.80, 0.15, 0.10], [0.10, 0.70, 0.10], [0.10, 0.15, 0.80]])
PRIOR = np.array([0.5, 0.3, 0.2])
SHARED = np.array([[0.0, 0.0], [0.7, 0.0], [0.0, 0.7]])
OWN = np.array([[0.0, 0.0, 0.0], [1.2, 0.0, 0.0], [0.0, 1.2, 0.0]])
METHODS, N, LEVEL = 6, 3, 0.95

# name, training size, test size, repetitions, whether the number is measured on the test part
SITUATIONS = [
    ("file, 70:30", 560, 240, 1000, True),
    ("file, 90:10", 720, 80, 600, True),
    ("synthetic, test = 2 train", 500, 1000, 600, True),
    ("synthetic, test = 20 train", 100, 2000, 600, True),
    ("synthetic, test = 100 train", 100, 10000, 300, True),
    ("T error, 70:30", 560, 240, 1000, False),
    ("T error, 98:2", 784, 16, 600, False),
]


def sample(rng, size):
    """Return features of each method, clean labels and noisy labels."""
    y = rng.choice(N, size, p=PRIOR)
    shared = np.broadcast_to(SHARED[y] + rng.standard_normal((size, 2)), (METHODS, size, 2))
    own = OWN[y] + rng.standard_normal((METHODS, size, 3))
    noisy = (rng.random(size)[:, None] >= np.cumsum(T[:, y].T, axis=1)[:, :-1]).sum(axis=1)
    return np.concatenate([shared, own], axis=2), y, noisy


def trial(X, y, noisy, train, test, on_test):
    """Return the loss of each method, or the error of its estimate of T."""
    X_train, hot = X[:, train], np.eye(N)[noisy[train]]
    means = np.einsum("kmd,mc->kcd", X_train, hot) / hot.sum(axis=0)[:, None]
    rest = X_train - means[:, noisy[train]]
    covariance = np.swapaxes(rest, 1, 2) @ rest / len(train)
    weights = np.linalg.solve(covariance, np.swapaxes(means, 1, 2))
    bias = np.log(hot.mean(axis=0)) - 0.5 * np.einsum("kcd,kdc->kc", means, weights)

    def clean_posterior(features):
        score = features @ weights + bias[:, None]
        score = np.exp(score - score.max(axis=2, keepdims=True))
        return score / score.sum(axis=2, keepdims=True) @ np.linalg.inv(T).T

    if not on_test:
        soft = np.maximum(clean_posterior(X_train), 0)
        joint = np.einsum("mi,kmj->kij", hot, soft / soft.sum(axis=2, keepdims=True))
        return np.abs(joint / joint.sum(axis=1, keepdims=True) - T).mean(axis=(1, 2))
    prior = np.maximum(np.linalg.inv(T) @ hot.mean(axis=0), 0.01)
    predicted = (clean_posterior(X[:, test]) / prior).argmax(axis=2)
    hits = np.eye(N)[y[test]]
    recall = ((predicted == y[test])[:, :, None] * hits).sum(axis=1) / hits.sum(axis=0)
    return 1 - N / (1 / np.maximum(recall, 1e-9)).sum(axis=1)


def simulated(rng, train_size, test_size, repetitions, trials, on_test):
    """Return an array of repetitions x methods x trials."""
    values = np.empty((repetitions, METHODS, trials))
    for each in values:
        drawn = sample(rng, train_size + test_size)
        for k in range(trials):
            order = rng.permutation(train_size + test_size)
            each[:, k] = trial(*drawn, order[:train_size], order[train_size:], on_test)
    return values


def outside(values, truth, ratio, on_test, level=LEVEL):
    """Whether the interval of a mean excludes the truth."""
    found = mean_interval(values - truth, level, ratio, on_test)
    return not found.low <= 0 <= found.high


def record(config, losses, sizes):
    """Return the record of a cell with these losses."""
    half = [[0.5, 0.0], [0.0, 0.5]]
    trials = [Trial(k, {"made_up": x}, half, half, {}, **sizes) for k, x in enumerate(losses)]
    about = {"dataset": Data("made_up", ["a", "b"], 100), "noise_matrix": None, "seconds": 0.0}
    return Record(id="", status="done", config=config, trials=trials, **about)


def compared(values, sizes):
    """Return the share of tables with a cell ahead or behind: one method beside another."""
    named = {kind: {"name": "made_up"} for kind in ("measure", "dataset", "algo")}
    tables = []
    for cells in np.split(values[: len(values) // 20 * 20], len(values) // 20):
        for ours, theirs in ((0, 1), (2, 3), (4, 5)):
            records = [
                record({**named, "sigma": k / 20}, losses, sizes)
                for k, losses in enumerate(cells[:, ours])
            ]
            # The published table is from other samples: those of the next cell.
            other = np.roll(cells[:, theirs], 1, axis=0)
            error = other.std(axis=1, ddof=1) / np.sqrt(other.shape[1])
            names = dict.fromkeys(named, "made_up")
            table = pd.DataFrame(
                {**names, "sigma": np.arange(20) / 20, "mean": other.mean(axis=1), "sem": error}
            )
            verdicts = Comparison.of(tidy(records), table).cells["verdict"]
            tables.append(verdicts.isin(["ahead", "behind"]).any())
    return np.mean(tables)


def redrawn(data_dir, seed):
    """Print the spread of means over draws of the noise, in standard errors."""
    registry = get_registry()
    data = registry.build("dataset", "vehicle", data_dir=data_dir)
    for sigma in (0.2, 0.4):
        rng = np.random.default_rng([seed, 7, int(10 * sigma)])
        noise = registry.build("noise", "random").corrupt(data, sigma, rng).noise_matrix
        losses = np.empty((30, 5))
        for draw, trials in enumerate(losses):
            uniform = rng.random(len(data.y))[:, None]
            noisy = (uniform >= np.cumsum(noise.matrix[:, data.y].T, axis=1)[:, :-1]).sum(axis=1)
            for k in range(5):
                train, test = train_test_split(
                    np.arange(len(data.y)), test_size=0.3, random_state=5 * draw + k
                )
                cpe = registry.build("cpe", "logistic", C=1.0).fit(data.X[train], noisy[train])
                algo = registry.build("algo", "ncfw", measure="q_mean", max_iter=100)
                eta, eta_test = (
                    noise.correct_posterior(posterior(cpe, data.X[part], noise.n))
                    for part in (train, test)
                )
                rule = algo.fit_mixture(eta, noisy[train], noise)
                C = expected_confusion(data.y[test], rule.distribution(eta_test))
                trials[k] = registry.build("measure", "q_mean")(C)
        spread, variance = losses.mean(axis=1).std(ddof=1), losses.var(axis=1, ddof=1).mean()
        plain, corrected = np.sqrt(variance / 5), np.sqrt(variance * (1 / 5 + overlap(3 / 7)))
        print(
            f"vehicle sigma={sigma}: spread {spread:.4f}, {spread / plain:.1f} plain and "
            f"{spread / corrected:.1f} corrected standard errors"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data-dir")
    args = parser.parse_args()
    if args.data_dir:
        redrawn(args.data_dir, args.seed)
        return
    pairs = list(combinations(range(METHODS), 2))
    of_a_pair = 1 - (1 - LEVEL) / len(pairs)
    for name, train_size, test_size, repetitions, on_test in SITUATIONS:
        rng = np.random.default_rng([args.seed, train_size, test_size, on_test])
        ratio = test_size / train_size
        every = simulated(rng, train_size, test_size, repetitions, 10, on_test)
        truth = every.mean()
        for trials in (5, 10):
            values = every[:, :, :trials]
            difference = np.array([values[:, a] - values[:, b] for a, b in pairs])
            flat = difference.reshape(-1, trials)
            plain = np.mean([outside(row, 0, None, on_test) for row in flat])
            false = np.mean([outside(row, 0, ratio, on_test) for row in flat])
            best = values.mean(axis=2).argmin(axis=1)
            unmarked = np.mean(
                [
                    any(outside(m - own[b], 0, ratio, on_test, of_a_pair) for m in own)
                    for own, b in zip(values, best, strict=True)
                ]
            )
            means = values.reshape(-1, trials)
            covered = 1 - np.mean([outside(row, truth, ratio, on_test) for row in means])
            row = f"{name:28} {trials:2} trials: plain {plain:.1%}, pairs {false:.1%}, six methods "
            row += f"{unmarked:.1%}, coverage {covered:.1%}"
            if on_test:
                sizes = {"train_size": train_size, "test_size": test_size}
                row += f", compare {compared(values, sizes):.1%}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
