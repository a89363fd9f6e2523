"""Refuse unknown keys, and suggest the closest known one."""

from __future__ import annotations

from collections.abc import Iterator

from omegaconf import DictConfig, OmegaConf

from ncbench.config.schema import schema_name
from ncbench.config.settings import SETTINGS
from ncbench.errors import NcbenchError, did_you_mean
from ncbench.plugin import KINDS, get_registry

_OTHERS = ("job", "group", "hydra")
"""Keys of a composed config that are neither settings nor plug-ins."""


def refuse_unknown(cfg: DictConfig) -> None:
    """Raise NcbenchError for an unknown key; Hydra accepts any key added with ``+``."""
    for key in _unknown(cfg):
        raise NcbenchError(unknown_key(key))


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
            continue  # chosen by its parameter ``name``, for which ``resolve`` has a better message
        known = {"name", *(parameter.name for parameter in plugin.parameters)}
        yield from (f"{kind}.{key}" for key in map(str, group) if key not in known)


def unknown_key(key: str) -> str:
    """Return the message for an unknown key, with the closest known one."""
    kind = key.partition(".")[0]
    parameters = [
        (f"{plugin.kind}.{parameter.name}", plugin.name)
        for plugin in get_registry().plugins()
        for parameter in plugin.parameters
    ]
    owners = [name for known, name in parameters if known == key]
    if kind in KINDS:
        known = [name for name, _ in parameters if name.startswith(f"{kind}.")]
        what = f"the chosen {KINDS[kind].title} has no such parameter"
    else:
        known = [*SETTINGS, *KINDS, *(name for name, _ in parameters)]
        what = "no such key"
    if owners:
        message = f"{key}: {what}; plug-ins that have it: {', '.join(owners)}"
        if kind in KINDS:
            message += (
                f". In a sweep over several {kind}=..., those need a sweep of their own, into the "
                "same output_dir"
            )
        return message
    hint = did_you_mean(key, known)
    return f"{key}: {what}; {hint}Keys and parameters: python -m ncbench plugins, or --help"
