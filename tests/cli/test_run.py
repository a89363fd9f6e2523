"""Runs from the command line: what they compute, say and leave behind."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from commands import records_in

QUICK = ("dataset=iris", "algo.max_iter=20", "trials=2", "cpe=logistic", "cpe.C=1.0")


def test_a_single_run_leaves_one_record(ncbench: Callable, tmp_path: Path) -> None:
    outcome = ncbench(*QUICK)
    assert outcome.code == 0
    said, where = outcome.out.splitlines()
    assert said.startswith("done ")
    (record,) = records_in(tmp_path)
    assert json.loads(Path(where.removeprefix("Record:  ")).read_text()) == record
    assert record["status"] == "done"
    assert [trial["trial"] for trial in record["trials"]] == [0, 1]
    for trial in record["trials"]:
        assert np.sum(trial["confusion"]) == pytest.approx(1)
        reported = {"h_mean", "q_mean", "g_mean", "balanced_error", "micro_f1", "zero_one"}
        assert reported | {"macro_f1", "worst_class"} == set(trial["losses"])


def test_a_sweep_skips_what_does_not_fit_and_ends_with_a_table(
    ncbench: Callable, tmp_path: Path
) -> None:
    outcome = ncbench("-m", *QUICK, "algo=ncfw,ncbs", "measure=h_mean,micro_f1")
    assert outcome.code == 0
    assert sorted(record["status"] for record in records_in(tmp_path)) == [
        *("done", "done"),
        *("skipped", "skipped"),
    ]
    assert "algo=ncbs optimizes ratio_of_linear measures; measure=h_mean is" in outcome.out
    reasons = [record["reason"] for record in records_in(tmp_path) if record["status"] == "skipped"]
    advice = sorted(reason.split("; ")[-1] for reason in reasons)
    assert advice == ["use algo=ncbs", "use algo=ncfw"]
    nothing = ncbench("-m", *QUICK, "algo=ncbs", "measure=h_mean", "output_dir=none")
    assert nothing.code == 2
    assert "every cell was skipped, so nothing was run; the reasons are above" in nothing.err
    shutil.rmtree("none")
    table = [line.split() for line in outcome.out.splitlines()]
    assert ["measure", "dataset", "algo", "sigma=0.1"] in table
    # The same table is kept beside the sweep's states, and the last lines say where.
    (csv,) = (tmp_path / "outputs" / "sweeps").glob("*/table.csv")
    assert f"{csv.parent.relative_to(tmp_path)}/table.csv, .md and .tex" in outcome.out
    assert csv.read_text() == ncbench("aggregate", "outputs", "--format", "csv").out
    printed = ncbench("aggregate", "outputs").out
    assert printed in outcome.out
    for number in re.findall(r"0\.\d{3} \(0\.\d{3}\)", printed):
        assert number in csv.with_suffix(".md").read_text()
        assert number.split()[1] in csv.with_suffix(".tex").read_text()

    rows = json.loads(ncbench("aggregate", "outputs", "--format", "json").out)
    assert len(rows) == 4
    for row in rows:
        assert {"measure", "dataset", "algo", "sigma", "n", "mean", "sem", "status"} <= set(row)
        assert (row["mean"] is None) == (row["status"] == "skipped")


def test_without_noise_correction_changes_nothing(ncbench: Callable, tmp_path: Path) -> None:
    options = ("dataset=wine", "trials=1", "algo.max_iter=100", "noise=none")
    options = (*options, "cpe=logistic", "cpe.C=1.0")
    assert ncbench("-m", *options, "algo=ncbs,bs", "measure=micro_f1").code == 0
    one, other = records_in(tmp_path)
    assert one["config"]["algo"]["name"] != other["config"]["algo"]["name"]
    for a, b in zip(one["trials"], other["trials"], strict=True):
        assert a["confusion"] == b["confusion"]


def test_a_folder_may_be_named_by_a_number(ncbench: Callable, tmp_path: Path) -> None:
    assert ncbench("-m", *QUICK, "algo=fw", "output_dir=0").code == 0
    assert list((tmp_path / "0" / "cells").glob("*/record.json"))


def test_an_output_dir_that_cannot_be_written(ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    for argv in ([], ["-m"]):
        outcome = ncbench(*argv, *QUICK, "output_dir=taken")
        assert outcome.code == 2
        assert "taken/" in outcome.err
        assert "cannot create the folder" in outcome.err


@pytest.mark.parametrize(
    ("option", "before", "after"),
    [
        ("noise=matrix noise.path=", "0.9,0,0\n0.1,1,0\n0,0,1\n", "0.5,0,0\n0.5,1,0\n0,0,1\n"),
        ("measure=cost measure.path=", "0,1,1\n1,0,1\n1,1,0\n", "0,9,1\n1,0,1\n1,1,0\n"),
    ],
)
def test_another_content_of_a_file_is_another_cell(
    option: str, before: str, after: str, ncbench: Callable, tmp_path: Path
) -> None:
    for content in (before, after):
        (tmp_path / "table.csv").write_text(content)
        assert ncbench(*QUICK, *f"{option}table.csv".split()).code == 0
    assert len(records_in(tmp_path)) == 2
    outcome = ncbench("aggregate", "outputs", "--format", "json")
    assert len(json.loads(outcome.out)) == 1  # the newest
    assert "left out: 1 older record" in outcome.err
