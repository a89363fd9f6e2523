"""Describe a cell: its settings in a few words, and its result in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncbench.config import SETTINGS, shipped_choices, short
from ncbench.errors import NcbenchError, counted
from ncbench.plugin import KINDS, get_registry

if TYPE_CHECKING:
    from ncbench.types import Config, Record


def describe_cell(config: Config) -> str:
    """Return the main settings of a cell, and those that are not the default."""
    cell = " ".join(f"{key}={config[key]['name']}" for key in ("measure", "dataset", "noise"))
    cell = f"{cell} sigma={config['sigma']:g} algo={config['algo']['name']}"
    others = _not_default(config)
    return " ".join([cell, *(f"{key}={short(value)}" for key, value in others.items())])


def _not_default(config: Config) -> dict[str, Any]:
    values = {}
    for kind in ("cpe", "t_estimator"):
        if config[kind]["name"] != shipped_choices()[kind]:
            values[kind] = config[kind]["name"]
    for kind in KINDS:
        try:
            parameters = get_registry().plugin(kind, config[kind]["name"]).parameters
        except NcbenchError:  # the plug-in of a record may not be installed here
            continue
        for parameter in parameters:
            value = config[kind].get(parameter.name, parameter.default)
            if value != parameter.default:
                values[f"{kind}.{parameter.name}"] = value
    for key in ("test_size", "seed"):
        if config[key] != SETTINGS[key].metadata["default"]:
            values[key] = config[key]
    return values


def result_line(record: Record) -> str:
    """Return one line about a finished cell."""
    cell = describe_cell(record["config"])
    if record["status"] != "done":
        return f"{record['status']:<8} {cell}: {record['reason']}"
    measure = record["config"]["measure"]["name"]
    losses = [trial["losses"][measure] for trial in record["trials"]]
    mean = sum(losses) / len(losses)
    result = f"{measure}{_background(record)} {mean:.4f}"
    trials = counted(len(losses), "trial")
    return f"done     {cell}: {result}, {trials}, {record['seconds']:.1f} s"


def _background(record: Record) -> str:
    """Return the name of a measure's background class, if the configuration has its number."""
    number, classes = record["config"]["measure"].get("background"), record["dataset"]["classes"]
    if not isinstance(number, int) or classes[number] == str(number):
        return ""  # the description of the cell already has the name
    return f" (background {classes[number]})"
