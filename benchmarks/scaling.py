"""Time of Frank-Wolfe as examples, classes and steps grow, compared with the plain evaluation.

``python benchmarks/scaling.py [--json]`` optimizes H-mean on random softmax posteriors (no noise),
and varies one of m, n and T at a time. Plain is ``(posterior @ L).argmin(axis=1)`` and a bincount,
timed on 20 losses spread over the run. Ours is all of ``fit_mixture``, with gradients and
projections.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

from ncbench import NoiseMatrix, load


def posteriors(m: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(m, n)) * 1.5 - np.linspace(0, 3, n)
    posterior = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    y = (rng.random((m, 1)) > posterior.cumsum(axis=1)).sum(axis=1).clip(0, n - 1)
    return posterior, y


def measure(m: int, n: int, T: int) -> dict[str, float]:
    posterior, y = posteriors(m, n)
    algorithm = load("algo", "fw")(measure="h_mean", max_iter=T)
    started = time.perf_counter()
    mixture = algorithm.fit_mixture(posterior, y, NoiseMatrix.identity(n))
    ours = (time.perf_counter() - started) / T
    losses = mixture.losses[:: max(1, len(mixture.losses) // 20)]
    started = time.perf_counter()
    for loss in losses:
        np.bincount(y * n + (posterior @ loss).argmin(axis=1), minlength=n * n)
    plain = (time.perf_counter() - started) / len(losses)
    return {"m": m, "n": n, "T": T, "plain_ms": 1e3 * plain, "ours_ms": 1e3 * ours}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    cases = [(m, 6, 5000) for m in (1_000, 10_000, 100_000, 1_000_000)]
    cases += [(100_000, n, 5000) for n in (2, 3, 12, 24)]
    cases += [(100_000, 6, T) for T in (500, 1_000, 10_000, 20_000)]
    found = [measure(*case) for case in cases]
    for row in found:
        row["ratio"] = row["plain_ms"] / row["ours_ms"]
    if args.json:
        print(json.dumps(found))
        return
    print("      m   n      T   plain ms/step   ours ms/step   ratio")
    for r in found:
        print(
            f"{r['m']:>7} {r['n']:>3} {r['T']:>6} {r['plain_ms']:>15.3f} {r['ours_ms']:>14.3f} "
            f"{r['ratio']:>7.1f}"
        )


if __name__ == "__main__":
    main()
