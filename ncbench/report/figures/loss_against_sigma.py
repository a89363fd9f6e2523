"""Loss against sigma: one panel for each measure and data set."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.curves import curve, not_drawn, samples
from ncbench.report.figures.style import drawing, grid, grow, legend, number, ticks, title
from ncbench.results.series import each_series, panels


def loss_against_sigma(frame: pd.DataFrame) -> Figure:
    """Draw the mean loss of each algorithm against the noise level, with its standard error.

    A cell that is not done is a gap in its line, and is listed below the panel.

    Parameters
    ----------
    frame : DataFrame
        As returned by ``results``.
    """
    if not (frame["status"] == "done").any():
        raise NothingToDraw("no cell is done")
    measures, problems = list(frame["measure"].unique()), list(frame["problem"].unique())
    with drawing():
        figure, axes = grid(len(measures), len(problems))
        for panel in axes.flat:
            panel.set_visible(False)
        for measure, problem, rows in panels(frame):
            panel = axes[measures.index(measure), problems.index(problem)]
            panel.set_visible(True)
            _draw(panel, rows)
            title(panel, f"{measure}, {problem}")
        grow(figure, len(measures), [panel.get_title("left") for panel in axes.flat])
        grow(figure, len(measures), [panel.get_xlabel() for panel in axes.flat])
        legend(figure, *samples(frame))
    return figure


def _draw(axes: Axes, rows: pd.DataFrame) -> None:
    sigmas = list(rows["sigma"].unique())
    for _, style, points in each_series(rows):
        curve(axes, points, "sigma", sigmas, style, f"series-{style}")
    space = 0.05 * (max(sigmas) - min(sigmas)) or 0.05
    axes.set_xlim(min(sigmas) - space, max(sigmas) + space)  # includes sigmas without done cells
    shown = ticks(sigmas)
    axes.set_xticks(shown, [number(value) for value in shown])
    axes.set_ylabel("loss")
    axes.set_xlabel("\n".join(["sigma", *not_drawn(rows)]))
