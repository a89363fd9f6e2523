"""Every experiment file that is shipped: each value of its sweep composes, and it runs."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from ncbench.config import schema
from ncbench.config.hydra_session import HydraSession, open_session, values_of
from ncbench.run import identified
from ncbench.run.cell import run_in_sweep
from ncbench.run.trial import check_fit

FOLDER = Path(str(files("ncbench_conf"))) / "experiment"
FILES = {
    path.relative_to(FOLDER).with_suffix("").as_posix(): path.read_text()
    for path in sorted(FOLDER.rglob("*.yaml"))
}
LISTS = [name for name, text in FILES.items() if "experiment:" in text]
"""Files that stand for others."""
NAMES = [name for name in FILES if name not in LISTS]


@pytest.fixture(scope="module")
def session() -> Iterator[HydraSession]:
    """Compose each configuration once for all tests, as a sweep does for all its cells."""
    schema.register()
    with open_session() as opened:
        yield opened


def axes(session: HydraSession, name: str) -> dict[str, list[str]]:
    """Return what the file sweeps over."""
    params = session.swept_in_files([f"+experiment={name}"])
    parsed = session.parse([f"{key}={value}" for key, value in params.items()])
    values = [[text.split("=", 1) for text in values_of(override)] for override in parsed]
    return {texts[0][0]: [value for _, value in texts] for texts in values}


def overrides(name: str, cell: dict[str, str]) -> list[str]:
    return [f"+experiment={name}", *(f"{key}={value}" for key, value in cell.items())]


def test_there_are_experiments(session: HydraSession) -> None:
    assert {"paper/figure1_q_mean", "paper/figure1_micro_f1"} <= set(NAMES)
    for name in LISTS:
        assert set(axes(session, name)["experiment"]) <= set(NAMES)


def test_runs_take_the_cpe_learner_that_algorithms_take(session: HydraSession) -> None:
    assert session.compose([]).cpe.name == "logistic"  # algorithms: tests/plugins/test_algorithms


# As paper/h_mean and paper/figure1_micro_f1, but for the measure and who optimizes it, or longer.
ALIKE = {"paper/q_mean", "paper/g_mean", "paper/micro_f1", "paper/figure1_q_mean"}
ALIKE |= {"paper/beyond", "t_estimators", "real_noise/drawn", "real_noise/people"}
ALIKE |= {
    f"suite/{name}" for name in ("f1_corrected", "learners", "f1_learners", "soft", "baselines")
}
ALIKE |= {f"suite/{name}" for name in ("f1_baselines", "nclr", "peers", "own", "corrected")}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow(reason="like another, or longer")])
        if name in ALIKE
        else name
        for name in NAMES
    ],
)
def test_each_value_of_the_sweep_composes_and_its_ends_run_in_a_reduced_size(
    name: str, session: HydraSession, tmp_path: Path
) -> None:
    swept = axes(session, name)
    first = {key: values[0] for key, values in swept.items()}
    cells = [{**first, key: value} for key, values in swept.items() for value in values]
    for cfg in session.compose_each([overrides(name, cell) for cell in cells]):
        config = schema.resolve(cfg)
        assert config["cpe"]["name"] == "logistic" or "cpe" in swept  # as in published numbers
        check_fit(config)  # raises NotApplicable for a cell that would be skipped

    reduced = reduction(session, name)
    choices = zip(*((values[0], values[-1]) for values in reduced.values()), strict=True)
    cells = [dict(zip(reduced, choice, strict=True)) for choice in choices]
    composed = session.compose_each([overrides(name, cell) for cell in cells])
    for cell, cfg in zip(cells, composed, strict=True):
        config = {**schema.resolve(cfg), "output_dir": str(tmp_path)}
        record = run_in_sweep(identified(config))
        assert record["status"] == "done", (cell, record.get("reason"), record.get("traceback"))
        (trial,) = record["trials"]
        assert 0 <= trial["losses"][record["config"]["measure"]["name"]] <= 1, cell
        for key in ("algo", "dataset", "measure", "noise", "t_estimator"):
            if key in cell:
                assert record["config"][key]["name"] == cell[key]


def reduction(session: HydraSession, name: str) -> dict[str, list[str]]:
    """Return the axes of a small problem: one trial, little data that needs no files, few steps."""
    swept = axes(session, name)
    first = {key: values[0] for key, values in swept.items()}
    base = session.compose(overrides(name, first))
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
