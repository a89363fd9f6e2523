"""What a run says: a line for each cell, and a table at the end of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ncbench.aggregate import tidy


def print_cell(record: Mapping[str, Any]) -> None:
    """Print one line about a finished cell."""
    config = record["config"]
    cell = " ".join(f"{key}={config[key]['name']}" for key in ("measure", "dataset", "noise"))
    cell += f" sigma={config['sigma']:g} algo={config['algo']['name']}"
    if record["status"] == "done":
        row = tidy([record]).iloc[0]
        spread = f" ({row['sem']:.4f})" if row["n"] > 1 else ""
        result = f"{row['measure']} {row['mean']:.4f}{spread}, {row['n']} trials"
        print(f"done     {cell}: {result}, {record['seconds']:.1f} s", flush=True)
    else:
        print(f"{record['status']:<8} {cell}: {record['reason']}", flush=True)


def finish(records: Sequence[Mapping[str, Any]]) -> int:
    """Print the table of a sweep and return its exit code: 1 if a cell failed."""
    from ncbench.table import print_table

    frame = tidy(records)
    print()
    print_table(frame)
    print(f"\nRecords: {records[0]['config']['output_dir']}/cells")
    return 1 if (frame["status"] == "failed").any() else 0
