"""Peak memory of a cell as the data grows, compared with a scikit-learn pipeline.

``python benchmarks/memory.py --data-dir DIR [--json]`` runs one trial of NCFW on covtype with all
54 features, on a quarter, half and all of its rows. Each run is a separate process. The alternative
loads the same rows and fits a standardized ``LogisticRegression`` to the training part. Without a
data folder, random rows of the same shape are used.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ALTERNATIVE = """
import resource, sys
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
stored = np.load(sys.argv[1])
X, y = stored["X"].astype(float), stored["y"]
train, test = train_test_split(np.arange(len(y)), test_size=0.3, random_state=0)
model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=20)).fit(X[train], y[train])
model.predict_proba(X[test])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def rows_of_covtype(data_dir: str | None) -> tuple[np.ndarray, np.ndarray]:
    if data_dir:
        stored = np.load(Path(data_dir) / "covtype.npz")
        return stored["X"], stored["y"]
    rng = np.random.default_rng(0)
    y = rng.choice(7, 581_012, p=[0.36, 0.49, 0.06, 0.01, 0.02, 0.03, 0.03])
    return (rng.normal(size=(len(y), 54)) * 100 + 20 * y[:, None]).astype(np.int16), y


def cell_peak(folder: str, steps: int) -> tuple[float, dict[str, float]]:
    options = ["dataset=covtype", "dataset.features=54", f"data_dir={folder}", "sigma=0.2"]
    options += ["trials=1", f"algo.max_iter={steps}", f"output_dir={folder}/out"]
    subprocess.run([sys.executable, "-m", "ncbench", *options], check=True, capture_output=True)
    (path,) = Path(folder, "out", "cells").rglob("record.json")
    record = json.loads(path.read_text())
    return record["peak_memory_mb"], record["trials"][0]["seconds"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", default=None)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    X, y = rows_of_covtype(args.data_dir)
    order = np.random.default_rng(0).permutation(len(y))
    result = {}
    for share in (4, 2, 1):
        chosen = order[: len(y) // share]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "covtype.npz")
            np.savez(file, X=X[chosen], y=y[chosen])
            ours, seconds = cell_peak(folder, args.steps)
            done = subprocess.run(
                [sys.executable, "-c", ALTERNATIVE, str(file)], check=True, capture_output=True
            )
        alone = float(done.stdout)
        result[len(chosen)] = {"peak_mb": ours, "pipeline_mb": alone, "ratio": ours / alone}
        result[len(chosen)]["seconds"] = seconds
    if args.json:
        print(json.dumps(result))
        return
    for m, found in result.items():
        print(
            f"m = {m:>7}: {found['peak_mb']:7.0f} MB   "
            f"pipeline alone {found['pipeline_mb']:7.0f} MB   ratio {found['ratio']:.2f}"
        )
    sizes, peaks = np.array(list(result)), np.array([f["peak_mb"] for f in result.values()])
    slope, constant = np.polyfit(sizes, peaks, 1)
    print(f"peak = {constant:.0f} MB + {1e6 * slope:.0f} MB per million examples")


if __name__ == "__main__":
    main()
