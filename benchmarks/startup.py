"""Time of commands that need no plug-in code, compared with ``python -c "import hydra"``.

``python benchmarks/startup.py [--rounds N] [--json]`` runs the commands in turn, reports medians
and their ratios to importing Hydra. ``cold`` is ``--help`` without the signature cache, which
imports all plug-ins: the first call after an installation or an edit.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMANDS = {
    "import hydra": ["-c", "import hydra"],
    "--help": ["-m", "ncbench", "--help"],
    "plugins": ["-m", "ncbench", "plugins"],
    "algo=nope": ["-m", "ncbench", "algo=nope"],
    "algo.max_iterr=3": ["-m", "ncbench", "algo.max_iterr=3"],
    "cold --help": ["-m", "ncbench", "--help"],
}


def seconds(name: str, folder: Path) -> float:
    cache = tempfile.mkdtemp(dir=folder) if name.startswith("cold") else str(folder / "warm")
    environment = {**os.environ, "NCBENCH_CACHE_HOME": cache}
    started = time.perf_counter()
    command = [sys.executable, *COMMANDS[name]]
    subprocess.run(command, capture_output=True, check=False, cwd=folder, env=environment)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for command in COMMANDS:  # fill the page cache and the signature cache
            seconds(command, folder)
        times = {command: [] for command in COMMANDS}
        for _ in range(args.rounds):
            for command in COMMANDS:
                times[command].append(seconds(command, folder))
    median = {command: statistics.median(found) for command, found in times.items()}
    base = median["import hydra"]
    result = {command: {"s": s, "ratio": s / base} for command, s in median.items()}
    if args.json:
        print(json.dumps(result))
        return
    for command, found in result.items():
        print(f"{command:<18} {found['s']:.3f} s   {found['ratio']:.2f} x import hydra")


if __name__ == "__main__":
    main()
