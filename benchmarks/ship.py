"""Time and memory of fit and predict on a large table, end to end and by stage.

python benchmarks/ship.py --data-dir DIR            # covtype with 20% of labels flipped
python benchmarks/ship.py --table FILE --target label [--model MODEL]
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from ncbench import load
from ncbench.data import lines_of, read_table
from ncbench.own_labels import read_model
from ncbench.own_labels.predictions import predictions_csv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--data-dir", help="folder with covtype.npz")
    source.add_argument("--table", help="another table, with its --target")
    parser.add_argument("--target", default="label")
    parser.add_argument("--model", help="do not fit, use this model")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    table = args.table or write_covtype(args.data_dir, folder / "covtype.csv")
    model = args.model or str(folder / "model.skops")
    out = folder / "predictions.csv"
    if not args.model:
        run("fit", table, "--target", args.target, "--out", model)
    seconds = run("predict", model, table, "--out", str(out))
    m = sum(1 for _ in out.open()) - 1
    print(f"predict, end to end: {m / seconds:,.0f} rows a second of processor time")
    one = folder / "one.csv"
    with Path(table).open() as lines:
        one.write_text("".join(itertools.islice(lines, 2)))
    start = run("predict", model, str(one), "--out", str(out))
    print(f"after the start: {(m - 1) / (seconds - start):,.0f} rows a second of processor time")
    stages(model, table, m)


def write_covtype(data_dir: str, out: Path) -> str:
    data = load("dataset", "covtype")(data_dir=data_dir, features=54)
    rng = np.random.default_rng(0)
    flipped = rng.random(len(data.y)) < 0.2
    y = (data.y + flipped * rng.integers(1, 7, size=len(data.y))) % 7
    table = pd.DataFrame(data.X.astype(int)).add_prefix("f").assign(label=[f"type{k}" for k in y])
    table.to_csv(out, index=False)
    return str(out)


def run(*command: str) -> float:
    """Run a command, print its time and memory, and return its seconds of processor time."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "ncbench", *command])
    _, status, used = os.wait4(process.pid, 0)
    seconds, busy = time.perf_counter() - started, used.ru_utime + used.ru_stime
    assert status == 0
    print(f"{command[0]}: {seconds:.1f} s, processor {busy:.1f} s, {used.ru_maxrss / 1e6:.2f} GB")
    return busy


def stages(path: str, table_path: str, m: int) -> None:
    """Print the processor time of each stage of predict, and its rows a second."""

    @contextmanager
    def timed(what: str) -> Iterator[None]:
        started = time.process_time()
        yield
        seconds = time.process_time() - started
        print(f"  {what}: {seconds:.2f} s, {m / seconds:,.0f} rows a second")

    with timed("read the model"):
        model = read_model(path)
    with timed("read the table"):
        table = read_table(Path(table_path))
    with threadpool_limits(1), timed("predict"):
        predicted, probabilities = model.predict(table, "table")
    with timed("write"):
        others = model.other_columns(table)
        predictions_csv(others, lines_of(table), model.classes, predicted, probabilities)


if __name__ == "__main__":
    main()
