"""Time to repeat a finished sweep, compared with a Hydra application that does nothing.

``python benchmarks/resume.py [--cells 200] [--rounds 3] [--json]`` runs both in turn, as multiruns
over the same number of jobs, and reports medians. The difference per cell is the cost of finding a
finished cell.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NO_OP = """
import hydra

@hydra.main(version_base="1.3", config_path=None, config_name=None)
def app(cfg):
    pass

app()
"""


def seconds(command: list[str], folder: str) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    jobs = ",".join(map(str, range(args.cells)))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "no_op.py").write_text(NO_OP)
        no_op = [sys.executable, "no_op.py", "-m", f"+seed={jobs}"]
        ours = [sys.executable, "-m", "ncbench", "-m", "dataset=iris", "algo=cpe_argmax"]
        ours += ["trials=1", f"seed={jobs}"]
        first = seconds(ours, folder)
        times: dict[str, list[float]] = {"no_op": [], "resume": []}
        for _ in range(args.rounds):
            times["no_op"].append(seconds(no_op, folder))
            times["resume"].append(seconds(ours, folder))
    no_op_s, resume_s = (statistics.median(times[key]) for key in ("no_op", "resume"))
    result = {
        "cells": args.cells,
        "first_run_s": first,
        "no_op_hydra_s": no_op_s,
        "resume_s": resume_s,
        "ratio": resume_s / no_op_s,
        "extra_ms_per_cell": 1000 * (resume_s - no_op_s) / args.cells,
    }
    if args.json:
        print(json.dumps(result))
        return
    print(f"{args.cells} cells: first run {first:.1f} s")
    print(f"  no-op Hydra application  {no_op_s:.2f} s")
    print(f"  finished sweep again     {resume_s:.2f} s   ratio {result['ratio']:.2f}")
    print(f"  beyond it, for each cell {result['extra_ms_per_cell']:.1f} ms")


if __name__ == "__main__":
    main()
