"""A cell is run again if the code of its plug-ins was edited, and codes are not mixed silently."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import records_in
from made_up_files import complete

from ncbench.run import CellFolder
from ncbench.run.folder import new_record

QUICK = ("dataset=iris", "cpe=logistic", "cpe.C=1.0", "trials=1", "cache=false", "algo=constant")
RULE = """
import numpy as np
import constant_helper
from ncbench import NoisyLabelClassifier, hookimpl


class Constant(NoisyLabelClassifier):
    "Predicts one class."

    def _fit(self, X, y, noise):
        self.n_ = noise.n

    def _predict_proba(self, X):
        return np.tile(constant_helper.distribution(self.n_), (len(X), 1))


@hookimpl
def ncbench_algorithms():
    return {"constant": Constant}
"""
HELPER = "import numpy as np\ndef distribution(n): return np.eye(n)[{}]\n"


@pytest.fixture
def edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "rule.py").write_text(RULE)

    def write(predicted: int) -> None:
        (tmp_path / "constant_helper.py").write_text(HELPER.format(predicted) + "#" * predicted)
        for name in [*sys.modules]:  # as a new process would import them
            if name.startswith(("constant_helper", "ncbench_plugin_file_rule")):
                del sys.modules[name]
        from ncbench.plugin import registry

        registry._registry.cache_clear()

    return write


def columns(tmp_path: Path) -> list[list[float]]:
    records = records_in(tmp_path)
    records.sort(key=lambda record: record["config"]["sigma"])
    return [[sum(c) for c in zip(*r["trials"][0]["confusion"], strict=True)] for r in records]


def test_an_edited_helper_makes_a_finished_cell_run_again(
    edit: Callable, ncbench: Callable, tmp_path: Path
) -> None:
    command = (*QUICK, "plugins_from=rule.py", "sigma=0.1")
    edit(0)
    assert "found finished" not in ncbench(*command).out
    again = ncbench(*command)
    assert "(found finished)" in again.out
    assert again.err == ""
    edit(1)
    renewed = ncbench(*command)
    assert "found finished" not in renewed.out
    assert renewed.err == (
        "ncbench: 1 finished cell is run again: the code of algo=constant has changed\n"
    )
    assert columns(tmp_path) == [[0.0, 1.0, 0.0]]


def test_a_table_says_that_cells_were_run_with_older_code(
    edit: Callable, ncbench: Callable, tmp_path: Path
) -> None:
    edit(0)
    ncbench(*QUICK, "plugins_from=rule.py", "sigma=0.1")
    edit(1)
    ncbench(*QUICK, "plugins_from=rule.py", "sigma=0.4")
    assert columns(tmp_path) == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    out = ncbench("aggregate", ".").out
    assert "1 of 2 cells has another version or code than the newest of algo=constant" in out


def folder(tmp_path: Path, code: str) -> CellFolder:
    config = {"output_dir": str(tmp_path), "id": "0" * 16, "force": False, "threads": 1}
    config |= {"dataset": {"name": "iris"}, "measure": {"name": "h_mean"}, "sigma": 0.1}
    config |= {"algo": {"name": "mine"}, "plugins": {"algo": "mine 1.0"}, "code": {"algo": code}}
    return CellFolder(config)


def record(of: CellFolder, status: str) -> dict[str, Any]:
    made = new_record(of._config, status, reason="", trials=[{"losses": {"h_mean": 0.1}}])
    return complete(made, made["id"])


def test_a_failure_of_edited_code_is_reported_and_keeps_the_finished_record(
    tmp_path: Path,
) -> None:
    old, new = folder(tmp_path, "a"), folder(tmp_path, "b")
    old.write(record(old, "done"))
    assert new.finished() is None
    assert new.write_failure(record(new, "failed"))["status"] == "failed"
    assert json.loads(new.record.read_text())["status"] == "done"


def test_a_record_that_does_not_say_its_code_is_finished(tmp_path: Path) -> None:
    old = folder(tmp_path, "a")
    made = record(old, "done")
    del made["code"]
    old.write(made)
    assert folder(tmp_path, "b").finished() == made
