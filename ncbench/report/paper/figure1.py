"""The paper's Figure 1: loss against sample size on the synthetic problem."""

from __future__ import annotations

import math

import pandas as pd
from matplotlib.figure import Figure

from ncbench.report.figures.losses import loss_against_sample_size, several_sizes
from ncbench.report.figures.style import line_style
from ncbench.report.paper.tables import TABLES, published
from ncbench.report.tables import Entry, Grid

MEASURES = ("q_mean", "micro_f1")


def figure1(frame: pd.DataFrame) -> Figure:
    """Draw our curves, and the published means as open markers of the same colors.

    Parameters
    ----------
    frame : DataFrame
        Rows of ``figure1_rows``.
    """
    figure = loss_against_sample_size(frame)
    theirs = published("figure1")
    panels = several_sizes(frame)
    sigmas = sorted({sigma for _, rows in panels for sigma in rows["sigma"]})
    for axes, ((measure, *_), _) in zip(figure.axes, panels, strict=False):
        for style, sigma in enumerate(sigmas):
            near = (theirs["measure"] == measure) & (abs(theirs["sigma"] - sigma) < 1e-6)
            look = line_style(style)
            points = axes.scatter(
                theirs["train"][near],
                theirs["mean"][near],
                s=60,
                facecolors="none",
                edgecolors=look["color"],
                marker=look["marker"],
            )
            points.set_gid(f"paper-{style}")
    return figure


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
        "and the paper's mean. m: training size. In the figure, open markers are the paper's means."
    )
    sizes_of_noise = (
        "||T^-1||_1, on which the paper's bounds depend, is 1, 1.235, 1.571, 2.091, 3 and 13 at "
        "sigma 0, 0.1, 0.2, 0.3, 0.4 and 0.6."
    )
    return Grid(columns, rows, 2, [note, sizes_of_noise])


def figure1_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep the rows of Figure 1: NCFW for Q-mean and NCBS for Micro F1, on ``synthetic``.

    Parameters
    ----------
    frame : DataFrame
        As returned by :func:`ncbench.results.series.figure_frame`.
    """
    shown = [
        status == "done"
        and dataset == "synthetic"
        and measure in MEASURES
        and algo == TABLES[measure].corrected
        for status, dataset, measure, algo in zip(
            frame["status"], frame["untagged"], frame["measure"], frame["algo"], strict=True
        )
    ]
    return frame[shown]
