"""Keys that nobody has: named, with the nearest that somebody has."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from omegaconf import DictConfig, OmegaConf

from ncbench.config.schema import schema_name
from ncbench.config.settings import SETTINGS
from ncbench.errors import NcbenchError
from ncbench.plugin.registry import KINDS, get_registry

_OTHERS = ("job", "hydra")
"""Keys of a composed config that are not the user's."""


def refuse_unknown(cfg: DictConfig) -> None:
    """Raise for a key that nothing reads: Hydra takes any that is given with ``+``."""
    for key in _unknown(cfg):
        raise NcbenchError(nearest(key))


def _unknown(cfg: DictConfig) -> Iterator[str]:
    for key in map(str, cfg):
        if key not in KINDS and key not in SETTINGS and key not in _OTHERS:
            yield key
    for kind in KINDS:
        group = cfg[kind]
        if not isinstance(group, DictConfig):
            continue
        plugin = get_registry().plugin(kind, group.name)
        if getattr(OmegaConf.get_type(group), "__name__", "") != schema_name(plugin):
            continue  # chosen by its parameter ``name``, which is refused in other words
        known = {"name", *(parameter.name for parameter in plugin.parameters)}
        yield from (f"{kind}.{key}" for key in map(str, group) if key not in known)


def nearest(key: str) -> str:
    """Say which keys there are, the nearest first."""
    kind = key.partition(".")[0]
    known = list(SETTINGS)
    known += [
        f"{plugin.kind}.{parameter.name}"
        for plugin in get_registry().plugins()
        for parameter in plugin.parameters
    ]
    if kind in KINDS:
        known = [name for name in known if name.startswith(f"{kind}.")]
        where = f"the chosen {KINDS[kind].title} has no such parameter"
    else:
        known += list(KINDS)
        where = "no such key"
    if key in known:  # of another plug-in of the kind
        owners = [
            plugin.name
            for plugin in get_registry().plugins()
            if key in [f"{plugin.kind}.{parameter.name}" for parameter in plugin.parameters]
        ]
        return f"{key}: {where}; these have: {', '.join(owners)}"
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{key}: {where}; {hint}Keys and parameters: python -m ncbench plugins, or --help"
