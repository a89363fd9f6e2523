r"""CPE learners with known T, on data that none of them was chosen on.

``anchored`` was designed on wine, breast_cancer, digits, vehicle, abalone, pageblocks and satimage
with noise drawn anew (``--half development``). Songs labeled by people were looked at meanwhile,
too. The reporting half was fixed before any learner was run on it: the sets of
``noise_estimate.py`` without kr-vs-k, where ``forward`` takes minutes for each fit.

    python benchmarks/learners.py --out report.csv
    python benchmarks/learners.py --half development --data-dir FOLDER --out development.csv
    python benchmarks/learners.py --table report.csv
    python benchmarks/learners.py --only cleveland flare movement_libras newthyroid \
        --learners logistic anchored --first 5 --trials 30 --out again.csv

Each trial draws a noise matrix by the paper's process, labels and a split of 70%. Losses are those
of NCFW (1000 steps) and NCBS, ``sample_split=none``. A cell is a data set, a measure and a sigma.
A class is lost if no trial of a cell finds one in 50 of it, and ``logistic`` one in 10.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from drawn_anew import ALGORITHMS
from noise_estimate import REPORT, read_keel
from sklearn.model_selection import train_test_split

from ncbench import Dataset, NoiseMatrix, load
from ncbench.core import expected_confusion, stream
from ncbench.learning import fit_cpe, posterior
from ncbench.plugin import get_registry

DEVELOPMENT = (
    "wine", "breast_cancer", "digits", "vehicle", "abalone", "pageblocks", "satimage",
)  # fmt: skip
LEARNERS = ("logistic", "forward", "anchored")
"""The first is what the others are compared with."""


def data_set(name: str, data_dir: Path | None) -> Dataset:
    if name in REPORT:
        return read_keel(name)
    inside = name in DEVELOPMENT[:3]
    return load("dataset", name)(**({} if inside else {"data_dir": str(data_dir)}))


def trial(
    name: str, data: Dataset, sigma: float, seed: int, learners: list[str]
) -> Iterator[dict[str, Any]]:
    """Yield the losses of every learner and measure."""
    registry, n = get_registry(), data.n_classes
    rng = stream(seed, "learners", name, sigma)
    noise = NoiseMatrix(load("noise", "random")().matrix(n, sigma, rng))
    y = noise.draw_labels(data.y, rng)
    train, test = train_test_split(
        np.arange(len(y)), test_size=0.3, random_state=seed, stratify=data.y
    )
    for learner in learners:
        start = time.process_time()
        cpe = registry.build("cpe", learner, random_state=seed)
        cpe = fit_cpe(cpe, data.X[train], y[train], noise)
        seconds = time.process_time() - start
        p, p_test = (
            noise.correct_posterior(posterior(cpe, data.X[part], n)) for part in (train, test)
        )
        for measure, (algorithm, options) in ALGORITHMS.items():
            psi = registry.build("measure", measure)
            rule = registry.build("algo", algorithm, measure=psi, **options)
            C = expected_confusion(
                data.y[test], rule.fit_mixture(p, y[train], noise).distribution(p_test)
            )
            yield {
                "dataset": name, "measure": measure, "sigma": sigma, "seed": seed,
                "learner": learner, "loss": float(psi(C)), "seconds": seconds,
                "worst_recall": float((np.diag(C) / C.sum(axis=1)).min()),
            }  # fmt: skip


def table(frame: pd.DataFrame) -> None:
    """Print each cell's difference from ``logistic``, and how many are better, level and worse."""
    cell = ["dataset", "measure", "sigma"]
    losses = frame.pivot_table(index=[*cell, "seed"], columns="learner", values="loss")
    others = [name for name in LEARNERS[1:] if name in losses]
    gaps = losses[others].sub(losses["logistic"], axis=0)
    mean = gaps.groupby(cell).mean()
    error = gaps.groupby(cell).sem()
    shown = mean.map("{:+.3f}".format) + " (" + error.map("{:.3f}".format) + ")"
    shown.insert(0, "logistic", losses["logistic"].groupby(cell).mean().map("{:.3f}".format))
    print(shown.reset_index().to_string(index=False), end="\n\n")
    print(mean.groupby("measure").mean().round(3).to_string(), end="\n\n")
    found = frame.pivot_table(index=cell, columns="learner", values="worst_recall", aggfunc="max")
    for name in others:
        level = (mean[name] <= error[name]).mean()
        lost = ((found[name] < 0.02) & (found["logistic"] > 0.1)).sum()
        said = f"{name}: better or level in {level:.0%} of {len(mean)} cells, "
        said += f"worst {mean[name].max():+.3f}, classes lost {lost}"
        if "forward" in losses:
            against = (losses[name] - losses["forward"]).groupby(cell).mean().max()
            said += f", worst against forward {against:+.3f}"
        print(said)
    seconds = frame.groupby(["dataset", "learner"])["seconds"].sum().unstack()
    ratio = seconds.div(seconds["logistic"], axis=0)
    print("\ncost, as a multiple of logistic:\n" + ratio.round(2).to_string())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=("development", "report"), default="report")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--only", nargs="+", help="names of data sets")
    parser.add_argument("--learners", nargs="+", default=LEARNERS, help="logistic and others")
    parser.add_argument("--first", type=int, default=0, help="seed of the first trial")
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--table", type=Path, help="print the table of a finished run")
    args = parser.parse_args()
    if args.table:
        table(pd.read_csv(args.table))
        return
    warnings.simplefilter("ignore")
    names = [name for name in REPORT if name != "kr-vs-k"]
    if args.half == "development":
        names = list(DEVELOPMENT[: None if args.data_dir else 3])
    rows: list[dict[str, Any]] = []
    sets = {name: data_set(name, args.data_dir) for name in args.only or names}
    for seed in range(args.first, args.first + args.trials):
        for name, data in sets.items():
            for sigma in (0.2, 0.4):
                rows += trial(name, data, sigma, seed, args.learners)
            if args.out:
                pd.DataFrame(rows).to_csv(args.out, index=False)
    table(pd.DataFrame(rows))


if __name__ == "__main__":
    main()
