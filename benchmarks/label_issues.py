"""Rank wrong labels: ``find_label_issues`` and cleanlab with the same probabilities.

    python benchmarks/label_issues.py --seeds 5
    python benchmarks/label_issues.py --kinds pair_flip one_way --datasets segment vowel splice \
        dermatology car

prints average precision, mean over seeds, and the standard error of the paired difference from
the better of cleanlab's two scores. Both get the same out-of-fold probabilities: of a learner, or
by default of a linear model and of trees, whose mean cleanlab gets. The last columns are shares of
wrong labels, found and promised, among as many labels as are wrong and among the first 20. The
score was chosen on wine, iris, breast_cancer, digits, vehicle, satimage, pageblocks and abalone;
nothing was chosen on the sets of the second command. Needs cleanlab.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import product

import numpy as np
from cleanlab.rank import get_label_quality_scores
from doubtful_data import NAMES, labeled
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

from ncbench import estimate_noise, find_label_issues
from ncbench.learning import cpe_learner, held_out, out_of_fold_posterior
from ncbench.noise_estimation import LEARNERS


def compare(name: str, learner: str, seed: int, kind: str) -> dict[str, float]:
    data = labeled(name, seed, kind)
    noise = estimate_noise(data.X, data.y, random_state=seed)
    wrong = data.y != data.truth
    named = None if learner == "default" else learner
    ours = find_label_issues(data.X, data.y, noise, named, random_state=seed)
    learned = data.X, data.y, noise.n, seed
    if named is None:
        noisy = np.mean([held_out(k, *learned).probabilities for k in LEARNERS], axis=0)
    else:
        noisy = out_of_fold_posterior(cpe_learner(named, seed), *learned, noise)
    noisy = np.clip(noisy, 1e-9, None)
    noisy /= noisy.sum(axis=1, keepdims=True)
    found = {
        method: average_precision_score(
            wrong, -get_label_quality_scores(data.y, noisy, method=method)
        )
        for method in ("self_confidence", "normalized_margin")
    }
    found["ncbench"] = average_precision_score(wrong, ours["p_wrong"])
    found["wrong"], found["expected"] = wrong.mean(), ours["p_wrong"].mean()
    for place, depth in {"": wrong.sum(), "_20": 20}.items():
        top = ours["rank"] <= depth
        found[f"found{place}"] = wrong[top].mean()
        found[f"promised{place}"] = ours["p_wrong"][top].mean()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--datasets", nargs="+", default=NAMES)
    parser.add_argument("--kinds", nargs="+", default=["random"], help="of noise, or one_way")
    parser.add_argument("--learners", nargs="+", default=["default"])
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    seeds = range(args.first, args.first + args.seeds)
    print(
        "data set, noise, learner | self_confidence | normalized_margin | ncbench | difference "
        "(se) | wrong | expected | found | promised | of the first 20: found | promised"
    )
    for name, kind, learner in product(args.datasets, args.kinds, args.learners):
        with threadpool_limits(1):
            rows = [compare(name, learner, seed, kind) for seed in seeds]
        mean = {key: np.mean([row[key] for row in rows]) for key in rows[0]}
        best = max(("self_confidence", "normalized_margin"), key=mean.__getitem__)
        gain = np.array([row["ncbench"] - row[best] for row in rows])
        error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else np.nan
        print(
            f"{name}, {kind}, {learner} | {mean['self_confidence']:.3f} | "
            f"{mean['normalized_margin']:.3f} | {mean['ncbench']:.3f} | {gain.mean():+.3f} "
            f"({error:.3f}) | {mean['wrong']:.2f} | {mean['expected']:.2f} | "
            f"{mean['found']:.2f} | {mean['promised']:.2f} | {mean['found_20']:.2f} | "
            f"{mean['promised_20']:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
