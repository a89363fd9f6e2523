"""The paper's Figure 1: loss against sample size on the synthetic problem."""

from __future__ import annotations

import math

import pandas as pd

from ncbench.report.grid import Entry, Grid
from ncbench.report.paper.tables import TABLES, published

MEASURES = ("q_mean", "micro_f1")


def figure1_table(frame: pd.DataFrame) -> Grid:
    """Return our means and the published means, for each measure, sigma and sample size.

    Parameters
    ----------
    frame : DataFrame
        Rows of ``figure1_rows``.
    """
    theirs: dict[tuple[str, float, int], float] = {
        (row["measure"], row["sigma"], row["train"]): row["mean"]
        for row in published("figure1").to_dict("records")
    }
    ours: dict[tuple[str, float, int], list[str]] = {}
    for row in frame.to_dict("records"):
        key = (row["measure"], round(row["sigma"], 6), int(row["train_size"]))
        error = "" if math.isnan(row["sem"]) else f" ({row['sem']:.3f})"  # one trial has none
        ours.setdefault(key, []).append(f"{row['mean']:.3f}{error}")
    sizes = sorted({size for *_, size in [*theirs, *ours]})
    columns = ["measure", "sigma"]
    for size in sizes:
        columns += [f"m={size}", "paper"]
    rows = []
    for measure, sigma in sorted({key[:2] for key in ours}):
        entries = []
        for size in sizes:
            key = (measure, sigma, size)
            entries.append(Entry(" / ".join(ours.get(key, ["-"]))))
            entries.append(Entry(f"{theirs[key]:.3f}" if key in theirs else "-"))
        rows.append([Entry(measure), Entry(f"{sigma:g}"), *entries])
    note = (
        "Test loss: our mean (standard error, ddof 1, corrected for the overlap of the splits), "
        "and the paper's mean. m: training size."
    )
    return Grid(columns, rows, 2, [note])


def figure1_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep the rows of Figure 1: NCFW for Q-mean and NCBS for Micro F1, on ``synthetic``.

    Parameters
    ----------
    frame : DataFrame
        As returned by :func:`ncbench.results.series.results`.
    """
    shown = [
        status == "done"
        and dataset == "synthetic"
        and measure in MEASURES
        and algo == TABLES[measure].corrected
        for status, dataset, measure, algo in zip(
            frame["status"], frame["dataset"], frame["measure"], frame["algo"], strict=True
        )
    ]
    return frame[shown]
