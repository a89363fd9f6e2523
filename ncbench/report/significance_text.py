"""The tables and sentences of ``ncbench significance``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ncbench.report.grid import Entry, Grid, Section, markdown_of, text_of
from ncbench.results import Pair, Ranking, as_text


@dataclass(frozen=True)
class Conclusions:
    """A pair of methods, if one was asked for, and the ranks of all.

    Parameters
    ----------
    pair : Pair, optional
    rankings : sequence of Ranking
    over : sequence of str
        What was ranked over.
    """

    pair: Pair | None
    rankings: Sequence[Ranking]
    over: Sequence[str]

    def sections(self) -> list[Section]:
        """Return tables and sentences, with their titles."""
        found = []
        if self.pair:
            title = f"{self.pair.first} - {self.pair.second}"
            found.append(Section(title, _pair_grid(self.pair)))
        for ranking in self.rankings:
            found.append(Section(f"Ranks: {ranking.measure}", _rank_grid(ranking, self.over)))
        return found

    def json(self) -> str:
        """Return the numbers as JSON."""
        found: dict[str, Any] = {"ranks": [_rank_data(ranking) for ranking in self.rankings]}
        if self.pair:
            pair = self.pair
            found["pair"] = {
                "first": pair.first,
                "second": pair.second,
                "level": pair.level,
                "wins_ties_losses": list(pair.counts),
                "solved_by_one_only": pair.alone,
                # pandas writes what JSON has no word for, an interval without end, as null
                "cells": json.loads(pair.cells.to_json(orient="records", double_precision=15)),
                "conclusion": pair.conclusion,
                "warning": pair.warning,
            }
        return json.dumps(found, indent=2, allow_nan=False)


SIGNIFICANCE_FORMATS = {
    "table": lambda conclusions: text_of(conclusions.sections()),
    "md": lambda conclusions: markdown_of(conclusions.sections()),
    "json": Conclusions.json,
}


def _pair_grid(pair: Pair) -> Grid:
    numbers = {"n", "mean_first", "mean_second", "difference", "low", "high", "p", "p_holm"}
    numbers |= {"wilcoxon_p", "wilcoxon_p_holm", "smallest_p", "corrected"}
    keys = [column for column in pair.cells.columns if column not in numbers]
    interval = f"{pair.level:.0%} interval"
    tests = ["p", "p (Holm)", "Wilcoxon p", "(Holm)", "smallest"]
    columns = [*keys, "n", pair.first, pair.second, "difference", interval, *tests]
    rows = []
    for row in pair.cells.to_dict("records"):
        found = row["p_holm"] < 1 - pair.level
        rows.append(
            [
                *(Entry(as_text(row[key])) for key in keys),
                Entry(str(row["n"])),
                Entry(f"{row['mean_first']:.3f}"),
                Entry(f"{row['mean_second']:.3f}"),
                Entry(f"{row['difference']:+.3f}", bold=found, mark="*" if found else ""),
                Entry(f"[{row['low']:+.3f}, {row['high']:+.3f}]"),
                *(Entry(f"{row[p]:.3g}") for p in ("p", "p_holm", "wilcoxon_p", "wilcoxon_p_holm")),
                Entry(f"{row['smallest_p']:.3g}"),
            ]
        )
    wins, ties, losses = pair.counts
    notes = [
        "Losses: a difference below 0 favours the first. Interval and p: paired t test over the "
        "same splits"
        + (", variance corrected for their overlap" if pair.cells["corrected"].all() else "")
        + "; Wilcoxon: signed ranks, not corrected for overlap; smallest: the least p it could "
        f"have given. * after Holm's correction below {1 - pair.level:.2g}.",
        f"By mean loss {pair.first} wins {wins}, ties {ties}, loses {losses} of {len(rows)} cells.",
    ]
    if pair.alone:
        notes.append(f"{pair.alone} cells that only one of them has solved are left out.")
    notes += [pair.warning] if pair.warning else []
    return Grid(columns, rows, len(keys), [*notes, pair.conclusion])


def _rank_grid(ranking: Ranking, over: Sequence[str]) -> Grid:
    ranks = ranking.ranks
    methods = list(ranks.average_ranks) if ranks else ranking.methods
    letters = _letters(ranking)
    columns = ["algorithm", "average rank", "group", *(f"against {method}" for method in methods)]
    rows = [
        [
            Entry(a),
            Entry(f"{ranks.average_ranks[a]:.2f}" if ranks else "-"),
            Entry(letters.get(a, "")),
            *(Entry("/".join(map(str, ranking.counts.get((a, b), "-")))) for b in methods),
        ]
        for a in methods
    ]
    notes = ["Against each other: wins / ties / losses by mean loss, over cells."]
    if ranks is None:
        notes.append("Not ranked: fewer than two algorithms have solved the same cells.")
    else:
        averaged = ", each the average of its cells" if over == ["dataset"] else ""
        independent = (
            "data sets"
            if "sigma" not in over
            else "rows of ranks, which several noise levels of one data set are not"
        )
        notes += [
            f"Ranked over {ranks.blocks}{averaged}. Friedman's chi-squared = "
            f"{ranks.statistic:.3f}, p = {ranks.p:.3g} "
            f"({'exact' if ranks.exact else 'chi-squared distribution'}); critical difference "
            f"(Nemenyi) {ranks.critical_difference:.2f}. Algorithms that share a letter are not "
            "separable.",
            f"{ranks.conclusion} It supposes independent {independent}.",
        ]
    if ranking.left_out:
        notes.append(f"{ranking.left_out} cells that some algorithm has not solved are left out.")
    return Grid(columns, rows, 1, notes)


def _letters(ranking: Ranking) -> dict[str, str]:
    letters: dict[str, str] = {}
    for number, group in enumerate(ranking.ranks.groups if ranking.ranks else ()):
        for method in group:
            letters[method] = letters.get(method, "") + chr(ord("a") + number % 26)
    return letters


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
