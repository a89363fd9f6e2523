"""Regret in records: terms, curves and slopes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from known_problem import by_thresholds, measure
from made_up_files import typed

from ncbench.report.figures.ranks import draw
from ncbench.results.series import CURVE, curve_keys, slopes, terms
from ncbench.run import Record

MEASURES = ("zero_one", "gone", "cost")


def theory_record(m: int, loss: float, time: str = "00", **config: Any) -> Record:
    """Make up the record of a cell with a known zero-one loss on the true distribution."""
    named = {"measure": "zero_one", "algo": "fw", "t_estimator": "given", "cpe": "logistic"}
    base: dict[str, Any] = {key: {"name": name} for key, name in named.items()}
    base |= {"dataset": {"name": "synthetic", "train": m}, "noise": {"name": "symmetric"}}
    C = np.array([[1 - loss, loss, 0], [0, 0, 0], [0, 0, 0]])
    theory = {"confusion": C.tolist(), "inverse_norm": 1.0}
    trial = {"train_size": m, "theory": theory, "losses": dict.fromkeys(MEASURES, loss)}
    made = {
        "id": f"{m}-{loss}",
        "status": "done",
        "config": base | {"sigma": 0.1, "seed": 0} | config,
        "trials": [trial],
        "provenance": {"time": f"2026-01-01T00:00:{time}+0000"},
    }
    return typed(made)


@pytest.mark.slow(reason="computes the Bayes level")
def test_a_curve_is_of_cells_that_differ_in_m_alone(tmp_path: Path) -> None:
    least = by_thresholds(measure("zero_one"))
    records = [
        theory_record(m, least + regret * 100 / m, **config)
        for regret, config in (
            (0.4, {}),
            (0.3, {"seed": 1}),
            (0.2, {"noise": {"name": "uniform"}}),
            (0.1, {"algo": {"name": "fw", "max_iter": 7}}),
        )
        for m in (100, 1000)
    ]
    frame = terms(records)
    assert list(frame.columns[:9]) == [*CURVE, "noise", "seed", "algo.max_iter", "sigma"]
    found = slopes(frame)
    # Merged, the four would have one slope; apart, each falls like 1 / m.
    assert found["slope"].tolist() == pytest.approx([-1] * 4, abs=0.01)
    assert sorted(found["at_1"] / 100) == pytest.approx([0.1, 0.2, 0.3, 0.4], rel=0.02)
    drawn = {path.name for path in draw(frame, tmp_path)}
    assert len(drawn) == 4
    assert "regret_zero_one_fw_noise=uniform_seed=0.svg" in drawn


def test_what_differs_between_algorithms_alone_is_no_key_of_a_curve() -> None:
    other = {"algo": {"name": "ncfw", "max_iter": 7}, "seed": 1}
    records = [theory_record(100, 0.5), theory_record(100, 0.5, **other)]
    assert curve_keys(terms(records)) == CURVE


def test_older_records_and_those_that_cannot_be_measured_are_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    records = [
        theory_record(100, 0.7, time="10"),
        theory_record(100, 0.5, time="30"),
        theory_record(100, 0.6, time="20"),
        theory_record(200, 0.5, measure={"name": "gone"}),
        theory_record(300, 0.5, measure={"name": "cost", "matrix": None, "path": "gone.csv"}),
    ]
    frame = terms(records)
    assert frame["m"].tolist() == [100]
    assert frame["regret"].tolist() == pytest.approx([0.5 - 0.14907], abs=1e-3)
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("skipped: record 200-0.5: measure=gone")
    assert said[1].startswith("skipped: record 300-0.5: measure.path=gone.csv")
    assert said[2] == "left out: 2 older records of the same configurations"
