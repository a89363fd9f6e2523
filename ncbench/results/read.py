"""Read the records below folders, and report the files that are not records."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ncbench.errors import NcbenchError, counted, printable
from ncbench.plugin import get_registry
from ncbench.results.config_key import digest, flat, written
from ncbench.results.frame import Filter, FrameBuilder
from ncbench.results.trial_value import Value
from ncbench.run import (
    SUFFIX,
    describe_cell,
    is_archive,
    not_comparable,
    read_record,
    record_paths,
    unpack,
    with_bar,
)
from ncbench.types import Record


class Found(NamedTuple):
    """A record and its file."""

    path: Path
    record: dict[str, Any]


def find_records(sources: Sequence[str], report: Callable[[str], Any]) -> Iterator[Found]:
    """Yield the records below folders and in archives; report each that is not a record.

    At the end, report why some losses were not compared with their confusion matrices.
    """
    unchecked: set[str] = set()
    for found in _find_records(sources, report):
        if found.record["status"] == "done":
            unchecked.add(not_comparable(found.record, found.record["config"]["measure"]))
        yield found
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
                yield Found(Path(archive), found)
    paths = sorted({path for folder in folders for path in record_paths(folder)})
    bar = with_bar(paths, "Reading records") if len(paths) >= 500 else paths
    for path in bar:
        try:
            yield Found(path, read_record(path))
        except ValueError as error:
            report(f"ignored: {printable(str(error))}")


def each_record(folders: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the records below folders; report other files on standard error."""
    for found in find_records(folders, partial(print, file=sys.stderr)):
        yield found.record


class Records(NamedTuple):
    """Records with their paths, and a message for each file that was ignored."""

    records: list[dict[str, Any]]
    paths: list[Path]
    problems: list[str]


def read_records(folders: Sequence[str], where: Filter | None = None) -> Records:
    """Read the records below folders into memory, for figures and the report."""
    found = Records([], [], [])
    complete = FrameBuilder(where=where)  # raises for an incomplete record
    for path, record in find_records(folders, found.problems.append):
        try:
            fits = complete.add(record)
        except ValueError as error:
            found.problems.append(f"ignored: {error}")
            continue
        if fits:
            found.records.append(record)
            found.paths.append(path)
    complete.check()
    found.problems.extend(complete.told_apart())
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
    if not sum(1 for _ in complete(each_record(folders), builder)):
        raise no_records(folders)
    builder.check()
    if not len(builder):
        filters = " ".join(f"{key}={','.join(values)}" for key, values in builder.where.items())
        raise NcbenchError(f"no record matches --where {filters}")
    report_older(builder.left_out)
    for line in builder.told_apart():
        print(f"ncbench: {line}", file=sys.stderr)
    return builder


def complete(records: Iterable[Record], builder: FrameBuilder) -> Iterator[tuple[Record, bool]]:
    """Add records to a builder; yield each, and whether it matches the builder's filter.

    Incomplete ones are reported on standard error.
    """
    for record in records:
        try:
            matches = builder.add(record)
        except ValueError as error:
            print(f"ignored: {error}", file=sys.stderr)
        else:
            yield record, matches


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


# Find cells whose records no table should use: of older code, or replaced by a newer record.


class Outdated(NamedTuple):
    """The folder of a cell, what it is, and why it is outdated."""

    folder: Path
    cell: str
    why: str


class _Kept(NamedTuple):
    time: tuple[float, str]
    folder: Path
    cell: str
    edited: list[str]
    data: str


def outdated(found: Iterable[Found]) -> Iterator[Outdated]:
    """Yield cells that were run with other code than today's, or that a newer record replaces.

    A record that does not say its code, or whose plug-in is not installed here, is not of older
    code. The newest record of a configuration is replaced by no other; a record of other data is,
    too, though tables show both. An incomplete record is left alone.
    """
    newest: dict[bytes, _Kept] = {}
    for path, record in found:
        try:
            time = written(record["provenance"]["time"])
            data = record.get("dataset", {}).get("fingerprint") or ""
            one = _Kept(time, path.parent, describe_cell(record["config"]), _edited(record), data)
            which = digest(flat(record["config"]))
        except (KeyError, TypeError, AttributeError):
            continue
        known = newest.get(which)
        newest[which] = one if known is None else max(known, one)
        if known is not None:
            older = min(known, one)
            other = ", of other data," if known.data and one.data and known.data != one.data else ""
            yield Outdated(older.folder, older.cell, f"a newer record{other} replaces it")
    for one in newest.values():
        if one.edited:
            yield Outdated(one.folder, one.cell, f"edited since: {', '.join(one.edited)}")


def _edited(record: Mapping[str, Any]) -> list[str]:
    edited = []
    for kind, code in record.get("code", {}).items():
        name = record["config"][kind]["name"]
        try:
            if get_registry().code(kind, name) != code:
                edited.append(f"{kind}={name}")
        except NcbenchError:  # not installed here
            continue
    return edited
