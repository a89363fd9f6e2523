"""Figures inside the page: unique ids, links of HTML, and the page's own colors."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from ncbench.report.figures.style import COLOURS
from ncbench.report.html.panels import inline


def figure() -> Figure:
    drawn, axes = plt.subplots()
    axes.plot([0, 1], [0, 1], color=COLOURS[1], gid="series-1-line")
    points = axes.scatter([0, 1], [0, 1], color=COLOURS[0])
    points.set_urls(["cells/a/record.json", "cells/b/record.json"])
    plt.close(drawn)
    return drawn


def test_ids_are_of_the_figure_and_what_refers_to_them_does() -> None:
    one, other = (ElementTree.fromstring(inline(figure(), name, "lines")) for name in ("a", "b"))
    ids = [{element.get("id") for element in root.iter()} - {None} for root in (one, other)]
    assert all(identity.startswith("a-") for identity in ids[0])
    assert not ids[0] & ids[1]
    text = inline(figure(), "a", "lines")
    referred = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', text)
    assert referred
    assert {one or other for one, other in referred} <= ids[0]


def test_series_can_be_hidden_points_lead_to_records_and_colours_are_the_pages() -> None:
    root = ElementTree.fromstring(inline(figure(), "a", "two lines & more"))
    assert (root.tag, root.get("role"), root.get("aria-label")) == (
        "svg",
        "img",
        "two lines & more",
    )
    (line,) = [element for element in root.iter() if element.get("data-series")]
    assert (line.get("data-series"), line.get("id")) == ("1", "a-series-1-line")
    links = {element.get("href") for element in root.iter("a")}
    assert links == {"cells/a/record.json", "cells/b/record.json"}
    styles = " ".join(element.get("style", "") for element in root.iter())
    assert "var(--series-1)" in styles
    assert COLOURS[1] not in styles
    assert not list(root.iter("metadata"))
