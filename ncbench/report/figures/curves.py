"""Lines of mean losses with bands of their standard errors."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ncbench.report.figures.style import PANEL, line_style, number, wrapped
from ncbench.results.series import each_series


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
