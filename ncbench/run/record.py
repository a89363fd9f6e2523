"""Records: one JSON file for each cell, ``output_dir/cells/<id>/record.json``.

``docs/records.md`` describes its fields, and ``record_schema.py`` checks them. The finished trials
of an unfinished cell are stored in the same folder as ``trial-<k>.json``, so that a kill loses only
the running trial.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import inspect
import json
import math
import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncbench.config import SETTINGS
from ncbench.errors import notice
from ncbench.files import as_json, from_json, has_no_end, locked, read_json, reads, write_json
from ncbench.plugin import KINDS, get_registry, short_name
from ncbench.run.provenance import provenance
from ncbench.run.record_schema import SCHEMA, check_consistency, check_record, check_trial

if TYPE_CHECKING:
    from ncbench.types import Config

RECORD = "record.json"

NOT_IDENTITY = (
    *("data_dir", "output_dir", "threads", "cache", "cache_limit", "theory", "force", "on_error"),
    *(
        "timeout",
        "cells_per_job",
        "plugins_from",
        "observers",
        "command",
        "plugins",
        "code",
        "id",
    ),
)
"""Keys that say where and how a cell is run; they are not part of its identity."""


def cell_id(config: Mapping[str, Any]) -> str:
    """Return a hash of a cell's configuration, the versions of its plug-ins, and its data.

    The data is not loaded for this.
    """
    identity = {
        "config": _identity(config),
        "plugins": plugin_versions(config),
        "data": {kind: _source_fingerprint(config, kind) for kind in KINDS},
        "schema": SCHEMA,
    }
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]


def _identity(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a configuration that tells cells apart."""
    # "plugins" has the distribution: algo=ncfw@ncbench is the cell of algo=ncfw.
    kinds = {kind: config[kind] for kind in KINDS if kind in config}  # a record may lack one
    short = {kind: {**each, "name": short_name(each["name"])} for kind, each in kinds.items()}
    target = get_registry().target("dataset", config["dataset"]["name"])
    for name in getattr(target, "added_parameters", ()):
        if short["dataset"].get(name) is None:
            short["dataset"].pop(name, None)
    return {key: value for key, value in {**config, **short}.items() if key not in NOT_IDENTITY}


def _source_fingerprint(config: Mapping[str, Any], kind: str) -> str:
    plugin = get_registry().plugin(kind, config[kind]["name"])
    if kind != "dataset" and not any(parameter.name == "path" for parameter in plugin.parameters):
        return ""  # its configuration says everything: no need to import it
    identify = getattr(get_registry().target(kind, plugin.name), "source_fingerprint", None)
    if identify is None:  # the version of the plug-in says which data it is
        return ""
    arguments = {key: value for key, value in config[kind].items() if key != "name"}
    if "data_dir" in inspect.signature(identify).parameters:
        arguments["data_dir"] = config["data_dir"]
    return str(identify(**arguments))


def identified(config: Config, command: Sequence[str] = ()) -> Config:
    """Return a resolved configuration with the command, the plug-in versions and the id."""
    about = {"plugins": plugin_versions(config), "code": plugin_code(config)}
    return {**config, "command": list(command), **about, "id": cell_id(config)}


def plugin_versions(config: Mapping[str, Any]) -> dict[str, str]:
    """Return distribution and version of each plug-in that a configuration uses."""
    registry = get_registry()
    plugins = {kind: registry.plugin(kind, config[kind]["name"]) for kind in KINDS}
    return {kind: f"{plugin.distribution} {plugin.version}" for kind, plugin in plugins.items()}


def plugin_code(config: Mapping[str, Any]) -> dict[str, str]:
    """Return a hash of the code of each plug-in that a configuration uses."""
    return {kind: get_registry().code(kind, config[kind]["name"]) for kind in KINDS}


def new_record(config: Mapping[str, Any], status: str, **more: Any) -> dict[str, Any]:
    """Return the record of a cell: the keys that every status has, and ``more``."""
    kept = {
        k: value for k, value in config.items() if k not in ("command", "plugins", "code", "id")
    }
    owners = {plugin.partition(" ")[0] for plugin in config["plugins"].values()} - {"ncbench"}
    return {
        "schema": SCHEMA,
        "id": config["id"],  # as at the start: loading may have stored a copy of the data
        "status": status,
        "config": kept,
        "plugins": config["plugins"],
        "code": config["code"],
        **more,
        "provenance": provenance(config.get("command", []), config["threads"], owners),
    }


class CellFolder:
    """The folder that holds the record and the finished trials of one cell.

    Parameters
    ----------
    config : mapping
        The configuration of the cell, as ``identified`` returns it.
    """

    def __init__(self, config: Config) -> None:
        self.path: Path = Path(config["output_dir"]) / "cells" / config["id"]
        self._config = config

    @property
    def record(self) -> Path:
        """The path of the record."""
        return self.path / RECORD

    def finished(self, *, say: bool = False) -> dict[str, Any] | None:
        """Return the record if the cell does not need to run, else None.

        The record must be done or skipped, and have what the configuration asks for. With
        ``say``, a file that is not a record of this cell is reported on standard error.
        """
        if self._config["force"]:
            return None
        record = self._done_or_skipped(say)
        if record and self._edited(record):
            return None
        if record and self._config.get("theory") and not record["config"].get("theory", True):
            return None  # records older than the key always have the terms
        return record

    @property
    def edited(self) -> list[str]:
        """The plug-ins whose code has changed since the cell was finished, as ``algo=mine``."""
        record = self._done_or_skipped()
        return self._edited(record) if record else []

    def _edited(self, made: Mapping[str, Any]) -> list[str]:
        """Return the plug-ins that a record or trial was made with other code of, if it says so."""
        then, now = made.get("code", {}), self._config.get("code", {})
        return [
            f"{kind}={self._config[kind]['name']}"
            for kind in now
            if kind in then and then[kind] != now[kind]
        ]

    def _done_or_skipped(self, say: bool = False) -> dict[str, Any] | None:
        try:
            record = read_record(self.record)
            if _identity(record["config"]) != _identity(self._config):
                raise ValueError(f"{self.record}: config: not the configuration of this cell")
        except ValueError as error:
            if say and self.record.exists():
                notice(f"{error}; the cell is run again")
            return None
        return record if record["status"] in ("done", "skipped") else None

    @contextlib.contextmanager
    def locked(self, *, wait: bool = True) -> Iterator[bool]:
        """Lock the cell: another process that needs it waits, and then finds it finished.

        A folder that is empty afterwards is removed. Without ``wait``, the block gets False if
        another process holds the lock.
        """
        try:
            with locked(self.path / ".lock", wait=wait) as held:
                yield held
        finally:
            with contextlib.suppress(OSError):  # it is not empty
                self.path.rmdir()

    def trials(self) -> dict[int, dict[str, Any]]:
        """Return the trials stored by an interrupted run; report files that are not trials."""
        kept = {}
        for path in self.path.glob("trial-*.json"):
            try:
                trial = read_json(path)
                check_trial(trial, self._config["measure"]["name"])
                if path.name != f"trial-{trial['trial']}.json":
                    raise ValueError(f"trial.trial: {trial['trial']}; expected as in the file name")
                if trial["trial"] >= self._config.get("trials", math.inf):
                    expected = f"less than trials={self._config['trials']}"
                    raise ValueError(f"trial.trial: {trial['trial']}; expected {expected}")
            except ValueError as error:
                reason = str(error).removeprefix(f"{path}: ")
                notice(f"{path}: {reason}; run again")
                continue
            edited = self._edited(trial)
            if edited:
                notice(f"{path}: run again, because {' and '.join(edited)} was edited")
            elif "theory" in trial or not self._config.get("theory"):
                trial.pop("code", None)
                kept[trial["trial"]] = trial
        return kept

    def keep_trial(self, trial: Mapping[str, Any]) -> None:
        """Store a finished trial until all trials are finished."""
        code = {"code": self._config.get("code", {})}
        path = self.path / f"trial-{trial['trial']}.json"
        _put_aside(path)
        write_json(path, {**trial, **code})

    def forget_trials(self) -> None:
        """Delete the trials that ``keep_trial`` stored."""
        for path in self.path.glob("trial-*.json"):
            if path.is_symlink() or not path.is_dir():
                path.unlink(missing_ok=True)

    def write(self, record: Mapping[str, Any]) -> None:
        """Write the record; if it is done, delete the single trials."""
        _put_aside(self.record)
        write_json(self.record, record)
        if record["status"] == "done":
            self.forget_trials()

    def write_failure(self, record: dict[str, Any], *, keep_trials: bool = False) -> dict[str, Any]:
        """Write a failed or skipped record, unless a better one exists; return the one to report.

        If another process has finished the cell meanwhile, its record is returned. A run that was
        forced, or needed because of edited code, and fails is reported as failed, but does not
        replace a finished record. A process that
        holds the lock will write its own record. This method does not wait for it, because it may
        have outlived the process that started it.
        """
        with self.locked(wait=False) as held:
            if not held:
                return record
            existing = self._done_or_skipped()
            forced = self._config["force"] or bool(existing and self._edited(existing))
            if existing and (existing["status"] == "done" or not forced):
                self.forget_trials()  # of a forced run
                return record if forced else existing
            if not keep_trials:
                self.forget_trials()
            self.write(record)
        return record


def _put_aside(path: Path) -> None:
    """Rename a folder where a file is to be written: it is nothing of ours, nor ours to delete."""
    if path.is_dir():
        path.rename(path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}"))


def read_record(path: Path) -> dict[str, Any]:
    """Read one record; raise ValueError, with file and field, if it is not a record.

    Examples
    --------
    >>> read_record(Path("no-record.json"))
    Traceback (most recent call last):
    ...
    ValueError: no-record.json: No such file or directory
    """
    record: dict[str, Any] = read_json(path)
    folder = path.parent.name if path.parent.parent.name == "cells" else None
    return checked_record(record, str(path), folder)


def checked_record(record: Any, where: str, identity: str | None = None) -> dict[str, Any]:
    """Return a record; raise ValueError, with its origin and the field, if it is not one.

    Parameters
    ----------
    record : object
    where : str
        Where it comes from, for the message.
    identity : str, optional
        The id that it must have, because its folder has this name.
    """
    try:
        check_record(record)
        check_consistency(record)
        if identity is not None and record["id"] != identity:
            raise ValueError(f"id: {record['id']}; expected {identity}, as its folder")
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    found: dict[str, Any] = record
    return found


def read_configs(path: Path) -> list[dict[str, Any]]:
    """Read the configurations of a sweep; raise ValueError if they are not."""
    configs = read_json(path)
    if not isinstance(configs, list):
        raise ValueError(f"{path}: expected a list")
    for config in configs:
        about = config if isinstance(config, dict) else {}
        command = {"command": about.get("command", [])}
        made = {"schema": SCHEMA, "status": "skipped", "reason": "", "provenance": command}
        try:
            check_record({**made, "id": about.get("id"), "config": config})
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
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
