"""Whether the learner or the draw of T makes FW and NCFW on covtype differ from the paper.

    python benchmarks/covtype_differences.py --data-dir DIR [--draws 6] [--sigma 0.2]

40,000 examples each for training and test, 100 steps. Prints the test losses of FW and NCFW with
the recorded noise matrix and variants of the CPE learner, and with `logistic`'s model for other
draws of the noise matrix by the paper's process.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

from ncbench.core import NoiseMatrix, expected_confusion
from ncbench.learning import posterior
from ncbench.plugin import get_registry

# Features, C, tolerance of the gradient, Newton steps
VARIANTS = {
    "as here": (StandardScaler(), 0.4, 1e-3, 100),
    "tolerance 1e-6": (StandardScaler(), 0.4, 1e-6, 100),
    "2 Newton steps": (StandardScaler(), 0.4, 1e-3, 2),
    "from 0 to 1": (MinMaxScaler(), 1e4, 1e-3, 100),
    "from 0 to 1, C = 0.01": (MinMaxScaler(), 0.01, 1e-3, 100),
    "raw, 20 Newton steps": (FunctionTransformer(), 1.0, 1e-3, 20),
}

ALGORITHMS = {
    **{
        f"{algo} {measure}": (algo, measure)
        for algo in ("fw", "ncfw")
        for measure in ("h_mean", "q_mean", "g_mean")
    },
    **{f"{algo} micro_f1": (algo, "micro_f1") for algo in ("bs", "ncbs")},
}


def losses(data, train, test, y, noise, features, C, tol, steps):
    """Return the test loss of each algorithm and measure."""
    solver = LogisticRegression(solver="newton-cg", C=C, tol=tol, max_iter=steps)
    cpe = make_pipeline(features, solver).fit(data.X[train], y)
    P, P_test = (posterior(cpe, data.X[part], noise.n) for part in (train, test))
    found = []
    for algo, measure in ALGORITHMS.values():
        T = noise if algo.startswith("nc") else NoiseMatrix.identity(noise.n)
        psi = get_registry().build("measure", measure).for_classes(data.classes)
        rule = get_registry().build("algo", algo, measure=psi, random_state=0, max_iter=100)
        mixture = rule.fit_mixture(T.correct_posterior(P), y, T)
        predicted = mixture.distribution(T.correct_posterior(P_test))
        found.append(psi(expected_confusion(data.y[test], predicted)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--sigma", type=float, default=0.2)
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    data = get_registry().build("dataset", "covtype", data_dir=args.data_dir)
    train, test = train_test_split(np.arange(len(data.y)), test_size=0.3, random_state=0)
    train, test = train[:40_000], test[:40_000]
    random = get_registry().build("noise", "random")
    print(f"{'':24}", *(f"{name:>13}" for name in ALGORITHMS))
    recorded = data.recorded_noise[args.sigma]
    cases = [(name, recorded, variant) for name, variant in VARIANTS.items()]
    for seed in range(1, args.draws + 1):
        drawn = random.corrupt(data, args.sigma, np.random.default_rng(seed))
        cases.append((f"T of seed {seed}", drawn, VARIANTS["as here"]))
    for name, noisy, variant in cases:
        found = losses(data, train, test, noisy.y[train], noisy.noise_matrix, *variant)
        print(f"{name:24}", *(f"{loss:13.3f}" for loss in found), flush=True)


if __name__ == "__main__":
    main()
