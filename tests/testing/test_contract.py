"""Every registered plug-in keeps its contract: a new one is tested by being there.

Nothing is left unchecked: where a plug-in needs parameters, files or the network, it is given some.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from ncbench.plugin import KINDS, get_registry
from ncbench.testing import Build, checks_for, select
from ncbench.testing.contract import run_check

PLUGINS = get_registry().plugins()
# Fewer steps where there are thousands by default: the checks fit hundreds of times.
FEWER_STEPS = {
    f"{plugin.kind}={plugin.name}": {"max_iter": 100}
    for plugin in PLUGINS
    for parameter in plugin.parameters
    if plugin.kind == "algo" and parameter.name == "max_iter" and parameter.default >= 1000
}
# Parameters for plug-ins that need some.
ARGUMENTS = {
    **FEWER_STEPS,
    "measure=cost": {"matrix": [[0.0, 1.0, 2.0], [5.0, 0.0, 1.0], [9.0, 4.0, 0.0]]},
    "noise=matrix": {"matrix": [[0.9, 0.2], [0.1, 0.8]]},
    "cpe=sklearn": {"estimator": "GaussianNB"},
    "cpe=boosting": {"max_iter": 5},
    "algo=weighted_boosting": {"max_iter": 20},
    "algo=nc_selected": {"candidates": ["forward"], "folds": 2, "search_iter": 20, "max_iter": 50},
}
EVERY = {f"{plugin.kind}={plugin.name}" for plugin in PLUGINS}
# Measures are always checked. Of plug-ins that are loaded, or fitted, alike, one is; the others
# with --all.
ALWAYS = {"algo=ncfw", "cpe=forward", "noise=random", "t_estimator=hoc"}
ALWAYS |= {"dataset=iris", "dataset=synthetic", "dataset=vehicle", "dataset=car"}
SLOW = {name for name in EVERY - ALWAYS if not name.startswith("measure=")}
FROM_ELSEWHERE = {"dataset=file", "dataset=openml", "dataset=covtype", "dataset=music_genre"}
FROM_ELSEWHERE |= {"dataset=covtype_sample"}
# scikit-learn's own checks ask what a base class answers: one algorithm of each has to pass them.
OF_EACH_BASE = {"PosteriorClassifier": "ncfw", "NoisyLabelClassifier": "nclr_forward"}


def is_asked_of_another(build: Build, check: str) -> bool:
    if check != "scikit_learn":
        return False
    base = next(c for c in build.target.__mro__ if c.__module__.startswith("ncbench.learning"))
    return OF_EACH_BASE[base.__name__] != build.name


def keeps_contract(build: Build, *leave_out: str) -> None:
    """Run all checks of a plug-in, and show all that fail."""
    results = [
        run_check(check, build)
        for check in checks_for(build.kind)
        if check.name not in leave_out and not is_asked_of_another(build, check.name)
    ]
    assert [r for r in results if r.status not in ("ok", "not applicable")] == []


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=pytest.mark.slow(
                reason="like a plug-in that is always checked, or a slow learner"
            )
            if name in SLOW
            else (),
        )
        for name in sorted(EVERY - FROM_ELSEWHERE)
    ],
)
def test_contract(name: str) -> None:
    keeps_contract(select(name, ARGUMENTS)[0])


@pytest.mark.slow(reason="like a plug-in that is always checked, or a slow learner")
def test_contract_with_the_default_learner() -> None:
    keeps_contract(select("algo=cpe_argmax", {"algo=cpe_argmax": {"cpe": None}})[0])


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Build]:
    """Data sets of a file, of a folder, and of an OpenML that answers with iris."""
    rng = np.random.default_rng(0)
    (tmp_path / "mine.csv").write_text("a,b\n" + "".join(f"{i},{'xyz'[i % 3]}\n" for i in range(9)))
    X, y = rng.integers(100, size=(70, 54)).astype(np.int16), np.arange(70) % 7
    np.savez(tmp_path / "covtype.npz", X=X, y=y)
    given = np.column_stack([np.arange(60), np.arange(60) % 4, np.arange(60) % 7])
    songs = {"classes": list("abcdefg"), "test": np.arange(70) >= 60, "annotations": given}
    np.savez(tmp_path / "music_genre.npz", X=X, y=y, **songs)

    def fetch(**_: object) -> object:
        bunch = load_iris(as_frame=True)
        bunch.details = {"id": "61", "name": "iris", "version": "1"}
        bunch.target_names = ["target"]
        return bunch

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    arguments = {
        "dataset=file": {"path": str(tmp_path / "mine.csv"), "target": "b"},
        "dataset=covtype": {"data_dir": str(tmp_path)},
        "dataset=covtype_sample": {"data_dir": str(tmp_path)},
        "dataset=music_genre": {"data_dir": str(tmp_path)},
        "dataset=openml": {"id": "61"},
    }
    return {name: select(name, arguments)[0] for name in FROM_ELSEWHERE}


@pytest.mark.parametrize("name", sorted(FROM_ELSEWHERE))
def test_contract_of_data_from_elsewhere(name: str, elsewhere: dict[str, Build]) -> None:
    # The OpenML of this test is in this process alone.
    keeps_contract(elsewhere[name], *(["state"] if name == "dataset=openml" else []))


def test_the_site_lists_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    docs = Path(__file__).parents[2] / "docs"
    monkeypatch.syspath_prepend(docs / "_sphinx")
    page = import_module("checks_listed").with_checks((docs / "checks.md").read_text())
    for kind in KINDS:
        section = page.split(f"(`{kind}`)\n")[1].split("\n### ")[0]
        rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", section, flags=re.MULTILINE))
        assert rows == {check.name: check.about for check in checks_for(kind)}
