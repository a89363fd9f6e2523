"""Read records from files, and put many of them into one compressed file, an archive."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from ncbench.config import SETTINGS
from ncbench.files import as_json, has_no_end, read_bytes, read_json, reads
from ncbench.run.record import RECORD, SCHEMA, Record, check_consistency
from ncbench.run.typed_json import converted, parse


def read_record(path: Path) -> Record:
    """Read one record; raise ValueError, with file and field, if it is not a record.

    Examples
    --------
    >>> read_record(Path("no-record.json"))
    Traceback (most recent call last):
    ...
    ValueError: no-record.json: No such file or directory
    """
    record = checked_record(read_bytes(path), str(path))
    if path.parent.parent.name == "cells" and record.id != path.parent.name:
        raise ValueError(f"{path}: id: {record.id}; expected {path.parent.name}, as its folder")
    return record


def checked_record(content: bytes, where: str) -> Record:
    """Return a record from JSON; raise ValueError, with its origin and the field, if it is none."""
    record = parse(content, Record, where, schema=SCHEMA)
    record.__dict__["content"] = content  # for plain(); not a field, which a file could have
    try:
        check_consistency(record)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    return record


def read_configs(path: Path) -> list[dict[str, Any]]:
    """Read the configurations of a sweep; raise ValueError if they are not."""
    configs = read_json(path)
    if not isinstance(configs, list):
        raise ValueError(f"{path}: expected a list")
    for config in configs:
        about = config if isinstance(config, dict) else {}
        command = {"command": about.get("command", [])}
        made = {"status": "skipped", "reason": "", "provenance": command}
        try:
            converted({**made, "id": about.get("id"), "config": config}, Record, "")
        except ValueError as error:
            raise ValueError(f"{path}: {str(error).lstrip('.')}") from error
    return configs


def record_paths(folder: str | Path) -> list[Path]:
    """Return the sorted paths of all records below a folder."""
    return sorted(Path(folder).rglob(RECORD))


# Many records in one compressed file: JSON lines, one record a line, ordered by id.

SUFFIX = ".jsonl.gz"

_OF_THE_MACHINE = ("data_dir", "output_dir", "plugins_from", "observers", "cache", "cache_limit")
_OF_THE_RUN = ("host", "command")


def published() -> str:
    """Return the path of the published results of ``+experiment=suite/tabular``."""
    return str(files("ncbench_results") / f"tabular{SUFFIX}")


def is_archive(path: str | Path) -> bool:
    """Whether a path names an archive."""
    return str(path).endswith(SUFFIX)


def pack(records: Iterable[Record]) -> bytes:
    """Return the content of an archive; of several records with the same id, the last.

    Examples
    --------
    >>> pack([]) == pack([])  # without a time, so that the same records are the same file
    True
    """
    by_id = {record.id: record for record in records}
    lines = [as_json(_anonymous(by_id[identity].plain())) + b"\n" for identity in sorted(by_id)]
    return gzip.compress(b"".join(lines), mtime=0)


def _anonymous(record: dict[str, Any]) -> dict[str, Any]:
    config = {
        key: SETTINGS[key].metadata["default"] if key in _OF_THE_MACHINE else value
        for key, value in record["config"].items()
    }
    made = {k: v for k, v in record.get("provenance", {}).items() if k not in _OF_THE_RUN}
    return {**record, "config": config, "provenance": made}


def unpack(path: str | Path) -> Iterator[Record | ValueError]:
    """Yield the records of an archive; for a line that is not a record, the error."""
    number = 0
    reads(path)
    if has_no_end(path):
        yield ValueError(f"{path}: not a regular file")
        return
    try:
        with gzip.open(path) as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    yield checked_record(line, f"{path}, line {number}")
                except ValueError as error:
                    yield error
    except (OSError, EOFError, zlib.error) as error:
        yield ValueError(f"{path}: cannot be read after line {number}: {error}")
