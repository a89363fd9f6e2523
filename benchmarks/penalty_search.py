"""Time and accuracy of choosing the penalty of a linear softmax model on a part of covtype.

    python benchmarks/penalty_search.py --data-dir DIR [--sizes 20000,50000,all] [--json]

Uses the paper's noise matrix and the training part of the first split. For each loss, noise level
and search size, prints the CPU seconds of the whole fit, their ratio to the search on all examples
(if that is one of the sizes), the penalty times the sample size, and the log loss and error of the
model on the clean test part.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from ncbench.learning import CrossEntropy, ForwardCrossEntropy, fit_penalty_path
from ncbench.plugin import get_registry

LOSSES = {
    "forward": ForwardCrossEntropy,
    "backward": lambda noise, y: CrossEntropy.backward(noise, y, bounded=True),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--losses", default="forward,backward")
    parser.add_argument("--sigmas", default="0.2,0.4")
    parser.add_argument("--sizes", default="20000,50000,all")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    data = get_registry().build("dataset", "covtype", data_dir=args.data_dir)
    train, test = train_test_split(np.arange(len(data.y)), test_size=0.3, random_state=0)
    scaler = StandardScaler().fit(data.X[train])
    X, X_test = scaler.transform(data.X[train]), scaler.transform(data.X[test])
    rows = []
    for sigma in map(float, args.sigmas.split(",")):
        noisy = data.recorded_noise[sigma]
        for name in args.losses.split(","):
            found = []
            for size in args.sizes.split(","):
                limit = len(train) if size == "all" else int(size)
                started = time.process_time()
                path = fit_penalty_path(
                    *(X, noisy.y[train], noisy.noise_matrix, LOSSES[name]),
                    search_size=limit,
                    random_state=0,
                )
                seconds = time.process_time() - started
                log_g = path.model.log_posterior(X_test)
                found.append(
                    {
                        "sigma": sigma,
                        "loss": name,
                        "size": size,
                        "seconds": seconds,
                        "penalty_m": path.penalty * len(train),
                        "log_loss": -float(log_g[np.arange(len(test)), data.y[test]].mean()),
                        "error": float(np.mean(log_g.argmax(axis=1) != data.y[test])),
                        "converged": path.model.converged,
                    }
                )
                if not args.json:
                    print(
                        " ".join(
                            f"{value:>10.5g}" if isinstance(value, float) else f"{value!s:>9}"
                            for value in found[-1].values()
                        ),
                        flush=True,
                    )
            rows += found
    if args.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
