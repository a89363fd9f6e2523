"""Find cells whose records no table should use: of older code, or replaced by a newer record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ncbench.errors import NcbenchError
from ncbench.plugin import get_registry
from ncbench.results.config_key import digest, flat, written
from ncbench.results.read import Found
from ncbench.run import describe_cell


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
