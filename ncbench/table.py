"""The table a sweep ends with, for a terminal or a log."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ncbench.aggregate import other_keys

_PROBLEM = ("measure", "dataset", "noise", "seed", "trials", "test_size")


def print_table(frame: pd.DataFrame, console: Console | None = None) -> None:
    """Print rows measure x data set x algorithm, columns sigma, ``mean (standard error)``.

    The best of each measure, data set and sigma is bold and starred; the number of trials is
    shown where it is not the usual one; skipped and failed cells say so, with reasons below.
    """
    if console is None:
        console = Console(highlight=False)
        if not console.is_terminal:
            console.width = 200  # a log has no width of its own
    others = other_keys(frame)
    keys = ["measure", "dataset", "algo", *others]
    sigmas = sorted(frame["sigma"].unique())
    done = frame[frame["status"] == "done"]
    usual_n = int(done["n"].mode().iloc[0]) if len(done) else 0
    # Only what was measured in the same way, on the same data and noise, is compared.
    same = ["measure", "dataset", "sigma"]
    same += [key for key in others if key.partition(".")[0] in _PROBLEM]
    best = done.groupby(same, dropna=False)["mean"].transform("min")
    is_best = set(done.index[done["mean"] == best])
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for key in keys:
        table.add_column(key)
    for sigma in sigmas:
        table.add_column(f"sigma={sigma:g}")
    previous: tuple[str, ...] = ()
    for row_key, rows in frame.groupby(keys, sort=False, dropna=False):
        names = tuple(map(str, row_key))
        # Repeated leading names are left blank, as in a printed table.
        shown = [
            "" if previous[:i] == names[:i] and i <= 2 else names[i - 1]
            for i in range(1, len(names) + 1)
        ]
        previous = names
        by_sigma = {row.sigma: row for row in rows.itertuples()}
        cells = [_cell(by_sigma.get(sigma), is_best, usual_n) for sigma in sigmas]
        table.add_row(*shown, *cells)
    console.print(table)
    if len(done):
        console.print(
            f"Losses: lower is better. mean (standard error, ddof 1) over {usual_n} trials; * best."
        )
    for (status, reason), rows in frame[frame["status"] != "done"].groupby(["status", "reason"]):
        console.print(Text(f"{len(rows)} {status}: {reason}"))


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


def _cell(row: object, best: set[Any], usual_n: int) -> Text:
    if row is None:
        return Text("-")
    status = row.status  # type: ignore[attr-defined]
    if status != "done":
        return Text(status)
    mean, sem, n = row.mean, row.sem, row.n  # type: ignore[attr-defined]
    text = f"{mean:.3f}" + (f" ({sem:.3f})" if n > 1 else "") + (f" n={n}" if n != usual_n else "")
    is_best = row.Index in best  # type: ignore[attr-defined]
    return Text(text + "*", style="bold") if is_best else Text(text)
