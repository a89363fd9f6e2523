"""New noise and splits, other than the paper's, for benchmarks that compare choices."""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from ncbench.core import expected_confusion, split_random_state, stream
from ncbench.plugin import get_registry

SIGMAS = (0.1, 0.2, 0.3, 0.4)
ALGORITHMS = {
    "h_mean": ("ncfw", {"max_iter": 1000}),
    "q_mean": ("ncfw", {"max_iter": 1000}),
    "g_mean": ("ncfw", {"max_iter": 1000}),
    "micro_f1": ("ncbs", {}),
}


def parser(description: str, usual_seeds: str) -> argparse.ArgumentParser:
    """Return the options that ``splits`` reads."""
    options = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--data-dir", required=True)
    options.add_argument("--datasets", default="abalone,pageblocks,satimage,vehicle")
    options.add_argument("--seeds", default=usual_seeds)
    options.add_argument("--splits", type=int, default=5)
    return options


def splits(args):
    """Yield the names of each split, and its data, noisy labels, training part and test part.

    The noise is drawn by the paper's process. The splits of a seed are those of ``seed=`` in a run.
    """
    registry = get_registry()
    for name in args.datasets.split(","):
        data = registry.build("dataset", name, data_dir=args.data_dir)
        for sigma in SIGMAS:
            for seed in map(int, args.seeds.split(",")):
                rng = stream(seed, "noise", name, "random", sigma)
                noisy = registry.build("noise", "random").corrupt(data, sigma, rng)
                for trial in range(args.splits):
                    random_state = split_random_state(seed, trial)
                    train, test = train_test_split(
                        np.arange(len(data.y)), test_size=0.3, random_state=random_state
                    )
                    yield (name, sigma, seed, trial), (data, noisy, train, test)


def losses(data, noisy, train, test, eta, eta_test, measures=tuple(ALGORITHMS)):
    """Yield each measure and the test loss of NCFW or NCBS with these noisy probabilities.

    ``eta`` is for the training part, ``eta_test`` for the test part (``sample_split=none``).
    """
    registry, noise = get_registry(), noisy.noise_matrix
    p, p_test = (noise.correct_posterior(part) for part in (eta, eta_test))
    for measure in measures:
        name, options = ALGORITHMS[measure]
        psi = registry.build("measure", measure)
        algorithm = registry.build("algo", name, measure=psi, **options)
        rule = algorithm.fit_mixture(p, noisy.y[train], noise)
        yield measure, psi(expected_confusion(data.y[test], rule.distribution(p_test)))


def compared(rows, first):
    """Return a table with the loss of the variant ``first``, and the differences of the others.

    Standard errors over noise levels and seeds are in parentheses. A row has the names of a split,
    the variant, the measure and the loss.
    """
    names = ["dataset", "sigma", "seed", "trial", "variant", "measure", "loss"]
    frame = pd.DataFrame(rows, columns=names)
    keys = ["dataset", "measure", "sigma", "seed"]
    cells = frame.pivot_table(index=keys, columns="variant", values="loss", sort=False)
    table = cells[[first]].groupby(["dataset", "measure"]).mean().round(3)
    for variant in cells.columns.drop(first):
        found = (cells[variant] - cells[first]).groupby(["dataset", "measure"])
        table[variant] = [
            f"{mean:+.3f} ({sem:.3f})" for mean, sem in zip(found.mean(), found.sem(), strict=True)
        ]
    return table
