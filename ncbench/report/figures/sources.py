"""The records that figures and the report are made from, and where each of them is."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ncbench.errors import NcbenchError
from ncbench.report.figures.results import bayes_remarks
from ncbench.results.frame import Cells
from ncbench.results.trial_value import Value
from ncbench.run.record import read_record, record_paths

T = TypeVar("T")


class Sources(NamedTuple):
    """Records with their files, what was found that is none, and what they lack here."""

    records: list[dict[str, Any]]
    paths: list[Path]
    remarks: list[str]


def read_sources(folders: Sequence[str]) -> Sources:
    """Read the records below some folders."""
    for folder in folders:
        if not Path(folder).is_dir():
            raise NcbenchError(f"{folder}: no such folder (looked in {Path.cwd()})")
    sources = Sources([], [], [])
    files = sorted({path for folder in folders for path in record_paths(folder)})
    whole = Cells(Value())  # which refuses a record that lacks what every record has
    for path in progress(files, "Reading records"):
        try:
            record = read_record(path)
            whole.add(record)
        except ValueError as error:
            sources.remarks.append(f"ignored: {error}")
        else:
            sources.records.append(record)
            sources.paths.append(path)
    if not sources.records:
        where = ", ".join(folders)
        raise NcbenchError(f"{where}: no records below it; a run writes them to its output_dir")
    sources.remarks.extend(bayes_remarks(sources.records))
    return sources


def progress(things: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Go through things with a bar on a terminal's standard error; nothing in a log."""
    from rich.console import Console
    from rich.progress import track

    yield from track(
        things,
        what,
        total=total,
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
