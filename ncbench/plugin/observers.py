"""Notify observers when a cell starts or finishes; their errors never affect the cell."""

from __future__ import annotations

import copy
import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from typing import Any

from ncbench.errors import NcbenchError
from ncbench.plugin.registry import OBSERVERS, get_registry


def check_observer(observer: str) -> None:
    """Raise NcbenchError if the observer is unknown or a package it needs is not installed."""
    module = get_registry().target(OBSERVERS.group, observer)
    for needed, remedy in getattr(module, "NCBENCH_NEEDS", {}).items():
        if find_spec(needed) is None:
            raise NcbenchError(f"observers=[{observer}]: {needed} is not installed: {remedy}")


def run_started(config: Mapping[str, Any]) -> None:
    """Notify the observers of a cell that its trials are about to run."""
    for observer in config["observers"]:
        _tell(observer, "ncbench_run_started", config=config)


def run_finished(record: Mapping[str, Any]) -> None:
    """Notify the observers of a cell that it has finished, and pass its record."""
    for observer in record["config"]["observers"]:
        _tell(observer, "ncbench_run_finished", record=record)


def _tell(observer: str, hook: str, **arguments: Any) -> None:
    try:
        get_registry().tell(observer, hook, **copy.deepcopy(arguments))
    except (Exception, SystemExit) as error:
        _warn(f"observer {observer!r} failed in {hook}: {type(error).__name__}: {error}")


@cache
def _warn(message: str) -> None:
    """Print a warning, once per process."""
    print(f"ncbench: warning: {message}", file=sys.stderr, flush=True)
