"""Tables of records: any rows, columns and values, in every format, and nothing made up."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from made_up_files import ALGOS, DATASETS, SIGMAS, by_hand, name, write

from ncbench.report.tables import escape_latex


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


def test_ddof_0_divides_by_the_number_of_trials(ncbench: Callable, records: list) -> None:
    rows = json.loads(ncbench("aggregate", ".", "--format", "json", "--ddof", "0").out)
    found = {row["id"]: row for row in rows}
    for record in records:
        losses = [trial["losses"]["q_mean"] for trial in record["trials"]]
        assert found[record["id"]]["sem"] == pytest.approx(
            np.std(losses) * math.sqrt(1 / 5 + 3 / 7)
        )
        assert found[record["id"]]["ddof"] == 0
    assert "ddof 0" in ncbench("aggregate", ".", "--ddof", "0").out


BAD = {
    "no such key": (
        ["--where", "algo.max_itr=9"],
        ["algo.max_itr", "did you mean 'algo.max_iter'"],
    ),
    "no such value": (["--where", "sigma=0.7"], ["sigma", "'0.7'", "Known: 0.1, 0.2"]),
    "no such pair": (["--where", "dataset=iris", "status=failed"], ["no record matches"]),
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
    assert outcome.err.count("ignored: cells/0000") == 4
    assert "record.json: config.measure is missing" in outcome.err
    assert "record.json: trials[0].losses is missing" in outcome.err
    assert "record.json: config: None; expected a mapping" in outcome.err


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
        write(tmp_path, config={**config, "algo": {"name": algo}}, trials=trials)
    rows = json.loads(ncbench("aggregate", ".", "--format", "json").out)
    marks = {row["algo"]: row["mark"] for row in rows}
    assert marks == {"best": "best", "level": "level", "close": "level", "worse": ""}
    text = ncbench("aggregate", ".").out
    assert "95% interval of the paired difference" in text
    assert "corrected for the overlap of the splits" in text
    assert text.count("~") == 2 + 1  # two cells and the rule


def test_nothing_of_a_name_is_taken_as_latex() -> None:
    assert escape_latex("\\input{a}") == "\\textbackslash{}input\\{a\\}"
    assert escape_latex("$x_1^2$ & ~#%") == ("\\$x\\_1\\textasciicircum{}2\\$ \\& $\\sim$\\#\\%")
