"""Cost of an estimate of noise for many classes and for many columns.

``python benchmarks/many_classes.py`` runs ``estimate_noise``, and each estimator whose opinion it
asks for, on 50 and on 200 classes x 10,000 rows x 20 columns and on 5 classes x 10,000 rows x 1,000
columns.
Processor time is divided by that of one fit of scikit-learn's ``HistGradientBoostingClassifier``
and of one standardized ``LogisticRegression``. Each line is a process of its own with one thread.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from ncbench import NoisySample, estimate_noise, load
from ncbench.learning import cpe_learner
from ncbench.own_labels.verdict import _parameters

TABLES = {
    "classes": (50, 10_000, 20, 2.0),
    "more classes": (200, 10_000, 20, 2.0),
    "columns": (5, 10_000, 1_000, 6.0),
}
FITS = {
    "classes": HistGradientBoostingClassifier(),
    "more classes": HistGradientBoostingClassifier(),
    "columns": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000)),
}
OPINIONS = ("held_out_map", "hoc", "confident_joint")


def drawn(n: int, m: int, d: int, spread: float) -> tuple[np.ndarray, np.ndarray]:
    """Return normal classes, of whose labels 20% are drawn anew."""
    rng = np.random.default_rng(0)
    truth = rng.integers(n, size=m)
    X = 2 * rng.normal(size=(n, d))[truth] + spread * rng.normal(size=(m, d))
    return X, np.where(rng.random(m) < 0.2, rng.integers(n, size=m), truth)


def run(table: str, what: str) -> None:
    X, y = drawn(*TABLES[table])
    with threadpool_limits(1):
        started = time.process_time()
        if what == "fit":
            FITS[table].fit(X, y)
        elif what == "estimate_noise":
            estimate_noise(X, y, random_state=0)
        else:
            rng, n = np.random.default_rng(0), TABLES[table][0]
            sample = NoisySample(X, y, n, cpe_learner("logistic"), rng)
            load("t_estimator", what)(**_parameters(what, sample)).estimate(sample)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.process_time() - started, peak)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs=2, metavar=("TABLE", "WHAT"))
    args = parser.parse_args()
    if args.only:
        run(*args.only)
        return
    for table, (n, m, d, _) in TABLES.items():
        print(f"{n} classes x {m:,} rows x {d:,} columns")
        one = 0.0
        for what in ("fit", *OPINIONS, "estimate_noise"):
            command = [sys.executable, __file__, "--only", table, what]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            seconds, peak = map(float, done.stdout.split())
            one = one or seconds
            print(f"  {what:16} {seconds:6.1f} s  {seconds / one:5.1f} fits  {peak:6.0f} MB")


if __name__ == "__main__":
    main()
