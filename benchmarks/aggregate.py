"""Time and memory of aggregating many records, compared with ``pandas.read_json``.

``python benchmarks/aggregate.py [--records 100000] [--folder DIR] [--json]`` writes records like
those of runs (five trials, every loss, confusion matrices of three classes). It then reads them in
separate processes, one after the other: with ``ncbench aggregate --format csv``, with the same for
a measure that has to be computed from the confusion matrices, with ``json.loads`` of each file, and
with ``pandas.read_json(path, typ="series")`` of each file. The last two keep nothing and make no
table. All files are in the page cache.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

PANDAS = """
import sys
from pathlib import Path
import pandas
for path in sorted(Path(sys.argv[1]).rglob("record.json")):
    pandas.read_json(path, typ="series")
"""

JSON = """
import json
import sys
from pathlib import Path
for path in sorted(Path(sys.argv[1]).rglob("record.json")):
    json.loads(path.read_text())
"""

NCBENCH = """
import sys
from ncbench.__main__ import main
sys.argv[1:] = ["aggregate", *sys.argv[1:], "--format", "csv"]
main()
"""

PEAK = """
import atexit, resource
peak = lambda: print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
atexit.register(peak)
"""


def write_records(folder: Path, number: int) -> int:
    """Write records; return their total size in bytes."""
    rng = np.random.default_rng(0)
    measures = ("h_mean", "q_mean", "g_mean", "micro_f1")
    algos = ("ncfw", "fw", "nclr_forward", "nclr_backward", "nclr_plugin")
    grid = itertools.product(range(number), ("iris", "wine"), (0.1, 0.2, 0.3, 0.4), measures, algos)
    size = 0
    for count, (seed, dataset, sigma, measure, algo) in enumerate(itertools.islice(grid, number)):
        trials = [
            {
                "trial": trial,
                "train_size": 105,
                "test_size": 45,
                "losses": dict(zip((*measures, "zero_one"), rng.random(5).tolist(), strict=True)),
                "confusion": rng.dirichlet(np.ones(9)).reshape(3, 3).tolist(),
                "noise_matrix_estimate": rng.random((3, 3)).tolist(),
                "diagnostics": {"iterations": 5000, "objective": rng.random()},
                "seconds": {"t_estimate": 0.001, "fit": rng.random(), "evaluate": 0.02},
            }
            for trial in range(5)
        ]
        config = {
            "dataset": {"name": dataset},
            "noise": {"name": "random"},
            "cpe": {"name": "logistic", "score": "accuracy", "folds": 2, "strengths": 10},
            "t_estimator": {"name": "known"},
            "measure": {"name": measure},
            "algo": {"name": algo, "max_iter": 5000, "tol": 0.0},
            **{"sigma": sigma, "trials": 5, "test_size": 0.3, "seed": seed, "output_dir": "out"},
        }
        identity = f"{count:016x}"
        record = {"schema": 1, "id": identity, "status": "done", "config": config}
        record |= {"trials": trials, "provenance": {"time": "2026-01-01T00:00:00+0000"}}
        path = folder / "cells" / identity / "record.json"
        path.parent.mkdir(parents=True)
        text = json.dumps(record)
        path.write_text(text)
        size += len(text)
    return size


def measured(program: str, *argv: str) -> tuple[float, float]:
    """Run a program; return its time in seconds and its peak memory in MB."""
    code = f"import sys\n{PEAK}\n{program}"
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *argv],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(done.stderr)
    (peak,) = [line.split()[1] for line in done.stderr.splitlines() if line.startswith("peak ")]
    return seconds, int(peak) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--folder", help="read the records of this folder instead of writing some")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or temporary
        if not args.folder:
            write_records(Path(folder), args.records)
        paths = list(Path(folder).rglob("record.json"))
        size = sum(path.stat().st_size for path in paths)
        runs = {
            "json.loads of each file": measured(JSON, folder),
            "aggregate": measured(NCBENCH, folder),
            "aggregate, measure computed": measured(NCBENCH, folder, "--value", "worst_class"),
            "pandas.read_json of each file": measured(PANDAS, folder),
        }
    ratio = runs["aggregate"][0] / runs["pandas.read_json of each file"][0]
    if args.json:
        about = {"records": len(paths), "mb": size / 1e6, "ratio": ratio}
        print(json.dumps({**about, "seconds_and_peak_mb": runs}))
        return
    print(f"{len(paths)} records, {size / 1e6:.0f} MB")
    for name, (seconds, peak) in runs.items():
        print(f"  {name:<30} {seconds:7.1f} s {peak:6.0f} MB")
    print(f"  aggregate / pandas.read_json: {ratio:.2f} of the time")


if __name__ == "__main__":
    main()
