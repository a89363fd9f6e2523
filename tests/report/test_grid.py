"""Tables of records: any rows, columns and values, in every format, and nothing made up."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ncbench.report.grid import Entry, Grid, escape_latex
from ncbench.run.record import SCHEMA

ALGOS, DATASETS, SIGMAS = ("ncfw", "fw", "ncbs"), ("iris", "wine", "<b>a_b|50%"), (0.1, 0.2)


def confusions(rng: np.random.Generator, n: int) -> list[list[list[float]]]:
    """Return n confusion matrices of three classes."""
    return [rng.dirichlet(np.ones(9)).reshape(3, 3).tolist() for _ in range(n)]


def write(folder: Path, **changes: Any) -> dict[str, Any]:
    """Write a record below a folder."""
    record = {"schema": SCHEMA, "status": "done", "provenance": {"time": "2026"}, **changes}
    record["id"] = f"{len(list(folder.rglob('record.json'))):016x}"
    path = folder / "cells" / record["id"] / "record.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(record))
    return record


@pytest.fixture
def records(tmp_path: Path) -> list[dict[str, Any]]:
    """Write records of a sweep: one cell skipped, one failed, one missing."""
    rng = np.random.default_rng(0)
    written = []
    for dataset in DATASETS:
        for sigma in SIGMAS:
            for algo in ALGOS:
                config = {"measure": {"name": "q_mean"}, "dataset": {"name": dataset}}
                config |= {"algo": {"name": algo, "max_iter": 9}, "sigma": sigma, "seed": 0}
                if (dataset, algo) == ("iris", "ncbs"):
                    write(tmp_path, config=config, status="skipped", reason="does_not & fit")
                elif (dataset, sigma, algo) == ("wine", 0.1, "fw"):
                    write(tmp_path, config=config, status="failed", reason="ValueError: <oh> $no")
                elif (dataset, sigma, algo) != ("wine", 0.2, "fw"):
                    trials = [
                        {
                            "trial": k,
                            "train_size": 70,
                            "test_size": 30,
                            "losses": {"q_mean": float(rng.random()), "zero_one": 0.5},
                            "confusion": confusion,
                            "diagnostics": {"iterations": 10 * k, "path": {"gap": [1.0]}},
                            "seconds": {"fit": 0.25 * k},
                        }
                        for k, confusion in enumerate(confusions(rng, 5))
                    ]
                    written.append(write(tmp_path, config=config, trials=trials))
    return written


def name(record: dict[str, Any], kind: str) -> str:
    return str(record["config"][kind]["name"])


def by_hand(values: list[float]) -> str:
    mean = sum(values) / len(values)
    return f"{mean:.3f} ({statistics.stdev(values) / math.sqrt(len(values)):.3f})"


def test_the_table_is_the_one_made_from_the_raw_json(
    ncbench: Callable, records: list, tmp_path: Path
) -> None:
    # Independent of the project's own reading: files, dictionaries, the statistics module.
    expected = {}
    for path in tmp_path.rglob("record.json"):
        raw = json.loads(path.read_text())
        if raw["status"] == "done":
            key = (name(raw, "dataset"), name(raw, "algo"), raw["config"]["sigma"])
            expected[key] = by_hand([trial["losses"]["q_mean"] for trial in raw["trials"]])
    assert len(expected) == len(records) == 14
    out = ncbench("aggregate", ".", "--format", "md", "--rows", "dataset", "algo").out
    lines = [line.strip("|").split(" | ") for line in out.splitlines() if line.startswith("|")]
    found: dict[tuple, str] = {}
    dataset = ""
    for line in lines[2:]:
        dataset = line[0].strip() or dataset
        for sigma, cell in zip(SIGMAS, line[2:], strict=True):
            found[dataset, line[1].strip(), sigma] = cell.strip(" *\\~")
    written = {"iris": "iris", "wine": "wine", DATASETS[2]: "&lt;b&gt;a\\_b\\|50%"}
    for dataset in DATASETS:
        for algo in ALGOS:
            for sigma in SIGMAS:
                cell = found[written[dataset], algo, sigma]
                assert cell == expected.get((dataset, algo, sigma), cell)
    other = {key: cell for key, cell in found.items() if not cell.startswith("0")}
    assert other == {
        ("iris", "ncbs", 0.1): "skipped",
        ("iris", "ncbs", 0.2): "skipped",
        ("wine", "fw", 0.1): "failed",
        ("wine", "fw", 0.2): "-",
    }


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_every_tidy_format_has_every_cell(form: str, ncbench: Callable, records: list) -> None:
    assert ncbench("aggregate", ".", "--format", form, "--out", f"t.{form}").code == 0
    read = {"csv": pd.read_csv, "json": pd.read_json, "parquet": pd.read_parquet}
    frame = read[form](f"t.{form}")
    assert frame["status"].value_counts().to_dict() == {
        "done": 14,
        "skipped": 2,
        "failed": 1,
        "missing": 1,
    }
    assert frame["mean"].isna().tolist() == (frame["status"] != "done").tolist()
    assert frame["sem"].isna().tolist() == (frame["status"] != "done").tolist()
    done = frame[frame["status"] == "done"]
    assert set(done["n"]) == {5}
    assert set(done["ddof"]) == {1}
    for record in records:
        losses = [trial["losses"]["q_mean"] for trial in record["trials"]]
        (row,) = done[done["id"].astype(str).str.zfill(16) == record["id"]].itertuples()
        assert row.mean == pytest.approx(np.mean(losses))
        # t(4, 0.975) = 2.776445; n_test / n_train = 3/7 (Nadeau & Bengio, 2003)
        reach = 2.776445 * np.std(losses, ddof=1) * math.sqrt(1 / 5 + 3 / 7)
        assert (row.low, row.high) == pytest.approx((row.mean - reach, row.mean + reach), abs=1e-6)


def test_ddof_0_is_the_papers(ncbench: Callable, records: list) -> None:
    rows = json.loads(ncbench("aggregate", ".", "--format", "json", "--ddof", "0").out)
    found = {row["id"]: row for row in rows}
    for record in records:
        losses = [trial["losses"]["q_mean"] for trial in record["trials"]]
        assert found[record["id"]]["sem"] == pytest.approx(np.std(losses) / math.sqrt(5))
        assert found[record["id"]]["ddof"] == 0
    assert "ddof 0" in ncbench("aggregate", ".", "--ddof", "0").out


def test_filters_rows_and_columns(ncbench: Callable, records: list) -> None:
    options = ("--where", "dataset=iris", "sigma=0.10,0.2", "--where", "algo=ncfw,fw")
    out = ncbench("aggregate", ".", *options, "--rows", "algo", "--cols", "sigma", "dataset").out
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["algo", "sigma=0.1", "dataset=iris", "sigma=0.2", "dataset=iris"]
    assert [line[0] for line in lines[1:3]] == ["fw", "ncfw"]
    assert "All with measure=q_mean, algo.max_iter=9." in out
    # A key that varies and was not asked for is never averaged away.
    out = ncbench("aggregate", ".", "--rows", "algo", "--where", "dataset=iris,wine").out
    assert out.split()[:2] == ["dataset", "algo"]
    rows = json.loads(ncbench("aggregate", ".", "--where", "status=failed", "--format", "json").out)
    assert [row["status"] for row in rows] == ["failed"]


BAD = {
    "no such key": (
        ["--where", "algo.max_itr=9"],
        ["algo.max_itr", "did you mean 'algo.max_iter'"],
    ),
    "no such value": (["--where", "sigma=0.7"], ["sigma", "'0.7'", "Known: 0.1, 0.2"]),
    "no such pair": (["--where", "dataset=iris", "status=failed"], ["no record has all of"]),
    "no equals": (["--where", "sigma"], ["--where sigma", "KEY=VALUE"]),
    "no such row": (["--rows", "datset"], ["datset", "did you mean 'dataset'"]),
    "no such measure": (["--value", "h_maen"], ["h_maen", "did you mean 'h_mean'", "seconds.fit"]),
    "no such number": (["--value", "seconds.ft"], ["seconds.ft", "did you mean 'seconds.fit'"]),
    "no parameter": (["--value", "h_mean", "--set", "power=2"], ["h_mean", "power", "Known: none"]),
    "not a measure": (["--value", "seconds.fit", "--set", "a=2"], ["--set", "seconds.fit"]),
    "cannot be built": (["--value", "cost"], ["cost", "measure.matrix"]),
    "no file": (["--format", "parquet"], ["--out FILE"]),
    "no place": (["--format", "csv", "--out", "cells"], ["--out cells"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_options_get_one_message(
    case: str, ncbench: Callable, records: list, tmp_path: Path
) -> None:
    options, fragments = BAD[case]
    before = sorted(tmp_path.rglob("*"))
    outcome = ncbench("aggregate", ".", *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert "Traceback" not in outcome.err
    for fragment in fragments:
        assert fragment in outcome.err
    assert sorted(tmp_path.rglob("*")) == before


def test_any_measure_comes_from_the_confusion_matrices(ncbench: Callable, records: list) -> None:
    rows = json.loads(ncbench("aggregate", ".", "--format", "json", "--value", "worst_class").out)
    found = {row["id"]: row["mean"] for row in rows}
    for record in records:
        C = np.array([trial["confusion"] for trial in record["trials"]])
        recall = np.diagonal(C, axis1=1, axis2=2) / C.sum(axis=2)
        assert found[record["id"]] == pytest.approx((1 - recall.min(axis=1)).mean())
    # With parameters it is computed even where a loss of that name is stored.
    cost = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    options = ("--value", "cost", "--set", f"matrix={json.dumps(cost)}")
    rows = json.loads(ncbench("aggregate", ".", "--format", "json", *options).out)
    expected = np.mean([np.sum(np.multiply(t["confusion"], cost)) for t in records[0]["trials"]])
    assert {row["id"]: row["mean"] for row in rows}[records[0]["id"]] == pytest.approx(expected)


def test_a_measure_is_the_same_one_in_every_cell(ncbench: Callable, tmp_path: Path) -> None:
    C = [[0.3, 0.1, 0.0], [0.0, 0.2, 0.1], [0.1, 0.0, 0.2]]
    stored = {"default": 0.125, "other": 0.25, "elsewhere": 0.375}
    measures = {
        "default": {"name": "micro_f1", "background": 0},
        "other": {"name": "micro_f1", "background": 2},
        "elsewhere": {"name": "q_mean"},
    }
    for algo, measure in measures.items():
        config = {"measure": measure, "dataset": {"name": "iris"}, "algo": {"name": algo}}
        losses = {"q_mean": 0.5, "micro_f1": stored[algo]}
        trials = [{"trial": 0, "losses": losses, "confusion": C}]
        write(tmp_path, config={**config, "sigma": 0.1}, trials=trials)

    def means(*options: str) -> dict[str, float]:
        rows = json.loads(ncbench("aggregate", ".", "--format", "json", *options).out)
        return {row["algo"]: row["mean"] for row in rows if row["status"] == "done"}

    # Without background 0: hits 0.4, of 2 - 0.4 - 0.4.
    assert means("--value", "micro_f1") == pytest.approx({**stored, "other": 1 - 2 * 0.4 / 1.2})
    assert means() == {"default": 0.125, "other": 0.25, "elsewhere": 0.5}


THIRD_PARTY = """
import numpy as np
from ncbench import Measure, hookimpl

class Missed(Measure):
    \"\"\"Share of one class that is predicted to be another.\"\"\"

    def __init__(self, which: int = 0):
        self.which = which

    def __call__(self, C):
        if self.which >= len(C):
            raise IndexError(f"no class {self.which}")
        return 1 - C[self.which, self.which] / C[self.which].sum()

@hookimpl
def ncbench_measures():
    return {"missed": Missed}
"""


def test_a_measure_younger_than_the_records(records: list, tmp_path: Path) -> None:
    site = tmp_path / "site"
    info = site / "third_party-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "third_party.py").write_text(THIRD_PARTY)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: third-party\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[ncbench]\nmain = third_party\n")
    before = {path: path.read_bytes() for path in tmp_path.rglob("record.json")}

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ncbench", "aggregate", ".", "--format", "json"]
        settings = {"PYTHONPATH": str(site), "NCBENCH_CACHE_HOME": str(tmp_path / "cache")}
        return subprocess.run(
            [*command, "--value", "missed", *options],
            cwd=tmp_path,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
        )

    for options, which in ((), 0), (("--set", "which=2"), 2):
        done = run(*options)
        assert done.returncode == 0, done.stderr
        found = {row["id"]: row for row in json.loads(done.stdout)}
        for record in records:
            C = np.array([trial["confusion"] for trial in record["trials"]])
            expected = 1 - C[:, which, which] / C[:, which].sum(axis=1)
            assert found[record["id"]]["mean"] == pytest.approx(expected.mean())
            assert found[record["id"]]["sem"] == pytest.approx(expected.std(ddof=1) / math.sqrt(5))
    impossible = run("--set", "which=7")
    assert impossible.returncode == 2
    assert "IndexError: no class 7" in impossible.stderr
    # Nothing was run again.
    assert {path: path.read_bytes() for path in tmp_path.rglob("record.json")} == before


def test_other_numbers_of_the_trials(ncbench: Callable, records: list) -> None:
    for value, mean in (("seconds.fit", 0.5), ("diagnostics.iterations", 20)):
        outcome = ncbench("aggregate", ".", "--format", "json", "--value", value)
        rows = [row for row in json.loads(outcome.out) if row["status"] == "done"]
        assert [row["mean"] for row in rows] == [mean] * 14
        assert {row["mark"] for row in rows} == {""}  # more iterations are neither good nor bad
    assert "seconds.fit" in ncbench("aggregate", ".", "--value", "seconds.fit").out


def test_a_value_that_some_cells_lack_is_said_to_be_absent(
    ncbench: Callable, records: list, tmp_path: Path
) -> None:
    config = {**records[0]["config"], "seed": 1}
    write(tmp_path, config=config, trials=[{"trial": 0, "losses": {"q_mean": 0.5}}])
    outcome = ncbench("aggregate", ".", "--value", "seconds.fit")
    assert "1 absent: its trials have no number seconds.fit" in outcome.out
    outcome = ncbench("aggregate", ".", "--value", "h_mean")
    assert "1 absent: h_mean: KeyError: 'confusion'" in outcome.out


def test_newest_of_several_folders(ncbench: Callable, records: list, tmp_path: Path) -> None:
    other = tmp_path / "other"
    trials = [{"trial": 0, "losses": {"q_mean": 0.875}}]
    for time in ("2027", "2025"):
        write(other, config=records[0]["config"], trials=trials, provenance={"time": time})
    outcome = ncbench("aggregate", "cells", "other", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert len(rows) == 18
    assert [row["mean"] for row in rows if row["n"] == "1"] == ["0.875"]
    assert "left out: 2 older records" in outcome.err
    # The same folder named twice is read once.
    assert "left out" not in ncbench("aggregate", "cells", "cells", "./cells").err


def test_the_newest_record_is_not_the_one_with_the_latest_local_clock(
    ncbench: Callable, tmp_path: Path
) -> None:
    config = {"measure": {"name": "q_mean"}, "dataset": {"name": "iris"}, "sigma": 0.1}
    config |= {"algo": {"name": "fw"}}
    # The night clocks are put back: 00:50 and 01:10 in UTC.
    for loss, time in ((0.5, "02:10:00+0100"), (0.25, "02:50:00+0200")):
        trials = [{"trial": 0, "losses": {"q_mean": loss}}]
        write(tmp_path, config=config, trials=trials, provenance={"time": f"2026-10-25T{time}"})
    rows = json.loads(ncbench("aggregate", ".", "--format", "json").out)
    assert [row["mean"] for row in rows] == [0.5]


def test_a_record_that_lacks_something_is_reported(
    ncbench: Callable, records: list, tmp_path: Path
) -> None:
    whole = ncbench("aggregate", ".", "--format", "csv").out
    config = {**records[0]["config"], "seed": 5}
    write(tmp_path, config={"sigma": 0.1})
    write(tmp_path, config=config, trials=[{"trial": 0}])
    write(tmp_path, config=config, trials=[0.5])
    write(tmp_path, config=None)
    outcome = ncbench("aggregate", ".", "--format", "csv")
    assert outcome.out == whole
    assert outcome.err.count("ignored: record 0000") == 4
    assert "KeyError: 'measure'" in outcome.err
    assert "KeyError: 'losses'" in outcome.err


@pytest.mark.parametrize("form", ["table", "md", "tex"])
def test_what_is_not_as_by_default_is_said_below(
    form: str, ncbench: Callable, tmp_path: Path
) -> None:
    config = {"measure": {"name": "micro_f1", "background": 2}, "dataset": {"name": "iris"}}
    config |= {"noise": {"name": "none"}, "cpe": {"name": "stacked"}, "sigma": 0.1}
    config |= {"t_estimator": {"name": "cautious_map"}, "seed": 0, "trials": 1, "test_size": 0.5}
    iterations = {"ncfw": 50, "ncbs": 200, "gone": 7}  # 200 is the default; of gone nobody knows
    for algo, max_iter in iterations.items():
        trials = [{"trial": 0, "losses": {"micro_f1": 0.5}}]
        algorithm = {"name": algo, "max_iter": max_iter}
        write(tmp_path, config={**config, "algo": algorithm}, trials=trials)
    said = "measure.background=2, noise=none, t_estimator=cautious_map, test_size=0.5"
    out = ncbench("aggregate", ".", "--format", form).out.replace("\\", "").replace("\n", " ")
    assert f"All with {said}, algo.max_iter=50 (ncfw)." in out
    # What is a column is not said again, nor what is filtered out.
    out = ncbench("aggregate", ".", "--format", form, "--rows", "algo", "noise").out
    assert "noise=none" not in out
    assert "max_iter" not in ncbench("aggregate", ".", "--where", "algo=ncbs").out


def test_versions_of_a_plugin_are_not_mixed_in_silence(ncbench: Callable, tmp_path: Path) -> None:
    for number, version in enumerate(["c957c85ff523"] * 5 + ["0123456789ab"]):
        for algo, plugin in (("rule", f"rule.py {version}"), ("fw", "ncbench 0.1.0")):
            config = {"measure": {"name": "q_mean"}, "dataset": {"name": f"d{number}"}}
            config |= {"algo": {"name": algo}, "sigma": 0.1}
            write(
                tmp_path,
                config=config,
                trials=[{"trial": 0, "losses": {"q_mean": 0.5}}],
                plugins={"algo": plugin, "dataset": "ncbench 0.1.0"},
                provenance={"time": f"2026-01-01T00:00:0{number}+0000"},
            )
    said = (
        "rule: 5 of 6 cells have another version (rule.py c957c85ff523) than the newest "
        "(rule.py 0123456789ab)."
    )
    assert said in ncbench("aggregate", ".", "--format", "md").out
    out = ncbench("aggregate", ".").out
    assert said in " ".join(out.split())
    assert "ncbench 0.1.0" not in out
    assert "version" not in ncbench("aggregate", ".", "--where", "algo=fw").out


def test_the_marks_follow_the_rule_they_state(ncbench: Callable, tmp_path: Path) -> None:
    base = np.array([0.20, 0.22, 0.19, 0.25, 0.24])
    losses = {
        "best": base,
        "level": base + np.array([0.03, -0.01, 0.02, -0.02, 0.04]),
        # Differences of mean 0.02 and s = 0.01: t = 0.02 / (0.01 sqrt(1/5 + 3/7)) = 2.52, short
        # of 2.78; without the correction it would be 4.47.
        "close": base + 0.02 + 0.01 * np.array([-1, -1, 0, 1, 1]),
        "worse": base + np.array([0.05, 0.06, 0.05, 0.04, 0.05]),
    }
    for algo, values in losses.items():
        config = {"measure": {"name": "q_mean"}, "dataset": {"name": "iris"}, "sigma": 0.1}
        trials = [
            {"trial": k, "train_size": 70, "test_size": 30, "losses": {"q_mean": float(loss)}}
            for k, loss in enumerate(values)
        ]
        # The order of trials in a file does not matter: they are paired by their number.
        trials = trials[::-1] if algo == "worse" else trials
        write(tmp_path, config={**config, "algo": {"name": algo}}, trials=trials)
    rows = json.loads(ncbench("aggregate", ".", "--format", "json").out)
    marks = {row["algo"]: row["mark"] for row in rows}
    assert marks == {"best": "best", "level": "level", "close": "level", "worse": ""}
    text = ncbench("aggregate", ".").out
    assert "95% interval of the paired difference" in text
    assert "Nadeau & Bengio" in text
    assert text.count("~") == 2 + 1  # two cells and the rule


def test_latex_compiles(
    ncbench: Callable, records: list, tmp_path: Path, pdflatex: Callable
) -> None:
    table = ncbench("aggregate", ".", "--format", "tex").out
    every_ascii = "".join(map(chr, range(32, 127)))
    latin = "".join(map(chr, range(0xC0, 0x100)))
    rows = [
        [Entry(every_ascii), Entry(latin, bold=True, mark="*")],
        [Entry("中文 σ 🦊"), Entry("")],
    ]
    hostile = Grid(["\\input{x}", "a\nb"], rows, 1, ["Note: ~ 50% $x$."]).latex()
    document = [
        "\\documentclass{article}",
        "\\usepackage{booktabs}",
        "\\begin{document}",
        table,
        hostile,
        "\\end{document}",
    ]
    (tmp_path / "t.tex").write_text("\n".join(document))
    pdflatex(tmp_path / "t.tex")
    if shutil.which("pdftotext"):
        subprocess.run(["pdftotext", "-layout", "t.pdf"], cwd=tmp_path, check=True)
        assert by_hand([t["losses"]["q_mean"] for t in records[0]["trials"]]) in " ".join(
            (tmp_path / "t.txt").read_text().split()
        )


def test_nothing_of_a_name_is_taken_as_latex() -> None:
    assert escape_latex("\\input{a}") == "\\textbackslash{}input\\{a\\}"
    assert escape_latex("$x_1^2$ & ~#%") == ("\\$x\\_1\\textasciicircum{}2\\$ \\& $\\sim$\\#\\%")
