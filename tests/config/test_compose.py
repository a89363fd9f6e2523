"""Composing the cells of a sweep."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest
from hydra._internal.hydra import Hydra
from hydra._internal.utils import create_config_search_path
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf

from ncbench.config import compose as app
from ncbench.config import schema

NO_FILE = argparse.Namespace(config_name=None)


@pytest.fixture
def hydra() -> Iterator[Hydra]:
    schema.register()
    GlobalHydra.instance().clear()
    yield Hydra.create_main_hydra2("ncbench", create_config_search_path(app.CONFIG_PATH))
    GlobalHydra.instance().clear()


def plain(cfg: DictConfig) -> dict:
    return {key: OmegaConf.to_container(cfg)[key] for key in cfg if key != "hydra"}


def test_cells_composed_together_are_those_composed_alone(hydra: Hydra) -> None:
    combinations = [
        ["dataset=wine", "sigma=0.2", "algo=ncfw", "algo.max_iter=7"],
        ["dataset=wine", "algo=ncfw"],  # nothing of the one before is left in it
        ["algo.max_iter=9", "dataset=wine", "algo=ncfw", "seed=3"],
        ["dataset=wine", "sigma=0.2", "algo=fw", "algo.max_iter=7"],
        ["+experiment=paper/h_mean", "sigma=0.3", "dataset=iris", "test_size=0.5"],
        ["noise=matrix", "noise.matrix=[[0.9,0.2],[0.1,0.8]]"],
        ["noise=matrix", "noise.matrix=[[0.8,0.2],[0.2,0.8]]"],
        ["cpe=sklearn", "cpe.estimator=GaussianNB", "cpe.params={var_smoothing: 0.1}"],
    ]
    together = list(app._compose_all(hydra, NO_FILE, combinations))
    for cfg, overrides in zip(together, combinations, strict=True):
        assert plain(cfg) == plain(app._compose(hydra, NO_FILE, overrides)), overrides


@pytest.mark.parametrize("wrong", ["algo.max_iter=many", "algo.no_such=1", "trails=1"])
def test_a_wrong_value_is_refused_as_hydra_does(wrong: str, hydra: Hydra) -> None:
    with pytest.raises(HydraException) as alone:
        app._compose(hydra, NO_FILE, ["algo=ncfw", wrong])
    with pytest.raises(HydraException) as together:
        list(app._compose_all(hydra, NO_FILE, [["algo=ncfw", wrong]]))
    assert str(together.value) == str(alone.value)
