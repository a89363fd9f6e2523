"""Config files and launchers of the user, through Hydra."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import records_in
from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins

from ncbench.config.hydra_session import _options_of_hydra


def test_help_texts_are_strings_which_python_314_demands() -> None:
    texts = [action.help for action in _options_of_hydra()._actions]
    assert len(texts) > 10
    assert [text for text in texts if not isinstance(text, str)] == []


def test_a_config_file_that_is_not_yaml_is_named_with_the_line(
    ncbench: Callable, tmp_path: Path
) -> None:
    (tmp_path / "experiment").mkdir()
    (tmp_path / "experiment" / "mine.yaml").write_text("sigma: 0.1\ntrials: [1\nseed: }\n")
    for mode in ([], ["-m"]):
        refused = ncbench(*mode, "--config-dir", ".", "+experiment=mine")
        assert refused.code == 2
        assert refused.err.count("\n") == 1
        assert 'mine.yaml", line 3' in refused.err


EXPERIMENT = """# @package _global_
defaults:
  - override /dataset: wine
  - override /cpe: logistic
trials: 2
algo:
  max_iter: 20
hydra:
  sweeper:
    params:
      sigma: 0.1,0.2
"""


@pytest.mark.slow(reason="a sweep for each file")
def test_an_experiment_file_of_ones_own_can_sweep(ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "mine" / "experiment").mkdir(parents=True)
    (tmp_path / "mine" / "experiment" / "short.yaml").write_text(EXPERIMENT)
    assert ncbench("--config-dir", "mine", "-m", "+experiment=short", "algo=ncfw,fw").code == 0
    cells = {(r["config"]["algo"]["name"], r["config"]["sigma"]) for r in records_in(tmp_path)}
    assert cells == {("ncfw", 0.1), ("ncfw", 0.2), ("fw", 0.1), ("fw", 0.2)}
    assert {r["config"]["dataset"]["name"] for r in records_in(tmp_path)} == {"wine"}
    # What the command line says goes before what the file says.
    outcome = ncbench("--config-dir", "mine", "-m", "+experiment=short", "sigma=0.3")
    assert (outcome.code, outcome.out.count("[1/1] done")) == (0, 1)
    assert ncbench("--config-dir", "nowhere", "algo=fw").code == 2
    outcome = ncbench("--config-dir", "mine", "+experiment=short")
    assert (outcome.code, "sweeps over sigma=0.1,0.2" in outcome.err) == (2, True)


@pytest.mark.slow(reason="a sweep for each file")
def test_several_experiment_files_each_with_a_sweep_of_its_own(
    ncbench: Callable, tmp_path: Path
) -> None:
    folder = tmp_path / "mine" / "experiment"
    folder.mkdir(parents=True)
    (folder / "short.yaml").write_text(EXPERIMENT)
    (folder / "other.yaml").write_text(EXPERIMENT.replace("0.1,0.2", "0.3").replace("20", "10"))
    (folder / "both.yaml").write_text(
        "# @package _global_\nhydra: {sweeper: {params: {experiment: 'short,other'}}}\n"
    )
    expected = {(20, 0.1), (20, 0.2), (10, 0.3)}
    for name in ("short,other", "both"):
        outcome = ncbench("--config-dir", "mine", "-m", f"+experiment={name}")
        assert outcome.code == 0
        cells = {
            (r["config"]["algo"]["max_iter"], r["config"]["sigma"]) for r in records_in(tmp_path)
        }
        assert cells == expected
    assert outcome.out.count("(found finished)") == 3  # the second time


@pytest.mark.slow(reason="a sweep for each file")
def test_a_sweep_in_the_primary_config(ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "own.yaml").write_text(
        "defaults: [config, override dataset: wine, _self_]\ntrials: 1\nalgo: {max_iter: 5}\n"
        "hydra: {sweeper: {params: {sigma: '0.1,0.2', algo: 'ncfw,fw'}}}\n"
    )
    outcome = ncbench("--config-dir", "mine", "--config-name", "own", "-m", "cells_per_job=1")
    assert outcome.code == 0
    assert outcome.out.count("done ") == len(records_in(tmp_path)) == 4
    (groups,) = tmp_path.rglob("groups.json")
    assert json.loads(groups.read_text()) == [[0], [1], [2], [3]]


def test_a_launcher_that_is_not_installed_says_what_to_install(
    ncbench: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for launcher, said in (
        ("joblib", "hydra/launcher=joblib is not installed: pip install 'ncbench[joblib]'"),
        ("submitit_slurm", "submitit_slurm is not installed: pip install 'ncbench[slurm]'"),
        ("jobllib", "hydra/launcher 'jobllib' is not known; did you mean 'joblib'?"),
    ):
        Plugins.instance()  # which fills the store, once
        groups = ConfigStore.instance().repo["hydra"]
        basic = {"basic.yaml": groups["launcher"]["basic.yaml"]}
        monkeypatch.setitem(groups, "launcher", basic)
        for mode in ([], ["-m"]):
            refused = ncbench(*mode, "dataset=iris", "trials=1", f"hydra/launcher={launcher}")
            assert refused.code == 2
            assert said in refused.err
            assert refused.err.count("\n") == 1
        assert list(tmp_path.iterdir()) == []
