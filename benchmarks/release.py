"""The row of a release in docs/releases.md: six ratios to a named alternative, in some two minutes.

``python benchmarks/release.py`` measures processor time, because machines are busy, and alternates
between both sides; ratios are of medians. Data is embedded or drawn, so nothing is downloaded.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import ncbench
from ncbench.core import ConfusionPath
from ncbench.results import each_record, tidy

Work = Callable[[], object]


def processor_time() -> float:
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def seconds(work: Work) -> float:
    started = processor_time()
    work()
    return processor_time() - started


def ratio(ours: Work, theirs: Work, rounds: int) -> float:
    """Return the time of ours over that of theirs."""
    times = [(seconds(ours), seconds(theirs)) for _ in range(rounds)]
    return statistics.median(a for a, _ in times) / statistics.median(b for _, b in times)


def python(*argv: str) -> Work:
    return lambda: subprocess.run([sys.executable, *argv], check=True, capture_output=True)


def noisy_digits() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    return X, np.where(rng.random(len(y)) < 0.2, rng.integers(0, 10, len(y)), y)


def startup() -> float:
    return ratio(python("-m", "ncbench", "--help"), python("-c", "import hydra"), 7)


def steps() -> float:
    """Evaluate loss matrices that converge, as those of Frank-Wolfe do, on 100,000 examples."""
    rng = np.random.default_rng(0)
    posterior, y = rng.dirichlet(np.ones(6), 100_000), rng.integers(0, 6, 100_000)
    start, end = rng.random((2, 6, 6))
    losses = [end + (start - end) / step for step in range(1, 1001)]

    def ours() -> None:
        path = ConfusionPath(posterior, y)
        for loss in losses:
            path(loss)

    def plain() -> None:
        for loss in losses[::10]:
            np.bincount(6 * y + (posterior @ loss).argmin(axis=1), minlength=36)

    return ratio(ours, plain, 3) / 10


def fit() -> float:
    X, y = noisy_digits()
    T = np.full((10, 10), 0.02) + 0.8 * np.eye(10)
    model = ncbench.NoiseCorrectedClassifier("g_mean", T, random_state=0)
    plain = make_pipeline(StandardScaler(), LogisticRegression())
    return ratio(lambda: model.fit(X, y), lambda: plain.fit(X, y), 3)


def estimate() -> float:
    X, y = noisy_digits()
    plain = make_pipeline(StandardScaler(), LogisticRegression())
    return ratio(lambda: ncbench.estimate_noise(X, y, random_state=0), lambda: plain.fit(X, y), 3)


def records(folder: Path) -> float:
    """Read 400 records into a frame, beside parsing their JSON."""
    (cell, *_) = sorted(folder.glob("cells/*/record.json"))
    record = json.loads(cell.read_text())
    del record["checksum"]  # it is that of one cell
    for k in range(400):
        copy = folder / "many" / "cells" / f"{k:016x}" / "record.json"
        copy.parent.mkdir(parents=True)
        config = {**record["config"], "seed": k}
        copy.write_text(json.dumps({**record, "id": f"{k:016x}", "config": config}))
    paths = list(folder.glob("many/cells/*/record.json"))
    return ratio(
        lambda: tidy(each_record([str(folder / "many")])),
        lambda: [json.loads(path.read_text()) for path in paths],
        3,
    )


def main() -> None:
    os.environ["OMP_NUM_THREADS"] = "1"  # of processes that are started
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with threadpool_limits(1), tempfile.TemporaryDirectory() as folder:
        sweep = ["-m", "ncbench", "-m", "algo=ncfw,fw", "sigma=0.1,0.4", f"output_dir={folder}"]
        demo = seconds(python(*sweep))
        losses = tidy(each_record([folder])).set_index(["algo", "sigma"])["mean"]
        numbers = [
            f"{startup():.2f}",
            f"{1 / steps():.0f}",
            f"{fit():.1f}",
            f"{estimate():.0f}",
            f"{records(Path(folder)):.1f}",
            f"{losses['ncfw', 0.4] / losses['fw', 0.4]:.3f}",
            f"{demo:.0f} s",
        ]
    print(f"| {ncbench.__version__} |", " | ".join(numbers), "|")


if __name__ == "__main__":
    main()
