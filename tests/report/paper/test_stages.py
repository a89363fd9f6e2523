"""Where the time of the paper's experiments went."""

from __future__ import annotations

from made_up_files import typed

from ncbench.report.paper.stages import stages_table
from ncbench.run import Record


def record(dataset: str, *trials: dict[str, float]) -> Record:
    config = {"dataset": {"name": dataset}, "algo": {"name": "any"}, "measure": {"name": "h_mean"}}
    each = [{"seconds": seconds, "losses": {"h_mean": 0.1}} for seconds in trials]
    status = "done" if trials else "failed"
    made = {"config": {**config, "sigma": 0.1}, "trials": each, "status": status, "reason": ""}
    return typed(made)


def test_stages_sum_to_the_time_of_the_trials() -> None:
    ncfw = {"t_estimate": 1.0, "fit": 30.0, "evaluate": 2.0, "cpe": 20.0, "optimise": 8.0}
    nclr = {"t_estimate": 1.0, "fit": 50.0, "evaluate": 1.0}
    records = [
        record("abalone", nclr),
        record("covtype", ncfw, ncfw),
        record("covtype", nclr),
        record("covtype", nclr),  # the same trial, for another measure
        record("covtype"),  # failed
    ]
    table = stages_table(records)
    assert table.columns == ["stage", "covtype", "abalone", "all"]
    assert {row[0].text: [entry.text for entry in row[1:]] for row in table.rows} == {
        "noise matrix": ["3", "1", "4"],
        "class probabilities (CPE learner)": ["40", "0", "40"],
        "Frank-Wolfe, bisection": ["16", "0", "16"],
        "other fits (NCLR)": ["54", "50", "104"],
        "test part": ["5", "1", "6"],
        "sum": ["118", "52", "170"],
    }
