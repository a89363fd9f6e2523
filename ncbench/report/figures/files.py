"""The list of figures that records allow, for ``ncbench figures`` and for the report page."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from ncbench.files import write_output
from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.cells import confusion_matrices, frank_wolfe_path, stage_times
from ncbench.report.figures.losses import (
    loss_against_sample_size,
    loss_against_sigma,
    several_sizes,
)
from ncbench.report.figures.ranks import critical_difference
from ncbench.report.figures.style import saved
from ncbench.results import Board, Ranking, rankings
from ncbench.results.series import at_sigma, figure_frame, panels
from ncbench.run import Record

MOST_PANELS = 24
"""The largest number of panels of a figure; more can neither be read nor laid out in time."""


class Part(NamedTuple):
    """What one figure of the page shows: rows of ``results``, or a ranking."""

    measure: str
    dataset: str
    name: str
    rows: Any


class Kind(NamedTuple):
    """Figures of one kind.

    Attributes
    ----------
    name : str
        The name of its files, or how they begin.
    title, about : str
        What the page says of it.
    draw : callable
        Draws the rows of a part, or of several parts if ``whole`` is not None.
    parts : list of Part
        The page has a figure for each.
    whole : DataFrame or None
        The rows of all parts, which one file shows; None if each part has its own file.
    wide : bool
        Whether a figure takes the width of the page.
    """

    name: str
    title: str
    about: str
    draw: Callable[[Any], Figure]
    parts: list[Part]
    whole: pd.DataFrame | None = None
    wide: bool = False


def kinds(
    frame: pd.DataFrame, records: Sequence[Record], sigma: float | None = None, small: bool = False
) -> list[Kind]:
    """Return every kind of figure.

    Parameters
    ----------
    frame : DataFrame
        As returned by ``ncbench.results.series.figure_frame``.
    records : sequence
        The records that the frame was made from.
    sigma : float, optional
        The sigma of confusion matrices and paths; by default the largest of each measure and data
        set.
    small : bool
        Whether figures must fit a phone.
    """
    one_sigma = at_sigma(frame, sigma)
    loss = "Mean loss on the clean test part"
    clean = "Clean: C on the clean test part."
    if (frame["judged"] != "").any():
        loss = "Mean loss; where no clean test labels are known, an estimate from noisy ones"
        clean += " Estimated: where no clean test labels are known, C from noisy ones, corrected."
    several = [
        Part(measure, str(rows["dataset"].iloc[0]), "", rows)
        for (measure, _, _), rows in several_sizes(frame)
    ]
    ranked = [
        Part(str(measure), "", _safe(ranking.measure), ranking)
        for measure, rows in frame.groupby("measure", sort=False)
        for ranking in rankings(rows)
    ]
    return [
        Kind(
            "loss_against_sigma",
            "Loss against sigma",
            f"{loss}; bands are plus and minus one standard error, corrected for the overlap of "
            "the splits. Each point links to its record. Cells that are not done are gaps.",
            loss_against_sigma,
            _problems(frame),
            frame,
        ),
        Kind(
            "loss_against_sample_size",
            "Loss against sample size",
            "Mean loss against the number of training examples, one line per sigma; bands are plus "
            "and minus one standard error. Dashed: the lowest loss any classifier can reach, where "
            "known.",
            loss_against_sample_size,
            several or [Part("", "", "", frame)],  # its error says why there is none
            frame,
        ),
        Kind(
            "critical_difference",
            "Average ranks",
            "Rank 1 is the lowest mean loss on a data set. A bar joins algorithms that Nemenyi's "
            "test does not separate (Demšar, 2006).",
            partial(critical_difference, width=4.6 if small else 7.0),
            ranked,
            wide=True,
        ),
        Kind(
            "confusion_matrices",
            "Confusion matrices",
            f"Shares of each label, means over trials, at the largest sigma. {clean} Noisy: T C, "
            "as noisy labels would show it. Corrected: T C, corrected with the noise matrix that "
            "the algorithm was given; this is C again if that was T itself.",
            partial(confusion_matrices, records=records, side=1.5 if small else 2.5),
            _problems(one_sigma),
            wide=True,
        ),
        Kind(
            "frank_wolfe_path",
            "Path of Frank-Wolfe",
            "Objective and gap at the largest sigma as the algorithm sees them, one line per "
            "trial. The gap is measured on the sample; hollow marks are negative gaps.",
            partial(frank_wolfe_path, records=records),
            _problems(one_sigma),
            one_sigma,
        ),
        Kind(
            "stage_times",
            "Time per stage",
            "Mean over trials and sigmas. Class probabilities that another cell has computed take "
            "almost no time.",
            partial(stage_times, records=records),
            _problems(frame),
            frame,
        ),
    ]


def _problems(frame: pd.DataFrame) -> list[Part]:
    """Return a part for each measure and problem."""
    return [
        Part(
            measure,
            str(rows["dataset"].iloc[0]),
            f"{number:02d}-{_safe(measure)}-{_safe(problem)}",
            rows,
        )
        for number, (measure, problem, rows) in enumerate(panels(frame), 1)
    ]


def figures(
    records: Sequence[Record], sigma: float | None = None
) -> Iterator[tuple[str, Figure | NothingToDraw]]:
    """Draw every figure; yield its file name, and the figure or the reason why there is none.

    Parameters
    ----------
    records, sigma
        As for :func:`kinds`.
    """
    frame = figure_frame(records)
    for kind in kinds(frame, records, sigma):
        parts = [(f"{kind.name}-{part.name}", part.rows) for part in kind.parts[:MOST_PANELS]]
        if kind.whole is not None:
            parts = [(kind.name, _first_panels(kind.whole))]
        for name, rows in parts:
            try:
                yield name, kind.draw(rows)
            except NothingToDraw as why:
                yield name, why
    number = len(panels(frame))
    if number > MOST_PANELS:
        yield (
            "other panels",
            NothingToDraw(
                f"{number} combinations of measure and problem, of which figures show the first "
                f"{MOST_PANELS}. Choose others with --where, such as --where dataset=iris seed=0"
            ),
        )


def _first_panels(frame: pd.DataFrame) -> pd.DataFrame:
    keys = ["measure", "problem"]
    return frame.merge(frame[keys].drop_duplicates()[:MOST_PANELS], on=keys)


def write_figures(
    records: Sequence[Record], out: Path, formats: Sequence[str], sigma: float | None = None
) -> None:
    """Write every figure to a folder; print the files, and why other figures were not drawn."""
    for name, figure in figures(records, sigma):
        if isinstance(figure, NothingToDraw):
            print(f"not drawn: {name}: {figure}")
            continue
        for form in formats:
            write_output(out / f"{name}.{form}", saved(figure, form))
        print(" ".join(str(out / f"{name}.{form}") for form in formats))


def write_boards(boards: Sequence[Board], out: Path) -> None:
    """Draw the ranks of each table of ``ncbench leaderboard``, as SVG files in a folder."""
    for board in boards:
        methods = list(board.ranks.average_ranks)
        ranking = Ranking(board.title, board.ranks, methods, {}, board.left_out)
        with contextlib.suppress(NothingToDraw):  # a single data set
            figure = critical_difference(ranking)
            name = "-".join(filter(None, (board.measure, board.use_of_T, board.noise)))
            write_output(out / f"{_safe(name)}.svg", saved(figure, "svg"))


def _safe(text: str) -> str:
    """Return a text that can be part of a file name on any system.

    Examples
    --------
    >>> _safe("a/b: <c>")
    'a_b_c'
    """
    return re.sub(r"[^A-Za-z0-9=.,-]+", "_", text).strip("_")[:60]
