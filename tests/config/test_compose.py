"""Composing the cells of a sweep."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from omegaconf import DictConfig, OmegaConf

from ncbench.config import schema
from ncbench.config.compose import compose_cell, compose_sweep
from ncbench.config.hydra_session import HydraSession, open_session
from ncbench.errors import NcbenchError


@pytest.fixture
def session() -> Iterator[HydraSession]:
    schema.register()
    with open_session() as opened:
        yield opened


def plain(cfg: DictConfig) -> dict:
    return {key: OmegaConf.to_container(cfg)[key] for key in cfg if key != "hydra"}


@pytest.mark.slow(reason="composes whole suites")
def test_cells_composed_together_are_those_composed_alone(session: HydraSession) -> None:
    combinations = [
        ["dataset=wine", "sigma=0.2", "algo=ncfw", "algo.max_iter=7"],
        ["dataset=wine", "algo=ncfw"],  # nothing of the one before is left in it
        ["algo.max_iter=9", "dataset=wine", "algo=ncfw", "seed=3"],
        ["dataset=wine", "sigma=0.2", "algo=fw", "algo.max_iter=7"],
        ["+experiment=paper/h_mean", "sigma=0.3", "dataset=iris", "test_size=0.5"],
        ["noise=matrix", "noise.matrix=[[0.9,0.2],[0.1,0.8]]"],
        ["noise=matrix", "noise.matrix=[[0.8,0.2],[0.2,0.8]]"],
        ["cpe=sklearn", "cpe.estimator=GaussianNB", "cpe.params={var_smoothing: 0.1}"],
        # Groups that were composed in different cells.
        ["+experiment=paper/h_mean", "dataset=wine", "algo=fw", "sigma=0.1"],
        ["+experiment=paper/h_mean", "dataset=iris", "algo=ncfw", "algo.max_iter=5"],
        ["+experiment=paper/h_mean", "dataset=wine", "algo=ncfw", "cpe.C=1"],
        ["+experiment=paper/h_mean", "dataset=wine", "algo=ncfw"],
    ]
    together = list(session.compose_each(combinations))
    for cfg, overrides in zip(together, combinations, strict=True):
        assert plain(cfg) == plain(session.compose(overrides)), overrides


def test_a_wrong_value_is_refused_as_hydra_does() -> None:
    for wrong in ("algo.max_iter=many", "algo.no_such=1", "trails=1"):
        schema.register()
        messages = []
        for compose in (
            lambda session, wrong=wrong: session.compose(["algo=ncfw", wrong]),
            lambda session, wrong=wrong: [*session.compose_each([["algo=ncfw", wrong]])],
        ):
            with pytest.raises(NcbenchError) as refused, open_session() as session:
                compose(session)
            messages.append(str(refused.value))
        assert messages[0] == messages[1]


def test_a_sweep_has_a_cell_for_each_combination(session: HydraSession) -> None:
    composed = compose_sweep(session, ["dataset=iris", "algo=ncfw,fw", "sigma=0.1,0.2"])
    found = [(cell["algo"]["name"], cell["sigma"]) for cell in composed.cells]
    assert found == [("ncfw", 0.1), ("ncfw", 0.2), ("fw", 0.1), ("fw", 0.2)]
    assert composed.first == ["dataset=iris", "algo=ncfw", "sigma=0.1"]


@pytest.mark.slow(reason="composes whole suites")
def test_sweeps_of_a_file_that_lists_files_hold_for_each(session: HydraSession) -> None:
    small = ["+experiment=suite/small"]
    cells = compose_sweep(session, small).cells
    assert {cell["dataset"]["name"] for cell in cells} == {"iris", "wine", "breast_cancer"}
    assert {cell["algo"]["name"] for cell in cells} >= {"ncfw", "bs", "cleanlab"}
    assert {cell["trials"] for cell in cells} == {1}
    typed = compose_sweep(session, [*small, "dataset=car", "trials=2", "algo=ncfw"]).cells
    assert {cell["dataset"]["name"] for cell in typed} == {"car"}
    assert {cell["trials"] for cell in typed} == {2}


@pytest.mark.slow(reason="composes whole suites")
def test_a_sweep_names_its_experiment_files_and_those_they_list(session: HydraSession) -> None:
    def named(*overrides: str) -> list[str]:
        few = ("dataset=iris", "algo=ncfw", "measure=h_mean")
        return compose_sweep(session, [*few, *overrides]).experiments

    assert named("sigma=0.1,0.2") == []
    assert named("+experiment=paper/h_mean,'suite/peers'") == ["paper/h_mean", "suite/peers"]
    assert {"suite/small", "suite/corrected"} <= set(named("+experiment=suite/small"))


def test_one_cell_takes_one_value(session: HydraSession) -> None:
    assert compose_cell(session, ["dataset=iris"])["dataset"]["name"] == "iris"
    with pytest.raises(NcbenchError, match=r"sigma=0\.1,0\.2: several values need a sweep"):
        compose_cell(session, ["sigma=0.1,0.2"])
    with pytest.raises(NcbenchError, match="the config file sweeps over"):
        compose_cell(session, ["+experiment=paper/h_mean"])


def test_zero_and_one_are_read_as_false_and_true(session: HydraSession) -> None:
    assert compose_cell(session, ["cache=0", "theory=1"])["cache"] is False
