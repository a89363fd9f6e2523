"""Where the time of the paper's experiments went: seconds by stage and data set."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ncbench.report.paper.tables import DATASETS
from ncbench.report.tables import Entry, Grid
from ncbench.run import Record

STAGES = {
    "t_estimate": "noise matrix",
    "cpe": "class probabilities (CPE learner)",
    "optimise": "Frank-Wolfe, bisection",
    "fit": "other fits (NCLR)",
    "evaluate": "test part",
    "theory": "terms of the bounds",
}
"""Stages of a trial, in order; ``fit`` without the two that are parts of it."""


def stages_table(records: Sequence[Record]) -> Grid:
    """Return the seconds of all trials by stage, with a column for each data set.

    Parameters
    ----------
    records : sequence of Record
        Of the paper's data sets.
    """
    rows = [
        {
            **{key: record.keys[key] for key in ("dataset", "algo", "sigma")},
            "trial": trial.trial,
            **{stage: trial.seconds.get(stage, 0.0) for stage in STAGES},
        }
        for record in records
        for trial in record.trials
    ]
    # A trial that cells of several measures share has the same times in all of them.
    frame = pd.DataFrame(rows).drop_duplicates()
    frame["fit"] -= frame["cpe"] + frame["optimise"]
    sums = frame.groupby("dataset")[list(STAGES)].sum().T
    sums = sums[[name for name in DATASETS if name in sums]]
    sums["all"] = sums.sum(axis=1)
    sums = sums[sums["all"] > 0]
    sums.loc["sum"] = sums.sum()
    entries = [
        [Entry(STAGES.get(str(stage), "sum")), *(Entry(f"{value:.0f}") for value in row)]
        for stage, row in zip(sums.index, sums.to_numpy(), strict=True)
    ]
    note = (
        "Seconds of all trials. Probabilities and trials that cells share count once. The time to "
        "start and to load the data is not included."
    )
    return Grid(["stage", *map(str, sums.columns)], entries, 1, [note])
