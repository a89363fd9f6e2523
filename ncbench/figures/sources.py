"""The records that figures and the report are made from, and where each of them is."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ncbench.aggregate import newest
from ncbench.errors import NcbenchError
from ncbench.records import RECORD, read_record

T = TypeVar("T")


class Sources(NamedTuple):
    """Records with their files; of one configuration the newest."""

    records: list[dict[str, Any]]
    paths: list[Path]
    remarks: list[str]
    """What was found and not used."""


def read_sources(folders: Sequence[str]) -> Sources:
    """Read the records below some folders; whatever cannot be used is remarked upon."""
    for folder in folders:
        if not Path(folder).is_dir():
            raise NcbenchError(f"{folder}: no such folder (looked in {Path.cwd()})")
    files = sorted({path for folder in folders for path in Path(folder).rglob(RECORD)})
    place: dict[int, Path] = {}
    records: list[dict[str, Any]] = []
    remarks: list[str] = []
    for path in progress(files, "reading records"):
        try:
            records.append(read_record(path))
            place[id(records[-1])] = path
        except ValueError as error:
            remarks.append(f"ignored: {error}")
    if not records:
        where = ", ".join(folders)
        raise NcbenchError(f"{where}: no records below it; a run writes them to its output_dir")
    kept, left_out = newest(records)
    if left_out:
        remarks.append(
            f"left out: {left_out} older records of the same configurations, with other data or "
            "other versions of plug-ins"
        )
    return Sources([dict(record) for record in kept], [place[id(r)] for r in kept], remarks)


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
