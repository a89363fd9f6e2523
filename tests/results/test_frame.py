"""From records to tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from made_up import other_keys, record, table, tidy
from made_up_files import write

from ncbench.results.value import Value


def test_the_table_marks_the_best_and_what_is_missing() -> None:
    fw = {"algo": {"name": "fw", "max_iter": 9}}
    text = table(
        [
            record([0.1, 0.3]),
            record([0.5, 0.7], **fw),
            record([0.5, 0.7], sigma=0.4),
            record(None, "failed", sigma=0.4, **fw),
            record([0.25], sigma=0.2),
        ]
    )
    lines = {line.split()[-4:][0]: line for line in text.splitlines()[1:3]}
    assert "0.200 (0.100)*" in text
    assert "0.600 (0.100)\n" in text.replace(" \n", "\n")  # alone at sigma 0.4: fw failed there
    assert "0.250 n=1" in text
    assert text.count("*") == 1 + 1  # the best cell, and the legend
    assert "1 failed: because" in text
    assert any(" - " in line for line in lines.values())  # fw has no cell at sigma 0.2


def test_cells_that_differ_in_their_number_of_trials_are_cells_of_their_own() -> None:
    fw = {"name": "fw", "max_iter": 9}
    records = [
        record([0.2, 0.4], trials=2),
        record([0.8, 0.9], trials=2, algo=fw),
        record([0.3, 0.3, 0.3], trials=3),
        record([0.1], trials=1, algo=fw),
    ]
    assert other_keys(tidy(records)) == ["trials"]
    lines = [line.split() for line in table(records).splitlines()[1:5]]
    assert lines == [
        ["h_mean", "iris", "fw", "1", "0.100", "n=1"],  # alone with one trial
        ["2", "0.850", "(0.050)~"],
        ["ncfw", "2", "0.300", "(0.100)*"],
        ["3", "0.300", "(0.000)", "n=3"],
    ]


def test_a_place_that_is_taken_shows_both_cells() -> None:
    records = [record([x], algo={"name": "a", "k": k}) for x, k in ((0.25, "1"), (0.75, 1))]
    assert "0.250* / 0.750" in table(records)


def test_intervals_allow_for_what_splits_share() -> None:
    each = record([0.1, 0.2, 0.3])
    for trial, number in zip(each["trials"], [0.1, 0.2, 0.3], strict=True):
        trial |= {"train_size": 98, "test_size": 2, "seconds": {"fit": number}}
        trial |= {"noise_matrix_diagnostics": {"T_error": number}}
    names = ["loss", "noise_matrix_diagnostics.T_error", "seconds.fit"]
    reach = [tidy([each], Value(name)).iloc[0].high - 0.2 for name in names]
    # Of a loss the test parts vary; of an estimate the training parts, which are nearly equal; a
    # time depends on neither.
    naive = reach[2]
    assert naive == pytest.approx(4.302653 * 0.1 / math.sqrt(3), rel=1e-6)
    assert reach[0] / naive == pytest.approx(math.sqrt(1 + 3 * 2 / 98))
    assert reach[1] / naive == pytest.approx(math.sqrt(1 + 3 * 49))


def test_versions_of_a_plugin_are_not_mixed_in_silence(ncbench: Callable, tmp_path: Path) -> None:
    for number, version in enumerate(["c957c85ff523"] * 5 + ["0123456789ab"]):
        for algo, plugin in (("rule", f"rule.py {version}"), ("fw", "ncbench 0.1.0")):
            config = {"measure": {"name": "q_mean"}, "dataset": {"name": f"d{number}"}}
            config |= {"algo": {"name": algo}, "sigma": 0.1}
            write(
                tmp_path,
                config=config,
                trials=[{"trial": 0, "losses": {"q_mean": 0.5}}],
                plugins={"algo": plugin, "dataset": "ncbench 0.1.0"},
                provenance={"time": f"2026-01-01T00:00:0{number}+0000"},
            )
    said = "5 of 12 cells have another version or code than the newest of rule.py; run them again."
    assert said in ncbench("aggregate", ".", "--format", "md").out
    out = ncbench("aggregate", ".").out
    assert said in " ".join(out.split())
    assert "ncbench 0.1.0" not in out
    assert "version" not in ncbench("aggregate", ".", "--where", "algo=fw").out
