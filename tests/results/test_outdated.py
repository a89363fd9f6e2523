"""Which records are outdated, and what ``prune`` does with them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up_files import put

from ncbench.files import locked
from ncbench.plugin import get_registry
from ncbench.results.read import Found, outdated

KINDS = {"noise": "none", "cpe": "logistic", "t_estimator": "known", "measure": "h_mean"}


def cell(name: str, day: int, code: str) -> Found:
    config: dict[str, Any] = {kind: {"name": plugin} for kind, plugin in KINDS.items()}
    config |= {"dataset": {"name": "iris"}, "algo": {"name": "ncfw"}, "sigma": 0.1}
    config |= {"seed": 0, "test_size": 0.3}
    time = {"time": f"2026-01-{day:02d}T00:00:00+0000"}
    record = {"config": config, "code": {"algo": code}, "provenance": time}
    return Found(Path(name, "record.json"), record)


def test_the_newest_record_is_kept_in_any_order_unless_it_is_of_older_code() -> None:
    now = get_registry().code("algo", "ncfw")
    for order in itertools.permutations([cell("a", 1, now), cell("b", 2, "x"), cell("c", 3, now)]):
        assert sorted(str(one.folder) for one in outdated(order)) == ["a", "b"]
    (one,) = outdated([cell("b", 2, "x"), Found(Path("d", "record.json"), {"config": {}})])
    assert (str(one.folder), one.why) == ("b", "edited since: algo=ncfw")


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    now = get_registry().code("algo", "ncfw")
    made = {"current": cell("", 2, now), "replaced": cell("", 1, now), "edited": cell("", 1, "x")}
    made |= {"before_code": cell("", 1, ""), "not_installed": cell("", 1, "x")}
    made["edited"].record["config"]["sigma"] = 0.2
    made["before_code"].record["config"]["sigma"] = 0.3
    del made["before_code"].record["code"]
    made["not_installed"].record["config"]["algo"] = {"name": "gone"}
    for name, (_, record) in made.items():
        folders = [tmp_path / "outputs" / "cells" / name]
        if name == "replaced":  # a copy, beside other files
            folders.append(tmp_path / "outputs" / "copies")
        for folder in folders:
            put(folder / "record.json", {"trials": [{"losses": {"h_mean": 0.1}}], **record})
    return tmp_path / "outputs"


def left(outputs: Path) -> set[str]:
    return {path.parent.name for path in outputs.rglob("record.json")}


def test_prune_shows_and_removes_edited_and_replaced_cells(
    outputs: Path, ncbench: Callable
) -> None:
    before = left(outputs)
    refused = ncbench("prune", "outputs")
    assert refused.code == 2
    assert "2 cells to remove; nobody can be asked here, so give --yes" in refused.err
    assert left(outputs) == before
    done = ncbench("prune", "outputs", "--yes")
    assert done.code == 0
    shown = {line.split(": ")[0].rpartition("/")[2]: line for line in done.out.splitlines()[:-1]}
    assert shown["replaced"].endswith("a newer record replaces it")
    assert shown["edited"].endswith("edited since: algo=ncfw")
    assert done.out.splitlines()[-1] == "removed: 2 cells"
    assert left(outputs) == before - {"replaced", "edited"}
    assert "nothing to remove" in ncbench("prune", "outputs").out


def test_a_cell_that_runs_is_not_removed(outputs: Path, ncbench: Callable) -> None:
    with locked(outputs / "cells" / "edited" / ".lock"):
        outcome = ncbench("prune", "outputs", "--yes")
    assert "edited: in use, kept" in outcome.err
    assert "edited" in left(outputs)
