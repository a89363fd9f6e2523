"""CPE learners compared on noise that nothing was chosen on.

    python benchmarks/fresh_noise.py --data-dir DIR [--seeds 1,2] [--learners forward]

The paper's four small data sets, noise drawn anew by its process, splits other than the paper's.
For each data set and measure: the test loss of NCFW (1000 steps) or NCBS with ``logistic``, and
for each other learner its loss minus that, averaged over sigma 0.1 to 0.4, seeds and splits, with
the standard error over sigmas and seeds. Corrected posteriors are computed once for each learner
and split (``sample_split=none``).
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from ncbench import seeds
from ncbench.confusion import expected_confusion
from ncbench.cpe import fit_cpe, posterior
from ncbench.registry import get_registry

SIGMAS = (0.1, 0.2, 0.3, 0.4)
MEASURES = ("h_mean", "q_mean", "g_mean", "micro_f1")
KEYS = ["dataset", "measure", "sigma", "seed"]


def losses(data, noisy, train, test, learner):
    """Yield the test loss of each measure, with one learner on one split."""
    registry = get_registry()
    X, y, noise = data.X[train], noisy.y[train], noisy.noise_matrix
    cpe = fit_cpe(registry.build("cpe", learner, random_state=0), X, y, noise)
    eta, eta_test = (
        noise.correct_posterior(posterior(cpe, part, noise.n)) for part in (X, data.X[test])
    )
    for measure in MEASURES:
        psi = registry.build("measure", measure)
        if psi.family == "ratio_of_linear":
            algorithm = registry.build("algo", "ncbs", measure=psi)
        else:
            algorithm = registry.build("algo", "ncfw", measure=psi, max_iter=1000)
        predicted = algorithm._mix(eta, y, noise).distribution(eta_test)
        yield measure, psi(expected_confusion(data.y[test], predicted))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--datasets", default="abalone,pageblocks,satimage,vehicle")
    parser.add_argument("--learners", default="forward,power_logistic")
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--splits", type=int, default=5)
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    learners = ["logistic", *args.learners.split(",")]
    registry = get_registry()
    rows = []
    for name in args.datasets.split(","):
        data = registry.build("dataset", name, data_dir=args.data_dir)
        for sigma in SIGMAS:
            for seed in map(int, args.seeds.split(",")):
                rng = seeds.stream(seed, "noise", name, "random", sigma)
                noisy = registry.build("noise", "random").corrupt(data, sigma, rng)
                for trial in range(args.splits):
                    train, test = train_test_split(
                        np.arange(len(data.y)),
                        test_size=0.3,
                        random_state=seeds.split_random_state(seed, trial),
                    )
                    for learner in learners:
                        rows += [
                            (name, measure, sigma, seed, trial, learner, loss)
                            for measure, loss in losses(data, noisy, train, test, learner)
                        ]
    frame = pd.DataFrame(rows, columns=[*KEYS, "trial", "learner", "loss"])
    cells = frame.pivot_table(index=KEYS, columns="learner", values="loss")
    table = cells[["logistic"]].groupby(["dataset", "measure"]).mean().round(3)
    for learner in learners[1:]:
        found = (cells[learner] - cells["logistic"]).groupby(["dataset", "measure"])
        table[learner] = [
            f"{mean:+.3f} ({sem:.3f})" for mean, sem in zip(found.mean(), found.sem(), strict=True)
        ]
    print(table.to_string())


if __name__ == "__main__":
    main()
