"""Where a cell is stored, and when its record answers a configuration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import made_up
import pytest
from made_up_files import complete
from needs import ROOT

from ncbench.files import read_json
from ncbench.run import CellFolder
from ncbench.run.record import Data, Record, Trial


def folder(tmp_path: Path, **config: Any) -> CellFolder:
    asked = {**made_up.record([0.1])["config"], "output_dir": tmp_path, "id": "id"}
    return CellFolder({**asked, "force": False, **config})


def record(status: str = "done", **config: Any) -> dict[str, Any]:
    return complete(made_up.record([0.1], status, **config), "id")


def test_a_record_must_have_what_is_asked_for(tmp_path: Path) -> None:
    for asked, recorded, finished in (
        ({"theory": False}, {"theory": False}, True),
        ({"theory": False}, {"theory": True}, True),
        ({"theory": True}, {"theory": True}, True),
        ({"theory": True}, {"theory": False}, False),
        ({"theory": True}, {}, True),  # older than the key: such records have the terms
        ({"force": True}, {"theory": True}, False),
    ):
        cell = folder(tmp_path, **asked)
        cell.write(record(**recorded))
        assert (cell.finished() is not None) == finished


def test_a_failed_cell_runs_again(tmp_path: Path) -> None:
    for status, finished in (
        ("done", True),
        ("skipped", True),
        ("failed", False),
    ):
        cell = folder(tmp_path)
        cell.write(record(status))
        assert (cell.finished() is not None) == finished


def test_trials_without_the_terms_are_run_again_where_these_are_asked_for(tmp_path: Path) -> None:
    cell = folder(tmp_path, theory=False)
    (trial,) = record()["trials"]
    cell.keep_trial(trial)
    cell.keep_trial({**trial, "trial": 1, "theory": None})  # the distribution is not known
    assert sorted(cell.trials()) == [0, 1]
    assert sorted(folder(tmp_path, theory=True).trials()) == [1]


def test_folders_in_the_place_of_trials_are_not_deleted(tmp_path: Path) -> None:
    cell = folder(tmp_path)
    (trial,) = record()["trials"]
    for number in (0, 7):
        (cell.path / f"trial-{number}.json" / "mine").mkdir(parents=True)
    cell.keep_trial(trial)
    assert sorted(cell.trials()) == [0]
    cell.write(record())
    assert len([*cell.path.glob("trial-0.json.*/mine")]) == 1
    assert (cell.path / "trial-7.json" / "mine").is_dir()
    assert not (cell.path / "trial-0.json").exists()


def test_a_folder_in_the_records_place_is_moved_and_not_deleted(tmp_path: Path) -> None:
    cell = folder(tmp_path)
    cell.record.mkdir(parents=True)
    (cell.record / "mine").touch()
    assert cell.finished() is None
    cell.write(record())
    assert cell.finished() is not None
    assert len(list(cell.path.glob("record.json.*/mine"))) == 1


def records(folder: Path) -> list[dict[str, Any]]:
    return [read_json(path) for path in folder.rglob("record.json")]


@pytest.mark.parametrize("force", [False, True])
def test_a_failure_replaces_no_finished_record(force: bool, tmp_path: Path) -> None:
    cell = folder(tmp_path, force=force)
    done, failed = record(), record("failed")
    assert cell.write_failure(failed) == failed
    assert records(tmp_path) == [failed]
    cell.write(done)
    assert cell.write_failure(failed) == (failed if force else done)
    assert records(tmp_path) == [done]


def test_a_failure_does_not_wait_for_whoever_is_at_the_cell(tmp_path: Path) -> None:
    cell, failed = folder(tmp_path), record("failed")
    with cell.locked():
        assert cell.write_failure(failed) == failed
        assert records(tmp_path) == []


def test_the_id_of_a_cell_of_a_file_is_that_of_before(ncbench: Callable, tmp_path: Path) -> None:
    rows = "".join(f"{2 * i},{i % 3}\n" for i in range(30))
    (tmp_path / "mine.csv").write_text("a,label\n" + rows)
    options = ("dataset=file", "dataset.path=mine.csv", "dataset.target=label", "trials=1")
    assert ncbench(*options, "algo=cpe_argmax", "cpe=logistic", "cpe.C=1.0").code == 0
    # As written by the version whose data set "file" had the parameters path and target alone.
    assert [path.name for path in (tmp_path / "outputs/cells").iterdir()] == ["7a5770f891634dbe"]


def test_the_page_names_every_field() -> None:
    page = (ROOT / "docs" / "records.md").read_text()
    for part in (Record, Data, Trial):
        for field in part.__struct_fields__:
            assert f"`{field}`" in page, field
