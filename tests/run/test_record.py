"""Where a cell is stored, and when its record answers a configuration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import made_up
import pytest
from made_up_files import complete
from needs import ROOT

from ncbench.files import read_json, write_json
from ncbench.run import CellFolder
from ncbench.run.record import Data, Record, Trial


def folder(tmp_path: Path, **config: Any) -> CellFolder:
    asked = {**made_up.record([0.1])["config"], "output_dir": tmp_path, "id": "id"}
    return CellFolder({**asked, "force": False, **config})


def record(status: str = "done", **config: Any) -> dict[str, Any]:
    return complete(made_up.record([0.1], status, **config), "id")


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
    (trial,) = record()["trials"]
    cell.keep_trial(trial)
    cell.keep_trial({**trial, "trial": 1, "theory": None})  # the distribution is not known
    assert sorted(cell.trials()) == [0, 1]
    assert sorted(folder(tmp_path, theory=True).trials()) == [1]


def test_kept_trials_that_are_none_are_reported_and_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = folder(tmp_path)
    (trial,) = record()["trials"]
    for number in range(4):
        cell.keep_trial({**trial, "trial": number})
    (cell.path / "trial-0.json").write_text('{"trial": 0}')
    (cell.path / "trial-1.json").write_text("[" * 100_000)
    damaged = cell.path / "trial-2.json"
    damaged.write_text(damaged.read_text().replace("0.1", "0.2"))
    (cell.path / "trial-mine.json").write_text("{}")
    (cell.path / "trial-4.json").write_text((cell.path / "trial-3.json").read_text())
    assert list(cell.trials()) == [3]
    said = sorted(capsys.readouterr().err.replace(f"{cell.path}/", "").splitlines())
    assert [line.removesuffix("; run again").split(": ", 2)[1:] for line in said] == [
        ["trial-0.json", "trial.losses is missing"],
        ["trial-1.json", "nested too deeply"],
        ["trial-2.json", 'damaged or edited: its checksum does not match (without the key '
         '"checksum" it would be read)'],
        ["trial-4.json", "trial.trial: 3; expected as in the file name"],
        ["trial-mine.json", "trial.trial is missing"],
    ]  # fmt: skip


def test_a_trial_beyond_the_last_one_is_reported_and_not_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = folder(tmp_path, trials=2)
    (trial,) = record()["trials"]
    for number in range(3):
        cell.keep_trial({**trial, "trial": number})
    assert sorted(cell.trials()) == [0, 1]
    assert "trial-2.json: trial.trial: 2; expected less than trials=2" in capsys.readouterr().err


@pytest.mark.parametrize("code", [None, {"algo": 3}])
def test_a_kept_trial_whose_code_is_no_mapping_is_run_again(
    code: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = folder(tmp_path)
    (trial,) = record()["trials"]
    write_json(cell.path / "trial-0.json", {**trial, "code": code})
    assert cell.trials() == {}
    assert "trial.code" in capsys.readouterr().err


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


def test_a_record_of_another_cell_is_not_this_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = folder(tmp_path)
    for other, said in (
        ({**record(), "id": "other"}, "id: other; expected id, as its folder"),
        (record(seed=1), "config: not the configuration of this cell"),
    ):
        cell.write(other)
        assert cell.finished(say=True) is None
        assert f"record.json: {said}; the cell is run again" in capsys.readouterr().err


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
