"""Print tables or write them to files: for people as in ``tables``, for programs as CSV or JSON."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ncbench.errors import NcbenchError
from ncbench.files import write_output
from ncbench.show.tables import Grid

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


def print_sections(sections: Iterable[Grid]) -> None:
    """Print tables to a terminal, in bold and as wide as it is, or to a log."""
    for number, grid in enumerate(sections):
        print(end="\n" if number else "")
        grid.print()


def markdown_of(sections: Iterable[Grid]) -> str:
    """Return tables in GitHub's Markdown."""
    return "\n\n".join(grid.markdown() for grid in sections)


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
    sections: Sequence[Grid], form: str, out: str | None, **others: Callable[[], str | bytes]
) -> None:
    """Print tables, or write them to a file if one is given.

    Parameters
    ----------
    sections : sequence of Grid
    form : str
        ``table``, ``md``, ``tex``, or the name of one of ``others``.
    out : str or None
        The file.
    **others
        Functions that return the content in other formats.
    """
    if form == "table" and out is None:
        print_sections(sections)
    elif form in others:
        print_or_write(others[form](), out)
    else:
        render = {"table": Grid.text, "md": Grid.markdown, "tex": Grid.latex}[form]
        print_or_write("\n\n".join(map(render, sections)), out)
