"""The progress of a sweep, from the files of its folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ncbench.run.progress import CellState, Progress, _news


def state(name: str, **more: Any) -> dict[str, Any]:
    return {
        "state": name,
        "time": 0.0,
        "host": "here",
        "cell": name,
        "line": f"a {name} cell",
        **more,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    about = {"cells": list("abcdef"), "started": 100.0, "command": [], "host": "here", "pid": 1}
    (tmp_path / "sweep.json").write_text(json.dumps(about))
    states = [
        state("done", time=110.0),
        state("failed", time=130.0),
        state("found"),
        state("skipped"),
    ]
    for number, each in enumerate([*states, state("running")]):
        (tmp_path / f"{number}.json").write_text(json.dumps(each))
    (tmp_path / "5.json").write_text('{"state": "run')  # being written by something else
    (tmp_path / "configs.json").write_text("[]")
    return tmp_path


def test_it_is_read_from_whatever_can_be_read(folder: Path) -> None:
    progress = Progress.read(folder)
    assert (progress.total, len(progress.states), progress.ended) == (6, 5, 4)
    assert progress.count("done", "failed") == 2
    assert len(progress.running) == 1
    # Two cells were run in 30 s, and two remain.
    assert progress.seconds_left == pytest.approx(30.0)
    assert str(progress) == (
        "1 done, 1 failed, 1 skipped, 1 found finished, 1 running, 2 remaining, about 30 s left"
    )


def test_times_are_said_in_two_units() -> None:
    for seconds, text in (
        (59, "59 s"),
        (60, "1 min 0 s"),
        (3599.6, "1 h 0 min"),
        (7260, "2 h 1 min"),
    ):
        progress = Progress(2, {0: CellState("done", seconds)}, 0.0)
        assert str(progress).endswith(f"about {text} left")


def test_cells_of_a_host_that_is_gone_do_not_run() -> None:
    states = {
        0: CellState("running", 0.0, host="here"),
        1: CellState("running", 0.0, host="there"),
        2: CellState("done", 9.0),
    }
    progress = Progress(4, states, 0.0, gone="here")
    assert [each.host for each in progress.running] == ["there"]
    assert progress.seconds_left is None
    assert "1 running (1 interrupted), 3 remaining" in str(progress)


def test_each_cell_is_news_once(folder: Path) -> None:
    told: set[int] = set()
    lines = list(_news(Progress.read(folder), told))
    assert lines == [
        "[1/6] a done cell",
        "[2/6] a failed cell",
        "[3/6] a found cell  (found finished)",
        "[4/6] a skipped cell",
    ]
    assert list(_news(Progress.read(folder), told)) == []
    (folder / "4.json").write_text(json.dumps(state("done")))
    assert list(_news(Progress.read(folder), told)) == ["[5/6] a done cell"]


def test_the_state_of_an_ended_cell_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = {"cells": [str(number) for number in range(100)], "started": 0.0}
    about |= {"command": [], "host": "here", "pid": 1}
    (tmp_path / "sweep.json").write_text(json.dumps(about))
    for number in range(100):
        each = state("running" if number == 7 else "done")
        (tmp_path / f"{number}.json").write_text(json.dumps(each))
    progress = Progress.read(tmp_path)
    assert progress.ended == 99
    read: list[str] = []
    content = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: (read.append(path.name), content(path))[1])
    assert progress.newer(tmp_path).ended == 99
    assert read == ["7.json"]
