"""Write the table of a tidy frame in every format, for people and for programs."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ncbench.errors import NcbenchError
from ncbench.files import write_output
from ncbench.report.grid import Grid, Section, markdown_of, print_sections, text_of
from ncbench.report.layout import Layout, grid, with_missing
from ncbench.results import NUMBERS, FrameBuilder, Value, as_text, keys_of, marked


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
