"""Default settings, and the cells that deviate from them."""

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
    """Return the name of the default plug-in of each kind."""
    from omegaconf import OmegaConf

    shipped: Any = OmegaConf.create((files("ncbench_conf") / "config.yaml").read_text())
    return {
        str(kind): str(name)
        for entry in shipped["defaults"]
        if not isinstance(entry, str)
        for kind, name in entry.items()
    }


def short(value: Any, longest: int = 24) -> str:
    """Return a value as short text; a long one, such as a path, keeps its end only."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= longest else f"...{text[3 - longest :]}"


def not_default(cells: Sequence[Mapping[str, Any]], shown: Collection[str]) -> list[str]:
    """Return ``key=value`` for each key that the table does not show and that is not the default.

    Parameters
    ----------
    cells : sequence of mappings
        Flat configurations. A key that is not shown has the same value in all of them; a
        plug-in's parameter has the same value for each plug-in.
    shown : collection of str
        The keys that the table shows.

    Examples
    --------
    >>> cells = [{"algo": "ncfw", "algo.max_iter": 50}, {"algo": "ncbs", "algo.max_iter": 200}]
    >>> not_default([{**cell, "noise": "none", "seed": 0} for cell in cells], ["algo"])
    ['algo.max_iter=50 (ncfw)', 'noise=none']
    """
    texts = []
    for key in dict.fromkeys(key for cell in cells for key in cell):
        kind, _, parameter = key.partition(".")
        # The number of trials is printed with the standard error.
        if key in shown or key == "trials" or not (kind in KINDS or key in SETTINGS):
            continue
        if not parameter:
            value = next(cell[key] for cell in cells if key in cell)
            usual = shipped_choices()[key] if key in KINDS else SETTINGS[key].metadata["default"]
            texts += [f"{key}={short(value, 60)}"] if value != usual else []
            continue
        by_plugin = {cell[kind]: cell[key] for cell in cells if key in cell}
        unusual: dict[str, list[str]] = {}
        for name, value in by_plugin.items():
            if not _is_default(kind, name, parameter, value):
                unusual.setdefault(short(value, 60), []).append(name)
        for text, names in unusual.items():
            whose = "" if len(names) == len(by_plugin) else f" ({', '.join(sorted(names))})"
            texts.append(f"{key}={text}{whose}")
    return texts


def _is_default(kind: str, name: str, parameter: str, value: Any) -> bool:
    try:
        known = get_registry().plugin(kind, name).parameters
    except NcbenchError:  # the plug-in is not installed here, so its default is not known
        return True
    named = [each for each in known if each.name == parameter]
    return bool(named) and not named[0].required and bool(named[0].default == value)
