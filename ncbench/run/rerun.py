"""``ncbench rerun``: run a cell again from its record, and compare every number."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ncbench.errors import NcbenchError, counted, printable_lines
from ncbench.plugin import KINDS, files_in_use, get_registry
from ncbench.run.archive import is_archive, read_record, unpack
from ncbench.run.cell import run_in_reverse
from ncbench.run.folder import plugin_versions
from ncbench.run.provenance import instructions
from ncbench.run.record import RECORD, Record
from ncbench.run.trial import prepare

ROUNDING = 1e-9
"""Largest difference that is called rounding; relative for numbers above 1."""


class Difference(NamedTuple):
    """A number, text or list that is not as recorded."""

    where: str
    then: Any
    now: Any

    @property
    def size(self) -> float:
        """Return the distance of two numbers, and infinity for anything else."""
        if not all(isinstance(value, int | float) for value in (self.then, self.now)):
            return math.inf
        try:
            return abs(float(self.then) - float(self.now))
        except OverflowError:  # a whole number that is no double
            return math.inf

    @property
    def is_rounding(self) -> bool:
        """Return whether two numbers differ by at most 1e-9, relative above 1."""
        return math.isfinite(self.size) and self.size <= ROUNDING * max(1.0, abs(self.then))

    def __str__(self) -> str:
        return f"{self.where}: was {self.then}, is {self.now}"


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
    _check_parameters(record, config)
    cell = prepare(config)
    # In reverse, so that a plug-in that remembers earlier trials gives other numbers. To JSON and
    # back, as for the record: floats survive that bit for bit.
    trials = json.loads(json.dumps(run_in_reverse(cell)))
    then_data, data = record["dataset"].get("fingerprint"), cell.dataset.fingerprint
    differences = [
        *_versions(record, config),
        *_differences("dataset.fingerprint (of the data)", then_data, data),
    ]
    noise = cell.noisy.noise_matrix
    matrix = noise and noise.matrix.tolist()
    differences += _differences("noise_matrix", record["noise_matrix"], matrix)
    for then, now in zip(record["trials"], trials, strict=True):
        for key in then:
            if key != "seconds":  # times always differ
                where = f"trials[{then['trial']}].{key}"
                differences += _differences(where, then[key], now.get(key))
    numbers = sum(1 for trial in record["trials"] for _ in _numbers(trial))
    in_trials = f"{counted(numbers, 'number')} of {counted(len(trials), 'trial')}"
    if not differences:
        print(f"{record['id']}: identical, {in_trials}")
        return 0
    print(f"{record['id']}: {counted(len(differences), 'difference')} in {in_trials}")
    for difference in differences[:20]:
        print(printable_lines(f"  {difference}"))  # the record may be from a stranger
    for line in _judged(differences, record.get("provenance", {}).get("instructions")):
        print(printable_lines(line))
    return 1


def _judged(differences: list[Difference], then: str | None) -> Iterator[str]:
    """Yield lines that say how large the differences are, and what may have caused them."""
    if all(difference.is_rounding for difference in differences):
        largest = max(difference.size for difference in differences)
        yield f"All are rounding: the largest is {largest:.1g}."
    else:
        losses = [d.size for d in differences if ".losses" in d.where]
        largest = max(losses, default=0.0)
        yield (
            f"The largest difference of a loss is {largest:.2g}."
            if math.isfinite(largest)
            else "Not the same losses were computed."
        )
    now = instructions()
    if then != now:
        yield (
            f"The record was computed with {then or 'instructions that it does not name'}, "
            f"this run with {now}. Other instructions round sums differently, so a search may end "
            f"elsewhere."
        )


def _find(folder: str, identity: str) -> dict[str, Any]:
    if is_archive(folder):
        every = list(unpack(folder))
        found = [r for r in every if isinstance(r, Record) and r.id.startswith(identity)]
        _require_one(len(found), folder, identity, [e for e in every if isinstance(e, ValueError)])
        record = found[0]
    else:
        try:
            everywhere = list(Path(folder).glob(f"cells/*/{RECORD}"))
        except OSError as error:
            raise NcbenchError(f"{folder}: {error.strerror}") from error
        paths = sorted(path for path in everywhere if path.parent.name.startswith(identity))
        _require_one(len(paths), folder, identity)
        try:
            record = read_record(paths[0])
        except ValueError as error:
            raise NcbenchError(str(error)) from error
    if record.status != "done":
        raise NcbenchError(f"{identity}: the cell is {record.status} and has no numbers to compare")
    return record.plain()


def _require_one(count: int, folder: str, identity: str, unread: Sequence[ValueError] = ()) -> None:
    if count != 1:
        what = f"{count} records" if count else "no record"
        why = "" if count or not unread else f"; not read: {unread[0]}"
        raise NcbenchError(f"{folder}: {what} of a cell whose id begins with {identity!r}{why}")


def _refuse_plugin_files(record: dict[str, Any], command: str) -> None:
    """Raise if only the record, which may be from a stranger, says which files to run."""
    files = _files_of(record)
    if files and not files_in_use():
        options = " ".join(f"--plugins-from {shlex.quote(str(file))}" for file in files)
        raise NcbenchError(
            f"{record['id']}: the record names plug-in files, which are code; if you trust them, "
            f"type {command} {options}"
        )


def _files_of(record: dict[str, Any]) -> list[str]:
    """Return the plug-in files that the cell uses; its sweep may have named more for others."""
    used = {plugin.rpartition(" ")[0] for plugin in record.get("plugins", {}).values()}
    named = record["config"].get("plugins_from", [])
    files = [file for file in named if isinstance(file, str)] if isinstance(named, list) else []
    return [file for file in files if Path(file).name in used]


def _check_parameters(record: dict[str, Any], config: Mapping[str, Any]) -> None:
    """Raise for a parameter that the plug-in no longer has, or for a value that no run has."""
    from ncbench.config.schema import require_in_range, resolve_parameters

    for key in ("sigma", "trials", "test_size", "seed", "threads"):
        require_in_range(key, config[key])
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
        resolved = resolve_parameters(plugin, {key: given[key] for key in given if key != "name"})
        for parameter in plugin.parameters:
            where = f"{record['id']}: config.{kind}.{parameter.name}"
            if parameter.name not in given and parameter.required:
                raise NcbenchError(f"{where} is missing, so it cannot be run")
            value = given.get(parameter.name)
            if resolved.get(parameter.name) != value:  # such as 3 for text
                raise NcbenchError(f"{where}: {value!r}; expected {parameter.type}")


def _versions(record: dict[str, Any], config: dict[str, Any]) -> Iterator[Difference]:
    now = plugin_versions(config)
    for kind, then in record.get("plugins", {}).items():
        yield from _differences(f"plugins.{kind}", then, now.get(kind))


def _differences(where: str, then: Any, now: Any) -> Iterator[Difference]:
    if isinstance(then, dict) and isinstance(now, dict) and then.keys() == now.keys():
        for key in then:
            yield from _differences(f"{where}.{key}", then[key], now[key])
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for i, (a, b) in enumerate(zip(then, now, strict=True)):
            yield from _differences(f"{where}[{i}]", a, b)
    elif then != now:
        yield Difference(where, then, now)


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
