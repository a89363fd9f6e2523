"""The README's examples work as they stand there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV

import ncbench
from ncbench import load

README = (Path(__file__).resolve().parents[2] / "README.md").read_text()


def block(language: str, containing: str) -> str:
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)
    (found,) = [text for text in blocks if containing in text]
    return found


def test_the_estimator_example_runs() -> None:
    names: dict[str, object] = {}
    exec(block("python", "ncfw.predict"), names)
    assert names["ncfw"].predict(names["X"][:3]).tolist() == [0, 0, 0]  # type: ignore[attr-defined,index]


@pytest.mark.slow
def test_the_way_from_doubtful_labels_to_a_saved_classifier(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(block("python", "NoiseCorrectedClassifier"), names)
    X, y, truth, model = (names[name] for name in ("X", "y", "truth", "model"))
    assert model.classes_.tolist() == sorted({"barolo", "grignolino", "barbera"})
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    # A seventh of the labels is wrong; of what is learnt from them, next to nothing.
    assert (y == truth).mean() < 0.87
    assert (model.predict(X) == truth).mean() > 0.95
    assert (joblib.load("model.joblib").predict(X) == model.predict(X)).all()

    (search,) = re.findall(r"`(GridSearchCV\(.*\))`", README)
    (estimate,) = re.findall(r"`T = (ncbench.estimate_noise\(X, y, random_state=0\))`", README)
    names.update(grid={"measure": ["zero_one"]}, GridSearchCV=GridSearchCV, ncbench=ncbench)
    names["T"] = eval(estimate, names)
    assert -1 <= eval(search, names).fit(X, y).best_score_ < 0


def test_without_a_noise_matrix_ncfw_is_fw() -> None:
    X, y = load_wine(return_X_y=True)
    corrected, plain = (
        load("algo", name)(max_iter=50, random_state=0).fit(X, y).predict_proba(X)
        for name in ("ncfw", "fw")
    )
    assert (corrected == plain).all()


def test_the_plugin_example_is_in_the_table_and_keeps_its_contract(
    tmp_path: Path, ncbench: Callable
) -> None:
    (tmp_path / "balanced_rule.py").write_text(block("python", "BalancedRule"))
    commands = re.findall(r"python -m ncbench (.*balanced_rule.py.*?)(?: +#.*)?\n", README)
    assert len(commands) == 3
    sweep, parameter, check = (command.split() for command in commands)
    sweep = [argument.replace("ncfw", "nclr_plugin") for argument in sweep]  # which is faster
    table = ncbench(*sweep, "dataset=wine", "trials=2").out
    assert re.search(r"balanced_rule +0\.\d{3} \(0\.\d{3}\)", table)
    assert ncbench(*parameter, "dataset=wine", "trials=1").code == 0
    records = [json.loads(path.read_text()) for path in tmp_path.rglob("record.json")]
    assert {record["plugins"]["algo"].split()[0] for record in records} == {
        "ncbench",
        "balanced_rule.py",
    }
    outcome = ncbench(*check)
    assert (outcome.code, outcome.out.splitlines()[-1]) == (0, "13 ok")


def test_every_plugin_the_readme_names_exists_and_the_other_way_round() -> None:
    from ncbench.plugin import KINDS, get_registry

    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| (.*) \|$", README, flags=re.MULTILINE))
    for kind in KINDS:
        named = set(re.findall(r"`(\w+)`", rows[kind]))
        assert named == set(get_registry().names(kind)), kind
