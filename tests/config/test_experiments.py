"""Every experiment file that is shipped: each value of its sweep composes, and it runs."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_module
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import DictConfig

from ncbench.config import schema
from ncbench.run.cell import run_in_sweep
from ncbench.run.record import identified
from ncbench.run.trial import check_fit

FOLDER = Path(str(files("ncbench_conf"))) / "experiment"
FILES = {
    path.relative_to(FOLDER).with_suffix("").as_posix(): path.read_text()
    for path in sorted(FOLDER.rglob("*.yaml"))
}
LISTS = [name for name, text in FILES.items() if "experiment:" in text]
"""Files that stand for others."""
NAMES = [name for name in FILES if name not in LISTS]


@pytest.fixture(autouse=True)
def _hydra() -> Iterator[None]:
    schema.register()
    with initialize_config_module("ncbench_conf", version_base="1.3"):
        yield


def composed(name: str, *overrides: str) -> DictConfig:
    return compose("config", [f"+experiment={name}", *overrides], return_hydra_config=True)


def axes(name: str) -> dict[str, list[str]]:
    """Return what the file sweeps over."""
    params = composed(name).hydra.sweeper.params or {}
    swept = OverridesParser.create().parse_overrides([f"{k}={v}" for k, v in params.items()])
    return {
        override.input_line.split("=", 1)[0]: list(map(str, override.sweep_string_iterator()))
        if override.is_sweep_override()
        else [override.input_line.split("=", 1)[1]]
        for override in swept
    }


def test_there_are_experiments() -> None:
    assert {"paper/figure1_q_mean", "paper/figure1_micro_f1"} <= set(NAMES)
    for name in LISTS:
        assert set(axes(name)["experiment"]) <= set(NAMES)


def test_runs_take_the_cpe_learner_that_algorithms_take() -> None:
    assert compose("config").cpe.name == "logistic"  # algorithms: see tests/plugins/test_algorithms


@pytest.mark.parametrize("name", NAMES)
def test_published_numbers_are_compared_with_the_published_cpe_learner(name: str) -> None:
    assert composed(name).cpe.name == "logistic"


# As paper/h_mean and paper/figure1_micro_f1, but for the measure and who optimizes it, or longer.
ALIKE = {"paper/q_mean", "paper/g_mean", "paper/micro_f1", "paper/figure1_q_mean"}
ALIKE |= {"paper/beyond", "t_estimators", "real_noise/drawn", "real_noise/people"}
ALIKE |= {f"suite/{name}" for name in ("f1_corrected", "learners", "f1_learners", "baselines")}
ALIKE |= {f"suite/{name}" for name in ("f1_baselines", "nclr", "peers", "own")}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n in ALIKE)) for n in NAMES]
)
def test_every_value_of_the_sweep_composes(name: str) -> None:
    swept = axes(name)
    first = {key: values[0] for key, values in swept.items()}
    for key, values in swept.items():
        for value in values:
            cell = {**first, key: value}
            config = schema.resolve(composed(name, *(f"{k}={v}" for k, v in cell.items())))
            assert config["trials"] >= 1
            check_fit(config)  # raises NotApplicable for a cell that would be skipped


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n in ALIKE)) for n in NAMES]
)
def test_runs_in_a_reduced_size(name: str, tmp_path: Path) -> None:
    reduced = reduction(name)
    found: list[dict[str, Any]] = []
    expected: list[dict[str, str]] = []
    for choice in zip(*(ends(values) for values in reduced.values()), strict=True):
        overrides = [f"{key}={value}" for key, value in zip(reduced, choice, strict=True)]
        config = schema.resolve(composed(name, *overrides))
        found.append(run_in_sweep(identified({**config, "output_dir": str(tmp_path)})))
        expected.append({"name": name, **dict(zip(reduced, choice, strict=True))})
    # No shipped experiment names an algorithm beside a measure that it cannot optimise.
    for cell, record in zip(expected, found, strict=True):
        assert record["status"] == "done", (cell, record.get("reason"), record.get("traceback"))
        (trial,) = record["trials"]
        assert 0 <= trial["losses"][record["config"]["measure"]["name"]] <= 1, cell
        for key in ("algo", "dataset", "measure", "noise", "t_estimator"):
            if key in cell:
                assert record["config"][key]["name"] == cell[key]


def reduction(name: str) -> dict[str, list[str]]:
    """Return the axes of a small problem: one trial, little data that needs no files, few steps."""
    swept = axes(name)
    base = composed(name, *(f"{key}={values[0]}" for key, values in swept.items()))
    small = {"trials": ["1"]}
    if base.dataset.name == "synthetic":
        small |= {"dataset.train": ["300"], "dataset.test": ["300"]}
    else:
        swept = {key: values for key, values in swept.items() if not key.startswith("dataset.")}
        small |= {"dataset": ["iris"]}
        if base.noise.name == "recorded":
            small |= {"noise": ["symmetric"]}
        elif base.noise.name == "annotators":
            small |= {"noise": ["annotators_simulated"]}
    if "algo" not in swept and "max_iter" in base.algo:
        small["algo.max_iter"] = ["20"]
    return {**swept, **small}


def ends(values: list[str]) -> list[str]:
    """Return the first and the last."""
    return [values[0], values[-1]]
