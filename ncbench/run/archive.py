"""Many records in one compressed file: JSON lines, one record a line, ordered by id.

What belongs to the machine that made them is left out: its name, the command, and paths.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from ncbench.config import SETTINGS
from ncbench.files import as_json, from_json, has_no_end, reads
from ncbench.run.record import checked_record

SUFFIX = ".jsonl.gz"

_OF_THE_MACHINE = ("data_dir", "output_dir", "plugins_from", "observers", "cache", "cache_limit")
_OF_THE_RUN = ("host", "command")


def published() -> str:
    """Return the path of the published results of ``+experiment=suite/tabular``."""
    return str(files("ncbench_results") / f"tabular{SUFFIX}")


def is_archive(path: str | Path) -> bool:
    """Whether a path names an archive."""
    return str(path).endswith(SUFFIX)


def pack(records: Iterable[dict[str, Any]]) -> bytes:
    """Return the content of an archive; of several records with the same id, the last.

    Examples
    --------
    >>> pack([]) == pack([])  # without a time, so that the same records are the same file
    True
    """
    by_id = {record["id"]: record for record in records}
    lines = [as_json(_anonymous(by_id[identity])) + b"\n" for identity in sorted(by_id)]
    return gzip.compress(b"".join(lines), mtime=0)


def _anonymous(record: dict[str, Any]) -> dict[str, Any]:
    config = {
        key: SETTINGS[key].metadata["default"] if key in _OF_THE_MACHINE else value
        for key, value in record["config"].items()
    }
    made = {k: v for k, v in record.get("provenance", {}).items() if k not in _OF_THE_RUN}
    return {**record, "config": config, "provenance": made}


def unpack(path: str | Path) -> Iterator[dict[str, Any] | ValueError]:
    """Yield the records of an archive; for a line that is not a record, the error."""
    number = 0
    reads(path)
    if has_no_end(path):
        yield ValueError(f"{path}: not a regular file")
        return
    try:
        with gzip.open(path) as stream:
            for number, line in enumerate(stream, start=1):
                where = f"{path}, line {number}"
                try:
                    yield checked_record(from_json(line, where), where)
                except ValueError as error:
                    yield error
    except (OSError, EOFError, zlib.error) as error:
        yield ValueError(f"{path}: cannot be read after line {number}: {error}")
