"""Time per stage of a trial."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.style import (
    COLOURS,
    HATCHES,
    PANEL,
    drawing,
    grid,
    grow,
    legend,
    title,
    wrapped,
)
from ncbench.results.series import each_series, panels
from ncbench.types import Record

STAGES = {
    "t_estimate": "noise matrix",
    "cpe": "class probabilities",
    "optimise": "optimization",
    "rest": "rest of the fit",
    "evaluate": "test",
    "other": "other",
}
"""The names of the stages in the figure, in order."""

_NAME = 1.2  # inches


def stage_times(frame: pd.DataFrame, records: Sequence[Record]) -> Figure:
    """Draw the mean time of each stage of a trial, with one bar for each algorithm.

    Means are over all trials and sigmas. Class probabilities that another cell has computed take
    almost no time: bars show the time spent, not the time a cell would need alone.

    Parameters
    ----------
    frame : DataFrame
        As returned by ``results``.
    records : sequence
        The records that ``results`` was given.
    """
    done = frame[frame["status"] == "done"]
    if done.empty:
        raise NothingToDraw("no cell is done")
    found = panels(done)
    columns = min(3, len(found))
    tallest = max(rows["series"].nunique() for _, _, rows in found)
    spent = np.zeros(len(STAGES))
    with drawing():
        size = (PANEL[0] * 1.1, 0.9 + 0.34 * tallest)
        figure, axes = grid(-(-len(found) // columns), columns, size)
        for panel in axes.flat[len(found) :]:
            panel.set_visible(False)
        for panel, (measure, problem, rows) in zip(axes.flat, found, strict=False):
            named = each_series(rows)
            bars = np.array([_stages(cells, records) for _, _, cells in named])
            spent += bars.sum(axis=0)
            start = np.zeros(len(named))
            for k, stage in enumerate(STAGES):
                panel.barh(
                    range(len(named)), bars[:, k], left=start, height=0.62, color=COLOURS[k],
                    hatch=HATCHES[k], edgecolor="#ffffff", linewidth=0.4, gid=f"stage-{stage}",
                )  # fmt: skip
                start += bars[:, k]
            panel.set_yticks(
                range(len(named)), [wrapped(name, _NAME, lines=2) for name, _, _ in named]
            )
            panel.set_ylim(len(named) - 0.4, -0.6)
            panel.grid(axis="y", visible=False)
            panel.locator_params(axis="x", nbins=4)
            panel.set_xlabel("seconds per trial")
            title(panel, f"{measure}, {problem}", size[0] - _NAME - 0.3)
        grow(figure, len(axes), [panel.get_title("left") for panel in axes.flat])
        drawn = [k for k, _ in enumerate(STAGES) if spent[k] > 0]
        patches = [
            Patch(facecolor=COLOURS[k], hatch=HATCHES[k], edgecolor="#ffffff") for k in drawn
        ]
        names = list(STAGES.values())
        legend(figure, patches, [names[k] for k in drawn])
    return figure


def _stages(cells: pd.DataFrame, records: Sequence[Record]) -> list[float]:
    trials = [trial["seconds"] for place in cells["record"] for trial in records[place]["trials"]]
    names = {name for trial in trials for name in trial}
    mean = {name: float(np.mean([t.get(name, 0.0) for t in trials])) for name in names}
    fit = mean.pop("fit", 0.0)
    # "fit" includes these two, if an algorithm reports them.
    mean["rest"] = max(0.0, fit - mean.get("cpe", 0.0) - mean.get("optimise", 0.0))
    mean["other"] = sum(seconds for name, seconds in mean.items() if name not in STAGES)
    return [mean.get(stage, 0.0) for stage in STAGES]
