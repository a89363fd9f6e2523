"""Choose a configuration by the corrected score of noisy labels, or by noisy accuracy.

    python benchmarks/model_selection.py --seeds 20

For each seed, ``GridSearchCV`` compares nine configurations on noisy labels (22% wrong, T known),
by ``scorer("g_mean", T)`` and by accuracy. Prints the G-mean loss of both choices on clean
held-out labels, that of the best of the nine, and the paired difference with its standard error.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from doubtful_data import labeled
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from ncbench import NoiseCorrectedClassifier, g_mean, scorer


def losses(name: str, seed: int) -> tuple[float, float, float]:
    """Return the clean loss of the choices by corrected score and by accuracy, and the best."""
    data = labeled(name, seed)
    assert data.noise is not None
    X = StandardScaler().fit_transform(data.X)
    train, test = train_test_split(
        np.arange(len(data.y)), test_size=0.3, random_state=seed, stratify=data.truth
    )
    search = GridSearchCV(
        NoiseCorrectedClassifier(
            noise_matrix=data.noise, cpe=LogisticRegression(max_iter=500), random_state=seed
        ),
        {"measure": ["zero_one", "h_mean", "g_mean"], "cpe__C": [0.01, 1.0, 100.0]},
        scoring={"corrected": scorer("g_mean", data.noise), "accuracy": "accuracy"},
        refit=False,
        cv=3,
    ).fit(X[train], data.y[train])
    clean = []
    for parameters in search.cv_results_["params"]:
        model = search.estimator.set_params(**parameters).fit(X[train], data.y[train])
        clean.append(g_mean(data.truth[test], model.predict(X[test])))
    corrected, accuracy = (
        int(search.cv_results_[f"mean_test_{score}"].argmax())
        for score in ("corrected", "accuracy")
    )
    return clean[corrected], clean[accuracy], min(clean)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--datasets", nargs="+", default=["wine", "breast_cancer", "vehicle"])
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print("data set | by corrected score | by accuracy | best of nine | difference (se)")
    for name in args.datasets:
        with threadpool_limits(1):
            found = np.array([losses(name, seed) for seed in range(args.seeds)])
        gain = found[:, 0] - found[:, 1]
        error = gain.std(ddof=1) / np.sqrt(len(gain))
        mean = " | ".join(f"{value:.3f}" for value in found.mean(axis=0))
        print(f"{name} | {mean} | {gain.mean():+.3f} ({error:.3f})", flush=True)


if __name__ == "__main__":
    main()
