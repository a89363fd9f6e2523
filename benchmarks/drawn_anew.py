"""Noise and splits that nothing was chosen on, for benchmarks that compare choices."""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.model_selection import train_test_split

from ncbench import seeds
from ncbench.registry import get_registry

SIGMAS = (0.1, 0.2, 0.3, 0.4)


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
    """Yield what names a split, and its data, noisy labels, training and test part.

    The noise is drawn by the paper's process; a seed's splits are those of ``seed=`` in a run.
    """
    registry = get_registry()
    for name in args.datasets.split(","):
        data = registry.build("dataset", name, data_dir=args.data_dir)
        for sigma in SIGMAS:
            for seed in map(int, args.seeds.split(",")):
                rng = seeds.stream(seed, "noise", name, "random", sigma)
                noisy = registry.build("noise", "random").corrupt(data, sigma, rng)
                for trial in range(args.splits):
                    random_state = seeds.split_random_state(seed, trial)
                    train, test = train_test_split(
                        np.arange(len(data.y)), test_size=0.3, random_state=random_state
                    )
                    yield (name, sigma, seed, trial), (data, noisy, train, test)
