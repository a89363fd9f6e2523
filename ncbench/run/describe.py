"""What is said about a cell: its settings in a few words, and its result in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncbench.config import SETTINGS, shipped_choices, short
from ncbench.errors import NcbenchError
from ncbench.plugin import KINDS, get_registry

if TYPE_CHECKING:
    from ncbench.types import Config, Record


def describe_cell(config: Config) -> str:
    """Return a cell in a few words: what is always said, and whatever is not as by default."""
    cell = " ".join(f"{key}={config[key]['name']}" for key in ("measure", "dataset", "noise"))
    cell = f"{cell} sigma={config['sigma']:g} algo={config['algo']['name']}"
    return " ".join([cell, *(f"{key}={short(value)}" for key, value in _unusual(config).items())])


def _unusual(config: Config) -> dict[str, Any]:
    found = {}
    for kind in ("cpe", "t_estimator"):
        if config[kind]["name"] != shipped_choices()[kind]:
            found[kind] = config[kind]["name"]
    for kind in KINDS:
        try:
            parameters = get_registry().plugin(kind, config[kind]["name"]).parameters
        except NcbenchError:  # a record's plug-in need not be installed here
            continue
        for parameter in parameters:
            value = config[kind].get(parameter.name, parameter.default)
            if value != parameter.default:
                found[f"{kind}.{parameter.name}"] = value
    for key in ("test_size", "seed"):
        if config[key] != SETTINGS[key].metadata["default"]:
            found[key] = config[key]
    return found


def result_line(record: Record) -> str:
    """Return one line about a finished cell."""
    cell = describe_cell(record["config"])
    if record["status"] != "done":
        return f"{record['status']:<8} {cell}: {record['reason']}"
    measure = record["config"]["measure"]["name"]
    losses = [trial["losses"][measure] for trial in record["trials"]]
    mean = sum(losses) / len(losses)
    said = f"{measure}{_background(record)} {mean:.4f}"
    if len(losses) > 1:
        variance = sum((loss - mean) ** 2 for loss in losses) / (len(losses) - 1)
        said += f" ({(variance / len(losses)) ** 0.5:.4f})"
    trials = "1 trial" if len(losses) == 1 else f"{len(losses)} trials"
    return f"done     {cell}: {said}, {trials}, {record['seconds']:.1f} s"


def _background(record: Record) -> str:
    """Say which class a measure takes for the background, where its number would not."""
    number, classes = record["config"]["measure"].get("background"), record["dataset"]["classes"]
    if not isinstance(number, int) or classes[number] == str(number):
        return ""  # a name is among the cell's parameters
    return f" (background {classes[number]})"
