"""Turn each plug-in's signature into a typed config group option; check composed configs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, make_dataclass
from functools import lru_cache
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from ncbench.config.settings import MISSING, SETTINGS, Settings
from ncbench.errors import NcbenchError, UnknownName, did_you_mean, notice_once, printable, require
from ncbench.plugin import (
    KINDS,
    Parameter,
    Plugin,
    Registry,
    annotation_of,
    as_list,
    check_observer,
    files_in_use,
    get_registry,
    short_name,
)

_LARGEST = 1_000_000_000
"""The largest whole number of a parameter. Counts beyond this could never be finished."""


def register() -> None:
    """Add the settings and all plug-ins to Hydra's config store."""
    _store(get_registry())


_stored: dict[tuple[str, str], Plugin] = {}
"""What the store holds, by kind and name. Another registry has others, but most are the same."""


@lru_cache(maxsize=1)
def _store(registry: Registry) -> None:
    store = ConfigStore.instance()
    store.store(name="settings", node=Settings)
    for plugin in registry.plugins():
        names = {plugin.name, f"{short_name(plugin.name)}@{plugin.distribution}"}
        new = [name for name in names if _stored.get((plugin.kind, name)) != plugin]
        node = _schema(plugin) if new else None
        for name in new:
            store.store(group=plugin.kind, name=name, node=node)
            _stored[plugin.kind, name] = plugin


def _schema(plugin: Plugin) -> type:
    fields: list[tuple[str, Any, Any]] = [("name", str, plugin.name)]
    for parameter in plugin.parameters:
        # OmegaConf rejects [[0, 1]] as a list of lists of float, 1 as float | str, and a dict where
        # the default is None. ``resolve`` checks these instead.
        annotation = annotation_of(parameter.type)
        if parameter.type.startswith(_CHECKED_HERE):
            annotation = Any
        annotation = annotation | None if parameter.optional else annotation
        default = MISSING if parameter.required else parameter.default
        if isinstance(default, list | dict):
            default = field(default_factory=lambda value=default: value)  # type: ignore[misc]
        fields.append((parameter.name, annotation, default))
    return make_dataclass(schema_name(plugin), fields)


_CHECKED_HERE = ("list", "tuple", "dict", "float | str")


def schema_name(plugin: Plugin) -> str:
    """Return the name of the schema type of a plug-in."""
    return f"{plugin.kind}_{plugin.name}"


def resolve(cfg: DictConfig) -> dict[str, Any]:
    """Check a composed config and return it as plain data.

    Hydra has already checked names and types; this function checks values.
    """
    registry = get_registry()
    config: dict[str, Any] = {kind: _resolve_plugin(registry, kind, cfg[kind]) for kind in KINDS}
    config.update({key: _plain(cfg[key]) for key in SETTINGS})
    for key in ("data_dir", "output_dir"):
        config[key] = str(config[key])  # a folder may be named 0
    _use_labels_as_they_are(registry, config)
    if cfg.job is not None:
        raise NcbenchError(f"job={cfg.job}: only a sweep sets this key, for its own jobs")
    for key in _RANGES:
        require_in_range(key, config[key])
    # range(0.1,0.5,0.1) gives 0.30000000000000004, which must be the same cell as 0.3.
    config["sigma"] = float(f"{config['sigma']:.12g}")
    expected = "record or raise"
    require(config["on_error"] in ("record", "raise"), "on_error", config["on_error"], expected)
    jobs = config["cells_per_job"]
    require(isinstance(jobs, int) and jobs >= 0, "cells_per_job", jobs, "a whole number, 0 or more")
    limit = config["timeout"]
    require(limit is None or 0 < limit < math.inf, "timeout", limit, "seconds above 0, or null")
    config["observers"] = _observers(registry, config["observers"])
    if config["plugins_from"] != files_in_use():
        # Someone else's config file must not be able to run code.
        raise NcbenchError(
            f"plugins_from={config['plugins_from']}: set plugins_from on the command line, not in "
            "a config file"
        )
    _refuse_control_characters("", config)
    return config


_RANGES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "sigma": (lambda value: 0 <= value <= 1, "a probability, in [0, 1]"),
    "test_size": (lambda value: 0 < value < 1, "a fraction, in (0, 1)"),
    "trials": (lambda value: 1 <= value <= 10_000, "from 1 to 10000"),
    "threads": (lambda value: 1 <= value <= 10_000, "from 1 to 10000"),
    "cache_limit": (lambda value: 0 <= value < math.inf, "a size in GB"),
    "seed": (lambda value: 0 <= value <= 400_000, "from 0 to 400000"),
}


def require_in_range(key: str, value: Any) -> None:
    """Raise NcbenchError if a setting of the right type is too small or too large.

    Examples
    --------
    >>> require_in_range("threads", 0)
    Traceback (most recent call last):
    ...
    ncbench.errors.NcbenchError: threads=0; expected from 1 to 10000
    """
    holds, expected = _RANGES[key]
    require(holds(value), key, value, expected)


def _use_labels_as_they_are(registry: Registry, config: dict[str, Any]) -> None:
    """If a data set has labels by annotators, add no noise, unless other noise was chosen."""
    parameters = {key: value for key, value in config["dataset"].items() if key != "name"}
    annotated = getattr(registry.target("dataset", config["dataset"]["name"]), "annotated", None)
    if config["noise"]["name"] == "random" and annotated and annotated(**parameters):
        defaults = {p.name: p.default for p in registry.plugin("noise", "annotators").parameters}
        config["noise"] = {"name": "annotators", **defaults}
    if config["noise"]["name"] == "annotators":
        if config["sigma"] not in (0.0, SETTINGS["sigma"].default):
            notice_once(
                f"sigma={config['sigma']:g} is not used: the labels of this data are noisy "
                "already, and none is added"
            )
        config["sigma"] = 0.0  # no noise is added


def _refuse_control_characters(key: str, value: Any) -> None:
    """Raise for text that would break a table, or that a later command could not print."""
    if isinstance(value, str) and printable(value) != value:
        raise NcbenchError(f"{key}={printable(value)}; expected text without control characters")
    if isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            _refuse_control_characters(f"{key}.{name}".strip("."), inner)


def _resolve_plugin(registry: Registry, kind: str, cfg: Any) -> dict[str, Any]:
    if not isinstance(cfg, DictConfig):
        raise NcbenchError(
            f"{kind}: expected the name of a plug-in, {kind}=NAME; known: "
            + ", ".join(registry.names(kind))
        )
    plugin = registry.plugin(kind, cfg.name)
    if set(cfg) != {"name", *(parameter.name for parameter in plugin.parameters)}:
        raise NcbenchError(f"{kind}.name={cfg.name}: choose a plug-in with {kind}={cfg.name}")
    resolved = {"name": str(cfg.name)}
    for parameter in plugin.parameters:
        resolved[parameter.name] = _resolve_parameter(kind, parameter, cfg)
    return resolved


def _resolve_parameter(kind: str, parameter: Parameter, cfg: DictConfig) -> Any:
    key = f"{kind}.{parameter.name}"
    if OmegaConf.is_missing(cfg, parameter.name):
        raise NcbenchError(f"{kind}={cfg.name} needs {key}=... ({parameter.type})")
    value = cfg[parameter.name]
    if isinstance(value, float) and not math.isfinite(value):
        raise NcbenchError(f"{key}={value}; expected a finite number")
    value = _plain(value)
    if value is None and parameter.optional:
        return None
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise NcbenchError(f"{key}={value}; expected a number up to {_LARGEST}")
    if parameter.choices and value not in parameter.choices:
        raise NcbenchError(
            f"{key}={value}; expected one of {', '.join(map(str, parameter.choices))}"
        )
    if parameter.type.startswith("dict"):
        if not isinstance(value, dict):
            raise NcbenchError(f"{key}={value}; expected {{key: value, ...}}")
    elif parameter.type.startswith(_CHECKED_HERE):
        try:
            return as_list(value, annotation_of(parameter.type))
        except ValueError as error:
            raise NcbenchError(f"{key}={value}: {error}; expected {parameter.type}") from error
    return value


def _observers(registry: Registry, value: Any) -> list[Any]:
    """Return the names of the observers; for one with parameters, ``{NAME: {KEY: VALUE}}``."""
    resolved: list[Any] = []
    for item in [value] if isinstance(value, str) else value if isinstance(value, list) else [None]:
        pairs = list(item.items()) if isinstance(item, dict) else [(item, {})]
        if len(pairs) != 1 or not isinstance(pairs[0][0], str) or not isinstance(pairs[0][1], dict):
            raise NcbenchError(
                f"observers={value}; expected a list of names: observers=[NAME,NAME], with "
                "parameters observers=[{NAME:{KEY:VALUE}}]"
            )
        ((name, given),) = pairs
        plugin = registry.plugin("observers", name)
        parameters = resolve_parameters(plugin, given)
        for parameter in plugin.parameters:
            if parameter.required and parameter.name not in parameters:
                raise NcbenchError(
                    f"observers={name} needs {{{name}:{{{parameter.name}:...}}}} ({parameter.type})"
                )
        check_observer(name, parameters)
        resolved.append({name: parameters} if parameters else name)
    return resolved


def _plain(value: Any) -> Any:
    return OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else value


def resolve_parameters(plugin: Plugin, given: Mapping[str, Any]) -> dict[str, Any]:
    """Check parameters of one plug-in, as a run does, and return them."""
    known = {parameter.name: parameter for parameter in plugin.parameters}
    cfg = OmegaConf.structured(_schema(plugin))
    resolved: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise UnknownName.among(f"{plugin.kind}={plugin.name}: parameter", name, known)
        try:
            cfg[name] = value
            resolved[name] = _resolve_parameter(plugin.kind, known[name], cfg)
        except (OmegaConfBaseException, OverflowError) as error:
            key, expected = f"{plugin.kind}.{name}", known[name].type
            raise NcbenchError(f"{key}={value!s:.200}; expected {expected}") from error
    return resolved


# Refuse unknown keys, and suggest the closest known one.

_OTHERS = ("job", "hydra")
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
