"""The tables of ``ncbench leaderboard``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ncbench.errors import counted
from ncbench.report.grid import Entry, Grid, Section
from ncbench.report.significance_text import letters
from ncbench.results import Board


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
