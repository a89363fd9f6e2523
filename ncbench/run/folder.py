"""The folder of a cell: what names it, and what is kept in it.

A cell is stored in ``output_dir/cells/<id>``, as ``record.json``. The finished trials of an
unfinished cell are stored in the same folder as ``trial-<k>.json``, so that a kill loses only the
running trial.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import math
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncbench.files import from_json, locked, read_bytes, write_json
from ncbench.plugin import KINDS, get_registry, short_name
from ncbench.run.archive import read_record
from ncbench.run.provenance import provenance
from ncbench.run.record import NOT_IDENTITY, RECORD, SCHEMA, Record, Trial
from ncbench.run.typed_json import parse

if TYPE_CHECKING:
    from ncbench.types import Config


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
        if record is None or self._edited(record.code):
            return None
        if self._config.get("theory") and not record.config.get("theory", True):
            return None  # records older than the key always have the terms
        return record.plain()

    @property
    def edited(self) -> list[str]:
        """The plug-ins whose code has changed since the cell was finished, as ``algo=mine``."""
        record = self._done_or_skipped()
        return self._edited(record.code) if record else []

    def _edited(self, then: Mapping[str, str]) -> list[str]:
        """Return the plug-ins that had other code, if the record or trial says which."""
        now = self._config.get("code", {})
        return [
            f"{kind}={self._config[kind]['name']}"
            for kind in now
            if kind in then and then[kind] != now[kind]
        ]

    def _done_or_skipped(self, say: bool = False) -> Record | None:
        try:
            record = read_record(self.record)
            if _identity(record.config) != _identity(self._config):
                raise ValueError(f"{self.record}: config: not the configuration of this cell")
        except ValueError as error:
            if say and self.record.exists():
                _notice(f"{error}; the cell is run again")
            return None
        return record if record.status in ("done", "skipped") else None

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
        kept, measure = {}, self._config["measure"]["name"]
        for path in self.path.glob("trial-*.json"):
            try:
                content = read_bytes(path)
                trial = parse(content, Trial, str(path), "trial")
                if measure not in trial.losses:
                    raise ValueError(f"trial.losses: expected a loss of {measure}")
                if path.name != f"trial-{trial.trial}.json":
                    raise ValueError(f"trial.trial: {trial.trial}; expected as in the file name")
                if trial.trial >= self._config.get("trials", math.inf):
                    expected = f"less than trials={self._config['trials']}"
                    raise ValueError(f"trial.trial: {trial.trial}; expected {expected}")
            except ValueError as error:
                reason = str(error).removeprefix(f"{path}: ")
                _notice(f"{path}: {reason}; run again")
                continue
            plain = from_json(content, str(path))
            if edited := self._edited(trial.code):
                _notice(f"{path}: run again, because {' and '.join(edited)} was edited")
            elif "theory" in plain or not self._config.get("theory"):
                plain.pop("code", None)
                kept[trial.trial] = plain
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
            forced = self._config["force"] or bool(existing and self._edited(existing.code))
            if existing and (existing.status == "done" or not forced):
                self.forget_trials()  # of a forced run
                return record if forced else existing.plain()
            if not keep_trials:
                self.forget_trials()
            self.write(record)
        return record


def _put_aside(path: Path) -> None:
    """Rename a folder where a file is to be written: it is nothing of ours, nor ours to delete."""
    if path.is_dir():
        path.rename(path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}"))


def _notice(text: str) -> None:
    print(f"ncbench: {text}", file=sys.stderr, flush=True)
