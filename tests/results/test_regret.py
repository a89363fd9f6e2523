"""Regret in records: terms, curves and slopes."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from known_problem import by_thresholds, measure

from ncbench.report.figures.regret import draw
from ncbench.results.regret import CURVE, curve_keys, slopes, terms


def test_theory_prints_the_terms_and_draws(ncbench: Callable, tmp_path: Path) -> None:
    options = ("algo=ncbs", "measure=micro_f1", "noise=symmetric", "trials=2", "dataset.test=300")
    options = (*options, "cpe=logistic", "cpe.C=1.0", "theory=true")
    assert ncbench(*options, "dataset.train=200").code == 0
    one = ncbench("theory", "outputs", "--figures", "figures").out
    assert "No slope of the regret: a slope needs positive regret" in one
    assert "Empty" not in one
    assert ncbench(*options, "dataset.train=2000").code == 0
    no_regret = ("dataset=iris", "algo=cpe_argmax", "trials=1", "cpe=logistic", "cpe.C=1.0")
    assert ncbench(*no_regret).code == 0
    table = ncbench("theory", "outputs", "--format", "csv", "--figures", "of_csv")
    assert "drawn: of_csv/regret_micro_f1_ncbs.svg" in table.err
    frame = pd.read_csv(io.StringIO(table.out))
    assert frame["m"].tolist() == [200, 2000]
    assert (frame["regret"] >= -1e-6).all()
    confusions = [
        np.array(trial["theory"]["confusion"])
        for path in tmp_path.rglob("record.json")
        for record in [json.loads(path.read_text())]
        for trial in record["trials"]
        if record["config"]["dataset"].get("train") == 200
    ]
    losses = [measure("micro_f1")(C) for C in confusions]
    assert frame["regret"][0] == pytest.approx(np.mean(losses) - 0.78271, abs=2e-5)
    outcome = ncbench("theory", "outputs", "--figures", "figures", "--format", "md")
    slope = np.log(frame["regret"][1] / frame["regret"][0]) / np.log(10)
    assert f"| 0.1 | {slope:.4g} |" in outcome.out
    assert "</svg>" in (tmp_path / "figures" / "regret_micro_f1_ncbs.svg").read_text()
    (tmp_path / "taken").touch()
    refused = ncbench("theory", "outputs", "--figures", "taken")
    assert (refused.code, refused.out) == (2, "")
    assert "taken: cannot create the folder: File exists" in refused.err


def test_theory_without_anything_to_say(ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "outputs").mkdir()
    for argv, message in (
        (("theory", "outputs"), "no regret in these records"),
        (("theory", "nowhere"), "nowhere: no such folder"),
        (("bayes", "--size", "999"), "size=999; expected at least 1000"),
        (("bayes", "--size", "-5"), "size=-5; expected at least 1000"),
        (("bayes", "iris"), "dataset=iris: its distribution is not known"),
    ):
        outcome = ncbench(*argv)
        assert (outcome.code, outcome.out) == (2, "")
        assert message in outcome.err


def theory_record(m: int, loss: float, time: str = "00", **config: Any) -> dict[str, Any]:
    """Make up the record of a cell with a known zero-one loss on the true distribution."""
    named = {"measure": "zero_one", "algo": "fw", "t_estimator": "given", "cpe": "logistic"}
    base: dict[str, Any] = {key: {"name": name} for key, name in named.items()}
    base |= {"dataset": {"name": "synthetic", "train": m}, "noise": {"name": "symmetric"}}
    C = np.array([[1 - loss, loss, 0], [0, 0, 0], [0, 0, 0]])
    trial = {"train_size": m, "theory": {"confusion": C.tolist(), "inverse_norm": 1.0}}
    return {
        "id": f"{m}-{loss}",
        "status": "done",
        "config": base | {"sigma": 0.1, "seed": 0} | config,
        "trials": [trial],
        "provenance": {"time": f"2026-01-01T00:00:{time}+0000"},
    }


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
