"""The table of a tidy frame: any rows and columns, in every format, for people and programs."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import pandas as pd

from ncbench.errors import NcbenchError, counted, printable
from ncbench.results import (
    BEST,
    LOSS,
    NUMBERS,
    TIED,
    FrameBuilder,
    Value,
    as_text,
    in_order,
    keys_of,
    marked,
    rule,
    texts_of,
)
from ncbench.run import Record
from ncbench.show import Entry, Grid, as_csv, as_json

MISSING = "missing"
"""Status of an entry of the table that has no record."""

_SIGNS = {BEST: "*", TIED: "~", "": ""}


class Layout(NamedTuple):
    """The keys of the rows and of the columns of a table.

    A key that is in neither is added to the rows if it has several values, so that cells are never
    averaged and never hide each other. If it has one value, that is noted below the table.
    """

    rows: list[str]
    cols: list[str]
    constant: list[str]

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        rows: Sequence[str] | None = None,
        cols: Sequence[str] | None = None,
    ) -> Layout:
        """Lay out a tidy frame; by default, sigma is the column, and all other keys are rows."""
        keys = keys_of(frame)
        if cols is None:
            cols = ["sigma"] if "sigma" not in (rows or []) else []
        if rows is None:
            rows = [key for key in keys if key not in cols]
        left = [key for key in keys if key not in (*rows, *cols)]
        varied = [key for key in left if frame[key].map(as_text).nunique() > 1]
        constant = [key for key in left if key not in varied]
        return cls([*varied, *(key for key in rows if key not in cols)], list(cols), constant)


def _distinct(frame: pd.DataFrame, keys: Sequence[str]) -> dict[tuple[str, ...], dict[Any, Any]]:
    """Return the sorted combinations of values of some keys, by their texts."""
    if not keys:
        return {(): {}}
    ordered = in_order(frame, keys)
    values = ordered[list(keys)].to_dict("records")
    return dict(zip(texts_of(ordered, keys), values, strict=True))


def _with_missing(frame: pd.DataFrame, layout: Layout) -> pd.DataFrame:
    """Add a row with status missing for each entry of the table that has no record."""
    rows, cols = _distinct(frame, layout.rows), _distinct(frame, layout.cols)
    present = set(zip(texts_of(frame, layout.rows), texts_of(frame, layout.cols), strict=True))
    constant = {key: frame[key].iloc[0] for key in layout.constant} if len(frame) else {}
    blank = {"n": 0, "status": MISSING, "reason": "no record", "told": "", "judged": "", "id": ""}
    blank |= {"fixed_test": 0, "trial_numbers": (), "values": (), "mark": ""}
    absent = [
        {**constant, **rows[row], **cols[col], **blank}
        for row, col in itertools.product(rows, cols)
        if (row, col) not in present
    ]
    if not absent:
        return frame
    more = pd.concat([frame, pd.DataFrame(absent)], ignore_index=True)
    return in_order(more, keys_of(frame))


@dataclass(frozen=True)
class Results:
    """The content of a table: cells with their marks, and their layout.

    Parameters
    ----------
    frame : DataFrame
        As returned by :func:`ncbench.results.frame.tidy`, with marks, and a row for each missing
        cell.
    layout : Layout
    value : Value
    ddof : {1, 0}
        The ddof of the standard errors.
    level : float
        The confidence level.
    unsaid : sequence of str
        Settings of all cells that the table does not show and that are not the default, as
        ``key=value``.
    mixed : sequence of str
        A sentence for each plug-in of which cells have several versions.
    """

    frame: pd.DataFrame
    layout: Layout
    value: Value
    ddof: int
    level: float
    unsaid: Sequence[str] = ()
    mixed: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        cells: FrameBuilder,
        rows: Sequence[str] | None = None,
        cols: Sequence[str] | None = None,
        ddof: int = 1,
        level: float = 0.95,
    ) -> Results:
        """Lay out the collected cells."""
        frame = cells.frame(ddof, level, keep=[*(rows or []), *(cols or [])])
        layout = Layout.of(frame, rows, cols)
        unsaid, mixed = cells.not_default(keys_of(frame)), cells.mixed_versions()
        frame = marked(frame, level) if cells.value.is_loss else frame.assign(mark="")
        frame = _with_missing(frame, layout)
        return cls(frame, layout, cells.value, ddof, level, unsaid, mixed)

    def grid(self) -> Grid:
        """Return the table for people, ``mean (standard error)`` with a mark in each entry.

        The number of trials is shown if it is not the usual one. Cells that are skipped, failed,
        absent or missing show their status, with reasons in the notes.
        """
        frame, layout = self.frame, self.layout
        entries: dict[tuple[tuple[str, ...], tuple[str, ...]], Entry] = {}
        places = zip(texts_of(frame, layout.rows), texts_of(frame, layout.cols), strict=True)
        for place, cell in zip(places, frame.to_dict("records"), strict=True):
            entry, taken = self._entry(cell), entries.get(place)
            if taken:  # two cells: their keys differ, but have the same text ("1" and 1)
                entry = replace(entry, text=f"{taken.text}{taken.mark} / {entry.text}")
            entries[place] = entry
        cols = _distinct(frame, layout.cols)
        rows: list[list[Entry | str]] = [
            # Not blank: that means "as above".
            [*(text or "-" for text in row), *(entries[row, col] for col in cols)]
            for row in _distinct(frame, layout.rows)
        ]
        headings = [
            " ".join(map("=".join, zip(layout.cols, col, strict=True))) or self.value.name
            for col in cols
        ]
        columns, notes = [*layout.rows, *headings], list(self._notes())
        return Grid(columns, rows, len(layout.rows), notes, _heading(frame))

    @cached_property
    def _usual_n(self) -> int:
        """The usual number of trials; 0 if no cell is done."""
        done = self.frame[self.frame["n"] > 0]
        return int(done["n"].mode().iloc[0]) if len(done) else 0

    def _entry(self, cell: Mapping[Any, Any]) -> Entry:
        if not cell["n"]:
            planned = cell["status"] != MISSING or cell["id"]
            return Entry(cell["status"] if planned else "-", cell=cell)
        style = ".3f" if self.value.is_loss else ".4g"
        text = f"{cell['mean']:{style}}"
        if cell["n"] > 1:
            text += f" ({cell['sem']:{style}})"
        if cell["n"] != self._usual_n:
            text += f" n={cell['n']}"
        return Entry(text, cell["mark"] == BEST, _SIGNS[cell["mark"]], cell)

    def _notes(self) -> Iterator[str]:
        frame = self.frame
        if len(frame):
            settings = [f"{key}={as_text(frame[key].iloc[0])}" for key in self.layout.constant]
            if said := ", ".join([*settings, *self.unsaid]):
                yield f"All with {said}."
        if self._usual_n:
            yield f"{self._what()} {self._means_of_trials()}."
        if told := sorted({text for text in frame["told"] if text}):
            yield f"Told the truth: {', '.join(told)}."
        others = frame[(frame["status"] != "done") | (frame["reason"] != "")]
        for (status, reason), rows in others.groupby(["status", "reason"], sort=False):
            sign = " (-)" if status == MISSING else ""
            yield f"{len(rows)} {status}{sign}: {reason}"
        yield from self.mixed

    def _what(self) -> str:
        """Return what the values are."""
        if not self.value.is_loss:
            return f"Values: {self.value}."
        if self.value.name == LOSS:
            return "Losses: lower is better."
        known = (*keys_of(self.frame), *self.unsaid)
        settings = [text for text in known if text.startswith("measure.")]
        optimized = " and ".join(["the measure column", *settings])
        are = "are" if settings else "is"
        return (
            f"Losses: {self.value.in_full}, lower is better; {optimized} {are} what was optimized."
        )

    def _means_of_trials(self) -> str:
        """Return what means, standard errors and marks are."""
        frame, several = self.frame, self._usual_n > 1
        corrected = not frame.loc[frame["n"] > 0, "test_train_ratio"].isna().any()
        error = f"standard error, ddof {self.ddof}"
        if not self.value.is_time:
            error += f", {'' if corrected else 'not '}corrected for the overlap of the splits"
        spread = f" ({error})" if several else ""
        said = f"mean{spread} over {counted(self._usual_n, 'trial')}"
        marks = set(frame["mark"])
        if BEST in marks:
            said += "; * best"
        if TIED in marks:
            one = "not separable from it by one trial"
            said += f"; ~ {rule(self.level, corrected) if several else one}"
        return said

    def tidy(self) -> pd.DataFrame:
        """Return the table for programs: one row per cell, with plain values in every column."""
        about = ["mark", "status", "reason", "told", "judged", "half_width", "id"]
        said: dict[str, Any] = {"value": self.value.in_full, "ddof": self.ddof}
        said["confidence"] = self.level
        columns = [*keys_of(self.frame), "value", *NUMBERS, "ddof", "confidence", *about]
        return self.frame.assign(**said)[columns]

    def parquet(self) -> bytes:
        """Return the tidy table as Parquet."""
        frame = self.tidy()
        for column in frame.columns:  # a Parquet column has one type
            if frame[column].dtype == object:
                frame[column] = frame[column].map(as_text)
        stream = io.BytesIO()
        try:
            frame.to_parquet(stream, index=False)
        except ImportError as error:
            raise NcbenchError(
                "--format parquet needs pyarrow: pip install 'ncbench[parquet]'"
            ) from error
        return stream.getvalue()


TABLE_FORMATS: dict[str, Callable[[Results], str | bytes]] = {
    "table": lambda results: results.grid().text(),
    "csv": lambda results: as_csv(results.tidy()).rstrip("\n"),
    "parquet": Results.parquet,
    "json": lambda results: as_json(results.tidy()),
    "md": lambda results: results.grid().markdown(),
    "tex": lambda results: results.grid().latex(),
}


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


# The table of failed cells at the end of a sweep.

_FAILED = ("failed", "measure", "dataset", "sigma", "algo", "reason")


def print_failures(records: Sequence[Record]) -> None:
    """Print a table of failed cells, with the ids of their records."""
    if not records:
        return
    rows = []
    for record in records:
        reason = printable(record.reason.split("\n")[0])
        sigma, algo = f"{record.keys['sigma']:g}", record.keys["algo"]
        rows.append([record.id, record.measure, record.dataset_name, sigma, algo, reason])
    print()
    folder = records[0].config["output_dir"]
    note = (
        f"The record of a cell, {folder}/cells/ID/record.json, has its traceback; the first column "
        "has the IDs. Failed cells run again when the sweep is repeated."
    )
    Grid(_FAILED, rows, 1, [note]).print()
