"""The style of figures: readable without color, and without overlapping labels."""

from __future__ import annotations

import contextlib
import io
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.textpath import text_to_path
from matplotlib.ticker import NullLocator

from ncbench.show import one_line

INK = "#1f2328"
GRID = "#d0d4da"

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195")
"""Okabe & Ito's color-blind-safe colors without black and yellow, plus a violet.

M. Okabe and K. Ito, Color Universal Design, 2008, https://jfly.uni-koeln.de/color/
"""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (6, 2, 1, 2)))
HATCHES = ("", "////", "----", "xxxx", "\\\\\\\\", "++++")

PANEL = (3.5, 2.7)
"""Size of one panel in inches: the width of a phone at 96 pixels per inch."""

_POINTS = 9.0
_PART = re.compile(r"[^ _=./:-]*[ _=./:-]*")  # a line may end after each part of a text
_LOOK: dict[Any, Any] = {
    "font.size": _POINTS,
    "axes.titlesize": _POINTS,
    "text.parse_math": False,  # a data set may be called $x_1$
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "none",  # text stays text, which can be searched and read aloud
    "svg.hashsalt": "ncbench",  # the same figure gives the same file
}


@contextlib.contextmanager
def drawing() -> Iterator[None]:
    """Use the style of ncbench in a block, without changing the user's settings."""
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        mpl.rcParams.update(_LOOK)
        # In an SVG, the reader's fonts have glyphs that this font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def line_style(index: int) -> dict[str, Any]:
    """Return color, marker and dashes of a series; the first 36 differ even without color."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": MARKERS[index % len(MARKERS)],
        "linestyle": DASHES[index % len(DASHES)],
    }


def grid(rows: int, columns: int, panel: tuple[float, float] = PANEL) -> tuple[Figure, Any]:
    """Return a figure with ``rows x columns`` axes, and the array of axes."""
    space = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08)  # inches
    figure = Figure(figsize=(panel[0] * columns, panel[1] * rows), layout=space)
    return figure, figure.subplots(rows, columns, squeeze=False)


def side_by_side(
    number: int, most: int, panel: tuple[float, float] = PANEL, height: int = 1
) -> tuple[Figure, Any]:
    """Return a figure, and an array with a row of axes for each panel.

    Parameters
    ----------
    number : int
        The number of panels.
    most : int
        The largest number of panels in a row; axes that are left over are hidden.
    panel : (float, float)
        The size of axes in inches.
    height : int
        The number of axes of a panel, one above the other.
    """
    columns = min(most, number)
    figure, axes = grid(height * -(-number // columns), columns, panel)
    placed = axes.reshape(-1, height, columns).swapaxes(1, 2).reshape(-1, height)
    for left_over in placed[number:].flat:
        left_over.set_visible(False)
    return figure, placed[:number]


def title(axes: Axes, text: str, width: float = PANEL[0] - 0.75) -> None:
    """Set a title that is wrapped to the width of the axes."""
    axes.set_title(wrapped(text, width), loc="left")


def finish(figure: Figure, handles: Sequence[Artist], labels: Sequence[str]) -> None:
    """Make the rows of panels higher, to fit wrapped texts, and put a legend below them.

    The legend has as many columns as fit. The figure grows by its height, so that the panels keep
    theirs.
    """
    specs = (axes.get_subplotspec() for axes in figure.axes)
    rows = len({spec.rowspan.start for spec in specs if spec is not None})
    for texts in zip(*((a.get_title("left"), a.get_xlabel()) for a in figure.axes), strict=True):
        lines = max(text.count("\n") for text in texts)
        figure.set_figheight(figure.get_figheight() + 0.16 * lines * rows)
    width = figure.get_figwidth()
    shown = [wrapped(label, width - 0.8) for label in labels]
    # A column is the label, the sample of the line, and the space between them.
    column = 0.7 + max(text_width(line) for label in shown for line in label.split("\n"))
    columns = max(1, min(len(shown), int(width / column)))
    lines = max(label.count("\n") + 1 for label in shown) * -(-len(shown) // columns)
    figure.set_figheight(figure.get_figheight() + 0.1 + 0.2 * lines)
    figure.legend(handles, shown, loc="outside lower center", ncols=columns, handlelength=3.2)


def wrapped(text: str, width: float, lines: int = 3) -> str:
    r"""Wrap a text to a width in inches; an ellipsis replaces what exceeds the lines.

    A line ends after a space, or after the punctuation inside a name, never inside a word: a word
    that is longer than a line is shortened.

    Examples
    --------
    >>> wrapped("h_mean, vehicle", 3.5)
    'h_mean, vehicle'
    >>> wrapped("h_mean, vehicle", 0.8)
    'h_mean,\nvehicle'
    >>> wrapped("t_estimator=cautious_map", 1.0)
    't_estimator=\ncautious_map'
    >>> wrapped("a" * 100, 1.0, lines=2)
    'aaaaaaaaaa…'
    """
    found = [""]
    for part in _PART.findall(" ".join(one_line(text).split())):
        if text_width((found[-1] + part).rstrip()) <= width:
            found[-1] += part
        else:
            found = [*found, shortened(part, width)] if found[-1] else [shortened(part, width)]
    found = [line.rstrip() for line in found]
    if len(found) > lines:
        found = [*found[: lines - 1], shortened(found[lines - 1] + "…", width)]
    return "\n".join(found)


@lru_cache(maxsize=4096)
def text_width(text: str) -> float:
    """Return the width of a text in inches, in the font of the figures."""
    font = FontProperties(family="DejaVu Sans", size=_POINTS)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, False)
    return 1.06 * float(width) / 72  # letters fitted to pixels can be this much wider


def shortened(text: str, width: float) -> str:
    """Shorten a text to a width in inches, with an ellipsis if it is longer.

    Examples
    --------
    >>> shortened("ncfw algo.max_iter=50", 1.0)
    'ncfw algo.m…'
    """
    text = one_line(text)
    if text_width(text.rstrip()) <= width:
        return text
    while text and text_width(text + "…") > width:
        text = text[:-1]
    return text + "…"


def ticks(values: Sequence[float], log: bool = False) -> list[float]:
    """Return the values whose labels do not touch: at least 0.12 of the range apart.

    Examples
    --------
    >>> ticks([0.1, 0.11, 0.2, 0.4])
    [0.1, 0.2, 0.4]
    """
    ordered = sorted(set(values))
    place = np.log(ordered) if log else np.asarray(ordered)
    least = 0.12 * (place[-1] - place[0])
    kept = [0]
    for i in range(1, len(ordered)):
        if place[i] - place[kept[-1]] >= least:
            kept.append(i)
    return [ordered[i] for i in kept]


def log_scale(axes: Axes, which: str, shown: Sequence[float]) -> None:
    """Make the ``x`` or ``y`` axis logarithmic, with labels at these values only."""
    axes.set(**{f"{which}scale": "log"})
    axis = getattr(axes, f"{which}axis")
    axis.set_minor_locator(NullLocator())
    axis.set_ticks(shown, [number(value) for value in shown])


def number(value: float) -> str:
    """Return a number as short text for an axis.

    Examples
    --------
    >>> [number(v) for v in (0.1, 100, 10_000, 1e-05)]
    ['0.1', '100', '10k', '1e-5']
    """
    if value >= 1e6 or 0 < value < 1e-3:
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{float(mantissa):g}e{int(exponent)}"
    if value >= 1e3:
        return f"{value / 1e3:g}k"
    return f"{value:g}"


def decades(low: float, high: float, most: int = 5) -> list[float]:
    """Return powers of ten between two positive numbers, at most ``most`` of them.

    Examples
    --------
    >>> decades(0.5, 2000)
    [1.0, 10.0, 100.0, 1000.0]
    """
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    step = max(1, math.ceil((last - first + 1) / most))
    return [10.0**k for k in range(first, last + 1, step)]


def saved(figure: Figure, form: str) -> bytes:
    """Return the content of an image file: ``svg``, ``pdf``, or ``png`` at 200 dots per inch."""
    stream = io.BytesIO()
    with drawing():
        metadata = {"Date": None} if form == "svg" else None  # the same figure, the same file
        figure.savefig(stream, format=form, dpi=200, metadata=metadata)
    return stream.getvalue()
