"""Where a cell is stored, and when its record answers a configuration."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ncbench.run.record import SCHEMA, CellFolder


def folder(tmp_path: Path, **config: Any) -> CellFolder:
    return CellFolder({"output_dir": tmp_path, "id": "id", "force": False, **config})


def record(status: str = "done", **config: Any) -> dict[str, Any]:
    return {"schema": SCHEMA, "id": "id", "status": status, "config": config}


@pytest.mark.parametrize(
    ("asked", "recorded", "finished"),
    [
        ({"theory": False}, {"theory": False}, True),
        ({"theory": False}, {"theory": True}, True),
        ({"theory": True}, {"theory": True}, True),
        ({"theory": True}, {"theory": False}, False),
        ({"theory": True}, {}, True),  # older than the key: such records have the terms
        ({"force": True}, {"theory": True}, False),
    ],
)
def test_a_record_must_have_what_is_asked_for(
    asked: dict[str, Any], recorded: dict[str, Any], finished: bool, tmp_path: Path
) -> None:
    cell = folder(tmp_path, **asked)
    assert cell.finished() is None
    cell.write(record(**recorded))
    assert (cell.finished() is not None) == finished


@pytest.mark.parametrize(
    ("status", "finished"), [("done", True), ("skipped", True), ("failed", False)]
)
def test_a_failed_cell_runs_again(status: str, finished: bool, tmp_path: Path) -> None:
    cell = folder(tmp_path)
    cell.write(record(status))
    assert (cell.finished() is not None) == finished


def test_trials_without_the_terms_are_run_again_where_these_are_asked_for(tmp_path: Path) -> None:
    cell = folder(tmp_path, theory=False)
    cell.keep_trial({"trial": 0})
    cell.keep_trial({"trial": 1, "theory": None})  # the distribution is not known
    assert sorted(cell.trials()) == [0, 1]
    assert sorted(folder(tmp_path, theory=True).trials()) == [1]


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in folder.rglob("record.json")]


@pytest.mark.parametrize("force", [False, True])
def test_a_failure_replaces_no_finished_record(force: bool, tmp_path: Path) -> None:
    folder = CellFolder({"output_dir": tmp_path, "id": "id", "force": force})
    done = {"schema": SCHEMA, "id": "id", "status": "done", "trials": []}
    failed = {"schema": SCHEMA, "id": "id", "status": "failed", "config": {"force": force}}
    assert folder.write_failure(failed) == failed
    assert records(tmp_path) == [failed]
    folder.write(done)
    assert folder.write_failure(failed) == (failed if force else done)
    assert records(tmp_path) == [done]


def test_a_failure_does_not_wait_for_whoever_is_at_the_cell(tmp_path: Path) -> None:
    folder = CellFolder({"output_dir": tmp_path, "id": "id", "force": False})
    failed = {"schema": SCHEMA, "id": "id", "status": "failed", "config": {"force": False}}
    with folder.locked():
        assert folder.write_failure(failed) == failed
        assert records(tmp_path) == []


def test_the_id_of_a_cell_of_a_file_is_that_of_before(ncbench: Callable, tmp_path: Path) -> None:
    rows = "".join(f"{i},{i % 3}\n" for i in range(30))
    (tmp_path / "mine.csv").write_text("a,label\n" + rows)
    options = ("dataset=file", "dataset.path=mine.csv", "dataset.target=label", "trials=1")
    assert ncbench(*options, "algo=cpe_argmax", "cpe=logistic", "cpe.C=1.0").code == 0
    # As written by the version whose data set "file" had the parameters path and target alone.
    assert [path.name for path in (tmp_path / "outputs/cells").iterdir()] == ["3e3f2935d8dcea11"]
