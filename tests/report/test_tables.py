"""Tables of records: any rows, columns and values, in every format, and nothing made up."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up_files import ALGOS, DATASETS, SIGMAS, by_hand, name, typed, write

from ncbench.report import print_failures
from ncbench.show import Entry, Grid


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


def test_bad_options_get_one_message(ncbench: Callable, records: list, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    for case, (options, fragments) in BAD.items():
        outcome = ncbench("aggregate", ".", *options)
        assert (outcome.code, outcome.out) == (2, ""), case
        assert "Traceback" not in outcome.err, case
        assert [said for said in fragments if said not in outcome.err] == [], case
    assert sorted(tmp_path.rglob("*")) == before


def test_newest_of_several_folders(ncbench: Callable, records: list, tmp_path: Path) -> None:
    other = tmp_path / "other"
    trials = [{"trial": 0, "losses": {"q_mean": 0.875}}]
    # The night clocks are put back: 01:10 and 00:50 in UTC.
    for time in ("2026-10-25T02:10:00+0100", "2026-10-25T02:50:00+0200"):
        write(other, config=records[0]["config"], trials=trials, provenance={"time": time})
        trials = [{"trial": 0, "losses": {"q_mean": 0.5}}]
    outcome = ncbench("aggregate", "cells", "other", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert len(rows) == 18
    assert [row["mean"] for row in rows if row["n"] == "1"] == ["0.875"]
    assert "left out: 2 older records" in outcome.err
    # The same folder named twice is read once.
    assert "left out" not in ncbench("aggregate", "cells", "cells", "./cells").err


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


def test_every_tidy_format_has_every_cell(ncbench: Callable, records: list) -> None:
    for form, read in {
        "csv": pd.read_csv,
        "json": pd.read_json,
        "parquet": pd.read_parquet,
    }.items():
        assert ncbench("aggregate", ".", "--format", form, "--out", f"t.{form}").code == 0
        frame = read(f"t.{form}")
        statuses = {"done": 14, "skipped": 2, "failed": 1, "missing": 1}
        assert frame["status"].value_counts().to_dict() == statuses
        done = frame[frame["status"] == "done"]
        for column in ("mean", "sem"):
            assert frame[column].isna().tolist() == (frame["status"] != "done").tolist()
        assert (set(done["n"]), set(done["ddof"])) == ({5}, {1})
        for record in records:
            losses = [trial["losses"]["q_mean"] for trial in record["trials"]]
            (row,) = done[done["id"].astype(str).str.zfill(16) == record["id"]].itertuples()
            assert row.mean == pytest.approx(np.mean(losses))
            # t(4, 0.975) = 2.776445; n_test / n_train = 3/7 (Nadeau & Bengio, 2003)
            reach = 2.776445 * np.std(losses, ddof=1) * math.sqrt(1 / 5 + 3 / 7)
            interval = row.mean - reach, row.mean + reach
            assert (row.low, row.high) == pytest.approx(interval, abs=1e-6)


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


def test_what_is_not_as_by_default_is_said_below(ncbench: Callable, tmp_path: Path) -> None:
    config = {"measure": {"name": "micro_f1", "background": 1}, "dataset": {"name": "iris"}}
    config |= {"noise": {"name": "none"}, "cpe": {"name": "logistic"}, "sigma": 0.1}
    config |= {"t_estimator": {"name": "cautious_map"}, "seed": 0, "trials": 1, "test_size": 0.5}
    iterations = {"ncfw": 50, "ncbs": 200, "gone": 7}  # 200 is the default; of gone nobody knows
    for algo, max_iter in iterations.items():
        trials = [{"trial": 0, "losses": {"micro_f1": 0.5}}]
        algorithm = {"name": algo, "max_iter": max_iter}
        write(tmp_path, config={**config, "algo": algorithm}, trials=trials)
    said = "measure.background=1, noise=none, t_estimator=cautious_map, test_size=0.5"
    for form in ("table", "md", "tex"):
        out = ncbench("aggregate", ".", "--format", form).out.replace("\\", "").replace("\n", " ")
        assert f"All with {said}, algo.max_iter=50 (ncfw)." in out
    # What is a column is not said again, nor what is filtered out.
    assert "noise=none" not in ncbench("aggregate", ".", "--rows", "algo", "noise").out
    assert "max_iter" not in ncbench("aggregate", ".", "--where", "algo=ncbs").out


def test_who_was_told_the_truth_is_said_below() -> None:
    def told(name: str, **parts: object) -> dict:
        made = made_up.record([0.1], t_estimator={"name": name})
        made["trials"][0]["told"] = {"t_estimator": parts}
        return made

    cells = [told("known", noise_matrix=True), told("mine"), told("trusted", clean_labels=9)]
    both = "t_estimator=known (noise_matrix), t_estimator=trusted (clean_labels)"
    assert f"Told the truth: {both}." in made_up.table(cells)
    assert sorted(made_up.results(cells).tidy()["told"]) == ["", *both.split(", ")]
    assert "Told" not in made_up.table([told("mine")])
    assert "Told" not in made_up.table([made_up.record([0.1])])  # a record of before


def test_a_null_and_a_missing_parameter_are_not_blank() -> None:
    cells = [made_up.record([0.1], cpe={"name": "logistic", "C": C}) for C in (None, 1.0)]
    cells.append(made_up.record([0.1], cpe={"name": "power_logistic"}))
    rows = [line.split() for line in made_up.table(cells).splitlines()[1:4]]
    assert [row[-2] for row in rows] == ["null", "1", "-"]


def test_each_failure_is_a_row_with_the_first_line_of_its_reason(
    make_record: Callable, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = [
        make_record("ncfw", "iris", 0.1, status="failed", reason="ValueError: no\nmore of it"),
        make_record("fw", "wine", 0.25, status="failed", reason="killed by SIGKILL"),
    ]
    print_failures([*map(typed, failed)])
    rows = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert rows[0].split() == ["failed", "measure", "dataset", "sigma", "algo", "reason"]
    body = [line.split() for line in rows if line.startswith(failed[0]["id"][:4])]
    assert body == [[failed[0]["id"], "h_mean", "iris", "0.1", "ncfw", "ValueError:", "no"]]
    assert any(
        line.split()[:5] == [failed[1]["id"], "h_mean", "wine", "0.25", "fw"] for line in rows
    )
    assert "more of it" not in " ".join(rows)
    print_failures([])
    assert capsys.readouterr().out == ""
