"""Observers: they follow a sweep, if it asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ncbench import hookimpl

from .mlflow import MLflow


@hookimpl
def ncbench_observers() -> Mapping[str, Callable[..., Any]]:
    """Return observers by name."""
    return {"mlflow": MLflow}
