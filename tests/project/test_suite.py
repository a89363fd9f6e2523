"""The suite of problems: the small one runs, survives a kill, and ends with the leaderboard."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from needs import ROOT

# One of its data sets: test_leaderboard.py ranks over several.
SMALL = [sys.executable, "-m", "ncbench", "-m", "+experiment=suite/small", "dataset=iris"]


@pytest.mark.slow(reason="60 cells")
def test_the_small_suite_killed_half_way_is_completed_by_the_same_command(
    ncbench: Any, tmp_path: Path
) -> None:
    def done() -> list[Path]:
        return sorted(tmp_path.glob("outputs/cells/*/record.json"))

    with subprocess.Popen(SMALL, cwd=tmp_path, stdout=subprocess.DEVNULL) as process:
        while len(done()) < 30 and process.poll() is None:
            time.sleep(0.2)
        process.kill()
    first = {path: path.read_bytes() for path in done()}
    assert 30 <= len(first) < 88
    ended = subprocess.run(SMALL, cwd=tmp_path, capture_output=True, text=True, check=True)
    records = [json.loads(path.read_bytes()) for path in done()]
    assert len(records) == 88
    assert {record["status"] for record in records} == {"done"}
    assert all(path.read_bytes() == content for path, content in first.items())
    board = ncbench("leaderboard", "outputs")
    assert board.code == 0, board.err
    assert board.out.strip() in ended.stdout
    for measure in ("h_mean", "q_mean", "g_mean", "balanced_error", "micro_f1"):
        assert f"{measure}, T estimated" in board.out
        assert f"{measure}, T known" in board.out
    assert "with 2 draws of each noise" in board.out


@pytest.mark.slow(reason="reads 6,270 records")
def test_the_tables_of_the_answer_are_those_of_the_published_records(ncbench: Any) -> None:
    page = (ROOT / "docs" / "answer.md").read_text()
    printed = ncbench("leaderboard", "--format", "json")
    assert printed.code == 0, printed.err
    boards = json.loads(printed.out)["boards"]
    tables = re.findall(r"^\| method \|(.*)\n\|[-:|]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    for use, (header, rows) in zip(("estimated", "known"), tables, strict=True):
        of_use = {board["measure"]: board for board in boards if board["use_of_T"] == use}
        measures = header.strip(" |").split(" | ")
        assert set(measures) == of_use.keys()
        entries = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows.splitlines()]
        for column, measure in enumerate(measures, 1):
            ranks, standings = (of_use[measure][key] for key in ("ranks", "standings"))
            shown = {row[0]: row[column] for row in entries if row[column]}
            rounded = {s["label"]: f"{s['rank']:.2f} / {s['loss']:.3f}" for s in standings}
            bold = {name: f"**{rounded[name]}**" for name in ranks["groups"][0]}
            assert shown == rounded | bold, measure
            critical, sets = f"{ranks['critical_difference']:.2f}", ranks["n_datasets"]
            assert f"their ranks are {critical} apart" in page
            assert f"ignored: {sets} data sets" in page


@pytest.mark.slow(reason="reads 7,292 records")
def test_the_table_of_other_learners_is_that_of_both_files(ncbench: Any) -> None:
    page = (ROOT / "docs" / "answer.md").read_text()
    both = [str(ROOT / "results" / f"{name}.jsonl.gz") for name in ("tabular", "learners")]
    printed = ncbench("leaderboard", *both, "--where", "sigma=0.2", "--format", "json")
    boards = {
        board["measure"]: {
            s["label"]: f"{s['rank']:.2f} / {s['loss']:.3f}" for s in board["standings"]
        }
        for board in json.loads(printed.out)["boards"]
        if board["use_of_T"] == "estimated"
    }
    ((header, rows),) = re.findall(
        r"^\| method at sigma 0.2 \|(.*)\n\|[-:|]+\n((?:\|.*\n)+)", page, re.MULTILINE
    )
    for row in rows.splitlines():
        name, *entries = [cell.strip() for cell in row.split("|")[1:-1]]
        shown = zip(header.strip(" |").split(" | "), entries, strict=True)
        assert all(boards[measure][name] == entry for measure, entry in shown if entry), name
