"""The best of a group of cells."""

from __future__ import annotations

import math

import numpy as np
import pytest
from made_up import record, table, tidy

from ncbench.results.best import marked


def test_the_best_is_sought_among_equals_only() -> None:
    text = table(
        [
            record([0.1], dataset={"name": "file", "path": "a.csv"}),
            record([0.5], dataset={"name": "file", "path": "b.csv"}),
            record([0.6], dataset={"name": "file", "path": "b.csv"}, algo={"name": "fw"}),
        ]
    )
    assert "0.100" in text
    assert "0.100*" not in text  # nothing is compared with it
    assert "0.500*" in text
    assert "0.600*" not in text
    assert "mean over 1 trial; * best; ~ not separable from it by one trial." in text
    assert "standard error" not in text


@pytest.mark.slow(reason="simulates many tables")
def test_six_equal_methods_are_marked() -> None:
    # Five 70:30 splits, whose losses are correlated as those of Nadeau & Bengio are. With an
    # interval for one pair, one of the six is left unmarked in a third of the tables.
    rng = np.random.default_rng(0)
    tables, unmarked = 150, 0
    for _ in range(tables):
        shared = rng.normal(0, 0.02 * math.sqrt(3 / 7), (6, 1))
        losses = 0.3 + shared + rng.normal(0, 0.02, (6, 5))
        records = [record(row.tolist(), algo={"name": f"a{k}"}) for k, row in enumerate(losses)]
        for each in records:
            each["trials"] = [t | {"train_size": 70, "test_size": 30} for t in each["trials"]]
        unmarked += "" in marked(tidy(records))["mark"].tolist()
    assert unmarked <= 0.06 * tables


def test_the_interval_is_widened_for_every_pair() -> None:
    # Differences of mean 1 and s = 1/4 over four splits: t = 8, p = 0.004.
    best = [0.0, 0.0, 0.0, 0.0]
    worse = (1 + 0.25 * np.array([-1, -1, 1, 1]) * math.sqrt(3 / 4)).tolist()
    far = [9.0, 9.1, 9.0, 9.1]
    for others, mark in (0, ""), (3, ""), (4, "level"):  # 1, 10 and 15 pairs; 0.05 / 15 = 0.0033
        methods = [best, worse, *[far] * others]
        records = [record(row, algo={"name": f"a{k}"}) for k, row in enumerate(methods)]
        assert marked(tidy(records))["mark"][1] == mark


def test_the_interval_is_widened_for_every_problem_of_the_table() -> None:
    best, worse = [0.0] * 4, [0.78, 0.78, 1.22, 1.22]  # p = 0.0043
    for problems, mark in (11, ""), (12, "level"):
        records = [
            record(row, algo={"name": name}, sigma=k / 100)
            for k in range(problems)
            for name, row in (("a", best), ("b", worse))
        ]
        assert set(marked(tidy(records))["mark"]) == {"best", mark}


def test_a_method_that_ignores_an_option_is_compared_once() -> None:
    # As above: with 15 pairs of different methods, the second is level with the best.
    best = [0.0, 0.0, 0.0, 0.0]
    worse = (1 + 0.25 * np.array([-1, -1, 1, 1]) * math.sqrt(3 / 4)).tolist()
    options = [{"t_estimator": {"name": t}, "cpe": {"name": c}} for t in "abc" for c in "de"]
    last = record(worse, algo={"name": "b"}, **options[0])
    repeats = [record(best, algo={"name": "a"}, **option) for option in options]
    assert marked(tidy([*repeats, last]))["mark"].tolist() == ["best"] * 6 + [""]
    far = ([9.0 + k / 100, 9.1, 9.0, 9.1] for k in range(6))
    others = [record(row, algo={"name": "c"}, **o) for row, o in zip(far, options, strict=True)]
    marks = marked(tidy([repeats[0], last, *others]))["mark"].tolist()
    assert marks == ["best", "level", *[""] * 6]
