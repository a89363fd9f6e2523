"""What is known of a plug-in, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ncbench.plugin.signature import Parameter


@dataclass(frozen=True)
class Plugin:
    """One registered name: what it is, how it is configured, who brought it."""

    kind: str
    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    distribution: str
    version: str
    entry_point: str

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Plugin:
        """Rebuild from ``dataclasses.asdict`` that went through JSON."""
        parameters = tuple(
            Parameter(**{**parameter, "choices": tuple(parameter["choices"])})
            for parameter in data["parameters"]
        )
        return cls(**{**data, "parameters": parameters})


@dataclass(frozen=True)
class Problem:
    """A plug-in that could not be used, and why."""

    distribution: str
    version: str
    entry_point: str
    error: str
