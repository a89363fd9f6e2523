"""CPE time of a sweep with and without shared probabilities.

``python benchmarks/cpe_sharing.py [--data-dir DIR] [--rounds N] [--json]`` runs h_mean, q_mean,
g_mean x ncfw, fw on satimage (digits without a data folder), once with ``cache=true`` and once with
``cache=false`` in each round, each in an empty folder. CPE time is the sum of ``seconds.cpe`` over
the records; the ratio is that of the medians. All else in the records must be identical.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def sweep(options: list[str], cache: bool) -> tuple[float, dict[str, Any]]:
    """Return the CPE time of a sweep, and its numbers by cell."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "ncbench", "-m", *options]
        command += [f"output_dir={folder}", f"cache={str(cache).lower()}"]
        subprocess.run(command, check=True, capture_output=True)
        paths = sorted((Path(folder) / "cells").rglob("record.json"))
        records = [json.loads(path.read_text()) for path in paths]
    seconds = sum(trial["seconds"]["cpe"] for r in records for trial in r["trials"])
    for record in records:
        for trial in record["trials"]:
            del trial["seconds"]
    return seconds, {record["id"]: record["trials"] for record in records}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", default=None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=500, help="Frank-Wolfe steps")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()

    data = [f"dataset={'satimage' if args.data_dir else 'digits'}"]
    if args.data_dir:
        data += ["noise=recorded", f"data_dir={args.data_dir}"]
    options = [*data, "measure=h_mean,q_mean,g_mean", "algo=ncfw,fw", f"algo.max_iter={args.steps}"]
    shared, alone, identical = [], [], True
    for _ in range(args.rounds):
        with_sharing, one = sweep(options, cache=True)
        without, other = sweep(options, cache=False)
        shared.append(with_sharing)
        alone.append(without)
        identical &= one == other
    result = {
        "data": data[0].partition("=")[2],
        "without_s": statistics.median(alone),
        "with_s": statistics.median(shared),
        "ratio": statistics.median(alone) / statistics.median(shared),
        "identical": identical,
    }
    if args.json:
        print(json.dumps(result))
        return
    print("6 cells, 5 trials: CPE seconds")
    print(f"  without sharing {result['without_s']:.2f}")
    print(f"  with sharing    {result['with_s']:.2f}")
    print(f"  ratio           {result['ratio']:.1f}   records identical: {identical}")


if __name__ == "__main__":
    main()
