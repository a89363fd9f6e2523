"""Reads the records below folders, one at a time, and says what was not read."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ncbench.errors import NcbenchError
from ncbench.results.frame import Cells, Filter
from ncbench.results.trial_value import Value
from ncbench.run.record import read_record, record_paths


def collect(folders: Sequence[str], value: Value, where: Filter | None = None) -> Cells:
    """Return the cells of all records below folders.

    Files that are no records, and older records of the same configuration, are left out, and
    that is said on standard error.

    Parameters
    ----------
    folders : sequence of str
    value : Value
    where : mapping, optional
        As for :class:`ncbench.results.frame.Cells`.
    """
    cells = Cells(value, where)
    found = 0
    for record in each_record(folders):
        try:
            cells.add(record)
            found += 1
        except ValueError as error:
            print(f"ignored: {error}", file=sys.stderr)
    if not found:
        names = ", ".join(folders)
        raise NcbenchError(f"{names}: no records below it; a run writes them to its output_dir")
    cells.check()
    if not len(cells):
        raise NcbenchError(f"no record has all of --where {_said(cells.where)}")
    if cells.left_out:
        print(
            f"left out: {cells.left_out} older records of the same configurations, with other "
            "data, other versions of plug-ins, or in another folder",
            file=sys.stderr,
        )
    return cells


def _said(where: Filter) -> str:
    return " ".join(f"{key}={','.join(values)}" for key, values in where.items())


def each_record(folders: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Read the records below folders; a file that is none is reported, never fatal."""
    for folder in folders:
        if not Path(folder).is_dir():
            raise NcbenchError(f"{folder}: no such folder (looked in {Path.cwd()})")
    paths = list(dict.fromkeys(path for folder in folders for path in record_paths(folder)))
    for path in _with_bar(paths):
        try:
            yield read_record(path)
        except ValueError as error:
            print(f"ignored: {error}", file=sys.stderr)


def _with_bar(paths: Sequence[Path]) -> Iterator[Path]:
    """Go through paths; with many of them, and somebody watching, show how far it is."""
    if len(paths) < 500 or not sys.stderr.isatty():
        yield from paths
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(paths, "Reading records", console=console, transient=True)


def parse_where(filters: Sequence[str]) -> dict[str, list[str]]:
    """Return filters from the words of a command line, ``key=value`` or ``key=value,value``.

    Examples
    --------
    >>> parse_where(["measure=h_mean", "sigma=0.1,0.2"])
    {'measure': ['h_mean'], 'sigma': ['0.1', '0.2']}
    """
    where: dict[str, list[str]] = {}
    for text in filters:
        key, equals, values = text.partition("=")
        if not key or not equals or not values:
            raise NcbenchError(f"--where {text}: expected KEY=VALUE or KEY=VALUE,VALUE")
        where.setdefault(key, []).extend(values.split(","))
    return where
