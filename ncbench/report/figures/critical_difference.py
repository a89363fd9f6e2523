"""Critical-difference diagram: average ranks, and the groups that are not separable."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ncbench.errors import counted
from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.style import INK, drawing, wrapped

if TYPE_CHECKING:
    from ncbench.results import Ranking


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
