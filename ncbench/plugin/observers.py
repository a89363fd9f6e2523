"""Notify observers of cells, trials and sweeps; their errors never affect the run."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from ncbench.errors import NcbenchError, notice_once
from ncbench.plugin.registry import OBSERVERS, get_registry
from ncbench.plugin.signature import as_arguments

Observers = Sequence[str | Mapping[str, Mapping[str, Any]]]
"""Names of observers; one with parameters is ``{NAME: {KEY: VALUE}}``."""


def check_observer(observer: str) -> None:
    """Raise NcbenchError if the observer is unknown or a package it needs is not installed."""
    module = get_registry().target(OBSERVERS.group, observer)
    for needed, remedy in getattr(module, "NCBENCH_NEEDS", {}).items():
        if find_spec(needed) is None:
            raise NcbenchError(f"observers=[{observer}]: {needed} is not installed: {remedy}")


def run_started(config: Mapping[str, Any]) -> None:
    """Notify the observers of a cell that its trials are about to run."""
    _tell(config["observers"], "ncbench_run_started", config=config)


def trial_finished(config: Mapping[str, Any], trial: Mapping[str, Any]) -> None:
    """Notify the observers of a cell that a trial has been run."""
    _tell(config["observers"], "ncbench_trial_finished", config=config, trial=trial)


def run_finished(record: Mapping[str, Any]) -> None:
    """Notify the observers of a cell that it has finished, and pass its record."""
    _tell(record["config"]["observers"], "ncbench_run_finished", record=record)


def sweep_finished(sweep: Mapping[str, Any], observers: Observers) -> None:
    """Notify observers that a sweep has finished."""
    _tell(observers, "ncbench_sweep_finished", sweep=sweep)


def _tell(observers: Observers, hook: str, **arguments: Any) -> None:
    for item in observers:
        ((observer, given),) = [(item, {})] if isinstance(item, str) else item.items()
        try:
            settings = _settings(observer, given)
            get_registry().tell(observer, hook, **copy.deepcopy(arguments), settings=settings)
        except (Exception, SystemExit) as error:
            what = f"{type(error).__name__}: {error}"
            notice_once(f"warning: observer {observer!r} failed in {hook}: {what}")


def _settings(observer: str, given: Mapping[str, Any]) -> Any:
    registry = get_registry()
    build = getattr(registry.target(OBSERVERS.group, observer), "NCBENCH_SETTINGS", None)
    parameters = registry.plugin(OBSERVERS.group, observer).parameters
    return build(**as_arguments(given, parameters)) if build else None
