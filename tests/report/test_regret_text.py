"""Terms and slopes of the regret, printed and drawn."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from known_problem import measure


@pytest.mark.slow(reason="computes the Bayes level")
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
