"""Coverage of the intervals of ``estimate_noise``, where its verdict is that the share is known.

Draws a part of a data set, flips labels with a random noise matrix and asks for an estimate, again
and again. Counts how often the 90% interval of the share of wrong labels holds the share that T
leads to expect, and the share in the sample; which part of the intervals of T's entries hold the
entry; and whether estimates are in their intervals.

The intervals were designed on the problems of ``--half development``. The reporting half is that of
noise_estimate.py, all 13 sets; which of them count is decided by the verdict.

    python benchmarks/noise_coverage.py --repetitions 16        # of each of the 13 sets
    python benchmarks/noise_coverage.py --half development --repetitions 40
"""

import argparse
import warnings
from collections import defaultdict

import numpy as np
from noise_estimate import REPORT, read_keel

from ncbench import NoiseMatrix, estimate_noise, load

DEVELOPMENT = ("synthetic", "wine", "breast_cancer", "digits")
ROWS = {"wine": 150, "breast_cancer": 400}
"""Rows of a part; 1,000 of other sets, or nine of ten if there are fewer."""


def draw(problem: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return 1,000 points of three normal classes, or a part of a real data set."""
    if problem == "synthetic":
        y = rng.choice(3, size=1000, p=[0.5, 0.3, 0.2])
        return rng.normal(size=(1000, 2)) + 3.5 * np.array([[0, 0], [1, 0], [0, 1]])[y], y
    data = load("dataset", problem)() if problem in DEVELOPMENT else read_keel(problem)
    rows = ROWS.get(problem, min(1000, len(data.y) * 9 // 10))
    kept = rng.choice(len(data.y), rows, replace=False)
    return data.X[kept], data.y[kept]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=["report", "development"], default="report")
    parser.add_argument("--repetitions", type=int, default=16)
    parser.add_argument("--problems", nargs="+", help="default: all of the half")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    kept: dict[str, list[tuple[float, float, float, float, float]]] = defaultdict(list)
    for problem in args.problems or (REPORT if args.half == "report" else DEVELOPMENT):
        verdicts: dict[str, int] = defaultdict(int)
        for k in range(args.repetitions):
            rng = np.random.default_rng([args.seed, k, len(problem)])
            X, truth = draw(problem, rng)
            n = int(truth.max()) + 1
            sigma = float(rng.choice([0.1, 0.2, 0.3]))
            noise = NoiseMatrix(load("noise", "random")().matrix(n, sigma, rng))
            y = noise.draw_labels(truth, rng)
            found = estimate_noise(X, y, random_state=k)
            verdicts[found.level] += 1
            if found.level != "known":
                continue
            assert found.low is not None
            assert found.high is not None
            assert found.share.low is not None
            inside = (found.low <= found.matrix) & (found.matrix <= found.high)
            entries = (found.low <= noise.matrix) & (noise.matrix <= found.high)
            wrong = float((y != truth).mean())
            expected = float((1 - np.diagonal(noise.matrix))[truth].mean())
            kept[problem].append((
                found.share.low <= expected <= (found.share.high or 0),
                found.share.low <= wrong <= (found.share.high or 0),
                entries.mean(),
                inside.all() and found.share.low <= found.share.estimate <= (found.share.high or 0),
                found.share.estimate / wrong - 1,
            ))  # fmt: skip
        of = np.array(kept[problem]) if kept[problem] else np.full((1, 5), np.nan)
        print(f"{problem}: {dict(verdicts)};", summary(of), flush=True)
    every = np.array([row for rows in kept.values() for row in rows])
    print(f"all {len(every)}:", summary(every))


def summary(of: np.ndarray) -> str:
    share, sample, entries, inside, error = of.mean(axis=0)
    return (
        f"share covered {share:.1%}, that of the sample {sample:.1%}, entries {entries:.1%}; "
        f"estimate inside {inside:.0%}; mean relative error {error:+.1%}"
    )


if __name__ == "__main__":
    main()
