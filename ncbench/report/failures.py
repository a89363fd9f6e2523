"""The list of failed cells a sweep ends with."""

from __future__ import annotations

from collections.abc import Sequence

from ncbench.report.grid import Entry, Grid
from ncbench.types import Record

_COLUMNS = ("failed", "measure", "dataset", "sigma", "algo", "reason")


def print_failures(records: Sequence[Record]) -> None:
    """Print a table of failed cells, each with the place of its record."""
    if not records:
        return
    rows = []
    for record in records:
        config = record["config"]
        measure, dataset, algo = (config[kind]["name"] for kind in ("measure", "dataset", "algo"))
        reason = record["reason"].split("\n")[0]
        row = [record["id"], measure, dataset, f"{config['sigma']:g}", algo, reason]
        rows.append(list(map(Entry, row)))
    print()
    note = "Tracebacks are in the records. Failed cells run again when the sweep does."
    Grid(_COLUMNS, rows, 1, [note]).print()
