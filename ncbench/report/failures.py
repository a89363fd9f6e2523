"""The table of failed cells at the end of a sweep."""

from __future__ import annotations

from collections.abc import Sequence

from ncbench.errors import printable
from ncbench.report.grid import Entry, Grid
from ncbench.results.config_key import flat
from ncbench.results.dataset_name import own_name
from ncbench.types import Record

_COLUMNS = ("failed", "measure", "dataset", "sigma", "algo", "reason")


def print_failures(records: Sequence[Record]) -> None:
    """Print a table of failed cells, with the ids of their records."""
    if not records:
        return
    rows = []
    for record in records:
        config = record["config"]
        measure, algo = (config[kind]["name"] for kind in ("measure", "algo"))
        dataset = own_name(record, flat(config))
        reason = printable(record["reason"].split("\n")[0])
        row = [record["id"], measure, dataset, f"{config['sigma']:g}", algo, reason]
        rows.append(list(map(Entry, row)))
    print()
    folder = records[0]["config"]["output_dir"]
    note = (
        f"The record of a cell, {folder}/cells/ID/record.json, has its traceback; the first column "
        "has the IDs. Failed cells run again when the sweep is repeated."
    )
    Grid(_COLUMNS, rows, 1, [note]).print()
