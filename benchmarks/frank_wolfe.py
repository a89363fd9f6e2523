"""Time per Frank-Wolfe step of the plain argmin evaluation and of ConfusionPath.

Runs Algorithm 1 with both on the training part, then evaluates the same losses on the test part,
and checks that the confusion matrices are identical. The plain evaluation is
``(posterior @ L).argmin(axis=1)`` and a bincount. Rounds of the two alternate; times are medians.

    python benchmarks/frank_wolfe.py --data-dir DIR [--json] [--datasets vehicle satimage covtype]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ncbench.core import ConfusionPath, Measure, NoiseMatrix, project_to_joint
from ncbench.plugin import get_registry
from ncbench.types import Array, Labels

Evaluate = Callable[[Array], Array]

MEASURES = ("h_mean", "q_mean", "g_mean")
FEATURES = {"covtype": 14}
"""The paper's 14 features of covtype are its first 14 columns."""

PLAIN_SECONDS = 1.0
"""Time spent on the plain loop in each round: on losses spread evenly over the sequence."""

CHECK_SECONDS = 90.0
"""Time spent on checking against the plain loop, by default; every loss where that suffices."""


class Part(NamedTuple):
    """Corrected posteriors of one part of the data, and the labels to compare with."""

    posterior: Array
    y: Labels

    def plain(self, loss: Array) -> Array:
        """Return the confusion matrix by the plain evaluation."""
        predicted = (self.posterior @ loss).argmin(axis=1)
        m, n = self.posterior.shape
        return np.bincount(self.y * n + predicted, minlength=n * n).reshape(n, n) / m

    def lazy(self) -> Evaluate:
        """Return a function that evaluates a sequence of losses."""
        return ConfusionPath(self.posterior, self.y)


class Problem(NamedTuple):
    """A data set with noisy labels, after the CPE learner."""

    noise: NoiseMatrix
    train: Part
    test: Part


def main() -> int:
    options = parse_arguments()
    if options.data_dir is None and options.datasets is None:
        print("no --data-dir: scikit-learn's digits instead", file=sys.stderr)
    names = options.datasets or (
        ["vehicle", "satimage", "covtype"] if options.data_dir else ["digits"]
    )
    results: dict[str, dict[str, dict[str, object]]] = {}
    for name in names:
        problem = prepare(*load(name, options.data_dir))
        results[name] = {}
        for measure in MEASURES:
            results[name][measure] = compare(problem, measure, options)
            if not options.json:
                print_row(name, measure, results[name][measure])
    if options.json:
        print(json.dumps(results))
    return 0 if all(r["identical"] for row in results.values() for r in row.values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, help="folder with <data set>.npz files")
    parser.add_argument("--datasets", nargs="+", help="default: vehicle satimage covtype")
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check-every", type=int, help="check each Nth step; default: by time")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.datasets and options.datasets != ["digits"] and options.data_dir is None:
        parser.error(f"--datasets {' '.join(options.datasets)} needs --data-dir")
    return options


def load(name: str, data_dir: Path | None) -> tuple[Array, Labels, Labels, NoiseMatrix]:
    """Return features, clean labels, noisy labels and the noise matrix for sigma = 0.2."""
    rng = np.random.default_rng(0)
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        T = rng.random((10, 10)) * (1 - np.eye(10))
        noise = NoiseMatrix(0.2 * T / T.sum(axis=0) + 0.8 * np.eye(10))
        return X, y, noise.draw_labels(y, rng), noise
    assert data_dir is not None
    with np.load(data_dir / f"{name}.npz", allow_pickle=False) as data:
        X = data["X"][:, : FEATURES.get(name)].astype(np.float64)
        y = data["y"].astype(np.int64)
        noise = NoiseMatrix(data["noise_matrix_2"])
        drawn = "noisy_y_2" in data
        noisy_y = data["noisy_y_2"].astype(np.int64) if drawn else noise.draw_labels(y, rng)
    return X, y, noisy_y, noise


def prepare(X: Array, y: Labels, noisy_y: Labels, noise: NoiseMatrix) -> Problem:
    X, X_test, _, y_test, noisy_y, _ = train_test_split(
        X, y, noisy_y, test_size=0.3, random_state=0
    )
    cpe = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=1000))
    cpe.fit(X, noisy_y)
    train, test = (noise.correct_posterior(cpe.predict_proba(part)) for part in (X, X_test))
    return Problem(noise, Part(train, noisy_y), Part(test, y_test))


def frank_wolfe(
    problem: Problem, measure: Measure, evaluate: Evaluate, steps: int
) -> tuple[list[Array], list[Array]]:
    """Return the losses and the confusion matrices of the first steps of Algorithm 1."""
    n = problem.noise.n
    prior = np.bincount(problem.train.y, minlength=n) / len(problem.train.y)
    C = np.repeat(prior / n, n).reshape(n, n)  # the uniformly random classifier
    losses, vertices = [], []
    for t in range(1, steps + 1):
        loss = measure.gradient(project_to_joint(problem.noise.correct_confusion(C)).confusion)
        vertex = evaluate(loss)
        C = (1 - 2 / (t + 1)) * C + 2 / (t + 1) * vertex
        losses.append(loss)
        vertices.append(vertex)
    return losses, vertices


def seconds(make: Callable[[], Evaluate], losses: Iterable[Array]) -> tuple[float, list[Array]]:
    start = time.perf_counter()
    evaluate = make()
    results = [evaluate(loss) for loss in losses]
    return time.perf_counter() - start, results


def lazy_seconds(problem: Problem, losses: list[Array]) -> float:
    return sum(seconds(part.lazy, losses)[0] for part in (problem.train, problem.test))


def compare(problem: Problem, name: str, options: argparse.Namespace) -> dict[str, object]:
    measure = get_registry().build("measure", name)
    steps = options.steps
    parts = (problem.train, problem.test)
    long, vertices = frank_wolfe(problem, measure, problem.train.lazy(), 2 * steps)
    losses = long[:steps]
    test_vertices = seconds(problem.test.lazy, losses)[1]

    probe = losses[:: max(1, steps // 10)]
    once = sum(seconds(lambda part=part: part.plain, probe)[0] for part in parts) / len(probe)
    sample = losses[:: max(1, int(steps * once / PLAIN_SECONDS))]
    every = options.check_every or max(1, int(steps * once / CHECK_SECONDS))

    # Each loss follows from the matrices before it. If all plain matrices equal the lazy ones, the
    # recorded losses are those of both runs.
    checked = range(0, steps, every)
    identical = all(
        np.array_equal(problem.train.plain(losses[t]), vertices[t])
        and np.array_equal(problem.test.plain(losses[t]), test_vertices[t])
        for t in checked
    )
    plain, ours, double = [], [], []
    for _ in range(options.rounds):
        taken = sum(seconds(lambda part=part: part.plain, sample)[0] for part in parts)
        plain.append(1e3 * taken / len(sample))
        ours.append(1e3 * lazy_seconds(problem, losses) / steps)
        double.append(1e3 * lazy_seconds(problem, long) / steps)
    plain_ms, ours_ms = statistics.median(plain), statistics.median(ours)
    return {
        "plain_ms": plain_ms,
        "ours_ms": ours_ms,
        "ratio": plain_ms / ours_ms,
        "identical": identical,
        "checked": len(checked),
        "steps": steps,
        "ours_2T_over_T": statistics.median(double) / ours_ms,
    }


def print_row(dataset: str, measure: str, result: dict[str, object]) -> None:
    print(
        f"{dataset:10} {measure:8} plain {result['plain_ms']:8.4f} ms  "
        f"ours {result['ours_ms']:8.4f} ms  ratio {result['ratio']:6.1f}  "
        f"{'identical' if result['identical'] else 'DIFFERENT'} in {result['checked']} steps  "
        f"{2 * result['steps']} steps cost {result['ours_2T_over_T']:.2f} of {result['steps']}",
        flush=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
