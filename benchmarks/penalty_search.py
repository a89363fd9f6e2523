"""Time and accuracy of choosing the penalty of a linear softmax model on a part of covtype.

    python benchmarks/penalty_search.py --data-dir DIR [--sizes 20000,50000,all] [--json]

Uses the paper's noise matrix and the training part of each split. For each loss, noise level and
search size, prints the CPU seconds of the whole fit, the penalty times the sample size (of
``logistic``, which is not told T, the chosen 1 / C), and the log loss and error of the model on the
test part, by clean labels (of ``logistic``, by noisy ones).
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from ncbench.learning import CrossEntropy, ForwardCrossEntropy, deal_folds, fit_penalty_path
from ncbench.plugin import get_registry

LogisticPath = type(get_registry().build("cpe", "logistic")[-1])

LOSSES = {
    "forward": ForwardCrossEntropy,
    "backward": lambda noise, y: CrossEntropy.backward(noise, y, bounded=True),
}


class Softmax:
    """A linear softmax model whose loss is told T."""

    def __init__(self, name, size, noise):
        self.loss, self.size, self.noise = LOSSES[name], size, noise

    def fit(self, X, y):
        path = fit_penalty_path(
            X, y, self.noise, self.loss, search_size=self.size or len(y), random_state=0
        )
        self.penalty_m_, self.model = path.penalty * len(y), path.model
        return self

    def predict_proba(self, X):
        return self.model.posterior(X)


class Logistic(LogisticPath):
    """The learner ``logistic``, with C chosen on a part of the sample."""

    def __init__(self, size):
        super().__init__()
        self.size = size

    def fit(self, X, y):
        few = deal_folds(y, len(y) // (self.size or len(y)), np.arange(len(y))) == 0
        grid = np.logspace(-4, 4, self.strengths)
        # The same weight of the penalty relative to the likelihood of the whole sample.
        scores = self._cross_validate(X[few], y[few], grid * len(y) / few.sum())
        self.C = float(grid[scores.mean(axis=0).argmax()])
        self.penalty_m_ = 1 / self.C
        return super().fit(X, y)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--losses", default="forward,backward,logistic")
    parser.add_argument("--sigmas", default="0.2,0.4")
    parser.add_argument("--sizes", default="20000,50000,all")
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    data = get_registry().build("dataset", "covtype", data_dir=args.data_dir)
    rows = []
    every = [args.sigmas.split(","), range(args.splits), args.losses.split(",")]
    for sigma, split, name in itertools.product(*every):
        noisy = data.recorded_noise[float(sigma)]
        train, test = train_test_split(np.arange(len(data.y)), test_size=0.3, random_state=split)
        scaler = StandardScaler().fit(data.X[train])
        X, X_test = scaler.transform(data.X[train]), scaler.transform(data.X[test])
        labels = (noisy.y if name == "logistic" else data.y)[test]
        for size in args.sizes.split(","):
            limit = None if size == "all" else int(size)
            told = Softmax(name, limit, noisy.noise_matrix) if name in LOSSES else Logistic(limit)
            started = time.process_time()
            model = told.fit(X, noisy.y[train])
            seconds = time.process_time() - started
            g = model.predict_proba(X_test)
            row = {
                **{"sigma": sigma, "split": split, "loss": name, "size": size, "seconds": seconds},
                "penalty_m": model.penalty_m_,
                "log_loss": -float(np.log(g[np.arange(len(test)), labels]).mean()),
                "error": float(np.mean(g.argmax(axis=1) != labels)),
            }
            rows.append(row)
            if not args.json:
                texts = [
                    f"{v:>10.5g}" if isinstance(v, float) else f"{v!s:>9}" for v in row.values()
                ]
                print(" ".join(texts), flush=True)
    if args.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
