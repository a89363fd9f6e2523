"""Errors of T estimators, and of their inverses, on data not used to design cautious_map.

python benchmarks/t_estimators_unseen.py [--data-dir FOLDER_WITH_COVTYPE]

The rule and its constants were designed on vehicle, pageblocks, satimage and abalone with the
paper's noise. This benchmark uses other data and other noise, including noise in only one class,
and no noise.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ncbench import Dataset, NoiseMatrix, NoisySample, load
from ncbench.noise_estimation import diagnostics

ESTIMATORS = ("identity", "forward_map", "cautious_map")
SEEDS = (11, 12)


def data_sets(data_dir: Path | None) -> Iterator[Dataset]:
    for name in ("wine", "iris", "breast_cancer", "digits"):
        yield load("dataset", name)()
    yield load("dataset", "synthetic")(rng=np.random.default_rng(7), train=9000, test=1000)
    if data_dir is not None:
        with np.load(data_dir / "covtype.npz") as arrays:
            X, y = arrays["X"][:, :14], arrays["y"]
        rows = np.random.default_rng(0).choice(len(y), 6000, replace=False)
        yield Dataset.from_labels(X[rows], y[rows], name="covtype (6000)")


def noise_matrices(n: int, rng: np.random.Generator) -> Iterator[tuple[str, np.ndarray]]:
    for kind in ("symmetric", "pair_flip", "random"):
        for sigma in (0.1, 0.4):
            yield f"{kind} {sigma}", load("noise", kind)().matrix(n, sigma, rng)
    one = np.eye(n)
    one[:, 0] = 0.4 / (n - 1)
    one[0, 0] = 0.6
    yield "one class 0.4", one
    yield "none", np.eye(n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path)
    args = parser.parse_args()
    print("| data | noise |", " | ".join(ESTIMATORS), "|")
    print("|---|---|" + "---|" * len(ESTIMATORS))
    for dataset in data_sets(args.data_dir):
        found: dict[str, dict[str, list[tuple[float, float]]]] = {}
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            for noise_name, T in noise_matrices(dataset.n_classes, rng):
                noise = NoiseMatrix(T)
                y = noise.draw_labels(dataset.y, rng)
                for name in ESTIMATORS:
                    sample = NoisySample(
                        dataset.X, y, dataset.n_classes, None, np.random.default_rng(seed), noise
                    )
                    about = diagnostics(load("t_estimator", name)().estimate(sample), noise)
                    errors = found.setdefault(noise_name, {}).setdefault(name, [])
                    errors.append((about["T_error"], about["inverse_error"]))
        for noise_name, by_estimator in found.items():
            means = [np.mean(by_estimator[name], axis=0) for name in ESTIMATORS]
            cells = " | ".join(f"{T_error:.3f} / {inverse:.2f}" for T_error, inverse in means)
            print(f"| {dataset.name} | {noise_name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
