"""Figures inside the page: the reader's colours, links and series that can be hidden."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from matplotlib.figure import Figure

from ncbench.report.figures.style import COLOURS, GRID, INK, saved

_SVG = "http://www.w3.org/2000/svg"
_HREF = "{http://www.w3.org/1999/xlink}href"
_REFERENCE = re.compile(r"url\(#")
_SERIES = re.compile(r"series-(\d+)")

# Colours become the page's own, which differ between light and dark.
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
        Put before every id, so that figures on one page do not meddle with each other.
    label : str
        What the figure shows, for those who do not see it.
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
    """Make ids unique on the page, and links those of HTML."""
    identity = element.get("id")
    if element.tag == "image":
        element.attrib.pop("id")  # two images that are equal have one, and nothing refers to it
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
