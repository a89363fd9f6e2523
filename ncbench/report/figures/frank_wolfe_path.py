"""The path of Frank-Wolfe: objective and gap against the step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.curves import samples
from ncbench.report.figures.style import (
    PANEL,
    decades,
    drawing,
    grid,
    grow,
    legend,
    line_style,
    number,
    title,
)
from ncbench.results.series import each_series, panels
from ncbench.types import Record


def frank_wolfe_path(frame: pd.DataFrame, records: Sequence[Record]) -> Figure:
    """Draw objective and gap against the step, for each measure and problem.

    Both are as the algorithm sees them: of the corrected confusion matrix of the training part.
    The gap is measured on the sample and can be negative. Its absolute value is drawn, with
    hollow marks where it is negative. Each trial is a separate line.

    Parameters
    ----------
    frame : DataFrame
        Rows of ``results``, with one sigma for each measure and problem.
    records : sequence
        The records that ``results`` was given.
    """
    drawn = frame[[_paths(records[place]) != [] for place in frame["record"]]]
    if drawn.empty:
        raise NothingToDraw("no cell has a Frank-Wolfe path in its diagnostics")
    found = panels(drawn)
    columns = min(4, len(found))
    with drawing():
        figure, axes = grid(2 * -(-len(found) // columns), columns, (PANEL[0], PANEL[1] * 0.85))
        # Objectives are in rows 0, 2, ..., the gaps of the same panels in the rows below them.
        upper, lower = axes[::2].ravel(), axes[1::2].ravel()
        for panel in (*upper[len(found) :], *lower[len(found) :]):
            panel.set_visible(False)
        for k, (measure, problem, rows) in enumerate(found):
            title(upper[k], f"{measure}, {problem}, sigma {number(rows['sigma'].iloc[0])}")
            _draw(upper[k], lower[k], rows, records)
        grow(figure, len(axes) // 2, [panel.get_title("left") for panel in upper])
        legend(figure, *samples(drawn))
    return figure


def _draw(upper: Axes, lower: Axes, rows: pd.DataFrame, records: Sequence[Record]) -> None:
    sizes: list[float] = []
    last = 1.0
    for _, style, cells in each_series(rows):
        look = line_style(style)
        name = f"series-{style}"
        paths = [path for place in cells["record"] for path in _paths(records[place])]
        for k, path in enumerate(paths):
            step = np.asarray(path["step"], dtype=float)
            gap = np.asarray(path["gap"], dtype=float)
            sizes += list(np.abs(gap[gap != 0]))
            last = max(last, step[-1])
            line = {"color": look["color"], "linestyle": look["linestyle"], "linewidth": 0.9}
            upper.plot(step, path["objective"], gid=f"{name}-objective-{k}", **line)
            lower.plot(step, np.abs(gap), gid=f"{name}-gap-{k}", **line)
        # A few points of the first path have markers, which show the sign of the gap.
        step, gap = np.asarray(paths[0]["step"]), np.asarray(paths[0]["gap"])
        few = np.unique(np.linspace(0, len(step) - 1, 7).astype(int))
        mark = {"marker": look["marker"], "s": 22, "zorder": 3, "edgecolors": look["color"]}
        objective = np.asarray(paths[0]["objective"])
        upper.scatter(step[few], objective[few], color=look["color"], gid=f"{name}-marks", **mark)
        inside = [look["color"] if gap[i] >= 0 else "none" for i in few]
        lower.scatter(
            step[few], np.abs(gap[few]), facecolors=inside, gid=f"{name}-gap-marks", **mark
        )
    for axes in (upper, lower):
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
        shown = decades(1, last)
        axes.set_xticks(shown, [number(value) for value in shown])
    upper.set_ylabel("objective")
    if sizes:
        lower.set_yscale("log")
        lower.yaxis.set_minor_locator(NullLocator())
        low = max(min(sizes), 1e-9)
        shown = decades(low, max(sizes))
        lower.set_yticks(shown, [number(value) for value in shown])
        lower.set_ylim(low / 2, max(sizes) * 2)
    lower.set_ylabel("size of the gap")
    lower.set_xlabel("step")


def _paths(record: Record) -> list[dict[str, list[float]]]:
    found = [trial.get("diagnostics", {}).get("path") for trial in record.get("trials", [])]
    return [path for path in found if path and {"step", "objective", "gap"} <= path.keys()]
