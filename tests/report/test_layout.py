"""The layout of tables: rows, columns, filters, and what is said below."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from made_up import record, results, table
from made_up_files import write


def test_filters_rows_and_columns(ncbench: Callable, records: list) -> None:
    options = ("--where", "dataset=iris", "sigma=0.10,0.2", "--where", "algo=ncfw,fw")
    out = ncbench("aggregate", ".", *options, "--rows", "algo", "--cols", "sigma", "dataset").out
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["algo", "sigma=0.1", "dataset=iris", "sigma=0.2", "dataset=iris"]
    assert [line[0] for line in lines[1:3]] == ["fw", "ncfw"]
    assert "All with measure=q_mean, algo.max_iter=9." in out
    # A key that varies and was not asked for is never averaged away.
    out = ncbench("aggregate", ".", "--rows", "algo", "--where", "dataset=iris,wine").out
    assert out.split()[:2] == ["dataset", "algo"]
    rows = json.loads(ncbench("aggregate", ".", "--where", "status=failed", "--format", "json").out)
    assert [row["status"] for row in rows] == ["failed"]


@pytest.mark.parametrize("form", ["table", "md", "tex"])
def test_what_is_not_as_by_default_is_said_below(
    form: str, ncbench: Callable, tmp_path: Path
) -> None:
    config = {"measure": {"name": "micro_f1", "background": 1}, "dataset": {"name": "iris"}}
    config |= {"noise": {"name": "none"}, "cpe": {"name": "logistic"}, "sigma": 0.1}
    config |= {"t_estimator": {"name": "cautious_map"}, "seed": 0, "trials": 1, "test_size": 0.5}
    iterations = {"ncfw": 50, "ncbs": 200, "gone": 7}  # 200 is the default; of gone nobody knows
    for algo, max_iter in iterations.items():
        trials = [{"trial": 0, "losses": {"micro_f1": 0.5}}]
        algorithm = {"name": algo, "max_iter": max_iter}
        write(tmp_path, config={**config, "algo": algorithm}, trials=trials)
    said = "measure.background=1, noise=none, t_estimator=cautious_map, test_size=0.5"
    out = ncbench("aggregate", ".", "--format", form).out.replace("\\", "").replace("\n", " ")
    assert f"All with {said}, algo.max_iter=50 (ncfw)." in out
    # What is a column is not said again, nor what is filtered out.
    out = ncbench("aggregate", ".", "--format", form, "--rows", "algo", "noise").out
    assert "noise=none" not in out
    assert "max_iter" not in ncbench("aggregate", ".", "--where", "algo=ncbs").out


def test_who_was_told_the_truth_is_said_below() -> None:
    def told(name: str, **parts: object) -> dict:
        made = record([0.1], t_estimator={"name": name})
        made["trials"][0]["told"] = {"t_estimator": parts}
        return made

    cells = [told("known", noise_matrix=True), told("mine"), told("trusted", clean_labels=9)]
    both = "t_estimator=known (noise_matrix), t_estimator=trusted (clean_labels)"
    assert f"Told the truth: {both}." in table(cells)
    assert sorted(results(cells).tidy()["told"]) == ["", *both.split(", ")]
    assert "Told" not in table([told("mine")])
    assert "Told" not in table([record([0.1])])  # a record of before


def test_a_null_and_a_missing_parameter_are_not_blank() -> None:
    cells = [record([0.1], cpe={"name": "logistic", "C": C}) for C in (None, 1.0)]
    cells.append(record([0.1], cpe={"name": "power_logistic"}))
    rows = [line.split() for line in table(cells).splitlines()[1:4]]
    assert [row[-2] for row in rows] == ["null", "1", "-"]
