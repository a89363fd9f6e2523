"""Turn errors of Hydra, OmegaConf and YAML into messages for people."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterator

from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf.errors import InterpolationResolutionError, OmegaConfBaseException
from yaml import YAMLError  # type: ignore[import-untyped]

from ncbench.config.unknown_keys import unknown_key
from ncbench.errors import NcbenchError, UnknownName

_LAUNCHERS = {"joblib": "joblib", "submitit_slurm": "slurm", "submitit_local": "slurm"}
"""Launchers that are separate packages, and the extra that installs each."""

_INTERNAL = re.compile(r"reference_type=|object_type=|full_key:|See https://hydra")
_NO_EXPERIMENT = re.compile(r"Could not (find|load) 'experiment/(?P<name>[^']+)'")
_NO_LAUNCHER = re.compile(r"Could not (find|load) 'hydra/launcher/(?P<name>[^']+)'")
_MERGING = re.compile(r"Error merging override (?P<override>.+)")
_NOT_CONVERTED = re.compile(r"could not be converted to (?P<type>Integer|Float|Boolean)")
_TYPES = {"Integer": "a whole number", "Float": "a number", "Boolean": "true or false"}
_UNKNOWN_KEY = re.compile(r"Could not override '(?P<key>[^']+)'")


@contextlib.contextmanager
def explained(prefix: str = "") -> Iterator[None]:
    """Turn errors of Hydra, OmegaConf and YAML into NcbenchErrors."""
    try:
        yield
    except (HydraException, OmegaConfBaseException) as error:
        raise NcbenchError(prefix + _explanation(error)) from error
    except OverflowError as error:  # a whole number where a float is expected
        raise NcbenchError(f"{prefix}a number is too large: {error}") from error
    except YAMLError as error:  # its message names the file and the line
        reason = " ".join(str(error).split())
        raise NcbenchError(f"{prefix}a config file is not valid YAML: {reason}") from error


def _explanation(error: BaseException) -> str:
    """Return Hydra's message without the parts that only its developers need."""
    lines: list[str] = []
    current: BaseException | None = error
    while current is not None:
        for line in str(current).split("\n"):
            text = line.strip()
            if text and text not in lines and not _INTERNAL.match(text):
                lines.append(text)
        current = current.__cause__
    if any(line.startswith("Config search path:") for line in lines):
        lines = ["; ".join(itertools.takewhile(lambda t: t != "Config search path:", lines))]
    message = "\n".join(lines)
    if isinstance(error, InterpolationResolutionError):
        return f"{error.full_key}: {message}"
    if experiment := _NO_EXPERIMENT.search(message):
        return str(UnknownName.among("+experiment", experiment["name"], _experiment_files()))
    if launcher := _NO_LAUNCHER.search(message):
        return _no_launcher(launcher["name"])
    override, kind = _MERGING.search(message), _NOT_CONVERTED.search(message)
    if override and kind:
        return f"{override['override']}; expected {_TYPES[kind['type']]}"
    key = _UNKNOWN_KEY.search(message)
    if key:
        return unknown_key(key["key"])
    return message


def _no_launcher(name: str) -> str:
    extra = _LAUNCHERS.get(name)
    if extra:
        return f"hydra/launcher={name} is not installed: pip install 'ncbench[{extra}]'"
    known = GlobalHydra.instance().config_loader().get_group_options("hydra/launcher")
    return str(UnknownName.among("hydra/launcher", name, {*known, *_LAUNCHERS}))


def _experiment_files(folder: str = "experiment") -> list[str]:
    """Return the names of all experiment files; Hydra lists only those of one folder."""
    loader = GlobalHydra.instance().config_loader()
    files = [f"{folder}/{name}" for name in loader.get_group_options(folder)]
    names = [file.removeprefix("experiment/") for file in files]
    for inner in loader.list_groups(folder):
        names += _experiment_files(f"{folder}/{inner}")
    return names
