"""What a config file may contain, before Hydra reads it.

Config files come from colleagues and from strangers. A file is YAML with one mapping at the top,
of a limited size, and it cannot read the environment.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf.errors import InterpolationResolutionError, OmegaConfBaseException
from yaml import YAMLError

from ncbench.config.schema import unknown_key
from ncbench.errors import NcbenchError, UnknownName

_LONGEST = 200_000
"""Bytes of a file: more take seconds to parse."""

_LARGEST, _DEEPEST = 20_000, 30
"""Values and levels of a file, with every alias of YAML replaced by what it stands for."""

_HYDRA = re.compile(r"(^|[/@\s])hydra([/.@]|$)")


def check_config_file(path: Path) -> None:
    """Raise NcbenchError unless Hydra can read a file quickly and without side effects.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "mine.yaml")
    >>> _ = path.write_text("data_dir: ${oc.env:HOME}")
    >>> try:
    ...     check_config_file(path)
    ... except NcbenchError as error:
    ...     print(str(error).split("mine.yaml: ")[1])
    data_dir=${oc.env:HOME}: a config file cannot call a resolver; type the value on the command line
    """  # noqa: E501
    try:
        _check(path)
    except UnicodeDecodeError as error:
        raise NcbenchError(f"{path}: not UTF-8: {error.reason}, byte {error.start}") from error
    except OSError as error:
        raise NcbenchError(f"{path}: {error.strerror}") from error
    except RecursionError as error:
        raise NcbenchError(f"{path}: nested in more than {_DEEPEST} levels") from error
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise NcbenchError(f"{path}: a config file is not valid YAML: {reason}") from error


def _check(path: Path) -> None:
    if not path.is_file():
        raise NcbenchError(f"{path}: not a regular file")
    if path.stat().st_size > _LONGEST:
        raise NcbenchError(f"{path}: longer than {_LONGEST} bytes")
    with path.open(encoding="utf-8") as stream:  # YAML's messages name the file of a stream
        root = yaml.compose(stream, yaml.SafeLoader)
    if root is not None and not isinstance(root, yaml.MappingNode):
        raise NcbenchError(f"{path}: expected KEY: VALUE at the top, not {root.tag.split(':')[-1]}")
    for count, (keys, text) in enumerate(_texts(root, ())):
        if count > _LARGEST:
            raise NcbenchError(f"{path}: more than {_LARGEST} values, counting aliases")
        if len(keys) > _DEEPEST:
            raise NcbenchError(f"{path}: nested in more than {_DEEPEST} levels")
        if keys[:1] == ("defaults",) and _HYDRA.search(text):
            raise NcbenchError(f"{path}: defaults: {text}: a config file cannot choose from hydra")
        # A plain interpolation, ${sigma}, has no colon.
        if "${" in text and ":" in text.split("${", 1)[1]:
            raise NcbenchError(
                f"{path}: {'.'.join(keys)}={text}: a config file cannot call a resolver; type the "
                "value on the command line"
            )


def _texts(node: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the text of every node with its keys; aliases are followed, so this may not end."""
    yield keys, node.value if isinstance(node, yaml.ScalarNode) else ""
    if isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield from _texts(item, (*keys, str(number)))
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _texts(key, keys)
            name = key.value if isinstance(key, yaml.ScalarNode) else "?"
            yield from _texts(value, (*keys, name))


# Turn errors of Hydra, OmegaConf and YAML into messages for people.

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
