"""Notify observers of cells, trials and sweeps; their errors never affect the run."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ncbench.errors import NcbenchError, notice_once
from ncbench.plugin.registry import OBSERVERS, Registry, get_registry

Observers = Sequence[str | Mapping[str, Mapping[str, Any]]]
"""Names of observers; one with parameters is ``{NAME: {KEY: VALUE}}``."""

METHODS = ("run_started", "trial_finished", "run_finished", "sweep_finished")
"""What an observer may have; see ``ncbench.plugin.spec``."""


def check_observer(name: str, parameters: Mapping[str, Any]) -> None:
    """Build an observer; raise NcbenchError if that fails or it has no method to call."""
    built = get_registry().build(OBSERVERS.group, name, **parameters)
    if not any(hasattr(built, method) for method in METHODS):
        raise NcbenchError(f"observers=[{name}] has no method; write one of {', '.join(METHODS)}")


def run_started(config: Mapping[str, Any]) -> None:
    """Notify the observers of a cell that its trials are about to run."""
    _tell(config["observers"], "run_started", config)


def trial_finished(config: Mapping[str, Any], trial: Mapping[str, Any]) -> None:
    """Notify the observers of a cell that a trial has been run."""
    _tell(config["observers"], "trial_finished", config, trial)


def run_finished(record: Mapping[str, Any]) -> None:
    """Notify the observers of a cell that it has finished, and pass its record."""
    _tell(record["config"]["observers"], "run_finished", record)


def sweep_finished(sweep: Mapping[str, Any], observers: Observers) -> None:
    """Notify observers that a sweep has finished."""
    _tell(observers, "sweep_finished", sweep)


def _tell(observers: Observers, method: str, *arguments: Any) -> None:
    for item in observers:
        ((name, parameters),) = [(item, {})] if isinstance(item, str) else item.items()
        try:
            observer = _built(get_registry(), name, json.dumps(parameters))
            if hasattr(observer, method):
                getattr(observer, method)(*copy.deepcopy(arguments))
        except (Exception, SystemExit) as error:
            what = f"{type(error).__name__}: {error}"
            notice_once(f"warning: observer {name!r} failed in {method}: {what}")


@lru_cache  # an observer may keep something from the start of a cell to its end
def _built(registry: Registry, name: str, parameters: str) -> Any:
    return registry.build(OBSERVERS.group, name, **json.loads(parameters))
