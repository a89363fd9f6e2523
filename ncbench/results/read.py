"""Find the records below folders, and report other files; ``run.archive`` reads each record."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ncbench.errors import NcbenchError, counted, printable
from ncbench.results.frame import Filter, FrameBuilder
from ncbench.results.value import Value
from ncbench.run import (
    SUFFIX,
    Record,
    is_archive,
    read_record,
    record_paths,
    unpack,
    with_bar,
)

Found = tuple[Path, Record]
"""A record and its file."""


def find_records(sources: Sequence[str], report: Callable[[str], Any]) -> Iterator[Found]:
    """Yield path and record, below folders and in archives; report each file that is not a record.

    At the end, report why some losses were not compared with their confusion matrices.
    """
    unchecked: set[str] = set()
    for path, record in _find_records(sources, report):
        if record.status == "done":
            unchecked.add(record.unchecked)
        yield path, record
    for reason in sorted(unchecked - {""}):
        report(f"losses are not compared with their confusion matrices: {reason}")


def _find_records(sources: Sequence[str], report: Callable[[str], Any]) -> Iterator[Found]:
    archives = [source for source in sources if is_archive(source)]
    folders = [source for source in sources if source not in archives]
    for archive in archives:
        if not Path(archive).is_file():
            raise NcbenchError(f"{archive}: no such file (looked in {Path.cwd()})")
    for folder in folders:
        if not Path(folder).is_dir():
            raise NcbenchError(
                f"{folder}: no such folder (looked in {Path.cwd()}); expected a folder with "
                f"records, or a file that `ncbench pack` made, *{SUFFIX}"
            )
    for archive in archives:
        for found in unpack(archive):
            if isinstance(found, ValueError):
                report(f"ignored: {printable(str(found))}")
            else:
                yield Path(archive), found
    paths = sorted({path for folder in folders for path in record_paths(folder)})
    bar = with_bar(paths, "Reading records") if len(paths) >= 500 else paths
    for path in bar:
        try:
            yield path, read_record(path)
        except ValueError as error:
            report(f"ignored: {printable(str(error))}")


def each_record(folders: Sequence[str]) -> Iterator[Record]:
    """Yield the records below folders; report other files on standard error."""
    for _, record in find_records(folders, partial(print, file=sys.stderr)):
        yield record


class Records(NamedTuple):
    """Records with their paths, and a message for each file that was ignored."""

    records: list[Record]
    paths: list[Path]
    problems: list[str]


def read_records(folders: Sequence[str], where: Filter | None = None) -> Records:
    """Read the records below folders into memory, for figures and the report."""
    found = Records([], [], [])
    builder = FrameBuilder(where=where)
    for path, record in find_records(folders, found.problems.append):
        if builder.add(record):
            found.records.append(record)
            found.paths.append(path)
    builder.check()
    found.problems.extend(builder.told_apart())
    if not found.records:
        raise no_records(folders)
    return found


def collect(folders: Sequence[str], value: Value, where: Filter | None = None) -> FrameBuilder:
    """Return the numbers of all records below folders.

    Files that are not records, and older records of the same configuration, are left out. Both
    are reported on standard error.

    Parameters
    ----------
    folders : sequence of str
    value : Value
    where : mapping, optional
        As for :class:`ncbench.results.frame.FrameBuilder`.
    """
    builder = FrameBuilder(value, where)
    read = 0
    for record in each_record(folders):
        try:
            builder.add(record)
            read += 1
        except ValueError as error:
            print(f"ignored: {error}", file=sys.stderr)
    if not read:
        raise no_records(folders)
    builder.check()
    if not len(builder):
        filters = " ".join(f"{key}={','.join(values)}" for key, values in builder.where.items())
        raise NcbenchError(f"no record matches --where {filters}")
    report_older(builder.left_out)
    for line in builder.told_apart():
        print(f"ncbench: {line}", file=sys.stderr)
    return builder


def report_older(count: int) -> None:
    """Report on standard error that older records were left out, if there are any."""
    if count:
        print(
            f"left out: {counted(count, 'older record')} of the same configurations, with other "
            "plug-in versions, or in another folder",
            file=sys.stderr,
        )


def no_records(folders: Sequence[str]) -> NcbenchError:
    """Return the error for folders without records."""
    names = ", ".join(folders)
    return NcbenchError(f"{names}: contains no records; a run writes them to its output_dir")


def parse_where(filters: Sequence[str]) -> dict[str, list[str]]:
    """Parse the filters of a command line, ``key=value`` or ``key=value,value``.

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
