"""The layout of a record, version 1, and the check of a record against it.

``docs/records.md`` describes the fields. A key that ends in ``?`` may be missing: records of
earlier versions do not have it. A record may have more fields than these.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ncbench.config import SETTINGS
from ncbench.errors import printable
from ncbench.plugin import KINDS, Registry, get_registry

if TYPE_CHECKING:
    from ncbench.core import Measure

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


# Check that the parts of a record agree: losses, confusion matrices, sizes and the time.

ROUNDING = 1e-6
"""By how much a loss may differ from that of its confusion matrix; relative, if it is above 1."""


def check_consistency(record: Mapping[str, Any], now: datetime | None = None) -> None:
    """Raise ValueError, with the field, if parts of a record of this layout contradict each other.

    The loss of the optimized measure is compared with the confusion matrix of its trial. The other
    losses are compared where they are used: that takes as long as reading the record.

    Examples
    --------
    >>> check_consistency({"status": "failed", "provenance": {"time": "2999-01-01T00:00:00+0000"}})
    Traceback (most recent call last):
    ValueError: provenance.time: 2999-01-01T00:00:00+0000; expected no more than a day from now
    """
    _check_time(record.get("provenance", {}).get("time", ""), now or datetime.now(UTC))
    if record["status"] != "done":
        return
    name = record["config"]["measure"]["name"]
    for place, trial in enumerate(record["trials"]):
        where = f"trials[{place}]"
        _check_sizes(record, trial, where)
        total = math.fsum(map(math.fsum, trial["confusion"]))
        if abs(total - 1) > ROUNDING:
            raise ValueError(f"{where}.confusion: sums to {total:.6g}; expected 1")
        check_loss(record, trial, name, where)


def check_loss(record: Mapping[str, Any], trial: Mapping[str, Any], name: str, where: str) -> None:
    """Raise ValueError if a loss of a trial is not that of its confusion matrix.

    Nothing is compared if ``not_comparable`` has a reason.
    """
    optimized = record["config"]["measure"]
    used = optimized if name == optimized["name"] else {"name": name}
    psi = _measure(get_registry(), json.dumps(used), tuple(record["dataset"]["classes"]))
    if psi is None or not_comparable(record, used):
        return
    import numpy as np  # here: commands that read no records start without it

    try:
        with np.errstate(all="ignore"):
            expected = float(psi(np.array(trial["confusion"])))
    except Exception as error:  # of a plug-in, or a matrix that no classifier has
        why = f"{type(error).__name__}: {error}"
        raise ValueError(f"{where}.confusion: {name} cannot be computed: {why}") from error
    loss = trial["losses"][name]
    if not abs(loss - expected) <= ROUNDING * max(1.0, abs(expected)):
        raise ValueError(
            f"{where}.losses.{name}: {loss:.6g}; its confusion matrix gives {expected:.6g}"
        )


def not_comparable(record: Mapping[str, Any], measure: Mapping[str, Any]) -> str:
    """Return why losses of a measure cannot be computed as they were; empty if they can.

    A measure may not be installed, read a file that has changed since, or be edited. Measures that
    ncbench ships are definitions, which do not change.
    """
    registry, name = get_registry(), measure["name"]
    if "path" in measure and measure["path"] is not None:
        return f"measure {name} reads a file, which may have changed"
    if _measure(registry, json.dumps(measure), tuple(record["dataset"]["classes"])) is None:
        return f"measure {name} is not installed here, or does not take these parameters"
    if registry.plugin("measure", name).distribution == "ncbench":
        return ""
    then = record.get("code", {}).get("measure")
    optimized = name == record["config"]["measure"]["name"]
    edited = not optimized or (then and then != registry.code("measure", name))
    return f"measure {name} may have been edited" if edited else ""


@lru_cache(maxsize=1000)
def _measure(registry: Registry, measure: str, classes: tuple[str, ...]) -> Measure | None:
    """Return a measure for classes, or None if it cannot be built."""
    try:
        psi: Measure = registry.build("measure", **json.loads(measure)).for_classes(classes)
    except Exception:  # it is gone, or has other parameters now
        return None
    return psi


def _check_sizes(record: Mapping[str, Any], trial: Mapping[str, Any], where: str) -> None:
    """Compare the sizes of the parts with the number of examples, where a record has them."""
    examples = record["dataset"]["examples"]
    train, test = trial.get("train_size", 0), trial.get("test_size", 0)
    # With a fixed test part, a trial trains on a random part of the others.
    all_used = record.get("test_part") == "random" and train and test
    if train + test > examples or (all_used and train + test < examples):
        raise ValueError(
            f"{where}: train_size {train} and test_size {test} of {examples} examples; expected "
            f"a sum of {'' if all_used else 'at most '}{examples}"
        )


def _check_time(text: str, now: datetime) -> None:
    if text[:10] < f"{now:%Y-%m-%d}":  # parsing takes long
        return
    try:
        time = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        return  # it counts as older than all times
    if time > now + timedelta(days=1):
        raise ValueError(f"provenance.time: {text}; expected no more than a day from now")
