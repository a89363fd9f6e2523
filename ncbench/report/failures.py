"""The list of failed cells a sweep ends with."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


def print_failures(records: Sequence[Mapping[str, Any]], console: Console | None = None) -> None:
    """Print a table of failed cells, each with the place of its record."""
    if not records:
        return
    console = console or Console(highlight=False, width=None if sys.stdout.isatty() else 200)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), title_justify="left")
    for column in ("failed", "measure", "dataset", "sigma", "algo", "reason"):
        table.add_column(column)
    for record in records:
        config = record["config"]
        names = [config[kind]["name"] for kind in ("measure", "dataset", "algo")]
        reason = record["reason"].split("\n")[0]
        row = [record["id"], *names[:2], f"{config['sigma']:g}", names[2], reason]
        table.add_row(*map(Text, row))
    console.print()
    console.print(table)
    console.print("Tracebacks are in the records. Failed cells run again when the sweep does.")
