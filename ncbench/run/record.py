"""Records: what is stored of a cell, in ``output_dir/cells/<id>/record.json``.

The types below are the layout of a record, which ``docs/records.md`` describes. A file is checked
against them once, when it is read. A field with a default may be missing: not every record has it.
A record may have more fields than these.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from ncbench.config import SETTINGS, not_default
from ncbench.errors import printable
from ncbench.files import from_json
from ncbench.plugin import KINDS, Registry, get_registry
from ncbench.run.typed_json import (
    Count,
    Matrix,
    Name,
    Number,
    Share,
    Size,
    Time,
    converted,
    require,
)

if TYPE_CHECKING:
    from ncbench.core import Measure

SCHEMA: Literal[1] = 1
RECORD = "record.json"
NOT_IDENTITY = (
    *("data_dir", "output_dir", "threads", "cache", "cache_limit", "theory", "force", "on_error"),
    *("timeout", "cells_per_job", "plugins_from", "observers"),
    *("command", "plugins", "code", "id"),
)
"""Keys that say where and how a cell is run; they are not part of its identity."""

PROBLEM = ("measure", "dataset", "noise", "sigma", "seed", "trials", "test_size")
"""Keys that define the problem; the others define the method."""

KNOWN, ESTIMATED, IGNORED = "known", "estimated", "ignored"
"""What a method makes of T."""

PATH = ("step", "objective", "gap")
"""Of a trial's ``diagnostics.path``, if it has all three: lists of numbers of one length."""

_REQUIRED: Any = msgspec.UNSET
"""The default of a field that records of finished cells must have."""


class Data(Struct):
    """What a record says about its data set."""

    name: str
    classes: list[str]
    examples: Size
    checked: Count = 0
    features: Count = 0
    source: str = ""
    fingerprint: Name = ""
    distribution_known: bool = False


class Judged(Struct):
    """How the noisy labels of a test part were corrected, as ``run.problem.Judgment`` says it."""

    by: Name
    noisy_confusion: Matrix
    intervals: dict[str, tuple[float, float]]


class Trial(Struct):
    """A trial of a finished cell."""

    trial: Count
    losses: dict[str, Number]
    confusion: Matrix
    noise_matrix_estimate: Matrix
    seconds: dict[str, Time]
    train_size: Size = 0
    test_size: Size = 0
    absent: dict[str, Any] = {}
    told: dict[str, dict[str, Any]] = {}
    judged: Judged | None = None
    noise_matrix_diagnostics: dict[str, Any] = {}
    diagnostics: dict[str, Any] = {}
    theory: dict[str, Number | Matrix] | None = None
    code: dict[Name, Name] = {}

    def __post_init__(self) -> None:
        for key in ("confusion", "noise_matrix_estimate"):
            _require_square(getattr(self, key), key)
        for key, value in (self.theory or {}).items():
            if key == "confusion" and isinstance(value, list):
                _require_square(value, "theory.confusion")
                continue
            expected = "a square matrix" if key == "confusion" else "a finite number"
            require(key != "confusion" and isinstance(value, float), f"theory.{key}", expected)
        path = self.diagnostics.get("path")
        if isinstance(path, dict) and all(key in path for key in PATH):
            lists = [converted(path[k], list[Number], f"diagnostics.path.{k}") for k in PATH]
            expected = "lists of finite numbers of one length"
            require(len({*map(len, lists)}) == 1, "diagnostics.path", expected)


class Record(Struct, dict=True, kw_only=True):
    """The record of a cell."""

    schema: Literal[1] = SCHEMA
    id: Name
    status: Annotated[str, Meta(pattern=r"\A(done|skipped|failed)\Z")]
    config: Mapping[str, Any]
    plugins: dict[Name, Name] = {}
    code: dict[Name, Name] = {}
    provenance: dict[str, Any] = {}
    # Of a cell that is skipped or failed.
    reason: str = _REQUIRED
    traceback: str = ""
    # Of a cell that is done.
    dataset: Data = _REQUIRED
    noise_matrix: Matrix | None = _REQUIRED
    noise: dict[str, Any] = {}
    test_part: Name = ""
    trials: list[Trial] = _REQUIRED
    seconds: Time = _REQUIRED
    peak_memory_mb: Any = None

    def __post_init__(self) -> None:
        _check_config(self.config)
        for key, kind in (("time", Name), ("command", list[str])):
            if key in self.provenance:
                converted(self.provenance[key], kind, f"provenance.{key}")
        done = self.status == "done"
        for key in ("dataset", "noise_matrix", "trials", "seconds") if done else ("reason",):
            if getattr(self, key) is _REQUIRED:
                raise ValueError(f".{key} is missing")
        if done:
            self.reason = ""
            self._check_trials()
        else:
            self.dataset, self.trials = Data("", [], 0), []
            self.noise_matrix, self.seconds = None, math.nan

    def _check_trials(self) -> None:
        n, trials, measure = len(self.dataset.classes), self.trials, self.config["measure"]["name"]
        require(bool(trials), "trials", "a list that is not empty")
        if self.noise_matrix is not None:
            _require_square(self.noise_matrix, "noise_matrix")
        require(len(self.noise_matrix or [0] * n) == n, "noise_matrix", f"{n} rows")
        require(len(trials) == self.config.get("trials", len(trials)), "trials", "config.trials")
        for place, trial in enumerate(trials):
            where = f"trials[{place}]"
            require(measure in trial.losses, f"{where}.losses", f"a loss of {measure}")
            for key in ("confusion", "noise_matrix_estimate"):
                require(len(getattr(trial, key)) == n, f"{where}.{key}", f"{n} rows")
        numbers = [trial.trial for trial in trials]
        all_numbers = list(range(len(trials)))
        require(numbers == all_numbers, "trials", f"the numbers 0 to {len(trials) - 1}")

    def plain(self) -> dict[str, Any]:
        """Return all that the file has, as plain data."""
        found: dict[str, Any] = from_json(self.__dict__["content"], self.id)
        return found

    @property
    def measure(self) -> str:
        """The measure that was optimized."""
        return str(self.config["measure"]["name"])

    @property
    def command(self) -> list[str]:
        """The arguments of ``python -m ncbench``."""
        found: list[str] = self.provenance.get("command", [])
        return found

    @cached_property
    def written(self) -> tuple[float, str]:
        """A sort key for the time of the record."""
        return written(self.provenance.get("time", ""))

    @cached_property
    def keys(self) -> dict[str, Any]:
        """The configuration with one key per value, without those that do not identify a cell."""
        return flat(self.config)

    @cached_property
    def cell(self) -> bytes:
        """A hash of keys and values; 1.0 and 1 are the same value."""
        numbers = {key: _whole(value) for key, value in self.keys.items()}
        return blake2b(msgspec.json.encode(numbers, order="sorted"), digest_size=16).digest()

    @cached_property
    def problem(self) -> dict[str, Any]:
        """The keys that define what a method has to solve, without the measure."""
        of_problem = (key for key in self.keys if key.partition(".")[0] in PROBLEM[1:])
        return {key: self.keys[key] for key in of_problem}

    @property
    def method(self) -> dict[str, Any]:
        """The keys that define the method."""
        keys = (key for key in self.keys if key.partition(".")[0] not in PROBLEM)
        return {key: self.keys[key] for key in keys}

    @property
    def uses_T(self) -> str:  # noqa: N802
        """What the method of a finished cell makes of T: ``KNOWN``, ``ESTIMATED``, ``IGNORED``."""
        if self.keys.get("t_estimator") == "identity":
            return IGNORED
        return KNOWN if self.trials[0].told.get("t_estimator") else ESTIMATED

    @cached_property
    def data_keys(self) -> tuple[tuple[str, str], ...]:
        """The data set plug-in, and its parameters that say which data it reads.

        A parameter that is text says which data is read, such as ``path``, ``target`` or ``id``. A
        number, such as ``train``, says how much of it.
        """
        of_data = (key for key in self.keys if key.partition(".")[0] == "dataset")
        return tuple((key, self.keys[key]) for key in of_data if isinstance(self.keys[key], str))

    @cached_property
    def dataset_name(self) -> str:
        """The name of the data set; of a file, the name that the record gives it, or its own."""
        if len(self.data_keys) == 1:
            return str(self.keys["dataset"])
        path = self.keys.get("dataset.path", self.keys["dataset"])
        return self.dataset.name or PurePath(str(path)).stem

    @property
    def described(self) -> str:
        """The main settings, and those that are not the default."""
        return describe_cell(self.config)

    @cached_property
    def unchecked(self) -> str:
        """Why losses are not compared with their confusion matrices; empty if they are."""
        return measure_of(self, self.measure)[1]


def flat(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with one key per value, without the keys that do not identify a cell.

    Examples
    --------
    >>> flat({"algo": {"name": "fw", "max_iter": 9}, "sigma": 0.1, "output_dir": "outputs"})
    {'algo': 'fw', 'algo.max_iter': 9, 'sigma': 0.1}
    """
    keys: dict[str, Any] = {}
    for key, value in config.items():
        if key in NOT_IDENTITY:
            continue
        if isinstance(value, Mapping):
            keys[key] = value["name"]
            keys.update({f"{key}.{k}": v for k, v in value.items() if k != "name"})
        else:
            keys[key] = value
    return keys


def describe_cell(config: Mapping[str, Any]) -> str:
    """Return the main settings of a cell, and those that are not the default.

    The configuration of a record may lack a key.
    """
    keys = flat(config)
    main = {
        key: keys[key] for key in ("measure", "dataset", "noise", "sigma", "algo") if key in keys
    }
    main["sigma"] = f"{main['sigma']:g}"
    others = not_default([keys], main, longest=24)
    return " ".join([*(f"{key}={value}" for key, value in main.items()), *others])


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def written(time: Any) -> tuple[float, str]:
    """Return a sort key for the time in a record's provenance.

    Times have the offset of a time zone, so they cannot be compared as text. A text that is not a
    time counts as older than all times.

    Examples
    --------
    >>> written("2026-10-25T02:10:00+0100") > written("2026-10-25T02:50:00+0200")
    True
    """
    time = str(time)
    try:  # as strptime with "%Y-%m-%dT%H:%M:%S%z" does, which takes ten times as long
        parsed = datetime.fromisoformat(time) if _TIME.match(time) else None
    except ValueError:
        parsed = None
    return (parsed.timestamp() if parsed else -math.inf), time


_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:?\d\d)\Z")

# Check the layout, and say in words what is wrong with which entry.

_TYPES: dict[str, Any] = {"float": Number, "int": Count, "bool": bool, "str": Name}
_CONFIG: dict[str, Any] = {
    key: Share if key == "sigma" else _TYPES[str(setting.type)]
    for key, setting in SETTINGS.items()
    if str(setting.type) in _TYPES
}
_Config = msgspec.defstruct("_Config", [(key, kind, None) for key, kind in _CONFIG.items()])


_MAY_BE_CONTROL = re.compile(rb"\\|\x7f|\xc2[\x80-\x9f]")
"""Finds escapes, and characters that JSON does not escape: most configurations have none."""


def _check_config(config: Mapping[str, Any]) -> None:
    for key in ("measure", "dataset", "algo", "sigma"):
        if key not in config:
            raise ValueError(f".config.{key} is missing")
    for key in KINDS:
        if key in config:
            plugin = config[key]
            named = isinstance(plugin, dict) and isinstance(plugin.get("name"), str)
            require(named, f"config.{key}", "{name: ...}", plugin)
    converted(config, _Config, "config")
    if _MAY_BE_CONTROL.search(msgspec.json.encode(config)):
        _require_plain(config, "config")


def _require_plain(value: Any, where: str) -> None:
    """Raise for a value of a configuration that cannot be shown."""
    if isinstance(value, str):
        require(printable(value) == value, where, "text without control characters", value)
    elif isinstance(value, dict):
        for key, item in value.items():
            _require_plain(key, where)
            _require_plain(item, f"{where}.{key}")
    elif isinstance(value, list):
        for item in value:
            _require_plain(item, where)


def _require_square(matrix: list[list[float]], where: str) -> None:
    square = {*map(len, matrix)} == {len(matrix)}
    require(square, where, "a square matrix of finite numbers", matrix)


# Check that the parts of a record agree: losses, confusion matrices, sizes and the time.

ROUNDING = 1e-6
"""By how much a loss may differ from that of its confusion matrix; relative, if it is above 1."""


def check_consistency(record: Record, now: datetime | None = None) -> None:
    """Raise ValueError, with the field, if parts of a record contradict each other.

    The loss of the optimized measure is compared with the confusion matrix of its trial. The other
    losses are compared where they are used: that takes as long as reading the record.
    """
    _check_time(record.provenance.get("time", ""), now or datetime.now(UTC))
    for place, trial in enumerate(record.trials):
        where = f"trials[{place}]"
        _check_sizes(record, trial, where)
        total = math.fsum(map(math.fsum, trial.confusion))
        if abs(total - 1) > ROUNDING:
            raise ValueError(f"{where}.confusion: sums to {total:.6g}; expected 1")
        check_loss(record, trial, record.measure, where)


def check_loss(record: Record, trial: Trial, name: str, where: str) -> None:
    """Raise ValueError if a loss of a trial is not that of its confusion matrix.

    Nothing is compared if ``measure_of`` has no measure.
    """
    psi, _ = measure_of(record, name)
    if psi is None:
        return
    import numpy as np  # here: commands that read no records start without it

    try:
        with np.errstate(all="ignore"):
            expected = float(psi(np.array(trial.confusion)))
    except Exception as error:  # of a plug-in, or a matrix that no classifier has
        why = f"{type(error).__name__}: {error}"
        raise ValueError(f"{where}.confusion: {name} cannot be computed: {why}") from error
    loss = trial.losses[name]
    if not abs(loss - expected) <= ROUNDING * max(1.0, abs(expected)):
        raise ValueError(
            f"{where}.losses.{name}: {loss:.6g}; its confusion matrix gives {expected:.6g}"
        )


def measure_of(record: Record, name: str) -> tuple[Measure | None, str]:
    """Return a measure, or None and why its losses cannot be computed as they were.

    A measure may not be installed, read a file that has changed since, or be edited. Measures that
    ncbench ships are definitions, which do not change.
    """
    optimized = name == record.measure
    measure = record.config["measure"] if optimized else {"name": name}
    then = record.code.get("measure", "") if optimized else "unknown"
    text = msgspec.json.encode(measure)
    return _measure(get_registry(), text, tuple(record.dataset.classes), then)


@lru_cache(maxsize=1000)
def _measure(
    registry: Registry, text: bytes, classes: tuple[str, ...], then: str
) -> tuple[Measure | None, str]:
    measure = msgspec.json.decode(text)
    name = measure["name"]
    if measure.get("path") is not None:
        return None, f"measure {name} reads a file, which may have changed"
    try:
        psi: Measure = registry.build("measure", **measure).for_classes(classes)
    except Exception:  # it is gone, or has other parameters now
        return None, f"measure {name} is not installed here, or does not take these parameters"
    shipped = registry.plugin("measure", name).distribution == "ncbench"
    if not shipped and then and then != registry.code("measure", name):
        return None, f"measure {name} may have been edited"
    return psi, ""


def _check_sizes(record: Record, trial: Trial, where: str) -> None:
    """Compare the sizes of the parts with the number of examples, where a record has them."""
    examples, train, test = record.dataset.examples, trial.train_size, trial.test_size
    # With a fixed test part, a trial trains on a random part of the others.
    all_used = record.test_part == "random" and train and test
    if train + test > examples or (all_used and train + test < examples):
        raise ValueError(
            f"{where}: train_size {train} and test_size {test} of {examples} examples; expected "
            f"a sum of {'' if all_used else 'at most '}{examples}"
        )


def _check_time(text: str, now: datetime) -> None:
    if text[:10] < f"{now:%Y-%m-%d}":  # parsing takes long
        return
    time, _ = written(text)  # a text that is not a time counts as older than all times
    if time > (now + timedelta(days=1)).timestamp():
        raise ValueError(f"provenance.time: {text}; expected no more than a day from now")
