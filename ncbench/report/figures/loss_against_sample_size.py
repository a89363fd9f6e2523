"""Loss against the size of the training sample: the paper's Figure 1."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.curves import curve, not_drawn
from ncbench.report.figures.style import (
    INK,
    drawing,
    grid,
    grow,
    legend,
    line_style,
    number,
    ticks,
    title,
)

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
    columns = min(3, len(groups))
    with drawing():
        figure, axes = grid(-(-len(groups) // columns), columns)
        for panel in axes.flat[len(groups) :]:
            panel.set_visible(False)
        for panel, ((measure, setting, series), rows) in zip(axes.flat, groups, strict=False):
            _draw(panel, rows, sigmas)
            title(panel, f"{measure}, {setting}, {series}")
            if rows["bayes"].notna().any():
                panel.axhline(rows["bayes"].mean(), gid="bayes", **_BAYES)
        grow(figure, len(axes), [panel.get_title("left") for panel in axes.flat])
        grow(figure, len(axes), [panel.get_xlabel() for panel in axes.flat])
        lines = [Line2D([], [], **line_style(k)) for k in range(len(sigmas))]
        names = [f"sigma {number(sigma)}" for sigma in sigmas]
        if any(rows["bayes"].notna().any() for _, rows in groups):
            lines.append(Line2D([], [], **_BAYES))
            names.append("lowest possible (Bayes)")
        legend(figure, lines, names)
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
    axes.set_xscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    shown = ticks(sizes, log=True)
    axes.set_xticks(shown, [number(size) for size in shown])
    axes.set_xlabel("\n".join(["training examples", *not_drawn(rows)]))
    axes.set_ylabel("loss")
