"""Lay out a tidy frame as a table: the keys of rows and columns, and the text of each entry."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ncbench.errors import counted
from ncbench.report.grid import Entry, Grid
from ncbench.results import BEST, LOSS, TIED, Value, as_text, in_order, keys_of, rule

MISSING = "missing"
"""Status of an entry of the table that has no record."""

_SIGNS = {BEST: "*", TIED: "~", "": ""}


class Layout:
    """The keys of the rows and of the columns of a table.

    A key that is in neither is added to the rows if it has several values, so that cells are never
    averaged and never hide each other. If it has one value, that is noted below the table.

    Parameters
    ----------
    frame : DataFrame
        As returned by :func:`ncbench.results.frame.tidy`.
    rows, cols : sequence of str, optional
        By default, all keys except sigma are rows, and sigma is the column.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        rows: Sequence[str] | None = None,
        cols: Sequence[str] | None = None,
    ) -> None:
        keys = keys_of(frame)
        if cols is None:
            cols = ["sigma"] if "sigma" not in (rows or []) else []
        if rows is None:
            rows = [key for key in keys if key not in cols]
        left = [key for key in keys if key not in (*rows, *cols)]
        varied = [key for key in left if frame[key].map(as_text).nunique() > 1]
        self.rows = [*varied, *(key for key in rows if key not in cols)]
        self.cols = list(cols)
        self.constant = [key for key in left if key not in varied]


def with_missing(frame: pd.DataFrame, layout: Layout) -> pd.DataFrame:
    """Add a row with status missing for each entry of the table that has no record."""
    rows, cols = distinct(frame, layout.rows), distinct(frame, layout.cols)
    present = set(zip(_texts(frame, layout.rows), _texts(frame, layout.cols), strict=True))
    constant = {key: frame[key].iloc[0] for key in layout.constant} if len(frame) else {}
    absent = [
        {**constant, **row, **col}
        for (row_text, row), (col_text, col) in itertools.product(rows.items(), cols.items())
        if (row_text, col_text) not in present
    ]
    if not absent:
        return frame
    blank = {"n": 0, "status": MISSING, "reason": "no record", "told": "", "judged": "", "id": ""}
    blank |= {"fixed_test": 0, "trial_numbers": (), "values": ()}
    more = pd.DataFrame([{**keys, **blank} for keys in absent])
    return in_order(pd.concat([frame, more], ignore_index=True), keys_of(frame))


def grid(
    frame: pd.DataFrame,
    layout: Layout,
    value: Value,
    ddof: int = 1,
    level: float = 0.95,
    unsaid: Sequence[str] = (),
) -> Grid:
    """Return the table of a frame with marks: ``mean (standard error)`` in each entry.

    The number of trials is shown if it is not the usual one. Cells that are skipped, failed,
    absent or missing show their status, with reasons in the notes. The notes also list ``unsaid``,
    the settings that all cells have.
    """
    done = frame[frame["n"] > 0]
    usual_n = int(done["n"].mode().iloc[0]) if len(done) else 0
    style = ".3f" if value.is_loss else ".4g"
    places: dict[tuple[str, ...], dict[tuple[str, ...], Entry]] = {}
    for row, col, cell in zip(
        _texts(frame, layout.rows),
        _texts(frame, layout.cols),
        frame.itertuples(),
        strict=True,
    ):
        entry = _entry(cell, usual_n, style)
        taken = places.setdefault(row, {}).get(col)
        places[row][col] = entry if taken is None else _both(taken, entry)
    cols = list(distinct(frame, layout.cols))
    rows = [
        # Not blank: that means "as above".
        [*(Entry(text or "-") for text in row), *(places[row].get(col, Entry("-")) for col in cols)]
        for row in distinct(frame, layout.rows)
    ]
    headings = [
        " ".join(f"{key}={text}" for key, text in zip(layout.cols, col, strict=True)) or value.name
        for col in cols
    ]
    notes = [*_same_in_all(frame, layout, unsaid)]
    notes += _notes(frame, value, usual_n, ddof, level, unsaid)
    return Grid([*layout.rows, *headings], rows, len(layout.rows), notes, _heading(frame))


def distinct(frame: pd.DataFrame, keys: Sequence[str]) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return the sorted combinations of values of some keys, by their texts."""
    if not keys:
        return {(): {}}
    ordered = in_order(frame, keys)
    rows = zip(*(ordered[key] for key in keys), strict=True)
    values = (dict(zip(keys, row, strict=True)) for row in rows)
    return dict(zip(_texts(ordered, keys), values, strict=True))


def _texts(frame: pd.DataFrame, keys: Sequence[str]) -> list[tuple[str, ...]]:
    if not keys:
        return [()] * len(frame)
    return list(zip(*(frame[key].map(as_text) for key in keys), strict=True))


def _entry(cell: Any, usual_n: int, style: str) -> Entry:
    if cell.status == MISSING:
        return Entry("-")
    if cell.n == 0:
        return Entry(cell.status)
    text = f"{cell.mean:{style}}"
    if cell.n > 1:
        text += f" ({cell.sem:{style}})"
    if cell.n != usual_n:
        text += f" n={cell.n}"
    return Entry(text, bold=cell.mark == BEST, mark=_SIGNS[cell.mark])


def _both(first: Entry, second: Entry) -> Entry:
    """Return two cells as one entry: their keys differ, but have the same text ("1" and 1)."""
    return Entry(f"{first.text}{first.mark} / {second.text}", second.bold, second.mark)


def _same_in_all(frame: pd.DataFrame, layout: Layout, unsaid: Sequence[str]) -> list[str]:
    if not len(frame):
        return []
    settings = [f"{key}={as_text(frame[key].iloc[0])}" for key in layout.constant]
    settings += unsaid
    return [f"All with {', '.join(settings)}."] if settings else []


def _heading(frame: pd.DataFrame) -> str:
    """Return what the numbers are, if they are not losses on clean labels."""
    judged = frame[frame["judged"] != ""]
    if not len(judged):
        fixed = {size for size in frame["fixed_test"] if size}
        if len(fixed) != 1:
            return ""
        return (
            f"Tested on the same {fixed.pop()} examples with clean labels in every trial; trials "
            "differ in the examples they train on. Standard errors do not include that other "
            "test examples would give other losses."
        )
    these = "These" if len(judged) == (frame["n"] > 0).sum() else f"{len(judged)} of these"
    by = " or ".join(sorted(set(judged["judged"])))
    return (
        f"{these} losses are estimates: no clean test labels are known, so the confusion "
        f"matrices of noisy ones are corrected with a noise matrix ({by}). A trial's 90% interval "
        f"is +-{judged['half_width'].mean():.3f} on average, without the error of that matrix."
    )


def _notes(
    frame: pd.DataFrame,
    value: Value,
    usual_n: int,
    ddof: int,
    level: float,
    unsaid: Sequence[str],
) -> list[str]:
    notes = []
    if usual_n:
        what = "Losses: lower is better."
        if value.name != LOSS and value.is_loss:
            settings = [text for text in (*keys_of(frame), *unsaid) if text.startswith("measure.")]
            optimized = " and ".join(["the measure column", *settings])
            are = "are" if settings else "is"
            what = (
                f"Losses: {value.in_full}, lower is better; {optimized} {are} what was optimized."
            )
        elif not value.is_loss:
            what = f"Values: {value}."
        corrected = not frame.loc[frame["n"] > 0, "test_train_ratio"].isna().any()
        error = f"standard error, ddof {ddof}"
        if not value.is_time:
            error += f", {'' if corrected else 'not '}corrected for the overlap of the splits"
        spread = f" ({error})" if usual_n > 1 else ""
        note = f"{what} mean{spread} over {counted(usual_n, 'trial')}"
        marks = set(frame["mark"])
        if BEST in marks:
            note += "; * best"
        if TIED in marks:
            one = "not separable from it by one trial"
            note += f"; ~ {rule(level, corrected) if usual_n > 1 else one}"
        notes.append(f"{note}.")
    told = sorted({text for text in frame["told"] if text})
    if told:
        notes.append(f"Told the truth: {', '.join(told)}.")
    others = frame[(frame["status"] != "done") | (frame["reason"] != "")]
    for (status, reason), rows in others.groupby(["status", "reason"], sort=False):
        sign = " (-)" if status == MISSING else ""
        notes.append(f"{len(rows)} {status}{sign}: {reason}")
    return notes
