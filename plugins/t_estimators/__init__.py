"""Estimators of the noise matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ncbench import hookimpl

from .given import Identity, Known


@hookimpl
def ncbench_t_estimators() -> Mapping[str, Callable[..., Any]]:
    """Estimators of T by name."""
    return {"known": Known, "identity": Identity}
