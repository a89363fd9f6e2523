"""Critical-difference diagram: average ranks, and the groups that are not separable."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ncbench.errors import counted
from ncbench.files import make_folder
from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.style import INK, drawing, wrapped
from ncbench.results import Ranking
from ncbench.results.series import CURVE, curve_keys, slopes


def critical_difference(ranking: Ranking, width: float = 7.0) -> Figure:
    """Draw average ranks as in Demsar (2006), with bars that join algorithms not separable.

    Names are in two columns, the better half on the left, each in its own row.

    Parameters
    ----------
    ranking : Ranking
        As returned by ``ncbench.results.significance.rankings``.
    width : float
        The width in inches.

    References
    ----------
    .. [1] J. Demsar. Statistical Comparisons of Classifiers over Multiple Data Sets. JMLR 7:1-30,
           2006.
    """
    ranks = ranking.ranks
    if ranks is None or ranks.n_datasets < 2:
        raise NothingToDraw(
            f"{ranking.measure}: ranks need two or more algorithms that have solved the same cells "
            "of two or more data sets"
        )
    side = min(2.1, width / 3)  # inches for the names on each side
    average = ranks.average_ranks
    names = list(average)
    labels = {name: wrapped(name, side - 0.7, lines=2) for name in names}
    row_height = 0.21 + 0.15 * max(label.count("\n") for label in labels.values())
    half = math.ceil(len(names) / 2)
    heading = wrapped(_title(ranking, ranks.n_datasets), width - 0.2)
    # From the top: title, bar of the critical difference, axis, groups, names.
    above = 0.25 + 0.18 * (heading.count("\n") + 1) + 0.45
    below = 0.25 + 0.13 * len(ranks.groups) + row_height * (half + 0.5)
    with drawing():
        figure = Figure(figsize=(width, above + below))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, width)
        axes.set_ylim(-below, above)
        scale = (width - 2 * side) / max(1, len(names) - 1)

        def place(rank: float) -> float:
            return side + (rank - 1) * scale

        _axis(axes, len(names), place(1), place(len(names)))
        axes.text(0.1, above - 0.1, heading, va="top")
        reach = (ranks.critical_difference or 0) * scale
        if 0 < reach <= width - side - 1.2:
            axes.plot([place(1), place(1) + reach], [0.42, 0.42], color=INK, lw=1, marker="|")
        label = f"Wilcoxon's p = {ranks.p:.2g}"  # of two algorithms
        if ranks.critical_difference is not None:
            label = f"critical difference {ranks.critical_difference:.2f}"
        label = wrapped(label, side - 0.25)
        axes.text(place(1) - 0.12, 0.42, label, ha="right", va="center")
        depth = 0.0
        for group in ranks.groups:
            depth -= 0.13
            ends = [place(average[group[0]]) - 0.05, place(average[group[-1]]) + 0.05]
            axes.plot(ends, [depth, depth], color=INK, lw=3.5, solid_capstyle="butt")
        for number, name in enumerate(names):
            left = number < half
            # The innermost names are lowest on each side, so that no leader crosses another.
            row = number if left else len(names) - 1 - number
            y = depth - 0.1 - row_height * (row + 0.6)
            edge = side - 0.15 if left else width - side + 0.15
            x = place(average[name])
            axes.plot([x, x, edge], [0, y, y], color=INK, lw=0.8)
            label = f"{labels[name]}  {average[name]:.2f}"
            axes.text(
                edge + (-0.05 if left else 0.05), y, label,
                ha="right" if left else "left", va="center",
            )  # fmt: skip
    return figure


def _title(ranking: Ranking, n: int) -> str:
    text = f"{ranking.measure}: average rank over {n} data sets"
    if ranking.left_out:
        problems = counted(ranking.left_out, "problem")
        text += f"; {problems} left out because some algorithm has not solved them"
    return text


def _axis(axes: Axes, k: int, first: float, last: float) -> None:
    axes.plot([first, last], [0, 0], color=INK, lw=1)
    step = max(1, math.ceil((k - 1) / 10))
    for rank in range(1, k + 1, step):
        x = first + (last - first) * (rank - 1) / max(1, k - 1)
        axes.plot([x, x], [0, 0.06], color=INK, lw=1)
        axes.text(x, 0.1, str(rank), ha="center", va="bottom")


# Figures of the regret against the sample size and against the amount of noise.


def draw(frame: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw ``regret_<measure>_<algo>.svg`` for each curve of ``terms``; return the paths.

    If an algorithm has several curves for a measure, the file name has the keys that differ.

    The left panel shows regret against m for each sigma, with the fitted slope. The right panel
    shows regret against ``||T^-1||_1`` for each m. All axes are logarithmic; error bars are one
    standard error.
    """
    make_folder(folder)
    paths: list[Path] = []
    fits, keys = slopes(frame), curve_keys(frame)
    for key, curve in frame.groupby(keys):
        names = dict(zip(keys, map(str, key), strict=True))
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        against_m, against_noise = figure.subplots(1, 2, sharey=True)
        colors = mpl.colormaps["viridis"](np.linspace(0, 0.9, curve["sigma"].nunique()))
        for color, (sigma, line) in zip(colors, curve.groupby("sigma"), strict=True):
            label = f"$\\sigma$ = {sigma:g}"
            fit = fits[(fits[[*keys, "sigma"]] == [*key, sigma]).all(axis=1)]
            if len(fit):
                slope, at_1 = fit[["slope", "at_1"]].iloc[0]
                label += f", slope {slope:.2f}"
                ends = np.array([line["m"].min(), line["m"].max()])
                against_m.plot(ends, at_1 * ends**slope, ":", color=color, linewidth=1)
            bars = {"color": color, "marker": "o", "markersize": 4, "linewidth": 1, "capsize": 2}
            against_m.errorbar(line["m"], line["regret"], line["sem"], label=label, **bars)
        against_m.set(xscale="log", yscale="log", xlabel="m", ylabel="regret")
        against_m.legend(fontsize=7)
        for size, line in curve.groupby("m"):
            by_noise = line.sort_values("inverse_norm")
            sizes, regret = by_noise["inverse_norm"], by_noise["regret"]
            against_noise.plot(sizes, regret, "o-", label=f"m = {size}", markersize=4)
        against_noise.set(xscale="log", yscale="log", xlabel="$\\|T^{-1}\\|_1$")
        against_noise.legend(fontsize=7)
        others = _differing(frame, names)
        figure.suptitle(", ".join([names["algo"], names["measure"], *others]), fontsize=10)
        paths.append(_free(folder, ["regret", names["measure"], names["algo"], *others], paths))
        # Text as text, and no date, so that files are small and change only with the numbers.
        with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ncbench"}):
            figure.savefig(paths[-1], metadata={"Date": None})
    return paths


def _differing(frame: pd.DataFrame, names: dict[str, str]) -> list[str]:
    """Return the settings in which a curve differs from others of its measure and algorithm."""
    alike = frame[(frame["measure"] == names["measure"]) & (frame["algo"] == names["algo"])]
    keys = [key for key in names if alike[key].nunique() > 1 and names[key] != ""]
    # The name of a plug-in is clear without its key; a number is not.
    return [names[key] if key in CURVE else f"{key}={names[key]}" for key in keys]


def _free(folder: Path, words: Sequence[str], taken: Sequence[Path]) -> Path:
    """Return a path that no other curve has; words may contain any character."""
    stem = "_".join(re.sub(r"[^\w.=-]+", "-", word) for word in words)
    path, number = folder / f"{stem}.svg", 2
    while path in taken:
        path, number = folder / f"{stem}_{number}.svg", number + 1
    return path
