"""How commands grow with the number of cells: time, memory, and size of ``outputs/``.

``python benchmarks/many_cells.py [--cells 1250 2500 5000] [--run 50 100 200] [--json]`` copies the
record and the state of one real cell as often, under other seeds, and measures ``aggregate``,
``status`` and ``figures`` in processes of their own, and ``leaderboard`` once on the published
records. It then runs sweeps of real, tiny
cells (iris, ``cpe_argmax``, one trial) and measures the peak memory of the process that starts
them. Times of commands are CPU seconds, which depend little on what else runs. Those of sweeps have
passed on the clock, because the processes of cells are not children of the command. The growth is
the exponent b of ``time ~ cells^b`` between the first and the last number of cells.

``--beside PYTHON`` runs commands and sweeps by another interpreter as well, which has another
version of ncbench, in turns.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TINY = ["dataset=iris", "algo=cpe_argmax", "cpe=logistic", "cpe.C=1.0", "trials=1"]
PROGRAM = """
import atexit, resource, sys
peak = lambda: print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
atexit.register(peak)
from ncbench.__main__ import main
main()
"""


def measured(
    folder: Path, *argv: str, python: str = sys.executable, clock: bool = False
) -> tuple[float, float]:
    """Run a command in a folder; return its CPU seconds and its peak memory in MB.

    With ``clock``, the seconds are those that have passed.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(
        [python, "-c", PROGRAM, *argv], cwd=folder, capture_output=True, text=True
    )
    passed = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        raise SystemExit(done.stderr)
    (peak,) = [line.split()[1] for line in done.stderr.splitlines() if line.startswith("peak ")]
    return passed if clock else seconds, int(peak) / 1024


def copy_cells(folder: Path, number: int) -> None:
    """Run a sweep of one cell, and copy its record and its state."""
    measured(folder, "-m", *TINY, "cache=false")
    (path,) = folder.glob("outputs/cells/*/record.json")
    record = json.loads(path.read_text())
    (state,) = folder.glob("outputs/sweeps/*/0.json")
    about = json.loads((state.parent / "sweep.json").read_text())
    for edited in (record, about):  # a file without a checksum is read as it is
        edited.pop("checksum", None)
    for seed in range(1, number):
        identity = f"{seed:016x}"
        copy = {**record, "id": identity, "config": {**record["config"], "seed": seed}}
        place = folder / "outputs" / "cells" / identity
        place.mkdir()
        (place / "record.json").write_text(json.dumps(copy))
        (state.parent / f"{seed}.json").write_text(state.read_text())
    about["cells"] = [f"{seed:016x}" for seed in range(number)]
    (state.parent / "sweep.json").write_text(json.dumps(about))


def size_mb(folder: Path) -> float:
    """Return the size of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


def growth(numbers: dict[int, float]) -> float:
    """Return b of ``number ~ cells^b`` between the smallest and the largest number of cells."""
    (low, first), *_, (high, last) = sorted(numbers.items())
    return math.log(last / first) / math.log(high / low)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, nargs="*", default=[1250, 2500, 5000])
    parser.add_argument("--run", type=int, nargs="*", default=[50, 100, 200])
    parser.add_argument("--beside", help="an interpreter that has another version of ncbench")
    parser.add_argument("--rounds", type=int, default=1, help="of sweeps; the median is taken")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found: dict[str, dict[int, tuple[float, float]]] = {}
    pythons = {"": sys.executable, **({", beside": args.beside} if args.beside else {})}
    for cells in args.cells:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            copy_cells(folder, cells)
            commands = {
                "aggregate": ["aggregate", "outputs", "--format", "csv"],
                "status": ["status", "outputs"],
                "figures": ["figures", "outputs", "--out", "drawn", "--format", "png"],
            }
            found.setdefault("size of outputs/", {})[cells] = (size_mb(folder / "outputs"), 0.0)
            if cells == args.cells[0]:
                commands["leaderboard, published"] = ["leaderboard"]
            for name, command in commands.items():
                for who, python in pythons.items():
                    run = measured(folder, *command, python=python)
                    found.setdefault(f"{name}{who}", {})[cells] = run
    for cells in args.run:
        rounds: dict[str, list[tuple[float, float]]] = {}
        for _ in range(args.rounds):
            for name, python in pythons.items():
                with tempfile.TemporaryDirectory() as temporary:
                    sweep = ["-m", *TINY, f"seed=range(0,{cells})"]
                    run = measured(Path(temporary), *sweep, python=python, clock=True)
                    rounds.setdefault(f"sweep{name}", []).append(run)
        for name, runs in rounds.items():
            found.setdefault(name, {})[cells] = sorted(runs)[len(runs) // 2]
    if args.json:
        print(json.dumps(found))
        return
    for name, runs in found.items():
        for cells, (number, peak) in runs.items():
            text = (
                f"{number:.1f} MB" if name.startswith("size") else f"{number:.1f} s, {peak:.0f} MB"
            )
            print(f"{name:<32} {cells:>6} cells  {text}")
        if len(runs) > 1:
            print(f"{name:<32} grows as cells^{growth({k: v[0] for k, v in runs.items()}):.2f}")


if __name__ == "__main__":
    main()
