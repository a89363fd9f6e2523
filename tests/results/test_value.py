"""The values of trials that tables show: losses of any measure, and other numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from made_up_files import write


def test_any_measure_comes_from_the_confusion_matrices(ncbench: Callable, records: list) -> None:
    rows = json.loads(ncbench("aggregate", ".", "--format", "json", "--value", "worst_class").out)
    found = {row["id"]: row["mean"] for row in rows}
    for record in records:
        C = np.array([trial["confusion"] for trial in record["trials"]])
        recall = np.diagonal(C, axis1=1, axis2=2) / C.sum(axis=2)
        assert found[record["id"]] == pytest.approx((1 - recall.min(axis=1)).mean())
    # With parameters it is computed even where a loss of that name is stored.
    cost = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    options = ("--value", "cost", "--set", f"matrix={json.dumps(cost)}")
    rows = json.loads(ncbench("aggregate", ".", "--format", "json", *options).out)
    expected = np.mean([np.sum(np.multiply(t["confusion"], cost)) for t in records[0]["trials"]])
    assert {row["id"]: row["mean"] for row in rows}[records[0]["id"]] == pytest.approx(expected)


def test_a_measure_is_the_same_one_in_every_cell(ncbench: Callable, tmp_path: Path) -> None:
    C = [[0.3, 0.1, 0.0], [0.0, 0.2, 0.1], [0.1, 0.0, 0.2]]
    # Without background 0: hits 0.4, of 2 - 0.4 - 0.4. Without 2: hits 0.5, of 2 - 0.3 - 0.3.
    default, other = 1 - 2 * 0.4 / 1.2, 1 - 2 * 0.5 / 1.4
    stored = {"default": default, "other": other, "elsewhere": default}
    measures = {
        "default": {"name": "micro_f1", "background": 0},
        "other": {"name": "micro_f1", "background": 2},
        "elsewhere": {"name": "q_mean"},
    }
    for algo, measure in measures.items():
        config = {"measure": measure, "dataset": {"name": "iris"}, "algo": {"name": algo}}
        q_mean = math.sqrt((1 / 4**2 + 1 / 3**2 + 1 / 3**2) / 3)
        losses = {"q_mean": q_mean, "micro_f1": stored[algo]}
        trials = [{"trial": 0, "losses": losses, "confusion": C}]
        write(tmp_path, config={**config, "sigma": 0.1}, trials=trials)

    def means(*options: str) -> dict[str, float]:
        rows = json.loads(ncbench("aggregate", ".", "--format", "json", *options).out)
        return {row["algo"]: row["mean"] for row in rows if row["status"] == "done"}

    assert means("--value", "micro_f1") == pytest.approx(dict.fromkeys(stored, default))
    assert means() == pytest.approx({**stored, "elsewhere": q_mean})


def test_other_numbers_of_the_trials(ncbench: Callable, records: list) -> None:
    for value, mean in (("seconds.fit", 0.5), ("diagnostics.iterations", 20)):
        outcome = ncbench("aggregate", ".", "--format", "json", "--value", value)
        rows = [row for row in json.loads(outcome.out) if row["status"] == "done"]
        assert [row["mean"] for row in rows] == [mean] * 14
        assert {row["mark"] for row in rows} == {""}  # more iterations are neither good nor bad
    assert "seconds.fit" in ncbench("aggregate", ".", "--value", "seconds.fit").out


def test_a_value_that_some_cells_lack_is_said_to_be_absent(
    ncbench: Callable, records: list, tmp_path: Path
) -> None:
    config = {**records[0]["config"], "seed": 1}
    trial = {"trial": 0, "losses": {"q_mean": 0.5}, "seconds": {}}  # and two classes, not three
    write(tmp_path, config=config, trials=[trial])
    outcome = ncbench("aggregate", ".", "--value", "seconds.fit")
    assert "1 absent: its trials have no number seconds.fit" in outcome.out
    outcome = ncbench("aggregate", ".", "--value", "micro_f1", "--set", "background=2")
    assert "1 absent: " in outcome.out


def test_a_table_names_the_parameters_that_it_is_computed_with(
    ncbench: Callable, tmp_path: Path
) -> None:
    config = {"measure": {"name": "micro_f1", "background": 1}, "dataset": {"name": "iris"}}
    # Without class 1: hits 0.5, of 2 - 0.4 - 0.3.
    losses = {"micro_f1": 1 - 2 * 0.5 / 1.3}
    trials = [{"losses": losses, "confusion": [[0.5, 0.1], [0.2, 0.2]]}]
    write(tmp_path, config={**config, "algo": {"name": "ncbs"}, "sigma": 0.1}, trials=trials)
    said = ncbench("aggregate", ".", "--value", "micro_f1").out
    assert "Losses: micro_f1(background=0), lower is better" in said
    assert "the measure column and measure.background=1 are what was optimized." in said
    csv = ncbench("aggregate", ".", "--value", "micro_f1", "--format", "csv").out
    assert ",micro_f1(background=0)," in csv
