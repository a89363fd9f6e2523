"""The configuration keys that are not config groups, with their defaults and help texts."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from typing import Any

from ncbench.errors import NcbenchError
from ncbench.plugin import KINDS, get_registry

MISSING: Any = "???"  # OmegaConf's marker for a required value


def _setting(default: Any, help: str) -> Any:
    about = {"help": help, "default": default}
    if isinstance(default, list):
        return field(default_factory=default.copy, metadata=about)
    return field(default=default, metadata=about)


@dataclass
class Settings:
    """Schema of the configuration; each group holds the chosen plug-in and its parameters."""

    dataset: Any = MISSING
    noise: Any = MISSING
    cpe: Any = MISSING
    t_estimator: Any = MISSING
    measure: Any = MISSING
    algo: Any = MISSING
    sigma: float = _setting(0.1, "noise level: the probability that a label is wrong")
    trials: int = _setting(5, "number of train/test splits")
    test_size: float = _setting(0.3, "fraction of the examples used for testing")
    seed: int = _setting(0, "random seed of splits, noise and everything else")
    data_dir: str = _setting("data", "folder that contains the data sets")
    output_dir: str = _setting("outputs", "folder to write records to")
    threads: int = _setting(1, "number of BLAS and OpenMP threads in each cell")
    cache: bool = _setting(
        True, "share class probabilities and estimates of T, in output_dir/cache"
    )
    cache_limit: float = _setting(2.0, "maximum size of output_dir/cache/cpe, in GB")
    theory: bool = _setting(False, "record the terms of the regret bounds (dataset=synthetic)")
    force: bool = _setting(False, "run finished cells again")
    on_error: str = _setting("record", "when a cell fails: record it and go on, or raise and stop")
    timeout: float | None = _setting(None, "most seconds a cell may take; null: no limit")
    cells_per_job: int = _setting(0, "cells in each launcher job; 0: all (basic), 1 (others)")
    plugins_from: Any = _setting([], "Python files with plug-ins: a.py or [a.py,b.py]")  # noqa: RUF009
    observers: Any = _setting([], "plug-ins that are told about each run, such as [mlflow]")  # noqa: RUF009

    # The number of the job, set by the sweep itself.
    job: Any = None


SETTINGS = {f.name: f for f in fields(Settings) if f.metadata}
"""The keys that are not config groups."""


# Default settings, and the cells that deviate from them.


@cache
def shipped_choices() -> dict[str, str]:
    """Return the name of the default plug-in of each kind."""
    import yaml  # type: ignore[import-untyped]

    shipped = yaml.safe_load((files("ncbench_conf") / "config.yaml").read_text())
    return {
        str(kind): str(name)
        for entry in shipped["defaults"]
        if not isinstance(entry, str)
        for kind, name in entry.items()
    }


def short(value: Any, longest: int) -> str:
    """Return a value as short text; a long one, such as a path, keeps its end only."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= longest else f"...{text[3 - longest :]}"


def not_default(
    cells: Sequence[Mapping[str, Any]], shown: Collection[str], longest: int = 60
) -> list[str]:
    """Return ``key=value`` for each key that the table does not show and that is not the default.

    Parameters
    ----------
    cells : sequence of mappings
        Flat configurations. A key that is not shown has the same value in all of them; a
        plug-in's parameter has the same value for each plug-in.
    shown : collection of str
        The keys that the table shows.
    longest : int
        Longer values keep their end only.

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
            texts += [f"{key}={short(value, longest)}"] if value != usual else []
            continue
        by_plugin = {cell[kind]: cell[key] for cell in cells if key in cell}
        unusual: dict[str, list[str]] = {}
        for name, value in by_plugin.items():
            if not _is_default(kind, name, parameter, value):
                unusual.setdefault(short(value, longest), []).append(name)
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
