"""A plug-in's signature as its configuration: names, types, defaults.

Descriptions are plain data, so they can be cached without importing the plug-in again.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import os
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Union

from ncbench.errors import NcbenchError
from ncbench.files import write_json
from ncbench.plugin.code import PluginFile, shown_module

TYPES: dict[str, Any] = {
    "bool": bool,
    "int": int,
    "float": float,
    "str": str,
    "int | str": int | str,
    "float | str": float | str,
    "list[int]": list[int],
    "list[float]": list[float],
    "list[str]": list[str],
    "list[list[float]]": list[list[float]],
    "tuple[int, ...]": tuple[int, ...],
    "tuple[float, ...]": tuple[float, ...],
    "tuple[str, ...]": tuple[str, ...],
    "dict[str, Any]": dict[str, Any],
}
"""The allowed types of plug-in parameters, each also as ``X | None``.

So are tuples of fixed length, such as ``tuple[float, float]``.
"""

_SCALARS = {"int": int, "float": float, "str": str}


def annotation_of(name: str) -> Any:
    """Return the type that ``Parameter.type`` names.

    Examples
    --------
    >>> annotation_of("tuple[float, int]")
    tuple[float, int]
    """
    if name in TYPES:
        return TYPES[name]
    items = name.removeprefix("tuple[").removesuffix("]").split(", ")
    return types.GenericAlias(tuple, tuple(_SCALARS[item] for item in items))


@dataclass(frozen=True)
class Parameter:
    """One configuration key of a plug-in.

    Parameters
    ----------
    name : str
    type : str
        A key of ``TYPES``, or a tuple of fixed length.
    optional : bool
        Whether None is allowed.
    required : bool
        Whether the parameter has no default.
    default : object
    choices : tuple of str or of numbers
        The allowed values of a ``Literal`` type; empty otherwise.
    """

    name: str
    type: str
    optional: bool = False
    required: bool = False
    default: Any = None
    choices: tuple[str | float, ...] = ()

    def __str__(self) -> str:
        kind = "|".join(map(str, self.choices)) or self.type
        kind += " | None" if self.optional else ""
        return f"{self.name}: {kind}" + ("" if self.required else f" = {self.default}")


def as_list(value: Any, annotation: Any) -> Any:
    """Return the value of a parameter as plain data: a tuple as a list, with floats as declared.

    Raises ValueError for the first entry of another type.

    Examples
    --------
    >>> as_list([[0, 1], [5, 0.5]], list[list[float]])
    [[0.0, 1.0], [5.0, 0.5]]
    >>> as_list((1, 2), tuple[float, float])
    [1.0, 2.0]
    >>> as_list([0.5], list[int])
    Traceback (most recent call last):
    ...
    ValueError: 0.5 is not int
    """
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (list, tuple):
        if not isinstance(value, list | (tuple if origin is tuple else list)):
            raise ValueError(f"{value!r} is not a list")
        if origin is list or inner[1:] == (...,):
            inner = inner[:1] * len(value)
        if len(value) != len(inner):
            raise ValueError(f"{value!r} has length {len(value)}, not {len(inner)}")
        return [as_list(item, kind) for item, kind in zip(value, inner, strict=True)]
    allowed = inner or (annotation,)
    if type(value) is int and float in allowed and abs(value) <= sys.float_info.max:
        return float(value)
    if type(value) not in allowed:
        raise ValueError(f"{value!r} is not {' or '.join(kind.__name__ for kind in allowed)}")
    return value


def as_arguments(values: Mapping[str, Any], parameters: Iterable[Parameter]) -> dict[str, Any]:
    """Return the values that a plug-in is called with: a tuple where it asks for one."""
    tuples = {parameter.name for parameter in parameters if parameter.type.startswith("tuple")}
    return {
        name: tuple(value) if name in tuples and isinstance(value, list) else value
        for name, value in values.items()
    }


def parameters_of(
    target: Callable[..., Any], supplied: Iterable[str] = ()
) -> tuple[Parameter, ...]:
    """Describe the keyword arguments of a class or function.

    Parameters
    ----------
    target : class or function
    supplied : names
        Arguments that the core supplies; they are not configuration.

    Examples
    --------
    >>> def method(alpha: float = 1.0, mode: Literal["a", "b"] = "a", measure=None): ...
    >>> [str(parameter) for parameter in parameters_of(method, supplied=["measure"])]
    ['alpha: float = 1.0', 'mode: a|b = a']
    """
    # A class without its own __init__ has the signature of object, which accepts anything.
    if inspect.isclass(target) and target.__init__ is object.__init__:
        return ()
    function = target.__init__ if inspect.isclass(target) else target
    hints = typing.get_type_hints(function)
    described = []
    for name, parameter in inspect.signature(target).parameters.items():
        if name in supplied:
            continue
        where = (
            f"parameter {name!r} of {shown_module(str(target.__module__))}.{target.__qualname__}"
        )
        if parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
            parameter.POSITIONAL_ONLY,
        ):
            raise NcbenchError(
                f"{where}: *args, **kwargs and positional-only parameters cannot be configured"
            )
        if name == "name":
            raise NcbenchError(f"{where}: 'name' is reserved for the plug-in's name; rename it")
        if name not in hints:
            raise NcbenchError(f"{where} has no type hint; give it one of {', '.join(TYPES)}")
        described.append(_describe(parameter, hints[name], where))
    return tuple(described)


def _fits(default: Any, annotation: Any, optional: bool) -> bool:
    if default is None:
        return optional
    if typing.get_origin(annotation) is dict:
        return isinstance(default, dict)
    try:
        as_list(default, annotation)
    except ValueError:
        return False
    return True


def _spelled(hint: Any) -> str:
    """Return the name of a type in ``TYPES``; unions in any order, however they are written."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return " | ".join(sorted(map(_spelled, inner)))
    if origin in (list, tuple):
        return f"{origin.__name__}[{', '.join(map(_spelled, inner))}]"
    if hint is ...:
        return "..."
    exact = [name for name, known in TYPES.items() if hint is known or (origin and hint == known)]
    return exact[0] if exact else str(hint)


def _describe(parameter: inspect.Parameter, hint: Any, where: str) -> Parameter:
    optional = False
    if typing.get_origin(hint) in (Union, types.UnionType):
        alternatives = [a for a in typing.get_args(hint) if a is not type(None)]
        optional = len(alternatives) < len(typing.get_args(hint))
        hint = Union[tuple(alternatives)]  # noqa: UP007
    choices: tuple[str | float, ...] = ()
    if typing.get_origin(hint) is Literal:
        choices = typing.get_args(hint)
        kinds = {type(choice) for choice in choices}
        hint = next(
            (k for k in (str, int) if kinds == {k}), float if kinds <= {int, float} else hint
        )
    name = _spelled(hint)
    if name not in TYPES and not _FIXED_TUPLE.fullmatch(name):
        raise NcbenchError(
            f"{where} has type {hint}; known: {', '.join(TYPES)}, tuples of fixed length, Literal "
            "of strings or of numbers, each also with | None"
        )
    required = parameter.default is parameter.empty
    default = None if required else parameter.default
    if not required and not _fits(default, annotation_of(name), optional):
        raise NcbenchError(
            f"{where} has default {default!r}, which is not {name}"
            + ("" if optional else "; to allow None, add | None to the type")
        )
    return Parameter(
        name=parameter.name,
        type=name,
        optional=optional,
        required=required,
        default=list(default) if isinstance(default, tuple) else default,
        choices=choices,
    )


_FIXED_TUPLE = re.compile(r"tuple\[(int|float|str)(, (int|float|str))*\]")


# Descriptions of plug-ins as plain data.


@dataclass(frozen=True)
class Plugin:
    """A registered plug-in: what it is, its parameters, and the distribution it comes from.

    ``supplied`` are the arguments of its signature that the core supplies.
    """

    kind: str
    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    distribution: str
    version: str
    entry_point: str
    module: str = ""
    supplied: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Plugin:
        """Rebuild from the JSON form of ``dataclasses.asdict``."""
        parameters = tuple(
            Parameter(**{**parameter, "choices": tuple(parameter["choices"])})
            for parameter in data["parameters"]
        )
        return cls(**{**data, "parameters": parameters, "supplied": tuple(data["supplied"])})


@dataclass(frozen=True)
class Problem:
    """A plug-in that cannot be used, and the reason."""

    distribution: str
    version: str
    entry_point: str
    error: str


# Cache of plug-in descriptions, so that listing plug-ins does not import them.


def default_path() -> Path:
    """Return the cache file of this Python environment, in the user's cache folder."""
    own, user = os.environ.get("NCBENCH_CACHE_HOME"), os.environ.get("XDG_CACHE_HOME")
    folder = Path(own) if own else Path(user or Path.home() / ".cache") / "ncbench"
    environment = hashlib.sha256(f"{sys.prefix} {sys.version}".encode()).hexdigest()[:16]
    return folder / f"plugins-{environment}.json"


class Catalogue:
    """Descriptions of plug-ins by entry point.

    Parameters
    ----------
    path : Path
        The cache file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._changed = False
        try:
            self._entries: dict[str, Any] = dict(json.loads(path.read_text()))
        except (OSError, ValueError, TypeError):
            self._entries = {}

    def find(self, point: EntryPoint | PluginFile) -> list[Plugin] | None:
        """Return the plug-ins of an entry point; None if they are not cached or have changed."""
        entry = self._entries.get(_key(point))
        try:
            if entry is None or entry["state"] != _state(point):
                return None
            return [Plugin.from_json(plugin) for plugin in entry["plugins"]]
        except (KeyError, TypeError):  # a file of another version or program
            return None

    def keep(self, point: EntryPoint | PluginFile, plugins: list[Plugin]) -> None:
        """Store the plug-ins of an entry point."""
        described = [asdict(plugin) for plugin in plugins]
        self._entries[_key(point)] = {"state": _state(point), "plugins": described}
        self._changed = True

    def save(self) -> None:
        """Write the cache file atomically, if anything changed."""
        if not self._changed:
            return
        with contextlib.suppress(OSError, TypeError, ValueError):
            write_json(self._path, self._entries)


def _key(point: EntryPoint | PluginFile) -> str:
    value = "" if isinstance(point, PluginFile) else point.value
    return f"{point.dist.name if point.dist else ''}:{point.name}={value}"


def _state(point: EntryPoint | PluginFile) -> str:
    """Return a hash that changes when the plug-in's package or the core is edited or upgraded."""
    state = hashlib.sha256((point.dist.version if point.dist else "").encode())
    # The version of a plug-in file is already a hash of its content.
    own = [] if isinstance(point, PluginFile) else [point.module.partition(".")[0]]
    for package in (*own, "ncbench"):
        for file in source_files(package):
            about = file.lstat()  # an editor's lock file may be a dangling link
            state.update(f"{file} {about.st_mtime_ns} {about.st_size}\n".encode())
    return state.hexdigest()


def source_files(package: str) -> Iterator[Path]:
    """Yield the Python files of a top-level package or module, without importing it."""
    # The spec of a top-level package is found without importing it.
    spec = None
    with contextlib.suppress(ValueError):  # __main__ has no spec
        spec = find_spec(package)
    if spec is None:
        return
    if spec.submodule_search_locations:
        for folder in spec.submodule_search_locations:
            yield from sorted(Path(folder).rglob("*.py"))
    elif spec.origin:
        yield Path(spec.origin)
