"""Write the table of a tidy frame in every format, for people and for programs."""

from __future__ import annotations

import io
import itertools
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ncbench.errors import NcbenchError, counted
from ncbench.files import write_output
from ncbench.report.tables import Entry, Grid, Section, markdown_of, print_sections, text_of
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
)

# Lay out a tidy frame as a table: the keys of rows and columns, and the text of each entry.

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
        layout = Layout(frame, rows, cols)
        unsaid, mixed = cells.not_default(keys_of(frame)), cells.mixed_versions()
        frame = marked(frame, level) if cells.value.is_loss else frame.assign(mark="")
        frame = with_missing(frame, layout).fillna({"mark": ""})
        return cls(frame, layout, cells.value, ddof, level, unsaid, mixed)

    def grid(self) -> Grid:
        """Return the table for people."""
        table = grid(self.frame, self.layout, self.value, self.ddof, self.level, self.unsaid)
        return replace(table, notes=[*table.notes, *self.mixed])

    def tidy(self) -> pd.DataFrame:
        """Return the table for programs: one row per cell, with plain values in every column."""
        frame = self.frame[keys_of(self.frame)].assign(value=self.value.in_full)
        frame[NUMBERS] = self.frame[NUMBERS]
        frame = frame.assign(ddof=self.ddof, confidence=self.level)
        about = ["mark", "status", "reason", "told", "judged", "half_width", "id"]
        return frame.assign(**{column: self.frame[column] for column in about})

    def csv(self) -> str:
        """Return the tidy table as CSV."""
        return as_csv(self.tidy()).rstrip("\n")

    def json(self) -> str:
        """Return the tidy table as a JSON list of rows."""
        return as_json(self.tidy())

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


# A number with a sign is what it seems.
_FORMULA = re.compile(r"(?![+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?\Z)[=+@\-\t\r\n]")


def as_csv(frame: pd.DataFrame) -> str:
    """Return a frame as CSV that a spreadsheet does not take for formulas.

    Text that begins like a formula gets an apostrophe in front. Numbers stay as they are.

    Examples
    --------
    >>> print(as_csv(pd.DataFrame({"algo": ["=1+1", "fw"], "mean": [-0.5, 0.5]})), end="")
    algo,mean
    '=1+1,-0.5
    fw,0.5
    """
    safe = frame.map(no_formula)
    text: str = safe.rename(columns=no_formula).to_csv(index=False)
    return text


def as_json(frame: pd.DataFrame) -> str:
    """Return a frame as a JSON list of rows."""
    text: str = frame.to_json(orient="records", indent=2, double_precision=15)
    return text


def no_formula(value: Any) -> Any:
    """Return a value, with an apostrophe in front if a spreadsheet would take it for a formula."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


TABLE_FORMATS: dict[str, Callable[[Results], str | bytes]] = {
    "table": lambda results: results.grid().text(),
    "csv": Results.csv,
    "parquet": Results.parquet,
    "json": Results.json,
    "md": lambda results: results.grid().markdown(),
    "tex": lambda results: results.grid().latex(),
}


def write(content: str | bytes, path: Path) -> None:
    """Write content to a file, completely or not at all."""
    write_output(path, content if isinstance(content, bytes) else f"{content}\n".encode())


def print_or_write(content: str | bytes, out: str | None) -> None:
    """Print content, or write it to a file if one is given."""
    if out is None:
        if isinstance(content, bytes):
            raise NcbenchError("this format cannot be printed; give a file with --out FILE")
        print(content)
        return
    write(content, Path(out))
    print(f"written: {out}", file=sys.stderr)


def print_or_write_sections(
    sections: Sequence[Section], form: str, out: str | None, **others: Callable[[], str]
) -> None:
    """Print tables, or write them to a file if one is given.

    Parameters
    ----------
    sections : sequence of Section
    form : str
        ``table``, ``md``, or the name of one of ``others``.
    out : str or None
        The file.
    **others
        Functions that return the content in other formats.
    """
    if form == "table" and out is None:
        print_sections(sections)  # in bold, as wide as the terminal
        return
    made = {"table": lambda: text_of(sections), "md": lambda: markdown_of(sections), **others}
    print_or_write(made[form](), out)
