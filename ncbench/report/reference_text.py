"""The tables of ``ncbench compare``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ncbench.report.grid import Entry, Grid, Section
from ncbench.results import AHEAD, COMPARED, NOT_PRESENT, Comparison, as_text


def comparison_sections(comparison: Comparison) -> list[Section]:
    """Return the table of cells and the table of counts."""
    keys = [key for key in comparison.cells.columns if key not in COMPARED]
    present = comparison.cells[comparison.cells["verdict"] != NOT_PRESENT]
    rows = [
        [*(Entry(as_text(row[key])) for key in keys), *_entries(row)]
        for row in present.to_dict("records")
    ]
    columns = [*keys, "ours", "theirs", "difference", "se", "verdict"]
    counts = comparison.counts("measure", "algo")
    counted = [list(map(Entry, map(as_text, row))) for row in counts.to_numpy().tolist()]
    return [
        Section("", Grid(columns, rows, len(keys), [comparison.definition])),
        Section("", Grid(list(counts.columns), counted, 2, [comparison.summary])),
    ]


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
