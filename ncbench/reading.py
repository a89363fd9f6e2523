"""``ncbench aggregate``: the table of the records below a folder."""

from __future__ import annotations

import sys
from pathlib import Path

from ncbench.aggregate import newest, tidy
from ncbench.errors import NcbenchError
from ncbench.records import read_records


def print_records(folder: str, form: str) -> None:
    """Print the records below a folder as a table, CSV or JSON rows."""
    if not Path(folder).is_dir():
        raise NcbenchError(f"{folder}: no such folder (looked in {Path.cwd()})")
    records = []
    for found in read_records(folder):
        if isinstance(found, ValueError):
            print(f"ignored: {found}", file=sys.stderr)
        else:
            records.append(found)
    if not records:
        raise NcbenchError(f"{folder}: no records below it; a run writes them to its output_dir")
    kept, left_out = newest(records)
    if left_out:
        print(
            f"left out: {left_out} older records of the same configurations, with other data or "
            "other versions of plug-ins",
            file=sys.stderr,
        )
    frame = tidy(kept)
    if form == "csv":
        print(frame.to_csv(index=False), end="")
    elif form == "json":
        print(frame.to_json(orient="records", indent=2))
    else:
        from ncbench.table import print_table

        print_table(frame)
