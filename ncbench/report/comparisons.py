"""The tables and sentences of ``ncbench significance``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pandas as pd

from ncbench.errors import counted
from ncbench.report.tables import Entry, Grid, Section
from ncbench.results import (
    AHEAD,
    COMPARED,
    NOT_PRESENT,
    TABLE,
    Board,
    Comparison,
    Pair,
    Ranking,
    Ranks,
    as_text,
)
from ncbench.results.series import curve_keys, slopes


@dataclass(frozen=True)
class Conclusions:
    """The comparison of a pair of methods, if requested, and the ranks of all methods.

    Parameters
    ----------
    pair : Pair, optional
    rankings : sequence of Ranking
    over : sequence of str
        The keys that were ranked over.
    """

    pair: Pair | None
    rankings: Sequence[Ranking]
    over: Sequence[str]

    def sections(self) -> list[Section]:
        """Return titles, tables and sentences."""
        sections = []
        if self.pair:
            title = f"{self.pair.first} - {self.pair.second}"
            sections.append(Section(title, _pair_grid(self.pair)))
        for ranking in self.rankings:
            sections.append(Section(f"Ranks: {ranking.measure}", _rank_grid(ranking, self.over)))
        return sections

    def json(self) -> str:
        """Return the numbers as JSON."""
        data: dict[str, Any] = {"ranks": [_rank_data(ranking) for ranking in self.rankings]}
        if self.pair:
            pair = self.pair
            data["pair"] = {
                "first": pair.first,
                "second": pair.second,
                "level": pair.level,
                "wins_ties_losses": list(pair.counts),
                "solved_by_one_only": pair.alone,
                # pandas writes an infinite interval, which JSON does not have, as null
                "cells": json.loads(pair.cells.to_json(orient="records", double_precision=15)),
                "conclusion": pair.conclusion,
                "warning": pair.warning,
            }
        return json.dumps(data, indent=2, allow_nan=False)


def _pair_grid(pair: Pair) -> Grid:
    numbers = {"n", "mean_first", "mean_second", "difference", "low", "high", "p", "p_holm"}
    numbers |= {"wilcoxon_p", "wilcoxon_p_holm", "smallest_p", "corrected", "trials_needed"}
    keys = [column for column in pair.cells.columns if column not in numbers]
    interval = f"{pair.level:.0%} interval"
    tests = ["p", "p (Holm)", "Wilcoxon p", "(Holm)", "smallest", "trials needed"]
    columns = [*keys, "n", pair.first, pair.second, "difference", interval, *tests]
    rows = []
    for row in pair.cells.to_dict("records"):
        rejected = row["p_holm"] < 1 - pair.level
        rows.append(
            [
                *(Entry(as_text(row[key])) for key in keys),
                Entry(str(row["n"])),
                Entry(f"{row['mean_first']:.3f}"),
                Entry(f"{row['mean_second']:.3f}"),
                Entry(f"{row['difference']:+.3f}", bold=rejected, mark="*" if rejected else ""),
                Entry(f"[{row['low']:+.3f}, {row['high']:+.3f}]"),
                *(Entry(f"{row[p]:.3g}") for p in ("p", "p_holm", "wilcoxon_p", "wilcoxon_p_holm")),
                Entry(f"{row['smallest_p']:.3g}"),
                Entry("-" if pd.isna(row["trials_needed"]) else as_text(row["trials_needed"])),
            ]
        )
    wins, ties, losses = pair.counts
    notes = [
        "Losses: a difference below 0 favors the first. Interval and p: paired t test over the "
        "same splits"
        + (", variance corrected for their overlap" if pair.cells["corrected"].all() else "")
        + "; Wilcoxon: signed ranks, not corrected for overlap; smallest: the smallest p it could "
        f"have given. * below {1 - pair.level:.2g} after Holm's correction. Trials needed: how "
        "many would separate such a difference in one cell with a chance of 80%; - if no number "
        "of splits of these data would.",
        f"By mean loss {pair.first} wins {wins}, ties {ties}, loses {losses} of "
        f"{counted(len(rows), 'cell')}.",
    ]
    if pair.alone:
        notes.append(_left_out(pair.alone, "only one of them has solved"))
    notes += [pair.warning] if pair.warning else []
    return Grid(columns, rows, len(keys), [*notes, pair.conclusion])


def _left_out(number: int, why: str) -> str:
    verb = "is" if number == 1 else "are"
    return f"{counted(number, 'cell')} that {why} {verb} left out."


def _rank_grid(ranking: Ranking, over: Sequence[str]) -> Grid:
    ranks = ranking.ranks
    methods = list(ranks.average_ranks) if ranks else ranking.methods
    of_group = letters(ranks)
    columns = ["algorithm", "average rank", "group", *(f"against {method}" for method in methods)]
    rows = [
        [
            Entry(a),
            Entry(f"{ranks.average_ranks[a]:.2f}" if ranks else "-"),
            Entry(of_group.get(a, "")),
            *(Entry("/".join(map(str, ranking.counts.get((a, b), "-")))) for b in methods),
        ]
        for a in methods
    ]
    notes = ["Against each other: wins / ties / losses over cells, by mean loss."]
    if ranks is None:
        notes.append("Not ranked: fewer than two algorithms have solved the same cells.")
    else:
        averaged = ", cells of a data set averaged" if over == ["dataset"] else ""
        independent = (
            "data sets"
            if "sigma" not in over
            else "rows of ranks, but the noise levels of one data set are not independent"
        )
        notes += [
            f"Ranked over {ranks.blocks}{averaged}. {_test(ranks)} Algorithms that share a letter "
            "are not separable.",
            f"{ranks.conclusion} The test assumes independent {independent}.",
        ]
    if ranking.left_out:
        notes.append(_left_out(ranking.left_out, "some algorithm has not solved"))
    return Grid(columns, rows, 1, notes)


def _test(ranks: Ranks) -> str:
    if ranks.critical_difference is None:
        how = "exact" if ranks.exact else "normal distribution"
        return (
            "Two algorithms: Wilcoxon's signed ranks of their losses, smaller sum "
            f"{ranks.statistic:g}, p = {ranks.p:.3g} ({how})."
        )
    how = "exact" if ranks.exact else "chi-squared distribution"
    return (
        f"Friedman's chi-squared = {ranks.statistic:.3f}, p = {ranks.p:.3g} ({how}); critical "
        f"difference (Nemenyi) {ranks.critical_difference:.2f}."
    )


def letters(ranks: Ranks | None) -> dict[str, str]:
    """Return the letters of each algorithm; those that share one are not separable."""
    found: dict[str, str] = {}
    for number, group in enumerate(ranks.groups if ranks else ()):
        for method in group:
            found[method] = found.get(method, "") + chr(ord("a") + number % 26)
    return found


def _rank_data(ranking: Ranking) -> dict[str, Any]:
    ranks = ranking.ranks
    return {
        "measure": ranking.measure,
        "friedman": {**asdict(ranks), "conclusion": ranks.conclusion} if ranks else None,
        "wins_ties_losses": [
            {"first": a, "second": b, "counts": list(counts)}
            for (a, b), counts in ranking.counts.items()
        ],
        "left_out": ranking.left_out,
    }


# The tables of ``ncbench leaderboard``.


def leaderboard_sections(boards: Sequence[Board], reasons: Mapping[str, int]) -> list[Section]:
    """Return a table for each board, and why added cells were left out."""
    found = [Section(board.title, _grid(board, len(boards))) for board in boards]
    if reasons:
        rows = [[Entry(reason), Entry(str(count))] for reason, count in sorted(reasons.items())]
        found.append(Section("Cells that were not added", Grid(["reason", "cells"], rows, 1)))
    return found


def _grid(board: Board, boards: int) -> Grid:
    ranks = board.ranks
    of_group = letters(ranks)
    kinds = list(board.standings[0].by_noise) if not board.noise else []
    columns = ["method", "T", "average rank", "group", "mean loss", *kinds, "seconds"]
    rows = [
        [
            Entry(each.method, mark="+" if each.added else ""),
            Entry(each.noise_matrix),
            Entry(f"{each.rank:.2f}"),
            Entry(of_group.get(each.label, "")),
            Entry(f"{each.loss:.3f}"),
            *(Entry(f"{each.by_noise[kind]:.1f}") for kind in kinds),
            Entry(f"{each.seconds:.2g}"),
        ]
        for each in board.standings
    ]
    return Grid(columns, rows, 2, _notes(board, boards))


def _notes(board: Board, boards: int) -> list[str]:
    ranks = board.ranks
    notes = [f"{ranks.conclusion} Methods that share a letter are not separable."]
    if boards > 1:
        notes[0] += f" This allows for {boards} tables."
    draws = counted(board.seeds, "draw")
    few = "" if board.seeds > 1 else ", so nothing is said about other draws in the same data set"
    notes.append(
        f"Losses are averaged over the problems of a data set ({board.problems} in all), with "
        f"{draws} of each noise{few}."
    )
    if any(each.added for each in board.standings):
        notes.append("+ added.")
    if board.left_out:
        what = counted(board.left_out, "problem")
        notes.append(f"Left out: {what} that some method has not solved.")
    return notes


def leaderboard_json(boards: Sequence[Board], reasons: Mapping[str, int]) -> str:
    """Return the boards as JSON."""
    data: list[dict[str, Any]] = []
    for board in boards:
        standings = [each._asdict() for each in board.standings]
        data.append({**asdict(board), "standings": standings})
    return json.dumps({"boards": data, "not_added": dict(reasons)}, indent=2, allow_nan=False)


# The tables of ``ncbench compare``.


def comparison_sections(comparison: Comparison) -> list[Section]:
    """Return a table of cells for each table of the reference, and the table of counts."""
    keys = [key for key in comparison.cells.columns if key not in (TABLE, *COMPARED)]
    columns = [*keys, "ours", "theirs", "difference", "se", "verdict"]
    present = comparison.cells[comparison.cells["verdict"] != NOT_PRESENT]
    titled = present.groupby(TABLE) if TABLE in present else [("", present)]
    sections = []
    for title, cells in titled:
        rows = [
            [*(Entry(as_text(row[key])) for key in keys), *_entries(row)]
            for row in cells.to_dict("records")
        ]
        sections.append(Section(str(title), Grid(columns, rows, len(keys))))
    notes = [*[comparison.definition] * bool(sections)]
    sections[-1:] = [Section(title, replace(grid, notes=notes)) for title, grid in sections[-1:]]
    counts = comparison.counts("measure", "algo")
    counted = [list(map(Entry, map(as_text, row))) for row in counts.to_numpy().tolist()]
    return [*sections, Section("", Grid(list(counts.columns), counted, 2, [comparison.summary]))]


def _entries(row: Mapping[Any, Any]) -> list[Entry]:
    theirs = Entry(with_error(row, "theirs"))
    if math.isnan(row["ours"]):
        return [Entry("-"), theirs, Entry("-"), Entry("-"), Entry(row["verdict"])]
    return [
        Entry(with_error(row, "ours")),
        theirs,
        Entry(f"{row['difference']:+.3f}"),
        Entry(in_errors_text(row)),
        Entry(row["verdict"], bold=row["verdict"] == AHEAD),
    ]


def with_error(row: Mapping[Any, Any], whose: str) -> str:
    """Return our mean or theirs, with its standard error if it has one."""
    mean, error = row[whose], row[f"{whose}_sem"]
    return f"{mean:.3f}" if math.isnan(error) else f"{mean:.3f} ({error:.3f})"


def in_errors_text(row: Mapping[Any, Any]) -> str:
    """Return a difference in standard errors as text for a table."""
    return "-" if math.isnan(row["in_errors"]) else f"{row['in_errors']:+.1f}"


# The tables of ``ncbench theory`` and ``ncbench bayes``.


def optima_section(optima: pd.DataFrame) -> Section:
    """Return the lowest possible loss of each measure, with a bound on its error."""
    rows = [
        [Entry(row["measure"]), Entry(f"{row['bayes']:.5f}"), Entry(f"{row['error']:.0e}")]
        for row in optima.to_dict("records")
    ]
    return Section("", Grid(list(optima.columns), rows, 1))


def regret_sections(frame: pd.DataFrame, style: str) -> list[Section]:
    """Return the terms of the bounds, and the slopes of the regret if there are any.

    Parameters
    ----------
    frame : DataFrame
        As returned by :func:`ncbench.results.series.terms`.
    style : str
        Format of numbers.
    """
    same = [key for key in curve_keys(frame) if frame[key].nunique() == 1]
    about = ", ".join(f"{key}={frame[key].iloc[0]}" for key in same)
    terms, fitted = frame.drop(columns=same), slopes(frame)
    if len(fitted):
        slopes_grid = _regret_grid(fitted.drop(columns=[*same, "at_1"]), style)
        return [Section(about, _regret_grid(terms, style)), Section("", slopes_grid)]
    no_slope = (
        "No slope of the regret: a slope needs positive regret at two or more sample sizes, such "
        "as dataset.train=100,1000,10000."
    )
    return [Section(about, _regret_grid(terms, style, no_slope))]


def _regret_grid(table: pd.DataFrame, style: str, *notes: str) -> Grid:
    rows = [[Entry(_text(value, style)) for value in row] for row in table.itertuples(index=False)]
    labels = list(table.columns).index("sigma")
    return Grid(list(table.columns), rows, labels, notes)


def _text(value: Any, style: str) -> str:
    return f"{value:{style}}" if isinstance(value, float) else str(value)
