"""What a run has unless told otherwise, and what of some cells is not so."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from ncbench.config.settings import SETTINGS
from ncbench.errors import NcbenchError
from ncbench.plugin import KINDS, get_registry


@cache
def shipped_choices() -> dict[str, str]:
    """Return the plug-in of each kind that a run has unless told otherwise."""
    from omegaconf import OmegaConf

    shipped: Any = OmegaConf.create((files("ncbench_conf") / "config.yaml").read_text())
    return {
        str(kind): str(name)
        for entry in shipped["defaults"]
        if not isinstance(entry, str)
        for kind, name in entry.items()
    }


def short(value: Any, longest: int = 24) -> str:
    """Return a value in a few characters: of a long one, such as a path, the end."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= longest else f"...{text[3 - longest :]}"


def not_default(cells: Sequence[Mapping[str, Any]], shown: Collection[str]) -> list[str]:
    """Return ``key=value`` for each key that a table does not show and that is not as by default.

    Parameters
    ----------
    cells : sequence of mappings
        Flat configurations. A key that is not shown has one value in all of them; a plug-in's
        parameter one for each plug-in.
    shown : collection of str

    Examples
    --------
    >>> cells = [{"algo": "ncfw", "algo.max_iter": 50}, {"algo": "ncbs", "algo.max_iter": 200}]
    >>> not_default([{**cell, "noise": "none", "seed": 0} for cell in cells], ["algo"])
    ['algo.max_iter=50 (ncfw)', 'noise=none']
    """
    said = []
    for key in dict.fromkeys(key for cell in cells for key in cell):
        kind, _, parameter = key.partition(".")
        # The number of trials is said beside the standard error.
        if key in shown or key == "trials" or not (kind in KINDS or key in SETTINGS):
            continue
        if not parameter:
            value = next(cell[key] for cell in cells if key in cell)
            usual = shipped_choices()[key] if key in KINDS else SETTINGS[key].metadata["default"]
            said += [f"{key}={short(value, 60)}"] if value != usual else []
            continue
        by_plugin = {cell[kind]: cell[key] for cell in cells if key in cell}
        unusual: dict[str, list[str]] = {}
        for name, value in by_plugin.items():
            if not _is_default(kind, name, parameter, value):
                unusual.setdefault(short(value, 60), []).append(name)
        for text, names in unusual.items():
            whose = "" if len(names) == len(by_plugin) else f" ({', '.join(sorted(names))})"
            said.append(f"{key}={text}{whose}")
    return said


def _is_default(kind: str, name: str, parameter: str, value: Any) -> bool:
    try:
        known = get_registry().plugin(kind, name).parameters
    except NcbenchError:  # a record's plug-in need not be installed here: nobody can tell
        return True
    found = [each for each in known if each.name == parameter]
    return bool(found) and not found[0].required and bool(found[0].default == value)
