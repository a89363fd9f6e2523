"""``ncbench figures``: draw every figure that the records below a folder allow."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from ncbench.files import write_output
from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.cells import confusion_matrices, frank_wolfe_path, stage_times
from ncbench.report.figures.losses import loss_against_sample_size, loss_against_sigma
from ncbench.report.figures.ranks import critical_difference
from ncbench.report.figures.style import saved
from ncbench.results import Board, Ranking, rankings
from ncbench.results.series import at_sigma, figure_frame, panels, plain
from ncbench.run import Record

Drawn = tuple[str, Figure | NothingToDraw]

MOST_PANELS = 24
"""The largest number of panels of a figure; more can neither be read nor laid out in time."""


def figures(records: Sequence[Record], sigma: float | None = None) -> Iterator[Drawn]:
    """Draw every figure; yield its file name, and the figure or the reason why there is none.

    Parameters
    ----------
    records : sequence
    sigma : float, optional
        The sigma of confusion matrices and paths; by default the largest of each measure and data
        set.
    """
    every = figure_frame(records)
    frame = _first_panels(every)
    one_sigma = at_sigma(frame, sigma)
    yield _drawn("loss_against_sigma", lambda: loss_against_sigma(frame))
    yield _drawn("loss_against_sample_size", lambda: loss_against_sample_size(frame))
    for ranking in rankings(plain(every)):
        name = f"critical_difference-{_safe(ranking.measure)}"
        yield _drawn(name, lambda ranking=ranking: critical_difference(ranking))  # type: ignore[misc]
    for number, (measure, problem, rows) in enumerate(panels(one_sigma), 1):
        name = f"confusion_matrices-{number:02d}-{_safe(measure)}-{_safe(problem)}"
        yield _drawn(name, lambda rows=rows: confusion_matrices(rows, records))  # type: ignore[misc]
    yield _drawn("frank_wolfe_path", lambda: frank_wolfe_path(one_sigma, records))
    yield _drawn("stage_times", lambda: stage_times(frame, records))
    if len(frame) < len(every):
        number = len(panels(every))
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


def _drawn(name: str, draw: Callable[[], Figure]) -> Drawn:
    try:
        return name, draw()
    except NothingToDraw as why:
        return name, why


def _safe(text: str) -> str:
    """Return a text that can be part of a file name on any system.

    Examples
    --------
    >>> _safe("a/b: <c>")
    'a_b_c'
    """
    return re.sub(r"[^A-Za-z0-9=.,-]+", "_", text).strip("_")[:60]
