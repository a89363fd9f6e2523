"""Records: one JSON file for each cell.

A record is written under a temporary name, flushed, and renamed, so that a reader sees either
all of it or nothing. ``read_records`` is the documented reader; ``SCHEMA`` changes when a reader
of old records would misunderstand new ones.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ncbench.registry import KINDS, get_registry

SCHEMA = 1

RECORD = "record.json"

NOT_IDENTITY = ("data_dir", "output_dir", "threads", "cache", "cache_limit")
"""Keys that say where and how a cell is run; they do not change what it is."""


def cell_id(config: Mapping[str, Any]) -> str:
    """Return the identity of a cell: its configuration, its plug-ins' versions, its data.

    It is known before the data is loaded.
    """
    identity = {
        "config": {key: value for key, value in config.items() if key not in NOT_IDENTITY},
        "plugins": plugin_versions(config),
        "data": _source_fingerprint(config),
        "schema": SCHEMA,
    }
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]


def _source_fingerprint(config: Mapping[str, Any]) -> str:
    loader = get_registry().target("dataset", config["dataset"]["name"])
    identify = getattr(loader, "source_fingerprint", None)
    if identify is None:  # the version of the plug-in says which data it is
        return ""
    arguments = {key: value for key, value in config["dataset"].items() if key != "name"}
    if "data_dir" in inspect.signature(identify).parameters:
        arguments["data_dir"] = config["data_dir"]
    return str(identify(**arguments))


def plugin_versions(config: Mapping[str, Any]) -> dict[str, str]:
    """Return distribution and version of each plug-in that a configuration uses."""
    registry = get_registry()
    found = {kind: registry.plugin(kind, config[kind]["name"]) for kind in KINDS}
    return {kind: f"{plugin.distribution} {plugin.version}" for kind, plugin in found.items()}


def write_record(output_dir: str | Path, record: Mapping[str, Any]) -> Path:
    """Write a record to ``output_dir/cells/<id>/record.json``, atomically."""
    folder = Path(output_dir) / "cells" / str(record["id"])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / RECORD
    temporary = folder / f".{RECORD}.{os.getpid()}"
    with temporary.open("w") as file:
        json.dump(record, file, allow_nan=False)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    return path


def read_record(path: Path) -> dict[str, Any]:
    """Read one record; raises ValueError for a file that is none.

    Examples
    --------
    >>> read_record(Path("no-record.json"))
    Traceback (most recent call last):
    ...
    ValueError: no-record.json: No such file or directory
    """
    try:
        record = json.loads(path.read_text())
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path}: not JSON ({error})") from error
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        found = record.get("schema") if isinstance(record, dict) else None
        raise ValueError(f"{path}: not a record of schema {SCHEMA} (found {found!r})")
    return record


def read_records(folder: str | Path) -> Iterator[dict[str, Any] | ValueError]:
    """Read every record below a folder, in the order of their paths.

    A file that is no record is given as the error that says so: reported, never fatal.
    """
    for path in sorted(Path(folder).rglob(RECORD)):
        try:
            yield read_record(path)
        except ValueError as error:
            yield error
