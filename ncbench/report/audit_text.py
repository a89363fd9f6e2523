"""The text and the figure of ``estimate-noise``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ncbench.errors import NcbenchError, counted
from ncbench.noise_estimation import LEVEL
from ncbench.types import Array

if TYPE_CHECKING:
    from ncbench.noise_estimation import Finding


_ENDS = 5  # annotators to show from each end of a long list
_WIDEST = 6  # the largest number of classes whose intervals fit in one table


def text(finding: Finding) -> str:
    """Return the report for the terminal."""
    data, noise = finding.data, finding.noise
    counts = np.bincount(data.y, minlength=len(data.classes))
    labels = ", ".join(f"{c} {k}" for c, k in zip(data.classes, counts, strict=True))
    given = data.annotations
    rows, unit = f"{len(data.y)} rows", "row"
    if given is not None:
        examples = len(np.unique(given.rows))
        rows = f"{len(data.y)} labels of {examples} rows by {len(given.names)} people"
        unit = "label"
    lines = [
        f"{data.name}: {rows}, {data.X.shape[1]} features, {len(data.classes)} classes",
        f"labels: {labels}",
        "",
        f"Noise matrix by {finding.estimator}: P(labeled row | truly column)"
        + (
            f", {LEVEL:.0%} intervals from {counted(finding.resamples, 'resample')}"
            if finding.resamples
            else ""
        ),
        "",
        *_matrices(finding),
        "",
        f"wrong labels, mean over classes   {1 - float(np.diagonal(noise.matrix).mean()):.0%}",
        f"smallest singular value           {noise.smallest_singular_value:.3f}",
        f"||T^-1||_1                        {noise.inverse_norm:.2f}",
        f"weight of the identity, a         {getattr(noise, 'a', 0.0):g}",
    ]
    if finding.counted is not None and data.clean is not None:
        difference = np.abs(noise.matrix - finding.counted.matrix).mean()
        lines += [
            "",
            f"Counted in {counted(int((data.clean >= 0).sum()), unit)} with a clean label:",
            "",
            *_grid(data.classes, _numbers(finding.counted.matrix)),
            "",
            f"mean |estimate - counted|         {difference:.3f}",
            f"||difference of the inverses||_1  {noise.inverse_error(finding.counted):.2f}",
        ]
    lines += _people(finding)
    lines.append("")
    if finding.doubts:
        lines.append("Do not rely on this estimate before checking:")
        lines += [f"- {doubt}" for doubt in finding.doubts]
    else:
        lines.append("No reason was found to distrust this estimate.")
    return "\n".join(lines)


def _people(finding: Finding) -> list[str]:
    """Return a table of the annotators, the best first; of many, the best and the worst."""
    people = finding.annotators
    if not people:
        return []
    shown = people if len(people) <= 2 * _ENDS else (*people[:_ENDS], *people[-_ENDS:])
    title = "Annotators, the best first"
    if len(shown) < len(people):
        title = f"Annotators: the best {_ENDS} and the worst {_ENDS} of {len(people)}"
    rows = [["", "labels", "right", f"{LEVEL:.0%} interval", "most often confused"]]
    for person in shown:
        interval = "" if person.low is None else f"[{person.low:.0%}, {person.high:.0%}]"
        wrong = person.confusion * (1 - np.eye(len(finding.data.classes)))
        i, j = np.unravel_index(wrong.argmax(), wrong.shape)
        named = finding.data.classes
        confused = f"{named[j]} labeled {named[i]}, {wrong[i, j]:.0%}"
        rows.append([person.name, str(person.labels), f"{person.accuracy:.0%}", interval, confused])
    return ["", f"{title}, by the labels of all:", "", *_columns(rows)]


def draw(finding: Finding, path: str) -> None:
    """Draw the noise matrix and save the figure to a file."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise NcbenchError("--plot needs matplotlib: pip install 'ncbench[report]'") from error
    classes, T = finding.data.classes, finding.noise.matrix
    size = 2.5 + 0.6 * len(classes)
    figure = Figure(figsize=(size + 1, size), layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(T, vmin=0, vmax=1, cmap="Blues")
    figure.colorbar(image)
    axes.set_xticks(range(len(classes)), classes, rotation=45, ha="right")
    axes.set_yticks(range(len(classes)), classes)
    axes.set_xlabel("truly")
    axes.set_ylabel("labeled")
    axes.set_title(f"{finding.data.name}: noise by {finding.estimator}")
    for (i, j), value in np.ndenumerate(T):
        note = f"{value:.2f}"
        if finding.low is not None and finding.high is not None and len(classes) <= _WIDEST:
            note += f"\n{finding.low[i, j]:.2f}-{finding.high[i, j]:.2f}"
        color = "white" if value > 0.6 else "black"
        axes.text(j, i, note, ha="center", va="center", color=color, fontsize=8)
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise NcbenchError(f"--plot {path}: {error}") from error


def _matrices(finding: Finding) -> list[str]:
    classes, T, low, high = finding.data.classes, finding.noise.matrix, finding.low, finding.high
    if low is None or high is None:
        return _grid(classes, _numbers(T))
    if len(classes) <= _WIDEST:
        cells = [
            [f"{T[i, j]:.2f} [{low[i, j]:.2f}, {high[i, j]:.2f}]" for j in range(len(classes))]
            for i in range(len(classes))
        ]
        return _grid(classes, cells)
    return [
        *_grid(classes, _numbers(T)),
        *("", "from", "", *_grid(classes, _numbers(low))),
        *("", "to", "", *_grid(classes, _numbers(high))),
    ]


def _numbers(matrix: Array) -> list[list[str]]:
    return [[f"{value:.2f}" for value in row] for row in matrix]


def _grid(classes: tuple[str, ...], cells: list[list[str]]) -> list[str]:
    """Return the lines of a table with the names of the classes for rows and columns."""
    return _columns(
        [["", *classes], *([name, *row] for name, row in zip(classes, cells, strict=True))]
    )


def _columns(rows: list[list[str]]) -> list[str]:
    """Return the lines of a table whose columns are aligned."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
