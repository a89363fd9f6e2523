"""The paper's Figure 1, ours beside the published means."""

from __future__ import annotations

import math

import pandas as pd

from ncbench.report.paper.figure1 import figure1_rows, figure1_table
from ncbench.report.paper.tables import published


def row(**changes: object) -> dict[str, object]:
    cell = {
        "status": "done",
        "dataset": "synthetic",
        "untagged": "synthetic",
        "measure": "q_mean",
        "algo": "ncfw",
    }
    return {**cell, "sigma": 0.1, "train_size": 100, "mean": 0.7, "sem": 0.01, **changes}


def test_only_the_corrected_algorithm_of_each_measure_on_synthetic_is_shown() -> None:
    rows = [
        row(),
        row(measure="micro_f1", algo="ncbs"),
        row(algo="fw"),
        row(measure="micro_f1", algo="bs"),
        row(measure="h_mean"),
        row(dataset="iris", untagged="iris"),
        row(status="failed"),
    ]
    assert figure1_rows(pd.DataFrame(rows)).index.tolist() == [0, 1]


def test_ours_stands_beside_the_published_mean_of_the_same_cell() -> None:
    theirs = published("figure1")
    theirs = theirs[theirs["measure"] == "q_mean"].iloc[0]
    sigma, size = theirs["sigma"], int(theirs["train"])
    one = row(sigma=sigma + 1e-9, train_size=size, mean=0.12345)
    alone = row(sigma=sigma, train_size=7, sem=math.nan)  # a size that the paper does not have
    table = figure1_table(pd.DataFrame([one, alone]))
    (shown,) = [[entry.text for entry in entries] for entries in table.rows]
    place = list(table.columns).index(f"m={size}")
    assert shown[:2] == ["q_mean", f"{sigma:g}"]
    assert shown[place : place + 2] == ["0.123 (0.010)", f"{theirs['mean']:.3f}"]
    other = list(table.columns).index("m=7")
    assert shown[other : other + 2] == ["0.700", "-"]
