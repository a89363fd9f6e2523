"""Sharing estimates of T: one estimate, the same numbers, no damage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CELL = ("dataset=iris", "trials=1", "cpe.C=1", "t_estimator=forward_map", "sigma=0.3")


@pytest.fixture(autouse=True)
def _keep_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep estimates that take no time, too."""
    monkeypatch.setattr("ncbench.run.cache._WORTH_KEEPING", 0.0)


def trials(output_dir: str) -> list[dict[str, Any]]:
    """The trials of all cells, by algorithm, without their times."""
    paths = Path(output_dir).glob("cells/*/record.json")
    records = sorted((json.loads(p.read_text()) for p in paths), key=lambda r: str(r["config"]))
    return [{**r["trials"][0], "seconds": None} for r in records]


def test_cells_share_an_estimate_and_its_numbers(ncbench: Any) -> None:
    for algo in ("algo=nclr_plugin", "algo=cpe_argmax"):
        assert ncbench(algo, *CELL).code == 0
        assert ncbench(algo, *CELL, "cache=false", "output_dir=without").code == 0
    assert len(list(Path("outputs/cache/t_estimate").glob("*.json"))) == 1
    assert not Path("without/cache").exists()
    assert trials("outputs") == trials("without")


def test_a_damaged_estimate_is_computed_again_with_a_notice(ncbench: Any) -> None:
    ncbench("algo=nclr_plugin", *CELL)
    (entry,) = Path("outputs/cache/t_estimate").glob("*.json")
    content = entry.read_text()
    entry.write_text(content.replace('"a": 0', '"a": 1', 1))
    assert "its checksum does not match" in ncbench("algo=cpe_argmax", *CELL).err
    assert entry.read_text() == content


def test_an_estimator_that_is_told_the_truth_is_always_run(ncbench: Any) -> None:
    ncbench("algo=nclr_plugin", *CELL[:-2], "t_estimator=trusted")
    assert not Path("outputs/cache/t_estimate").exists()
