"""The figures of the page, each for one measure and data set, and small enough for a phone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple
from xml.etree import ElementTree

import pandas as pd
from matplotlib.figure import Figure

from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.cells import confusion_matrices, frank_wolfe_path, stage_times
from ncbench.report.figures.losses import (
    loss_against_sample_size,
    loss_against_sigma,
    several_sizes,
)
from ncbench.report.figures.ranks import critical_difference
from ncbench.report.figures.style import COLOURS, GRID, INK, saved
from ncbench.results import rankings
from ncbench.results.series import at_sigma, panels, plain
from ncbench.run import Record, with_bar

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


MOST = 48
"""The maximum number of figures of one kind; a figure takes about 0.3 s to draw."""


class Panel(NamedTuple):
    """A figure, with its measure and data set, which the filters of the page use."""

    measure: str
    dataset: str
    svg: str


class Chapter(NamedTuple):
    """Figures of one kind."""

    title: str
    about: str
    wide: bool
    panels: list[Panel]
    not_drawn: list[str]


class _Kind(NamedTuple):
    title: str
    about: str
    wide: bool
    tasks: list[tuple[str, str, Callable[[], Figure]]]


def chapters(frame: pd.DataFrame, records: Sequence[Record]) -> list[Chapter]:
    """Draw every figure that the records allow.

    Parameters
    ----------
    frame : DataFrame
        As returned by ``ncbench.results.series.figure_frame``.
    records : sequence
        The records that the frame was made from.
    """
    kinds, found = [], []
    for kind in _kinds(frame, records):
        more = len(kind.tasks) - MOST
        left_out = [f"{more} more; python -m ncbench figures draws all"] if more > 0 else []
        kinds.append(kind._replace(tasks=kind.tasks[:MOST]))
        found.append(Chapter(kind.title, kind.about, kind.wide, [], left_out))
    total = sum(len(kind.tasks) for kind in kinds)
    drawn = with_bar(_draw(kinds), "Drawing figures", total)
    for number, panel in drawn:
        if isinstance(panel, Panel):
            found[number].panels.append(panel)
        elif str(panel) not in found[number].not_drawn:
            found[number].not_drawn.append(str(panel))
    return found


def _draw(kinds: Sequence[_Kind]) -> Iterator[tuple[int, Panel | NothingToDraw]]:
    for number, kind in enumerate(kinds):
        for k, (measure, dataset, draw) in enumerate(kind.tasks):
            try:
                figure = draw()
            except NothingToDraw as why:
                yield number, why
                continue
            label = f"{kind.title}: {measure}" + (f", {dataset}" if dataset else "")
            yield number, Panel(measure, dataset, inline(figure, f"f{number}-{k}", label))


def _kinds(frame: pd.DataFrame, records: Sequence[Record]) -> Iterator[_Kind]:
    one_sigma = at_sigma(frame)
    judged = (frame["judged"] != "").any()
    loss = "Mean loss on the clean test part"
    clean = "Clean: C on the clean test part."
    if judged:
        loss = "Mean loss; where no clean test labels are known, an estimate from noisy ones"
        clean += " Estimated: where no clean test labels are known, C from noisy ones, corrected."
    yield _Kind(
        "Loss against sigma",
        f"{loss}; bands are plus and minus one standard error, corrected for the overlap of the "
        "splits. Each point links to its record. Cells that are not done "
        "are gaps.",
        False,
        _each(frame, loss_against_sigma),
    )
    yield _Kind(
        "Loss against sample size",
        "Mean loss against the number of training examples, one line per sigma; bands are plus and "
        "minus one standard error. Dashed: the lowest loss any classifier can reach, where known.",
        False,
        [
            (measure, str(rows["dataset"].iloc[0]), partial(loss_against_sample_size, rows))
            for (measure, _, _), rows in several_sizes(frame)
        ]
        or [("", "", partial(loss_against_sample_size, frame))],  # its error says why there is none
    )
    yield _Kind(
        "Average ranks",
        "Rank 1 is the lowest mean loss on a data set. A bar joins algorithms that Nemenyi's test "
        "does not separate (Demšar, 2006).",
        True,
        [
            (str(measure), "", partial(critical_difference, ranking, width=4.6))
            for measure, rows in frame.groupby("measure", sort=False)
            for ranking in rankings(plain(rows))
        ],
    )
    yield _Kind(
        "Confusion matrices",
        f"Shares of each label, means over trials, at the largest sigma. {clean} Noisy: T C, as "
        "noisy labels would show it. Corrected: T C, corrected with the noise matrix that the "
        "algorithm was given; this is C again if that was T itself.",
        True,
        _each(one_sigma, lambda rows: confusion_matrices(rows, records, side=1.5)),
    )
    yield _Kind(
        "Path of Frank-Wolfe",
        "Objective and gap at the largest sigma as the algorithm sees them, one line per trial. "
        "The gap is measured on the sample; hollow marks are negative gaps.",
        False,
        _each(one_sigma, lambda rows: frank_wolfe_path(rows, records)),
    )
    yield _Kind(
        "Time per stage",
        "Mean over trials and sigmas. Class probabilities that another cell has computed take "
        "almost no time.",
        False,
        _each(frame, lambda rows: stage_times(rows, records)),
    )


def _each(
    frame: pd.DataFrame, draw: Callable[[pd.DataFrame], Figure]
) -> list[tuple[str, str, Callable[[], Figure]]]:
    """Return a task for each measure and problem."""
    return [
        (measure, str(rows["dataset"].iloc[0]), partial(draw, rows))
        for measure, _, rows in panels(frame)
    ]
