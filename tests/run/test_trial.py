"""One cell: the paper's splits, paired noise, and what a record holds."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commands import records_in
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from ncbench import Dataset, NoiseMatrix, NoisyLabels
from ncbench.core.confusion import expected_confusion
from ncbench.errors import NotApplicable, already_said
from ncbench.plugin import get_registry
from ncbench.run.problem import fixed_test_part, load_dataset, make_noise, split
from ncbench.run.trial import prepare, run_trial


def config(**changes: Any) -> dict[str, Any]:
    plugins = {
        "dataset": "iris",
        "noise": "random",
        "cpe": "logistic",
        "t_estimator": "known",
        "measure": "h_mean",
        "algo": "ncfw",
    }
    settings: dict[str, Any] = {
        **{"sigma": 0.2, "trials": 5, "test_size": 0.3, "seed": 0, "data_dir": "data"},
        **{"output_dir": "outputs", "threads": 1, "cache": False, "cache_limit": 1.0},
        **{"force": False, "on_error": "record", "cells_per_job": 0, "theory": False},
    }
    built: dict[str, Any] = {}
    for kind, name in plugins.items():
        chosen = changes.pop(kind, name)
        parameters = chosen if isinstance(chosen, dict) else {"name": chosen}
        plugin = get_registry().plugin(kind, parameters["name"])
        defaults = {p.name: p.default for p in plugin.parameters}
        built[kind] = {**defaults, **parameters}
    if "max_iter" in built["algo"]:
        built["algo"]["max_iter"] = 30
    return {**built, **settings, **changes}


def test_with_seed_0_the_splits_are_the_papers() -> None:
    cell = prepare(config())
    for trial in range(5):
        expected = train_test_split(np.arange(150), test_size=0.3, random_state=trial)
        for ours, theirs in zip(split(cell, trial), expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_other_seeds_give_other_splits() -> None:
    seen = {
        tuple(split(prepare(config(seed=seed)), trial)[1])
        for seed, trial in itertools.product((0, 1, 2), range(3))
    }
    assert len(seen) == 9


def test_noise_depends_on_data_set_noise_sigma_and_seed_alone() -> None:
    def noise(**changes: Any) -> Any:
        cell = config(**changes)
        return make_noise(cell, load_dataset(cell))

    first = noise()
    for same in (
        {"algo": "fw"},
        {"algo": "ncbs", "measure": "micro_f1"},
        {"cpe": "boosting"},
        {"trials": 3, "test_size": 0.5},
    ):
        other = noise(**same)
        np.testing.assert_array_equal(other.y, first.y)
        assert other.noise_matrix == first.noise_matrix
    for different in ({"seed": 1}, {"sigma": 0.3}, {"noise": "symmetric"}):
        assert not np.array_equal(noise(**different).y, first.y)


def test_the_synthetic_problem_keeps_its_own_test_size() -> None:
    cell = prepare(config(dataset={"name": "synthetic", "train": 400, "test": 1000}, trials=2))
    train, test = split(cell, 0)
    assert (len(train), len(test)) == (400, 1000)


def test_a_trial_is_what_a_user_would_compute() -> None:
    cell = prepare(config())
    trial = run_trial(cell, 0)
    train, test = split(cell, 0)
    registry = get_registry()
    classifier = registry.build(
        "algo", "ncfw", measure="h_mean", cpe=registry.build("cpe", "logistic"), max_iter=30
    )
    T = cell.noisy.noise_matrix
    classifier.fit(cell.dataset.X[train], cell.noisy.y[train], noise_matrix=T)
    C = expected_confusion(cell.dataset.y[test], classifier.predict_proba(cell.dataset.X[test]))
    np.testing.assert_array_equal(trial["confusion"], C)
    assert trial["losses"]["h_mean"] == registry.build("measure", "h_mean")(C)
    assert trial["losses"]["zero_one"] == pytest.approx(1 - np.trace(C))
    np.testing.assert_array_equal(trial["noise_matrix_estimate"], T)


def test_a_configured_measure_is_the_one_reported() -> None:
    cell = prepare(config(measure={"name": "micro_f1", "background": 2}, algo="ncbs"))
    trial = run_trial(cell, 0)
    C = np.array(trial["confusion"])
    expected = 1 - 2 * (C[0, 0] + C[1, 1]) / (2 - C[2].sum() - C[:, 2].sum())
    assert trial["losses"]["micro_f1"] == pytest.approx(expected)


def test_a_class_may_be_named_in_a_measure(ncbench: Callable, tmp_path: Path) -> None:
    options = ("algo=ncbs", "measure=micro_f1", "dataset=iris", "trials=1", "cpe=logistic")
    by_name = ncbench(*options, "measure.background=versicolor")
    by_number = ncbench(*options, "measure.background=1")
    assert "micro_f1 (background versicolor) 0." in by_number.out
    assert ncbench(*options, "measure.background=rose").code == 2
    records = records_in(tmp_path)
    assert (by_name.code, len(records)) == (0, 2)
    assert records[0]["trials"][0]["losses"] == records[1]["trials"][0]["losses"]
    C = np.array(records[0]["trials"][0]["confusion"])
    setosa = 1 - 2 * (C[1, 1] + C[2, 2]) / (2 - C[0].sum() - C[:, 0].sum())
    table = ncbench(
        *("aggregate", "outputs", "--value", "micro_f1", "--set", "background=setosa"),
        *("--format", "csv"),
    )
    assert f"{setosa:.6f}"[:7] in table.out


def test_the_default_background_leaves_ids_as_they_were() -> None:
    (background,) = get_registry().plugin("measure", "micro_f1").parameters
    assert (background.default, type(background.default)) == (0, int)


def test_an_algorithm_that_is_not_told_the_measure_runs_once_for_all(
    ncbench: Callable, tmp_path: Path
) -> None:
    options = ("dataset=iris", "trials=2", "algo=nclr_plugin", "cpe=logistic")
    assert ncbench(*options, "measure=h_mean").code == 0
    assert ncbench(*options, "measure=g_mean").code == 0
    assert ncbench(*options, "measure=q_mean", "force=true").code == 0
    found = {r["config"]["measure"]["name"]: r["trials"] for r in records_in(tmp_path)}
    assert found["g_mean"] == found["h_mean"]  # the seconds too: nothing was run again
    assert found["q_mean"][0]["seconds"] != found["h_mean"][0]["seconds"]
    assert found["q_mean"][0]["losses"] == found["h_mean"][0]["losses"]


def test_only_randomized_classifiers_are_judged_by_their_distribution() -> None:
    for algo, randomized in (("nclr_forward", False), ("ncfw", True)):
        cell = prepare(config(algo=algo, trials=1))
        C = np.array(run_trial(cell, 0)["confusion"])
        counts = C * round(0.3 * 150)  # whole examples, unless predictions are shared out
        assert np.allclose(counts, counts.round()) is not randomized


def test_a_class_with_a_single_training_example_is_borne(ncbench: Callable, tmp_path: Path) -> None:
    for algo in (
        "bs",
        "ncbs",
        "nc_selected",
    ):
        rows = [
            "x,z,kind",
            *(f"{k % 7},{k % 5},{'rare' if k < 3 else 'common'}" for k in range(60)),
        ]
        (tmp_path / "rare.csv").write_text("\n".join(rows))
        data = ("dataset=file", "dataset.path=rare.csv", "dataset.target=kind", "noise=none")
        quick = ("cpe=logistic", "cpe.C=1.0", "test_size=0.7", "seed=1", "trials=1", "cache=false")
        candidates = ["algo.candidates=[logistic]"] if algo == "nc_selected" else []
        outcome = ncbench(*data, *quick, f"algo={algo}", "measure=micro_f1", *candidates)
        assert outcome.code == 0, outcome.err
        assert "single example" not in outcome.err


def test_a_class_with_a_single_example_is_pointed_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{k % 7},{'wolf' if k == 9 else 'cat' if k % 2 else 'dog'}" for k in range(60)]
    (tmp_path / "pets.csv").write_text("\n".join(["x,kind", *rows]))
    already_said.clear()
    own = {"name": "file", "path": str(tmp_path / "pets.csv"), "target": "kind"}
    prepare(config(dataset=own))
    said = "pets: 1 class has a single example, which no trial can both train on and test: wolf"
    assert said in capsys.readouterr().err


CHDIR = """
import os
import numpy as np
from ncbench import Measure, NoisyLabelClassifier, hookimpl


class Wanders(NoisyLabelClassifier):
    "Changes the working directory."

    def _fit(self, X, y, noise):
        os.makedirs("elsewhere", exist_ok=True)
        os.chdir("elsewhere")
        self.n_ = noise.n

    def _predict_proba(self, X):
        return np.full((len(X), self.n_), 1 / self.n_)


class OneClass(Measure):
    "Misses of one class."

    def __init__(self, kind: int | str = 0):
        self.kind = kind

    def __call__(self, C):
        return 1 - C[0, 0] if self.kind == 0 else 0.0


@hookimpl
def ncbench_algorithms():
    return {"wanders": Wanders}


@hookimpl
def ncbench_measures():
    return {"one_class": OneClass}
"""


def test_a_plug_in_that_changes_the_working_directory_moves_no_record(
    ncbench: Callable, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(CHDIR)
    outcome = ncbench("dataset=iris", "plugins_from=own.py", "algo=wanders", "trials=2")
    assert outcome.code == 0, outcome.err
    assert len(list((tmp_path / "outputs" / "cells").rglob("record.json"))) == 1
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_class_is_not_named_in_a_measure_that_takes_none(
    ncbench: Callable, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(CHDIR)
    options = ("plugins_from=own.py", "measure=one_class", "measure.kind=setosa", "algo=wanders")
    outcome = ncbench("dataset=iris", *options)
    assert outcome.code == 2
    said = "one_class does not take names of classes, because it has no for_classes; give 0"
    assert f"measure.kind=setosa: {said}" in outcome.err
    assert not (tmp_path / "outputs").exists()


def annotated(tmp_path: Path, checked: int) -> dict[str, Any]:
    """Return a data set in a file: 150 noisy labels, some of them checked."""
    iris = load_iris()
    table = pd.DataFrame(iris.data).assign(label=np.roll(iris.target, 10), checked=iris.target)
    table["checked"] = table["checked"].where(np.arange(150) % 150 < checked)
    if not checked:
        del table["checked"]
    table = table.sample(frac=1, random_state=0)
    table.to_csv(tmp_path / "mine.csv", index=False)
    parameters = {"noisy_target": "label", "target": "checked" if checked else None}
    return {"name": "file", "path": str(tmp_path / "mine.csv"), **parameters}


def test_the_test_part_is_taken_from_the_checked_rows(tmp_path: Path) -> None:
    for checked, tested, fixed in (
        (0, 45, False),
        (30, 30, True),
        (120, 45, False),
    ):
        people = {"noise": "annotators", "t_estimator": "identity", "sigma": 0.0}
        cell = prepare(config(dataset=annotated(tmp_path, checked), **people))
        parts = [split(cell, trial) for trial in range(5)]
        for train, test in parts:
            assert len(test) == tested
            assert not set(train) & set(test)
            assert (cell.dataset.y[test] >= 0).all() == (checked > 0)
        assert len({tuple(sorted(test)) for _, test in parts}) == (1 if fixed else 5)
        assert len({tuple(sorted(train)) for train, _ in parts}) == 5
        assert {len(train) for train, _ in parts} == {108 if fixed else 105}
        assert (fixed_test_part(cell.dataset, 0.3) is not None) == fixed


def test_a_data_set_may_fix_its_test_part() -> None:
    y = np.arange(60) % 3
    fixed = np.arange(40, 60)
    data = Dataset(X=np.eye(60)[:, :4], y=y, classes=("a", "b", "c"), name="toy", test=fixed)
    cell = prepare(config())
    cell = replace(cell, dataset=data, noisy=NoisyLabels(NoiseMatrix.identity(3), y))
    parts = [split(cell, trial) for trial in range(3)]
    assert all(np.array_equal(test, fixed) for _, test in parts)
    assert all(len(train) == 36 and train.max() < 40 for train, _ in parts)
    assert len({tuple(sorted(train)) for train, _ in parts}) == 3


def test_theory_of_an_unknown_distribution_is_pointed_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    already_said.clear()
    prepare(config(theory=True))
    assert "theory=true: the distribution of iris is not known" in capsys.readouterr().err


def test_labels_that_say_nothing_skip_a_cell() -> None:
    two = {"name": "breast_cancer"}
    with pytest.raises(NotApplicable, match=r"noise=random sigma=0\.5: noise matrix: condition"):
        prepare(config(dataset=two, sigma=0.5))
