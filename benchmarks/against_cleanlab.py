"""G-mean on clean held-out labels: ``NoiseCorrectedClassifier`` and cleanlab, default settings.

    python benchmarks/against_cleanlab.py --seeds 10

prints scores, 1 - loss, means over seeds, and paired differences with their standard errors. Each
seed draws noise at 22% and a test part of 30%, whose labels are clean. Needs cleanlab.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from cleanlab.classification import CleanLearning
from doubtful_data import labeled
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from ncbench import NoiseCorrectedClassifier, g_mean


def cleanlab(**parameters: Any) -> Any:
    # On unscaled features, logistic regression does not converge.
    learner = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, **parameters))
    return CleanLearning(learner, seed=0)


def scores(name: str, seed: int) -> list[float]:
    data = labeled(name, seed)
    train, test = train_test_split(
        np.arange(len(data.y)), test_size=0.3, random_state=seed, stratify=data.truth
    )
    models = (
        NoiseCorrectedClassifier("g_mean", random_state=seed),
        cleanlab(),
        cleanlab(class_weight="balanced"),
    )
    return [
        1 - g_mean(data.truth[test], model.fit(data.X[train], data.y[train]).predict(data.X[test]))
        for model in models
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    names = ["wine", "breast_cancer", "digits", "pageblocks"]
    parser.add_argument("--datasets", nargs="+", default=names)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    seeds = range(args.first, args.first + args.seeds)
    print("data set | ncbench | cleanlab | cleanlab, balanced | difference from each (se)")
    for name in args.datasets:
        with threadpool_limits(1):
            found = np.array([scores(name, seed) for seed in seeds])
        ours, plain, balanced = found.mean(axis=0)
        gain = found[:, :1] - found[:, 1:]
        error = gain.std(axis=0, ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else [np.nan] * 2
        pairs = zip(gain.mean(axis=0), error, strict=True)
        differences = ", ".join(f"{mean:+.3f} ({se:.3f})" for mean, se in pairs)
        print(
            f"{name} | {ours:.3f} | {plain:.3f} | {balanced:.3f} | {differences}",
            flush=True,
        )


if __name__ == "__main__":
    main()
