"""Several people's labels: ``find_label_issues``, Dawid and Skene, and cleanlab's CROWDLAB.

    python benchmarks/crowd_issues.py --seeds 3
    python benchmarks/crowd_issues.py --datasets music_genre --seeds 1

Ten made-up people of different skill label the rows, three (or two) each; those of music_genre
are people's own. Prints the share of rows whose most probable label is right: by majority vote, by
Dawid and Skene, by CROWDLAB (Goh et al. 2022), which gets out-of-fold probabilities of the same two
learners, fitted to its majority vote, and by ncbench. Then average precision in finding wrong
labels among CROWDLAB's own consensus labels, by its score and by ncbench, the standard error of the
paired difference, and the share of wrong labels among as many as are wrong, found and promised.

The number of rounds was chosen on wine, breast_cancer, vehicle and digits, seeds 100 to 103.
Needs cleanlab.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import product

import numpy as np
import pandas as pd
from cleanlab.multiannotator import get_label_quality_multiannotator, get_majority_vote_label
from doubtful_data import SHARED, UNSEEN
from noise_estimate import read_keel
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

from ncbench import Dataset, find_label_issues, load
from ncbench.core import stream
from ncbench.data import Annotations
from ncbench.learning import held_out
from ncbench.noise_estimation import LEARNERS, dawid_skene
from ncbench.types import Array, Labels

FOLDER_SETS = ("vehicle", "pageblocks", "satimage", "music_genre")
REPORTED = ("pageblocks", "satimage", *UNSEEN)
SETTINGS = {"3": (0.3, 3), "2": (0.4, 2)}
"""Labels of each row: sigma and their number."""


def crowd(name: str, seed: int, setting: str) -> tuple[Array, Labels, Annotations]:
    """Return features, true labels, and what people said of them."""
    if name in FOLDER_SETS:
        data: Dataset = load("dataset", name)(data_dir=SHARED)
    else:
        data = read_keel(name) if name in UNSEEN else load("dataset", name)()
    given = data.annotations
    if given is None:
        sigma, labels = SETTINGS[setting]
        model = load("noise", "annotators_simulated")(labels=labels)
        given = model.corrupt(data, sigma, stream(seed, "crowd", name)).annotations
    rows = np.unique(given.rows)
    return data.X[rows], data.y[rows], given.of(rows)


def probabilities(X: Array, y: Labels, n: int, seed: int) -> Array:
    """Return out-of-fold probabilities of labels, the mean of both learners'."""
    mean = np.mean([held_out(k, X, y, n, seed).probabilities for k in LEARNERS], axis=0)
    mean = np.clip(mean, 1e-9, 1)
    return np.asarray(mean / mean.sum(axis=1, keepdims=True))


def compare(name: str, seed: int, setting: str) -> dict[str, float]:
    X, truth, given = crowd(name, seed, setting)
    m, n = len(truth), int(max(truth.max(), given.labels.max())) + 1
    said = np.full((m, len(given.names)), np.nan)
    said[given.rows, given.annotators] = given.labels
    vote = np.asarray(get_majority_vote_label(said, verbose=False))
    theirs = get_label_quality_multiannotator(
        pd.DataFrame(said), probabilities(X, vote, n, seed), verbose=False
    )["label_quality"]
    consensus = theirs["consensus_label"].to_numpy().astype(np.int64)
    ours = find_label_issues(X, consensus, annotations=said, random_state=seed)
    wrong = consensus != truth
    found = {
        "majority": (vote == truth).mean(),
        "dawid_skene": (dawid_skene(given, m, n).labels == truth).mean(),
        "crowdlab": (~wrong).mean(),
        "ncbench": (ours["likeliest"] == truth).mean(),
        "ap_crowdlab": average_precision_score(wrong, -theirs["consensus_quality_score"]),
        "ap_ncbench": average_precision_score(wrong, ours["p_wrong"]),
    }
    top = ours["rank"] <= wrong.sum()
    return found | {"found": wrong[top].mean(), "promised": ours["p_wrong"][top].mean()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--datasets", nargs="+", default=REPORTED)
    parser.add_argument("--labels", nargs="+", default=[*SETTINGS], choices=[*SETTINGS])
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    seeds = range(args.first, args.first + args.seeds)
    print(
        "data set, labels | right: majority | dawid_skene | crowdlab | ncbench | average "
        "precision: crowdlab | ncbench | difference (se) | found | promised"
    )
    for name, setting in product(args.datasets, args.labels):
        if name == "music_genre" and setting != args.labels[0]:
            continue
        with threadpool_limits(1):
            rows = [compare(name, seed, setting) for seed in seeds]
        mean = {key: np.mean([row[key] for row in rows]) for key in rows[0]}
        gain = np.array([row["ap_ncbench"] - row["ap_crowdlab"] for row in rows])
        error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else np.nan
        setting = "people's" if name == "music_genre" else setting
        print(
            f"{name}, {setting} | {mean['majority']:.3f} | {mean['dawid_skene']:.3f} | "
            f"{mean['crowdlab']:.3f} | {mean['ncbench']:.3f} | {mean['ap_crowdlab']:.3f} | "
            f"{mean['ap_ncbench']:.3f} | {gain.mean():+.3f} ({error:.3f}) | {mean['found']:.2f} | "
            f"{mean['promised']:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
