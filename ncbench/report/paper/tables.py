"""The paper's four tables in its layout, with our numbers and the published ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import pandas as pd

from ncbench.errors import counted
from ncbench.report.comparisons import in_errors_text, with_error
from ncbench.report.tables import Entry, Grid
from ncbench.results import AHEAD, BEHIND, COMPARED, LEADING, NOT_PRESENT, Comparison, as_text

SELECTED = "nc_selected"


class Table(NamedTuple):
    """A table of the paper: its number, its measure, and the two algorithms of the paper."""

    number: int
    title: str
    corrected: str
    uncorrected: str


TABLES = {
    "h_mean": Table(2, "H-mean", "ncfw", "fw"),
    "micro_f1": Table(3, "Micro F1", "ncbs", "bs"),
    "g_mean": Table(5, "G-mean", "ncfw", "fw"),
    "q_mean": Table(6, "Q-mean", "ncfw", "fw"),
}

DATASETS = ("vehicle", "pageblocks", "satimage", "covtype", "abalone")

NAMES = {
    "fw": "FW",
    "ncfw": "NCFW",
    "bs": "BS",
    "ncbs": "NCBS",
    "nclr_backward": "NCLR-Backward",
    "nclr_forward": "NCLR-Forward",
    "nclr_plugin": "NCLR-Plug-in",
    SELECTED: "selected",
}
"""Printed names, in the order of the paper's tables."""


def published(name: str) -> pd.DataFrame:
    """Read the published numbers, ``tables`` or ``figure1``.

    Examples
    --------
    >>> len(published("tables"))
    400
    """
    with (files("ncbench.report.paper") / f"{name}.csv").open() as stream:
        return pd.read_csv(stream)


def reference() -> pd.DataFrame:
    """Return the published tables; ``nc_selected`` is compared with the paper's NCFW and NCBS."""
    table = published("tables")
    best = [
        algo == TABLES[measure].corrected
        for algo, measure in zip(table["algo"], table["measure"], strict=True)
    ]
    return pd.concat([table, table[best].assign(algo=SELECTED)], ignore_index=True)


def tables(comparison: Comparison) -> list[tuple[str, Grid]]:
    """Return the heading and the table of each measure that has records."""
    cells = comparison.cells[comparison.cells["verdict"] != NOT_PRESENT]
    headed = []
    for measure, table in TABLES.items():
        rows = cells[cells["measure"] == measure]
        if len(rows):
            grid = Grid(*_layout(rows), notes=_notes(rows, table, comparison))
            headed.append((f"Table {table.number}: {table.title} loss", grid))
    return headed


def _layout(cells: pd.DataFrame) -> tuple[list[str], list[list[Entry]], int]:
    """Return columns, rows and the number of labels; each sigma has three columns."""
    sigmas = sorted(cells["sigma"].unique())
    columns = ["data set", "algorithm"]
    for sigma in sigmas:
        columns += [f"sigma={sigma:g}", "paper", "se"]
    best = cells.groupby(["dataset", "sigma"])["ours"].transform("min")
    cells = cells.assign(best=cells["ours"] == best)
    others = _other_keys(cells)
    rows = []
    by_row: Any = cells.groupby(["dataset", "algo", *others], dropna=False, sort=False)
    order = sorted(by_row, key=lambda group: _place(group[0]))
    for (dataset, algo, *values), found in order:
        label = _label(str(algo), others, values)
        by_sigma = {row["sigma"]: row for row in found.to_dict("records")}
        entries = [entry for sigma in sigmas for entry in _cell(by_sigma.get(sigma))]
        rows.append([Entry(str(dataset)), Entry(label), *entries])
    return columns, rows, 2


def _other_keys(cells: pd.DataFrame) -> list[str]:
    """Return the keys in which records differ, except measure, data set, algorithm and sigma."""
    return [str(key) for key in cells.columns if key not in (*LEADING, *COMPARED, "best")]


def _label(algo: str, keys: Sequence[str], values: Sequence[Any]) -> str:
    settings = [
        f"{key}={as_text(value)}"
        for key, value in zip(keys, values, strict=True)
        if not (algo == SELECTED and key.startswith("cpe"))  # it chooses the learner itself
    ]
    return " ".join([NAMES[algo], *settings])


def _place(names: Sequence[Any]) -> tuple[int, int, str]:
    dataset, algo, *others = map(str, names)
    place = DATASETS.index(dataset.partition(" [")[0])  # "vehicle [a1b2c3]": other data
    return place, list(NAMES).index(algo), " ".join([dataset, *others])


def _cell(row: Mapping[Any, Any] | None) -> list[Entry]:
    if row is None:
        return [Entry("-")] * 3
    theirs = Entry(with_error(row, "theirs"))
    if math.isnan(row["ours"]):
        return [Entry(str(row["verdict"])), theirs, Entry("-")]
    ours = Entry(with_error(row, "ours"), bold=bool(row["best"]))
    return [ours, theirs, Entry(in_errors_text(row))]


def _notes(rows: pd.DataFrame, table: Table, comparison: Comparison) -> list[str]:
    """Return the counts of each noise-corrected method, and the number of absent cells."""
    notes = []
    others = _other_keys(rows)
    methods: Any = rows[rows["ours"].notna()].groupby(["algo", *others], dropna=False, sort=False)
    for (algo, *values), ours in methods:
        if algo not in (table.corrected, SELECTED):
            continue
        name = _label(str(algo), others, values)
        verdicts = ours["verdict"].value_counts()
        beyond = " and ".join(f"{verdicts.get(v, 0)} {v}" for v in (AHEAD, BEHIND))
        below = int((ours["difference"] < 0).sum())
        near = int((ours["difference"] <= ours["theirs_sem"]).sum())
        compared = f"{NAMES[table.corrected]}, {counted(len(ours), 'cell')}"
        notes.append(
            f"{name} beside the paper's {compared}: mean lower in {below}, {beyond} beyond chance; "
            f"lower or within one of the paper's standard errors in {near}."
        )
        baseline = rows[rows["algo"] == table.uncorrected]
        pairs = ours.merge(baseline, on=["dataset", "sigma"], suffixes=("", "_un"))
        if len(pairs) and not pairs.duplicated(["dataset", "sigma"]).any():  # one baseline per cell
            ahead = int((pairs["ours"] < pairs["ours_un"]).sum())
            other = NAMES[table.uncorrected]
            notes.append(f"{name} has a lower mean than our {other} in {ahead} of {len(pairs)}.")
    absent = (
        comparison.cells["verdict"].eq(NOT_PRESENT)
        & comparison.cells["measure"].eq(rows["measure"].iloc[0])
        & comparison.cells["algo"].ne(SELECTED)  # the paper does not have it
    )
    if absent.any():
        what = counted(int(absent.sum()), "cell of the paper is", "cells of the paper are")
        notes.append(f"{what} not among the records.")
    return notes


def definition(comparison: Comparison) -> str:
    """Return the meaning of the columns."""
    return (
        "Losses: lower is better. For each sigma: our mean (standard error, ddof "
        f"{comparison.ddof}), our best in bold; the paper's (ddof 0). Both standard errors take "
        f"the splits as independent. {comparison.rule}"
    )
