"""The strength of the prior of Dawid and Skene's method that the labels themselves prefer.

    python benchmarks/crowd_strength.py --data-dir DIR

For each strength, the share of examples whose most probable label is right, and the logarithm of
the probability of labels that were held out, a fifth at a time: of a label by a person for an
example, by the other labels of both. Labels of music_genre and labelme were given by people.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from ncbench.data import Annotations
from ncbench.noise_estimation import dawid_skene
from ncbench.types import Labels

STRENGTHS = (1, 3, 5, 10, 20, 40)
FOLDS = 5


def read(path: Path) -> tuple[Annotations, Labels]:
    """Return the labels of the training part, and the true ones."""
    data = np.load(path, allow_pickle=False)
    row, who, label = data["annotations"].T
    training = np.flatnonzero(~data["test"].astype(bool))
    names = tuple(map(str, range(int(who.max()) + 1)))
    return Annotations(np.searchsorted(training, row), who, label, names), data["y"][training]


def part(given: Annotations, kept: Labels) -> Annotations:
    """Return some of the labels."""
    return Annotations(given.rows[kept], given.annotators[kept], given.labels[kept], given.names)


def held_out(given: Annotations, m: int, n: int, strength: float) -> float:
    """Return the log probability of all labels, each by a fit that has not seen it."""
    fold, total = np.random.default_rng(1).permutation(len(given.rows)) % FOLDS, 0.0
    for k in range(FOLDS):
        crowd = dawid_skene(part(given, np.flatnonzero(fold != k)), m, n, strength)
        new = part(given, np.flatnonzero(fold == k))
        likely = crowd.posterior[new.rows] * crowd.matrices[new.annotators, new.labels]
        total += float(np.log(likely.sum(axis=1)).sum())
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    args = parser.parse_args()
    print("data set | strength | right | held-out log likelihood")
    with threadpool_limits(1):
        for name in ("music_genre", "labelme"):
            given, truth = read(args.data_dir / f"{name}.npz")
            m, n = len(truth), int(truth.max()) + 1
            votes = np.zeros((m, n))
            np.add.at(votes, (given.rows, given.labels), 1.0)
            labeled, ties = votes.any(axis=1), np.random.default_rng(0).uniform(0, 0.5, (20, m, n))
            majority = [(votes + tie).argmax(axis=1) == truth for tie in ties]
            print(f"{name} | majority | {np.mean(majority, axis=0)[labeled].mean():.3f} |")
            for strength in STRENGTHS:
                right = dawid_skene(given, m, n, strength).labels == truth
                found = held_out(given, m, n, strength)
                print(
                    f"{name} | {strength} | {right[labeled].mean():.3f} | {found:.1f}", flush=True
                )


if __name__ == "__main__":
    main()
