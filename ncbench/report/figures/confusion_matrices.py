"""Confusion matrices: clean, noisy and corrected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ncbench.core import NoiseMatrix
from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.style import drawing, grid, number, shortened, text_width, wrapped
from ncbench.results.series import panels
from ncbench.types import Array, Record

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

    Examples
    --------
    >>> trial = {"confusion": [[0.4, 0.1], [0.1, 0.4]], "noise_matrix_estimate": [[1, 0], [0, 1]]}
    >>> record = {"trials": [trial], "noise_matrix": [[0.9, 0.2], [0.1, 0.8]]}
    >>> confusions(record)["noisy"].round(2)
    array([[0.38, 0.17],
           [0.12, 0.33]])
    """
    trials = record["trials"]
    C = [np.asarray(trial["confusion"], dtype=float) for trial in trials]
    if "judged" in trials[0]:
        noisy = [np.array(trial["judged"]["noisy_confusion"]) for trial in trials]
        return {"estimated": np.mean(C, axis=0), "noisy": np.mean(noisy, axis=0)}
    found = {"clean": np.mean(C, axis=0)}
    if record.get("noise", {}).get("class_conditional", True) and record["noise_matrix"]:
        noise = NoiseMatrix(record["noise_matrix"])
        noisy = [noise.corrupt_confusion(each) for each in C]
        estimates = [NoiseMatrix(trial["noise_matrix_estimate"]) for trial in trials]
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
        Rows of ``results`` with one measure, problem and sigma.
    records : sequence
        The records that ``results`` was given.
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
        classes = records[rows["record"].iloc[0]]["dataset"]["classes"]
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
                image = _draw(panel, share, records[k]["dataset"]["classes"], most, side)
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
