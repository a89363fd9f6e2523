"""Descriptions of plug-ins as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ncbench.plugin.signature import Parameter


@dataclass(frozen=True)
class Plugin:
    """A registered plug-in: what it is, its parameters, and the distribution it comes from."""

    kind: str
    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    distribution: str
    version: str
    entry_point: str
    module: str = ""

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Plugin:
        """Rebuild from the JSON form of ``dataclasses.asdict``."""
        parameters = tuple(
            Parameter(**{**parameter, "choices": tuple(parameter["choices"])})
            for parameter in data["parameters"]
        )
        return cls(**{**data, "parameters": parameters})


@dataclass(frozen=True)
class Problem:
    """A plug-in that cannot be used, and the reason."""

    distribution: str
    version: str
    entry_point: str
    error: str
