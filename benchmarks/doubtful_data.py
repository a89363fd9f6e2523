"""Data with 22% wrong labels, for comparisons with cleanlab."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

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


def labeled(name: str, seed: int) -> Labeled:
    """Return features, true labels, noisy labels and T; digits and breast cancer imbalanced.

    Labels of music_genre are those of people: one of each song's, drawn by the seed. Of breast
    cancer, 60 malignant cases are kept; of the digit k, a share of 0.75^k.
    """
    rng = stream(seed, "doubtful", name)
    if name in ("vehicle", "pageblocks", "satimage", "music_genre"):
        data: Dataset = load("dataset", name)(data_dir=SHARED)
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
    noise = NoiseMatrix(load("noise", "random")().matrix(len(counts), SIGMA, rng))
    return Labeled(X, truth, noise.draw_labels(truth, rng), noise)
