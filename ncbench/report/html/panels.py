"""The figures of the page, each for one measure and data set, and small enough for a phone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree

import pandas as pd
from matplotlib.figure import Figure

from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.files import Kind, kinds
from ncbench.report.figures.style import COLOURS, GRID, INK, saved
from ncbench.run import Record, with_bar

MOST = 48
"""The maximum number of figures of one kind; a figure takes about 0.3 s to draw."""


class Panel(NamedTuple):
    """A figure, with its measure and data set, which the filters of the page use."""

    measure: str
    dataset: str
    svg: str


class Chapter(NamedTuple):
    """Figures of one kind, and why others were not drawn."""

    kind: Kind
    panels: list[Panel]
    not_drawn: list[str]


def chapters(frame: pd.DataFrame, records: Sequence[Record]) -> list[Chapter]:
    """Draw every figure that the records allow.

    Parameters
    ----------
    frame : DataFrame
        As returned by ``ncbench.results.series.figure_frame``.
    records : sequence
        The records that the frame was made from.
    """
    found = [Chapter(kind, [], []) for kind in kinds(frame, records, small=True)]
    for chapter in found:
        if (more := len(chapter.kind.parts) - MOST) > 0:
            chapter.not_drawn.append(f"{more} more; python -m ncbench figures draws all")
    tasks = [(chapter, part) for chapter in found for part in chapter.kind.parts[:MOST]]
    for number, (chapter, part) in enumerate(with_bar(tasks, "Drawing figures")):
        try:
            figure = chapter.kind.draw(part.rows)
        except NothingToDraw as why:
            if str(why) not in chapter.not_drawn:
                chapter.not_drawn.append(str(why))
            continue
        label = f"{chapter.kind.title}: {part.measure}" + f", {part.dataset}" * bool(part.dataset)
        svg = inline(figure, f"f{number}", label)
        chapter.panels.append(Panel(part.measure, part.dataset, svg))
    return found


# Figures inside the page, with the colors of the page, links, and series that can be hidden.

_SVG = "http://www.w3.org/2000/svg"
_HREF = "{http://www.w3.org/1999/xlink}href"
_REFERENCE = re.compile(r"url\(#")
_SERIES = re.compile(r"series-(\d+)")

# Replace colors by variables of the page, which differ between its light and dark themes.
_THEME = {INK: "var(--ink)", GRID: "var(--rule)"} | {
    colour: f"var(--series-{k})" for k, colour in enumerate(COLOURS)
}
_COLOUR = re.compile("|".join(_THEME))


def inline(figure: Figure, name: str, label: str) -> str:
    """Return a figure as an ``<svg>`` element of a page.

    Parameters
    ----------
    figure : Figure
    name : str
        Prefix of every id, so that ids are unique on the page.
    label : str
        What the figure shows, for screen readers.
    """
    figure.patch.set_visible(False)
    for axes in figure.axes:
        axes.patch.set_visible(False)
    root = ElementTree.fromstring(saved(figure, "svg"))
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        _rename(element, name)
        if "style" in element.attrib:
            element.set("style", _COLOUR.sub(lambda m: _THEME[m[0]], element.get("style", "")))
    width = float(root.attrib.pop("width").removesuffix("pt")) * 96 / 72
    root.attrib.pop("height")
    root.set("role", "img")
    root.set("aria-label", label)
    root.set("style", f"--width: {width:.0f}px")
    return ElementTree.tostring(root, encoding="unicode")


def _rename(element: ElementTree.Element, name: str) -> None:
    """Make ids unique on the page, and turn SVG links into HTML links."""
    identity = element.get("id")
    if element.tag == "image":
        element.attrib.pop("id")  # equal images share an id, and nothing refers to it
    elif identity is not None:
        series = _SERIES.match(identity)
        if series:
            element.set("data-series", series[1])
        element.set("id", f"{name}-{identity}")
    href = element.attrib.pop(_HREF, None)
    if href is not None:
        element.set("href", f"#{name}-{href[1:]}" if href.startswith("#") else href)
    for key in ("clip-path", "style", "fill"):
        if key in element.attrib:
            element.set(key, _REFERENCE.sub(f"url(#{name}-", element.get(key, "")))
