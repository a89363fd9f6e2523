"""Confusion matrices: clean, noisy and corrected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ncbench.core import NoiseMatrix
from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.losses import samples
from ncbench.report.figures.style import (
    COLOURS,
    HATCHES,
    PANEL,
    decades,
    drawing,
    finish,
    grid,
    line_style,
    log_scale,
    number,
    shortened,
    side_by_side,
    text_width,
    title,
    wrapped,
)
from ncbench.results.series import each_series, panels
from ncbench.run import Record
from ncbench.types import Array

_ANNOTATED = 6  # classes; with more, there is no room for numbers
_NAMED = 12


def confusions(record: Record) -> dict[str, Array]:
    """Return the confusion matrices of a record by name, means over its trials.

    ``clean``
        C on the clean test part, from which losses are computed. If no clean labels are known, it
        is ``estimated`` instead, and ``noisy`` is that of the noisy labels.
    ``noisy``
        T C, the confusion matrix with labels as noisy as those of the training part. Only if the
        noise is class-conditional with a known T.
    ``corrected``
        That^-1 T C, where That is the estimate that the algorithm was given. If T is known this is
        C again; otherwise it differs by the error of the estimate.
    """
    trials = record.trials
    C = [np.asarray(trial.confusion, dtype=float) for trial in trials]
    if trials[0].judged is not None:
        noisy = [np.array(each.judged.noisy_confusion) for each in trials if each.judged]
        return {"estimated": np.mean(C, axis=0), "noisy": np.mean(noisy, axis=0)}
    found = {"clean": np.mean(C, axis=0)}
    if record.noise.get("class_conditional", True) and record.noise_matrix:
        noise = NoiseMatrix(record.noise_matrix)
        noisy = [noise.corrupt_confusion(each) for each in C]
        estimates = [NoiseMatrix(trial.noise_matrix_estimate) for trial in trials]
        corrected = [T.correct_confusion(each) for T, each in zip(estimates, noisy, strict=True)]
        found |= {"noisy": np.mean(noisy, axis=0), "corrected": np.mean(corrected, axis=0)}
    return found


def confusion_matrices(frame: pd.DataFrame, records: Sequence[Record], side: float = 2.5) -> Figure:
    """Draw the confusion matrices of each algorithm for one problem, a row per algorithm.

    Rows of a matrix are divided by their sums: entry (i, j) is the share of label i that is
    predicted as j, and the diagonal of the clean matrix holds the recalls.

    Parameters
    ----------
    frame : DataFrame
        Rows of ``figure_frame`` with one measure, problem and sigma.
    records : sequence
        The records that ``figure_frame`` was given.
    side : float
        The width of a matrix, with its labels, in inches.
    """
    done = frame[frame["status"] == "done"]
    if done.empty:
        raise NothingToDraw("no cell is done")
    ((measure, problem, rows),) = panels(done)
    found = [confusions(records[k]) for k in rows["record"]]
    names = [name for name in found[0] if all(name in each for each in found)]
    with drawing():
        figure, axes = grid(len(rows), len(names), (side, side + 0.2))
        # Names and titles take as much height from one row as from many, so one row needs more.
        classes = records[rows["record"].iloc[0]].dataset.classes
        name_width = max(text_width(shortened(name, 0.7)) for name in classes)
        name_width *= len(classes) <= _NAMED
        matrix = side - (name_width + 0.5) / len(names) - 0.16
        needed = len(rows) * (matrix + 0.45) + name_width + 0.65
        figure.set_figheight(max(figure.get_figheight(), needed))
        image: Any = None
        matrices = [[_shares(each[name]) for name in names] for each in found]
        most = max(float(shares.max()) for line in matrices for shares in line)
        for line, shares, (k, series) in zip(
            axes, matrices, rows[["record", "series"]].to_numpy(), strict=True
        ):
            for panel, name, share in zip(line, names, shares, strict=True):
                image = _draw(panel, share, records[k].dataset.classes, most, side)
                panel.set_title(name, loc="left")
            line[0].set_ylabel(f"{shortened(series, 0.65 * side - 0.1)}\nlabel")
        for panel in axes[-1]:
            panel.set_xlabel("predicted")
        for panel in axes[:-1].flat:
            panel.tick_params(labelbottom=False)
        for panel in axes[:, 1:].flat:
            panel.tick_params(labelleft=False)
        if len(matrices[0][0]) > _ANNOTATED:
            bar = figure.colorbar(image, ax=axes, shrink=0.6, aspect=30, label="share of the label")
            if bar.solids is not None:
                bar.solids.set_rasterized(True)  # not 256 rectangles in an SVG
            bar.outline.set_visible(False)
        sigma = number(rows["sigma"].iloc[0])
        figure.suptitle(
            wrapped(f"{measure}, {problem}, sigma {sigma}", figure.get_figwidth() - 0.4),
            fontsize=9.0,
        )
    return figure


def _shares(C: Array) -> Array:
    total = C.sum(axis=1, keepdims=True)
    shares: Array = np.divide(C, total, out=np.zeros_like(C), where=total > 0)
    shares[np.abs(shares) < 5e-3] = 0.0  # not -0.00
    return shares


def _draw(axes: Axes, share: Array, classes: Sequence[str], most: float, side: float) -> Any:
    n = len(share)
    image = axes.imshow(share, cmap="Blues", vmin=0, vmax=most, interpolation="none")
    axes.grid(visible=False)
    axes.tick_params(length=0)
    if n <= _ANNOTATED:
        for i, j in np.ndindex(n, n):
            color = "#ffffff" if share[i, j] > 0.55 * most else "#000000"
            size = min(8.0, side * 13.6 / n)
            axes.text(j, i, f"{share[i, j]:.2f}", ha="center", va="center", color=color, size=size)
    if n <= _NAMED:
        names = [shortened(name, 0.7) for name in classes]
        size = min(8.0, 84 / n)
        axes.set_xticks(range(n), names, rotation=90, size=size)
        axes.set_yticks(range(n), names, size=size)
    else:
        axes.set_xticks([])
        axes.set_yticks([])
    return image


# The path of Frank-Wolfe: objective and gap against the step.


def frank_wolfe_path(frame: pd.DataFrame, records: Sequence[Record]) -> Figure:
    """Draw objective and gap against the step, for each measure and problem.

    Both are as the algorithm sees them: of the corrected confusion matrix of the training part.
    The gap is measured on the sample and can be negative. Its absolute value is drawn, with
    hollow marks where it is negative. Each trial is a separate line.

    Parameters
    ----------
    frame : DataFrame
        Rows of ``figure_frame``, with one sigma for each measure and problem.
    records : sequence
        The records that ``figure_frame`` was given.
    """
    drawn = frame[[_paths(records[place]) != [] for place in frame["record"]]]
    if drawn.empty:
        raise NothingToDraw("no cell has a Frank-Wolfe path in its diagnostics")
    found = panels(drawn)
    with drawing():
        size = (PANEL[0], PANEL[1] * 0.85)
        figure, placed = side_by_side(len(found), 4, size, height=2)
        for (upper, lower), (measure, problem, rows) in zip(placed, found, strict=True):
            title(upper, f"{measure}, {problem}, sigma {number(rows['sigma'].iloc[0])}")
            _draw_path(upper, lower, rows, records)
        finish(figure, *samples(drawn))
    return figure


def _draw_path(upper: Axes, lower: Axes, rows: pd.DataFrame, records: Sequence[Record]) -> None:
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
        log_scale(axes, "x", decades(1, last))
    upper.set_ylabel("objective")
    if sizes:
        low = max(min(sizes), 1e-9)
        log_scale(lower, "y", decades(low, max(sizes)))
        lower.set_ylim(low / 2, max(sizes) * 2)
    lower.set_ylabel("size of the gap")
    lower.set_xlabel("step")


def _paths(record: Record) -> list[dict[str, list[float]]]:
    found = [trial.diagnostics.get("path") for trial in record.trials]
    return [path for path in found if path and {"step", "objective", "gap"} <= path.keys()]


# Time per stage of a trial.

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
_LOOKS: list[dict[str, Any]] = [
    {"facecolor": colour, "hatch": hatch, "edgecolor": "#ffffff", "linewidth": 0.4}
    for colour, hatch in zip(COLOURS, HATCHES, strict=False)
]


def stage_times(frame: pd.DataFrame, records: Sequence[Record]) -> Figure:
    """Draw the mean time of each stage of a trial, with one bar for each algorithm.

    Means are over all trials and sigmas. Class probabilities that another cell has computed take
    almost no time: bars show the time spent, not the time a cell would need alone.

    Parameters
    ----------
    frame : DataFrame
        As returned by ``results``.
    records : sequence
        The records that ``figure_frame`` was given.
    """
    done = frame[frame["status"] == "done"]
    if done.empty:
        raise NothingToDraw("no cell is done")
    found = panels(done)
    tallest = max(rows["series"].nunique() for _, _, rows in found)
    spent = np.zeros(len(STAGES))
    with drawing():
        size = (PANEL[0] * 1.1, 0.9 + 0.34 * tallest)
        figure, placed = side_by_side(len(found), 3, size)
        for (panel,), (measure, problem, rows) in zip(placed, found, strict=True):
            named = each_series(rows)
            bars = np.array([_stages(cells, records) for _, _, cells in named])
            spent += bars.sum(axis=0)
            places, start = range(len(named)), np.zeros(len(named))
            for stage, look, widths in zip(STAGES, _LOOKS, bars.T, strict=False):
                panel.barh(places, widths, left=start, height=0.62, gid=f"stage-{stage}", **look)
                start += widths
            panel.set_yticks(places, [wrapped(name, _NAME, lines=2) for name, _, _ in named])
            panel.set_ylim(len(named) - 0.4, -0.6)
            panel.grid(axis="y", visible=False)
            panel.locator_params(axis="x", nbins=4)
            panel.set_xlabel("seconds per trial")
            title(panel, f"{measure}, {problem}", size[0] - _NAME - 0.3)
        drawn = np.flatnonzero(spent)
        names = list(STAGES.values())
        finish(figure, [Patch(**_LOOKS[k]) for k in drawn], [names[k] for k in drawn])
    return figure


def _stages(cells: pd.DataFrame, records: Sequence[Record]) -> list[float]:
    trials = [trial.seconds for place in cells["record"] for trial in records[place].trials]
    names = {name for trial in trials for name in trial}
    mean = {name: float(np.mean([t.get(name, 0.0) for t in trials])) for name in names}
    fit = mean.pop("fit", 0.0)
    # "fit" includes these two, if an algorithm reports them.
    mean["rest"] = max(0.0, fit - mean.get("cpe", 0.0) - mean.get("optimise", 0.0))
    mean["other"] = sum(seconds for name, seconds in mean.items() if name not in STAGES)
    return [mean.get(stage, 0.0) for stage in STAGES]
