"""Rank wrong labels: ``find_label_issues`` and cleanlab with the same probabilities.

    python benchmarks/label_issues.py --seeds 5
    python benchmarks/label_issues.py --kinds pair_flip one_way --datasets segment vowel splice \
        dermatology car --learners forward

prints average precision, mean over seeds, and the standard error of the paired difference from
the better of cleanlab's two scores. Both get the same out-of-fold probabilities. The score was
chosen on wine, breast_cancer, digits, vehicle, satimage and pageblocks with symmetric, random,
pair flip and one-way noise; nothing was chosen on the sets of the second command. Needs
cleanlab.
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
from ncbench.learning import cpe_learner, fit_posterior


def compare(name: str, learner: str, seed: int, kind: str) -> dict[str, float]:
    data = labeled(name, seed, kind)
    noise = estimate_noise(data.X, data.y, random_state=seed)
    wrong = data.y != data.truth
    ours = find_label_issues(data.X, data.y, noise, learner, random_state=seed)
    cpe = cpe_learner(learner, seed)
    noisy = fit_posterior(cpe, data.X, data.y, noise.n, "crossfit", seed, noise).posterior
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
    top = ours["rank"] <= wrong.sum()
    found["precision"] = wrong[top].mean()
    found["promised"] = ours["expected_precision"][top].iloc[ours["rank"][top].argmax()]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--datasets", nargs="+", default=NAMES)
    parser.add_argument("--kinds", nargs="+", default=["random"], help="of noise, or one_way")
    parser.add_argument("--learners", nargs="+", default=["forward", "stacked"])
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    seeds = range(args.first, args.first + args.seeds)
    print(
        "data set, noise, learner | self_confidence | normalized_margin | ncbench | difference "
        "(se) | wrong | expected | precision at that depth | promised"
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
            f"{mean['precision']:.2f} | {mean['promised']:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
