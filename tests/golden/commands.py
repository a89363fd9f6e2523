"""Every command on files that stay the same, and what it prints or writes.

``numbers/`` holds what is compared by a test, JSON and CSV; ``text/`` what people read, which is
written anew by one command and read in the diff::

    python tests/golden/commands.py

A golden file changes in a commit that says why.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_wine

from ncbench.cli.main import main

HERE = Path(__file__).parent
SWEEP = (
    *("-m", "dataset=wine,iris", "algo=ncfw,cpe_argmax", "measure=q_mean,micro_f1"),
    *("sigma=0.1,0.3", "trials=3"),
)
"""Sixteen cells."""

NUMBERS = {
    "sweep.json": "aggregate sweep --format json",
    "sweep.csv": "aggregate sweep --format csv --rows dataset measure --cols algo sigma",
    "sweep_zero_one.csv": "aggregate sweep --value zero_one --format csv",
    "published.json": "aggregate published.jsonl.gz --format json",
    "leaderboard.json": "leaderboard published.jsonl.gz --format json",
    "leaderboard_by_noise.json": "leaderboard published.jsonl.gz --by-noise --format json",
    "significance.json": "significance published.jsonl.gz --over dataset noise --format json",
    "pair.json": "significance sweep --pair ncfw cpe_argmax --format json",
    "compare.csv": "compare sweep --reference reference.csv --format csv",
    "theory.csv": "theory theory --format csv",
    "estimate_noise.json": "estimate-noise wine.csv --target label --json",
    "checked.json": "estimate-noise checked.csv --target label --clean-column checked --json",
    "issues.csv": "issues wine.csv --target label --out issues.csv",
    "predictions.csv": "predict wine.skops wine.csv --out predictions.csv",
}
"""The file with the numbers, and the command that prints or writes it."""

TEXT = {
    "sweep": "aggregate sweep",
    "sweep.md": "aggregate sweep --format md",
    "sweep.tex": "aggregate sweep --format tex",
    "leaderboard": "leaderboard published.jsonl.gz",
    "leaderboard.md": "leaderboard published.jsonl.gz --format md",
    "significance": "significance published.jsonl.gz --over dataset noise",
    "significance.md": "significance published.jsonl.gz --over dataset noise --format md",
    "compare": "compare sweep --reference reference.csv",
    "compare.md": "compare sweep --reference reference.csv --format md",
    "theory": "theory theory",
    "bayes": "bayes synthetic --size 1000",
    "status": "status sweep",
    "estimate_noise": "estimate-noise wine.csv --target label",
    "estimate_checked": "estimate-noise checked.csv --target label --clean-column checked",
    "issues": "issues wine.csv --target label --show 5",
    "fit": "fit wine.csv --target label --measure micro_f1 --out again.skops",
    "evaluate": "evaluate wine.skops wine.csv --target label",
    "evaluate_checked": "evaluate wine.skops checked.csv --clean-column checked",
    "help": "--help",
    "plugins": "plugins",
    "report.html": "report sweep --out report.html",
    "diagnosis.html": "diagnose wine.csv --target label --out diagnosis.html",
}
"""The file with the text, and the command that prints or writes it."""

CHANGING = (
    (r'data-label="seconds".*', "COST"),
    (r"(?s)<svg.*?</svg>", "FIGURE"),
    (r"(?s)<(style|script)>.*?</\1>", r"\1"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d[:-]\d\d([:-]\d\d)?(-\d+|[+-]\d{4}| UTC)?( on \w+)?", "DATE"),
    (r"\d+(\.\d+)? (ms|s|min|MB)\b", "COST"),
    (r"\b[0-9a-f]{12,64}\b", "HASH"),
    (r"seconds?[\"']?: [\d.e-]+", "seconds: COST"),
)
"""What differs from run to run in text."""


def ncbench(folder: Path, *argv: str) -> str:
    """Run a command in a folder and return what it prints."""
    printed, said = io.StringIO(), io.StringIO()
    given, sys.argv = sys.argv, ["ncbench", *argv]
    try:
        with contextlib.chdir(folder), redirect_stdout(printed), redirect_stderr(said):
            main()
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"{' '.join(argv)}: {said.getvalue()}") from None
    finally:
        sys.argv = given
    return printed.getvalue()


def prepare(folder: Path) -> None:
    """Put there what the commands read: records, a table with wrong labels, and a model."""
    _published(folder / "published.jsonl.gz")
    ncbench(folder, *SWEEP, "output_dir=sweep")
    theory = ("algo=ncfw,cpe_argmax", "dataset.test=2000", "dataset.train=500,1000", "trials=2")
    ncbench(folder, "-m", "theory=true", "measure=q_mean", *theory, "output_dir=theory")
    (folder / "reference.csv").write_text(
        "measure,dataset,algo,sigma,mean,sem\n"
        "q_mean,wine,ncfw,0.1,0.05,0.01\nq_mean,wine,cpe_argmax,0.1,0.2,0.01\n"
    )
    _wine(folder)
    fit = ("--target", "label", "--measure", "micro_f1", "--cpe", "logistic")
    ncbench(folder, "fit", "wine.csv", *fit, "--out", "wine.skops")


def _published(path: Path) -> None:
    """Write sixty published records: ten data sets, two kinds of noise, three methods."""
    packed = files("ncbench_results").joinpath("tabular.jsonl.gz").read_bytes()
    kept: list[str] = []
    for line in gzip.decompress(packed).decode().splitlines():
        config = json.loads(line)["config"]
        if (
            (config["measure"]["name"], config["sigma"]) == ("h_mean", 0.2)
            and config["noise"]["name"] in {"pair_flip", "random"}
            and (config["algo"]["name"], config["t_estimator"]["name"])
            in {("ncfw", "known"), ("fw", "identity"), ("cpe_argmax", "identity")}
            and config["cpe"]["name"] == "logistic"
        ):
            kept.append(line)
    path.write_bytes(gzip.compress("\n".join([*kept[:60], ""]).encode()))


def _wine(folder: Path) -> None:
    """Write wine with a fifth of its labels wrong, and again with forty of them checked."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(0)
    names = np.array(["red", "rose", "white"])
    wrong = rng.random(len(y)) < 0.2
    table = X.assign(label=names[np.where(wrong, (y + 1) % 3, y)])
    table.to_csv(folder / "wine.csv", index=False)
    rows = rng.choice(len(y), 40, replace=False)
    checked = np.where(np.isin(np.arange(len(y)), rows), names[y], "")
    table.assign(checked=checked).to_csv(folder / "checked.csv", index=False)


def output(folder: Path, command: str) -> str:
    """Return what a command prints or, if it is told a file, writes."""
    argv = command.split()
    printed = ncbench(folder, *argv)
    if "--out" in argv and not argv[argv.index("--out") + 1].endswith(".skops"):
        return (folder / argv[argv.index("--out") + 1]).read_text()
    return printed


def without_what_changes(text: str) -> str:
    """Replace dates, costs and hashes."""
    for pattern, replacement in CHANGING:
        text = re.sub(pattern, replacement, text)
    return text


def entries(text: str, name: str) -> Iterator[tuple[str, Any]]:
    """Yield each entry of a JSON or CSV text, with its place; costs are left out."""
    if name.endswith(".json"):
        yield from _flat(json.loads(text), "")
        return
    for number, row in enumerate(csv.DictReader(io.StringIO(text))):
        for column, value in row.items():
            try:
                yield f"{number}.{column}", float(value)
            except ValueError:
                yield f"{number}.{column}", value


def _flat(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            if not re.search("second|cost|time", key):
                yield from _flat(item, f"{place}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _flat(item, f"{place}.{number}")
    else:
        yield place, value


def write() -> None:
    """Write all golden files anew."""
    for kind in ("numbers", "text"):
        shutil.rmtree(HERE / kind, ignore_errors=True)
        (HERE / kind).mkdir()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        for file, command in NUMBERS.items():
            (HERE / "numbers" / file).write_text(output(folder, command))
        for file, command in TEXT.items():
            (HERE / "text" / file).write_text(without_what_changes(output(folder, command)))


if __name__ == "__main__":
    os.environ.update(COLUMNS="100", NO_COLOR="1")
    write()
