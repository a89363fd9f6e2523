"""``ncbench rerun``: run a cell again from its record, and compare every number."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ncbench.errors import NcbenchError, counted
from ncbench.plugin import KINDS, files_in_use, get_registry
from ncbench.run.archive import is_archive, unpack
from ncbench.run.cell import run_trials
from ncbench.run.record import RECORD, plugin_versions, read_record
from ncbench.run.trial import prepare


def rerun(
    folder: str, identity: str, *, data_dir: str | None = None, threads: int | None = None
) -> int:
    """Repeat a cell without cache or output files; return 0 if all numbers are identical."""
    record = _find(folder, identity)
    # Records from before the key ``theory`` always have the terms of the bounds.
    config = {"theory": True, **record["config"], "cache": False}
    for key in (*KINDS, "seed", "trials", "test_size", "data_dir", "threads"):
        if key not in config:
            raise NcbenchError(f"{record['id']}: config.{key} is missing, so it cannot be run")
    if data_dir is not None:
        config["data_dir"] = data_dir
    if threads is not None:
        config["threads"] = threads
    _refuse_plugin_files(record, f"python -m ncbench rerun {folder} {identity}")
    _check_parameters(record)
    cell = prepare(config)
    # Convert to JSON and back, as for the record: floats survive that bit for bit.
    trials = json.loads(json.dumps(run_trials(cell)))
    differences = [*_versions(record, config)]
    if cell.dataset.fingerprint != record["dataset"].get("fingerprint"):
        differences.append("dataset: the data has changed")
    noise = cell.noisy.noise_matrix
    _compare("noise_matrix", record["noise_matrix"], noise and noise.matrix.tolist(), differences)
    for then, now in zip(record["trials"], trials, strict=True):
        for key in then:
            if key != "seconds":  # times always differ
                _compare(f"trials[{then['trial']}].{key}", then[key], now.get(key), differences)
    numbers = sum(1 for trial in record["trials"] for _ in _numbers(trial))
    if differences:
        print(f"{record['id']}: {counted(len(differences), 'difference')}")
        for difference in differences[:20]:
            print(f"  {difference}")
        return 1
    in_trials = f"{counted(numbers, 'number')} of {counted(len(trials), 'trial')}"
    print(f"{record['id']}: identical, {in_trials}")
    return 0


def _find(folder: str, identity: str) -> dict[str, Any]:
    if is_archive(folder):
        found = [r for r in unpack(folder) if isinstance(r, dict) and r["id"].startswith(identity)]
        _require_one(len(found), folder, identity)
        record = found[0]
    else:
        everywhere = Path(folder).glob(f"cells/*/{RECORD}")
        paths = sorted(path for path in everywhere if path.parent.name.startswith(identity))
        _require_one(len(paths), folder, identity)
        try:
            record = read_record(paths[0])
        except ValueError as error:
            raise NcbenchError(str(error)) from error
    if record["status"] != "done":
        raise NcbenchError(
            f"{identity}: the cell is {record['status']} and has no numbers to compare"
        )
    return record


def _require_one(count: int, folder: str, identity: str) -> None:
    if count != 1:
        what = f"{count} records" if count else "no record"
        raise NcbenchError(f"{folder}: {what} of a cell whose id begins with {identity!r}")


def _refuse_plugin_files(record: dict[str, Any], command: str) -> None:
    """Raise if only the record, which may be from a stranger, says which files to run."""
    files = record["config"].get("plugins_from", [])
    if files and not files_in_use():
        options = " ".join(f"--plugins-from {shlex.quote(str(file))}" for file in files)
        raise NcbenchError(
            f"{record['id']}: the record names plug-in files, which are code; if you trust them, "
            f"type {command} {options}"
        )


def _check_parameters(record: dict[str, Any]) -> None:
    """Raise for a parameter that the plug-in no longer has."""
    for kind in KINDS:
        given = record["config"][kind]
        plugin = get_registry().plugin(kind, given["name"])
        known = {"name", *(parameter.name for parameter in plugin.parameters)}
        for parameter in given:
            if parameter not in known:
                raise NcbenchError(
                    f"{record['id']}: {kind}.{parameter}={given[parameter]} is not a parameter of "
                    f"{kind}={plugin.name} in {plugin.distribution} {plugin.version}; the record "
                    f"was made with {record.get('plugins', {}).get(kind, 'another version')}"
                )


def _versions(record: dict[str, Any], config: dict[str, Any]) -> Iterator[str]:
    now = plugin_versions(config)
    for kind, then in record.get("plugins", {}).items():
        if now.get(kind) != then:
            yield f"plugins.{kind}: was {then}, is {now.get(kind)}"


def _compare(where: str, then: Any, now: Any, differences: list[str]) -> None:
    if isinstance(then, dict) and isinstance(now, dict) and then.keys() == now.keys():
        for key in then:
            _compare(f"{where}.{key}", then[key], now[key], differences)
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for i, (a, b) in enumerate(zip(then, now, strict=True)):
            _compare(f"{where}[{i}]", a, b, differences)
    elif then != now:
        differences.append(f"{where}: was {then!r}, is {now!r}")


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key != "seconds":
                yield from _numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, int | float):
        yield value
