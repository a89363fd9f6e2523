"""Cells that fail: what they leave behind, and what they leave alone."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ncbench.__main__ import main

QUICK = ("dataset=iris", "plugins_from=moody.py", "algo=moody")

# An algorithm that does what a file says, so that its version stays the same.
MOODY = """
import os, signal, sys
from pathlib import Path
import numpy as np
from ncbench import NoisyLabelClassifier, hookimpl


class Moody(NoisyLabelClassifier):
    def _fit(self, X, y, noise):
        with open("fits", "a") as file:
            file.write("fit\\n")
        if len(Path("fits").read_text().split()) >= int(os.environ.get("FAILS_FROM", 10**6)):
            mood = Path("mood").read_text()
            if mood == "raise":
                raise RuntimeError("no luck")
            if mood == "interrupt":
                raise KeyboardInterrupt
            if mood == "exit":
                os._exit(3)
            os.kill(os.getpid(), signal.SIGKILL)

    def _predict_proba(self, X):
        return np.eye(3)[np.zeros(len(X), dtype=int)]


@hookimpl
def ncbench_algorithms():
    return {"moody": Moody}
"""


@pytest.fixture
def moody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Write the plug-in; return a function that says how it fails, and from which fit on."""
    (tmp_path / "moody.py").write_text(MOODY)

    def set_mood(mood: str, *, fails_from: int) -> None:
        (tmp_path / "fits").unlink(missing_ok=True)
        (tmp_path / "mood").write_text(mood)
        monkeypatch.setenv("FAILS_FROM", str(fails_from))

    return set_mood


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in folder.rglob("record.json")]


@pytest.mark.parametrize(("mood", "kept"), [("raise", 0), ("interrupt", 2)])
def test_a_cell_alone_forgets_its_trials_if_it_raises_and_not_if_it_is_interrupted(
    mood: str, kept: int, ncbench: Callable, moody: Callable, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    moody(mood, fails_from=3)
    monkeypatch.setattr(sys, "argv", ["ncbench", *QUICK, "trials=4"])
    with pytest.raises((RuntimeError, KeyboardInterrupt, SystemExit)):
        main()
    assert len(list(tmp_path.rglob("trial-*.json"))) == kept
    moody(mood, fails_from=100)
    assert ncbench(*QUICK, "trials=4").code == 0
    assert len((tmp_path / "fits").read_text().split()) == 4 - kept


def test_a_refused_cell_leaves_no_folder(ncbench: Callable, tmp_path: Path) -> None:
    refused = ncbench("dataset=iris", "cpe=boosting", "cpe.folds=60", "trials=1")
    assert refused.code == 2
    assert "cpe.folds=60" in refused.err
    assert list((tmp_path / "outputs" / "cells").iterdir()) == []
