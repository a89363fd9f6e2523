"""Choose a number of each trial: the loss of a measure, or any other number that it stores."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ncbench.errors import NcbenchError, UnknownName
from ncbench.plugin import get_registry
from ncbench.run import LARGEST, Record, Trial, check_loss

LOSS = "loss"
"""The loss of the measure that the cell optimized."""


@dataclass(frozen=True)
class Value:
    """A number of each trial.

    Parameters
    ----------
    name : str
        ``loss``, the loss of the measure that was optimized; the name of a measure; or, with a
        dot, a number that trials store, such as ``seconds.fit`` or ``diagnostics.iterations``.
    parameters : dict
        Parameters of the measure. The others have their defaults, whatever the cell optimized. If
        a trial does not have this loss, it is computed from the confusion matrix, so a measure
        may be newer than the records.
    """

    name: str = LOSS
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, name: str, settings: Sequence[str]) -> Value:
        """Parse a value from the command line: its name, and parameters as ``key=value``."""
        parameters = {}
        for setting in settings:
            key, equals, text = setting.partition("=")
            if not key or not equals:
                raise NcbenchError(f"--set {setting}: expected KEY=VALUE, a parameter of a measure")
            try:
                parameters[key] = json.loads(text)
            except ValueError:
                parameters[key] = text
        value = cls(name, parameters)
        if parameters:
            value.check()
        return value

    def __str__(self) -> str:
        return self._with(self.parameters)

    @property
    def in_full(self) -> str:
        """The value with all parameters of its measure: cells may have optimized it with others.

        Examples
        --------
        >>> Value("micro_f1").in_full, Value("h_mean").in_full, Value().in_full
        ('micro_f1(background=0)', 'h_mean', 'loss')
        """
        if self.name == LOSS or not self.is_loss:
            return str(self)
        try:
            return self._with({**self._defaults(), **self.parameters})
        except NcbenchError:  # not installed here: records hold its losses
            return str(self)

    def _defaults(self) -> dict[str, Any]:
        parameters = get_registry().plugin("measure", self.name).parameters
        return {p.name: p.default for p in parameters if not p.required}

    def _with(self, parameters: Mapping[str, Any]) -> str:
        texts = (f"{k}={v if isinstance(v, str) else json.dumps(v)}" for k, v in parameters.items())
        settings = ", ".join(texts)
        return f"{self.name}({settings})" if settings else self.name

    @property
    def is_loss(self) -> bool:
        """Whether lower is better."""
        return "." not in self.name

    @property
    def is_time(self) -> bool:
        """Whether the number depends on the machine and not on the split."""
        return self.name.startswith("seconds.")

    def check(self) -> None:
        """Build the measure, so that wrong parameters raise before any record is read."""
        if self.name == LOSS or not self.is_loss:
            raise NcbenchError(f"--set needs the name of a measure as --value, not {self.name}")
        _ = self._measure

    def __call__(self, record: Record, trial: Trial) -> float:
        """Return the number of one trial of a record; raise NcbenchError if it has none."""
        if not self.is_loss:
            number = _follow(trial, self.name)
            if not _is_number(number):
                raise NcbenchError(f"its trials have no number {self.name}")
            if abs(number) > LARGEST:
                raise NcbenchError(f"{self.name} is {number:.3g}, too large for a mean")
            return float(number)
        name = record.measure if self.name == LOSS else self.name
        stored = not self.parameters and name in trial.losses
        if stored and self.name != LOSS and name == record.measure:
            stored = self._has_defaults(record.config["measure"])  # as other measures have
        if not stored:
            return self._from_confusion(record.dataset.classes, trial)
        if name != record.measure:  # reading checked that of the other
            check_loss(record, trial, name, f"record {record.id}: trial")
        return trial.losses[name]

    def _has_defaults(self, optimized: Mapping[str, Any]) -> bool:
        given = {key: value for key, value in optimized.items() if key != "name"}
        # A parameter that the record lacks was added later.
        defaults = self._defaults() if given else {}
        return all(key in defaults and defaults[key] == value for key, value in given.items())

    def _from_confusion(self, classes: Sequence[str], trial: Trial) -> float:
        try:
            loss = float(self._measure.for_classes(classes)(np.array(trial.confusion)))
        except NcbenchError:
            raise
        except Exception as error:  # a measure that fails for one cell must not affect others
            raise NcbenchError(f"{self.name}: {type(error).__name__}: {error}") from error
        if not math.isfinite(loss):
            raise NcbenchError(f"{self.name} is {loss}")
        return loss

    @cached_property
    def _measure(self) -> Any:
        known = [p.name for p in get_registry().plugin("measure", self.name).parameters]
        for key in self.parameters:
            if key not in known:
                raise UnknownName.among(f"--set: parameter of measure {self.name}", key, known)
        return get_registry().build("measure", self.name, **self.parameters)


def known_values(trial: Trial) -> Iterator[str]:
    """Return the names of the numbers that a trial stores."""
    yield from trial.losses
    for section in trial.__struct_fields__:
        content = getattr(trial, section)
        if isinstance(content, Mapping) and section != "losses":
            for key, value in content.items():
                if _is_number(value):
                    yield f"{section}.{key}"


def no_such_value(value: Value, known: set[str], reasons: set[str]) -> NcbenchError:
    """Return the error for a value that no record has."""
    if value.is_loss and value.name != LOSS:
        measures = get_registry().names("measure")
        if value.name in measures:
            return NcbenchError(f"--value {value.name}: {'; '.join(sorted(reasons))}")
        known = known | set(measures)
    return UnknownName.among("--value", value.name, {LOSS, *known})


def _follow(trial: Trial, name: str) -> Any:
    section, _, key = name.partition(".")
    content = getattr(trial, section, None)
    return content.get(key) if isinstance(content, Mapping) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
