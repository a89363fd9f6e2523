"""The tables of ``significance``, ``leaderboard``, ``compare``, ``theory`` and ``bayes``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from ncbench.errors import counted
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
from ncbench.show import Entry, Format, Grid

NOT_RANKED = "Not ranked: fewer than two algorithms have solved the same cells."


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

    def sections(self) -> list[Grid]:
        """Return the tables, with sentences below them."""
        ranks = [_rank_grid(ranking, self.over) for ranking in self.rankings]
        return [_pair_grid(self.pair), *ranks] if self.pair else ranks

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


def _keys(keys: Sequence[str]) -> list[tuple[str, Format]]:
    """Return the columns of keys, as text for a command line."""
    return [(key, lambda row, key=key: as_text(row[key])) for key in keys]  # type: ignore[misc]


def _pair_grid(pair: Pair) -> Grid:
    numbers = {"n", "mean_first", "mean_second", "difference", "low", "high", "p", "p_holm"}
    numbers |= {"wilcoxon_p", "wilcoxon_p_holm", "smallest_p", "corrected", "trials_needed"}
    keys = [column for column in pair.cells.columns if column not in numbers]

    def difference(row: Mapping[Any, Any]) -> Entry:
        rejected = row["p_holm"] < 1 - pair.level
        return Entry(f"{row['difference']:+.3f}", rejected, "*" if rejected else "")

    formats: list[tuple[str, Format]] = [
        *_keys(keys),
        ("n", "{n}"),
        (pair.first, "{mean_first:.3f}"),
        (pair.second, "{mean_second:.3f}"),
        ("difference", difference),
        (f"{pair.level:.0%} interval", "[{low:+.3f}, {high:+.3f}]"),
        ("p", "{p:.3g}"),
        ("p (Holm)", "{p_holm:.3g}"),
        ("Wilcoxon p", "{wilcoxon_p:.3g}"),
        ("(Holm)", "{wilcoxon_p_holm:.3g}"),
        ("smallest", "{smallest_p:.3g}"),
        ("trials needed", lambda row: _or_dash(row, "trials_needed", ".0f")),
    ]
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
        f"{counted(len(pair.cells), 'cell')}.",
    ]
    if pair.alone:
        notes.append(_left_out(pair.alone, "only one of them has solved"))
    notes += [pair.warning] if pair.warning else []
    title = f"{pair.first} - {pair.second}"
    return Grid.of(pair.cells, formats, len(keys), [*notes, pair.conclusion], title)


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
            *(a, f"{ranks.average_ranks[a]:.2f}" if ranks else "-", of_group.get(a, "")),
            *("/".join(map(str, ranking.counts.get((a, b), "-"))) for b in methods),
        ]
        for a in methods
    ]
    notes = ["Against each other: wins / ties / losses over cells, by mean loss."]
    if ranks is None:
        notes.append(NOT_RANKED)
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
    return Grid(columns, rows, 1, notes, title=f"Ranks: {ranking.measure}")


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


def leaderboard_sections(boards: Sequence[Board], reasons: Mapping[str, int]) -> list[Grid]:
    """Return a table for each board, and why added cells were left out."""
    found = [_board_grid(board, len(boards)) for board in boards]
    if reasons:
        rows = [[reason, str(count)] for reason, count in sorted(reasons.items())]
        found.append(Grid(["reason", "cells"], rows, 1, title="Cells that were not added"))
    return found


def _board_grid(board: Board, boards: int) -> Grid:
    of_group = letters(board.ranks)
    kinds = list(board.standings[0].by_noise) if not board.noise else []
    columns = ["method", "T", "average rank", "group", "mean loss", *kinds, "seconds"]
    rows: list[list[Entry | str]] = [
        [
            Entry(each.method, mark="+" if each.added else ""),
            *(each.noise_matrix, f"{each.rank:.2f}", of_group.get(each.label, "")),
            *(f"{each.loss:.3f}", *(f"{each.by_noise[kind]:.1f}" for kind in kinds)),
            f"{each.seconds:.2g}",
        ]
        for each in board.standings
    ]
    return Grid(columns, rows, 2, _notes(board, boards), title=board.title)


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
    data = [
        {**asdict(board), "standings": [each._asdict() for each in board.standings]}
        for board in boards
    ]
    return json.dumps({"boards": data, "not_added": dict(reasons)}, indent=2, allow_nan=False)


# The tables of ``ncbench compare``.


def comparison_sections(comparison: Comparison) -> list[Grid]:
    """Return a table of cells for each table of the reference, and the table of counts."""
    keys = [key for key in comparison.cells.columns if key not in (TABLE, *COMPARED)]
    formats: list[tuple[str, Format]] = [
        *_keys(keys),
        ("ours", lambda row: _with_error(row, "ours")),
        ("theirs", lambda row: _with_error(row, "theirs")),
        ("difference", lambda row: _or_dash(row, "difference", "+.3f")),
        ("se", lambda row: _or_dash(row, "in_errors", "+.1f")),
        ("verdict", lambda row: Entry(row["verdict"], bold=row["verdict"] == AHEAD)),
    ]
    present = comparison.cells[comparison.cells["verdict"] != NOT_PRESENT]
    titled = dict(list(present.groupby(TABLE))) if TABLE in present else {"": present}
    *_, last = titled
    tables = [
        Grid.of(cells, formats, len(keys), [comparison.definition] * (title == last), str(title))
        for title, cells in titled.items()
    ]
    counts = comparison.counts("measure", "algo")
    counted = Grid.of(counts, _keys(list(map(str, counts))), 2, [comparison.summary])
    return [*tables, counted]


def _with_error(row: Mapping[Any, Any], whose: str) -> str:
    """Return our mean or theirs, with its standard error if it has one."""
    error = "" if math.isnan(row[f"{whose}_sem"]) else f" ({row[f'{whose}_sem']:.3f})"
    return "-" if math.isnan(row[whose]) else f"{row[whose]:.3f}{error}"


def _or_dash(row: Mapping[Any, Any], key: str, style: str) -> str:
    return "-" if pd.isna(row[key]) else f"{row[key]:{style}}"


# The tables of ``ncbench theory`` and ``ncbench bayes``.


def optima_section(optima: pd.DataFrame) -> Grid:
    """Return the lowest possible loss of each measure, with a bound on its error."""
    return Grid.of(
        optima, [("measure", "{measure}"), ("bayes", "{bayes:.5f}"), ("error", "{error:.0e}")]
    )


def regret_sections(frame: pd.DataFrame, style: str) -> list[Grid]:
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
        fitted = fitted.drop(columns=[*same, "at_1"])
        return [_regret_grid(terms, style, title=about), _regret_grid(fitted, style)]
    no_slope = (
        "No slope of the regret: a slope needs positive regret at two or more sample sizes, such "
        "as dataset.train=100,1000,10000."
    )
    return [_regret_grid(terms, style, no_slope, title=about)]


def _regret_grid(table: pd.DataFrame, style: str, *notes: str, title: str = "") -> Grid:
    rows = [
        [f"{value:{style}}" if isinstance(value, float) else str(value) for value in row]
        for row in table.itertuples(index=False)
    ]
    labels = list(table.columns).index("sigma")
    return Grid(list(table.columns), rows, labels, notes, title=title)
