"""Cells that fail: what they leave behind, and what they leave alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import records_in

from ncbench.cli.main import main

QUICK = ("dataset=iris", "plugins_from=moody.py", "algo=moody", "cpe=logistic", "cpe.C=1.0")

# An algorithm that does what a file says, so that its version stays the same.
MOODY = """
from pathlib import Path
import numpy as np
from ncbench import NoisyLabelClassifier, hookimpl


class Moody(NoisyLabelClassifier):
    def _fit(self, X, y, noise):
        with open("fits", "a") as file:
            file.write("fit\\n")
        mood, fails_from = Path("mood").read_text().split()
        if len(Path("fits").read_text().split()) >= int(fails_from):
            if mood == "raise":
                raise RuntimeError("no luck")
            raise KeyboardInterrupt

    def _predict_proba(self, X):
        return np.eye(3)[np.zeros(len(X), dtype=int)]


@hookimpl
def ncbench_algorithms():
    return {"moody": Moody}
"""


@pytest.fixture
def moody(tmp_path: Path) -> Callable[..., None]:
    """Write the plug-in; return a function that says how it fails, and from which fit on."""
    (tmp_path / "moody.py").write_text(MOODY)

    def set_mood(mood: str, *, fails_from: int) -> None:
        (tmp_path / "fits").unlink(missing_ok=True)
        (tmp_path / "mood").write_text(f"{mood} {fails_from}")

    return set_mood


@pytest.mark.parametrize(
    ("mood", "kept", "checking", "fits"),
    [("raise", 0, 10.0, 4), ("interrupt", 2, 10.0, 4), ("interrupt", 2, 0.0, 3)],
)
def test_a_cell_alone_forgets_its_trials_if_it_raises_and_not_if_it_is_interrupted(
    mood: str, kept: int, checking: float, fits: int, ncbench: Callable, moody: Callable,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("ncbench.run.cell.CHECKING", checking)
    moody(mood, fails_from=3)
    monkeypatch.setattr(sys, "argv", ["ncbench", *QUICK, "trials=4"])
    with pytest.raises((RuntimeError, KeyboardInterrupt, SystemExit)):
        main()
    assert len(list(tmp_path.rglob("trial-*.json"))) == kept
    moody(mood, fails_from=100)
    assert ncbench(*QUICK, "trials=4").code == 0
    # On resume, the last trial that was kept runs again first, and the others while there is time.
    assert len((tmp_path / "fits").read_text().split()) == fits


def test_a_refused_cell_leaves_no_folder(ncbench: Callable, tmp_path: Path) -> None:
    refused = ncbench("dataset=iris", "cpe=boosting", "cpe.folds=60", "trials=1")
    assert refused.code == 2
    assert "cpe.folds=60" in refused.err
    assert list((tmp_path / "outputs" / "cells").iterdir()) == []


def test_a_forced_run_that_fails_leaves_the_good_record(
    ncbench: Callable, moody: Callable, tmp_path: Path
) -> None:
    sweep = ("-m", *QUICK, "trials=2", "algo=moody,cpe_argmax")
    moody("raise", fails_from=100)
    assert ncbench(*sweep).code == 0
    before = {record["id"]: record for record in records_in(tmp_path)}
    assert {record["status"] for record in before.values()} == {"done"}
    moody("raise", fails_from=2)
    forced = ncbench(*sweep, "force=true")
    assert forced.code == 1
    after = {record["id"]: record for record in records_in(tmp_path)}
    (spared,) = [i for i, r in before.items() if r["config"]["algo"]["name"] == "moody"]
    assert after[spared] == before[spared]
    assert "failed   measure=h_mean dataset=iris" in forced.out
    assert spared in forced.out[forced.out.index("failed            measure") :]
    assert "1 of them had finished before: the old records are kept" in forced.out
    assert "1 failed" in ncbench("status", "outputs").out
    assert not list(tmp_path.rglob("trial-*.json"))
    assert not list(tmp_path.rglob(".lock"))
