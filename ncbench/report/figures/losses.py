"""Lines of mean losses with bands of their standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.style import (
    INK,
    PANEL,
    drawing,
    finish,
    grid,
    line_style,
    log_scale,
    number,
    side_by_side,
    ticks,
    title,
    wrapped,
)
from ncbench.results.series import each_series, panels


def curve(
    axes: Axes, rows: pd.DataFrame, x: str, places: Sequence[float], style: int, name: str
) -> None:
    """Draw mean losses against a column, with one point per row.

    Parameters
    ----------
    axes : Axes
    rows : DataFrame
        With columns x, mean, sem and link.
    x : str
        The name of the column.
    places : sequence of float
        All values of x in the panel. The line has a gap at values without a mean.
    style : int
        The number of the line style.
    name : str
        The id of the line in an SVG, and the prefix of the ids of its band, errors and points.
    """
    absent = pd.DataFrame({x: sorted(set(places) - set(rows[x]))})
    line = pd.concat([rows[[x, "mean", "sem"]], absent]).sort_values(x)
    look = line_style(style)
    color, dashes = look["color"], look["linestyle"]
    low, high = line["mean"] - line["sem"], line["mean"] + line["sem"]
    axes.plot(line[x], line["mean"], color=color, linestyle=dashes, gid=name)
    axes.fill_between(line[x], low, high, color=color, alpha=0.18, linewidth=0, gid=f"{name}-band")
    # A band needs two points, so vertical lines show the standard errors of single points.
    axes.vlines(line[x], low, high, color=color, linewidth=0.9, gid=f"{name}-errors")
    known = rows[rows["mean"].notna()]
    points = axes.scatter(
        known[x], known["mean"], s=26, color=color, marker=look["marker"], zorder=3
    )
    points.set_gid(f"{name}-points")
    if known["link"].notna().all():
        points.set_urls(list(known["link"]))


def samples(frame: pd.DataFrame) -> tuple[list[Artist], list[str]]:
    """Return a line and a name for the legend, for each series with at least one done cell."""
    drawn = each_series(frame[frame["status"] == "done"].sort_values("style", kind="stable"))
    lines: list[Artist] = [Line2D([], [], **line_style(style)) for _, style, _ in drawn]
    return lines, [name for name, _, _ in drawn]


def not_drawn(rows: pd.DataFrame) -> list[str]:
    """Return lines of text that list the cells without a value, such as "failed: fw at 0.3"."""
    lines: list[str] = []
    for status, cells in rows[rows["status"] != "done"].groupby("status"):
        names = [
            f"{name} at {', '.join(number(sigma) for sigma in sorted(set(points['sigma'])))}"
            for name, _, points in each_series(cells)
        ]
        lines += wrapped(f"{status}: {'; '.join(names)}", PANEL[0] - 0.75).split("\n")
    return lines


# Loss against the size of the training sample: the paper's Figure 1.

_BAYES: dict[str, Any] = {"color": INK, "linewidth": 1.0, "linestyle": (0, (3, 3))}


def loss_against_sample_size(frame: pd.DataFrame) -> Figure:
    """Draw the mean loss against the sample size, one line for each sigma.

    There is a panel for each measure, data set and algorithm with several sizes. A dashed line is
    the lowest loss any classifier can reach, where it is known.

    Parameters
    ----------
    frame : DataFrame
        As returned by ``results``.
    """
    groups = several_sizes(frame)
    if not groups:
        raise NothingToDraw(
            "every data set has only one sample size; sweep over several, such as "
            "dataset=synthetic dataset.train=100,1000,10000"
        )
    sigmas = sorted({sigma for _, rows in groups for sigma in rows["sigma"]})
    lines = [Line2D([], [], **line_style(k)) for k in range(len(sigmas))]
    names = [f"sigma {number(sigma)}" for sigma in sigmas]
    with drawing():
        figure, panels_of = side_by_side(len(groups), 3)
        known = False
        for (panel,), ((measure, setting, series), rows) in zip(panels_of, groups, strict=True):
            _draw(panel, rows, sigmas)
            title(panel, f"{measure}, {setting}, {series}")
            if rows["bayes"].notna().any():
                panel.axhline(rows["bayes"].mean(), gid="bayes", **_BAYES)
                known = True
        if known:
            lines.append(Line2D([], [], **_BAYES))
            names.append("lowest possible (Bayes)")
        finish(figure, lines, names)
    return figure


def several_sizes(frame: pd.DataFrame) -> list[tuple[tuple[str, str, str], pd.DataFrame]]:
    """Return each measure, setting and series that has several sizes, with its rows."""
    keys = ["measure", "setting", "series"]
    sizes = frame.groupby(keys)["train_size"].transform("nunique")
    groups: Any = frame[sizes > 1].groupby(keys, sort=False)
    return list(groups)


def _draw(axes: Axes, rows: pd.DataFrame, sigmas: list[float]) -> None:
    done = rows[rows["status"] == "done"]
    sizes = list(done["train_size"].unique())
    for style, sigma in enumerate(sigmas):
        points = done[done["sigma"] == sigma]
        curve(axes, points, "train_size", sizes, style, f"sigma-{style}")
    log_scale(axes, "x", ticks(sizes, log=True))
    axes.set_xlabel("\n".join(["training examples", *not_drawn(rows)]))
    axes.set_ylabel("loss")


# Loss against sigma: one panel for each measure and data set.


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
            _draw_sigma(panel, rows)
            title(panel, f"{measure}, {problem}")
        finish(figure, *samples(frame))
    return figure


def _draw_sigma(axes: Axes, rows: pd.DataFrame) -> None:
    sigmas = list(rows["sigma"].unique())
    for _, style, points in each_series(rows):
        curve(axes, points, "sigma", sigmas, style, f"series-{style}")
    space = 0.05 * (max(sigmas) - min(sigmas)) or 0.05
    axes.set_xlim(min(sigmas) - space, max(sigmas) + space)  # includes sigmas without done cells
    shown = ticks(sigmas)
    axes.set_xticks(shown, [number(value) for value in shown])
    axes.set_ylabel("loss")
    axes.set_xlabel("\n".join(["sigma", *not_drawn(rows)]))
