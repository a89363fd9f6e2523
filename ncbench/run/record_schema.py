"""The layout of a record, version 1, and the check of a record against it.

``docs/records.md`` describes the fields. A key that ends in ``?`` may be missing: records of
earlier versions do not have it. A record may have more fields than these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ncbench.config import SETTINGS
from ncbench.errors import printable
from ncbench.plugin import KINDS

SCHEMA = 1

Check = Callable[[Any], bool]


def _number(value: Any) -> bool:
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:  # an integer that is no double
        return False


LARGEST = 1e100
"""The largest number that can be measured: sums of squares of larger ones may not be finite."""


def _measured(value: Any) -> bool:
    return _number(value) and abs(value) <= LARGEST


def _name(value: Any) -> bool:
    return isinstance(value, str) and printable(value) == value


def _all(check: Check, kind: type = list) -> Check:
    def holds(value: Any) -> bool:
        items = value.values() if isinstance(value, dict) else value
        return isinstance(value, kind) and all(map(check, items))

    return holds


def _matrix(value: Any) -> bool:
    rows = _all(_all(_measured))(value) and {len(row) for row in value} == {len(value)}
    return rows and len(value) > 1


def _plain(value: Any) -> bool:
    """Whether a value of a configuration can be shown."""
    if isinstance(value, list):
        return all(map(_plain, value))
    if isinstance(value, dict):
        return all(map(_name, value)) and all(map(_plain, value.values()))
    return value is None or _name(value) or isinstance(value, bool) or _number(value)


_TYPES: dict[str, tuple[Check, str]] = {
    "name": (_name, "text without control characters"),
    "text": (lambda value: isinstance(value, str), "text"),
    "words": (_all(lambda value: isinstance(value, str)), "a list of texts"),
    "texts": (_all(_name, dict), "a mapping of texts"),
    "bool": (lambda value: isinstance(value, bool), "true or false"),
    "int": (lambda value: type(value) is int and value >= 0, "a whole number, 0 or more"),
    "size": (lambda value: type(value) is int and value > 0, "a whole number, 1 or more"),
    "float": (_measured, "a finite number"),
    "time": (lambda value: _measured(value) and value >= 0, "a finite number, 0 or more"),
    "times": (
        _all(lambda value: _measured(value) and value >= 0, dict),
        "a mapping of finite numbers, 0 or more",
    ),
    "share": (lambda value: _number(value) and 0 <= value <= 1, "a number from 0 to 1"),
    "numbers": (_all(_measured, dict), "a mapping of finite numbers"),
    "matrix": (_matrix, "a square matrix of finite numbers"),
    "known": (lambda value: value is None or _matrix(value), "a square matrix, or null"),
    "mapping": (lambda value: isinstance(value, dict), "a mapping"),
    "plugin": (lambda value: isinstance(value, dict) and _name(value.get("name")), "{name: ...}"),
    "plain": (_plain, "plain values without control characters"),
    "list": (lambda value: isinstance(value, list) and bool(value), "a list that is not empty"),
    "status": (lambda value: value in ["done", "skipped", "failed"], "done, skipped or failed"),
}

RECORD = {
    **{"id": "name", "status": "status", "config": "mapping", "plugins?": "texts"},
    **{"code?": "texts", "provenance?": "mapping"},
}
ENDED = {"reason": "text", "traceback?": "text"}
"""Of a record that is skipped or failed."""
DONE = {
    **{"dataset": "mapping", "noise_matrix": "known", "noise?": "mapping", "test_part?": "name"},
    **{"trials": "list", "seconds": "time", "peak_memory_mb?": "plain"},
}
CONFIG = {
    **{f"{kind}?": "plugin" for kind in KINDS if kind not in ("measure", "dataset", "algo")},
    **{"measure": "plugin", "dataset": "plugin", "algo": "plugin", "sigma": "share"},
    **{
        f"{key}?": {"str": "name", "Any": "plain", "float | None": "plain"}.get(
            str(setting.type), str(setting.type)
        )
        for key, setting in SETTINGS.items()
        if key != "sigma"
    },
}
DATASET = {
    **{"name": "text", "classes": "words", "examples": "size", "checked?": "int"},
    **{
        "features?": "int",
        "source?": "text",
        "fingerprint?": "name",
        "distribution_known?": "bool",
    },
}
TRIAL = {
    **{"trial": "int", "train_size?": "size", "test_size?": "size", "losses": "numbers"},
    **{"absent?": "mapping", "confusion": "matrix", "noise_matrix_estimate": "matrix"},
    **{"told?": "mapping", "judged?": "mapping", "noise_matrix_diagnostics?": "mapping"},
    **{"diagnostics?": "mapping", "seconds": "times", "code?": "texts"},
}
PROVENANCE = {"time?": "name", "command?": "words"}
PATH = ("step", "objective", "gap")
"""Of a trial's ``diagnostics.path``, if it has all three: lists of numbers of one length."""


def check_record(record: Any) -> None:
    """Raise ValueError, with the field, unless something is a record of this layout.

    Examples
    --------
    >>> check_record({"schema": 1, "id": "0f", "status": "done", "config": []})
    Traceback (most recent call last):
    ValueError: config: []; expected a mapping
    """
    found = record.get("schema") if isinstance(record, dict) else None
    if found != SCHEMA or isinstance(found, bool):
        raise ValueError(f"not a record of schema {SCHEMA} (found {_short(found)})")
    _check(record, RECORD)
    _check(record["config"], CONFIG, "config")
    _expect("plain", record["config"], "config")
    _check(record.get("provenance", {}), PROVENANCE, "provenance")
    if record["status"] != "done":
        _check(record, ENDED)
        return
    _check(record, DONE)
    _check(record["dataset"], DATASET, "dataset")
    n, trials = len(record["dataset"]["classes"]), record["trials"]
    _require(len(record["noise_matrix"] or [0] * n) == n, "noise_matrix", f"{n} rows")
    _require(len(trials) == record["config"].get("trials", len(trials)), "trials", "config.trials")
    for place, trial in enumerate(trials):
        check_trial(trial, record["config"]["measure"]["name"], f"trials[{place}]")
        for key in ("confusion", "noise_matrix_estimate"):
            _require(len(trial[key]) == n, f"trials[{place}].{key}", f"{n} rows")
    numbers = [trial["trial"] for trial in trials]
    _require(numbers == list(range(len(trials))), "trials", f"the numbers 0 to {len(trials) - 1}")


def check_trial(trial: Any, measure: str, where: str = "trial") -> None:
    """Raise ValueError, with the field, unless something is a trial that has this measure."""
    _expect("mapping", trial, where)
    _check(trial, TRIAL, where)
    _require(measure in trial["losses"], f"{where}.losses", f"a loss of {measure}")
    theory = trial.get("theory") or {}
    _expect("mapping", theory, f"{where}.theory")
    for key, value in theory.items():
        _expect("matrix" if key == "confusion" else "float", value, f"{where}.theory.{key}")
    path = trial.get("diagnostics", {}).get("path")
    if isinstance(path, dict) and all(key in path for key in PATH):
        lists = [path[key] for key in PATH]
        good = _all(_all(_measured))(lists) and len({*map(len, lists)}) == 1
        _require(good, f"{where}.diagnostics.path", "lists of finite numbers of one length")


def _check(content: Mapping[str, Any], fields: Mapping[str, str], where: str = "") -> None:
    for field, kind in fields.items():
        key = field.removesuffix("?")
        name = f"{where}.{key}" if where else key
        if key in content:
            _expect(kind, content[key], name)
        elif key == field:
            raise ValueError(f"{name} is missing")


def _expect(kind: str, value: Any, where: str) -> None:
    check, expected = _TYPES[kind]
    if not check(value):
        raise ValueError(f"{where}: {_short(value)}; expected {expected}")


def _require(holds: bool, where: str, expected: str) -> None:
    if not holds:
        raise ValueError(f"{where}: expected {expected}")


def _short(value: Any) -> str:
    text = printable(repr(value)) if not isinstance(value, list | dict) else ""
    kind = f"{type(value).__name__} of length {len(value)}" if not text and value else text
    return (kind or repr(value))[:60]
