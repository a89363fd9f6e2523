"""A plug-in's signature as its configuration: names, types, defaults.

Descriptions are plain data, so they can be cached without importing the plug-in again.
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, Union

from ncbench.errors import NcbenchError

TYPES: dict[str, Any] = {
    "bool": bool,
    "int": int,
    "float": float,
    "str": str,
    "int | str": int | str,
    "list[int]": list[int],
    "list[float]": list[float],
    "list[str]": list[str],
    "list[list[float]]": list[list[float]],
    "dict[str, Any]": dict[str, Any],
}
"""The allowed types of plug-in parameters, each also as ``X | None``."""

_NAMES = {annotation: name for name, annotation in TYPES.items()}


@dataclass(frozen=True)
class Parameter:
    """One configuration key of a plug-in.

    Parameters
    ----------
    name : str
    type : str
        A key of ``TYPES``.
    optional : bool
        Whether None is allowed.
    required : bool
        Whether the parameter has no default.
    default : object
    choices : tuple of str
        The allowed values of a ``Literal`` type; empty otherwise.
    """

    name: str
    type: str
    optional: bool = False
    required: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()

    def __str__(self) -> str:
        kind = "|".join(self.choices) or self.type
        kind += " | None" if self.optional else ""
        return f"{self.name}: {kind}" + ("" if self.required else f" = {self.default}")


def as_list(value: Any, annotation: Any) -> Any:
    """Convert integers to floats in a (nested) list where the annotation expects floats.

    Raises ValueError for the first entry of another type.

    Examples
    --------
    >>> as_list([[0, 1], [5, 0.5]], list[list[float]])
    [[0.0, 1.0], [5.0, 0.5]]
    >>> as_list([0.5], list[int])
    Traceback (most recent call last):
    ...
    ValueError: 0.5 is not int
    """
    if typing.get_origin(annotation) is list:
        if not isinstance(value, list):
            raise ValueError(f"{value!r} is not a list")
        return [as_list(item, typing.get_args(annotation)[0]) for item in value]
    if annotation is float and type(value) is int:
        return float(value)
    allowed = typing.get_args(annotation) or (annotation,)
    if type(value) not in allowed:
        raise ValueError(f"{value!r} is not {' or '.join(kind.__name__ for kind in allowed)}")
    return value


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
        where = f"parameter {name!r} of {target.__module__}.{target.__qualname__}"
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


def _describe(parameter: inspect.Parameter, hint: Any, where: str) -> Parameter:
    optional = False
    if typing.get_origin(hint) in (Union, types.UnionType):
        alternatives = [a for a in typing.get_args(hint) if a is not type(None)]
        optional = len(alternatives) < len(typing.get_args(hint))
        hint = functools.reduce(operator.or_, alternatives)
    choices: tuple[str, ...] = ()
    if typing.get_origin(hint) is Literal:
        choices, hint = typing.get_args(hint), str
    if hint not in _NAMES or not all(isinstance(choice, str) for choice in choices):
        raise NcbenchError(
            f"{where} has type {hint}; known: {', '.join(TYPES)}, Literal of strings, "
            "each also with | None"
        )
    required = parameter.default is parameter.empty
    if not required and not _fits(parameter.default, hint, optional):
        raise NcbenchError(
            f"{where} has default {parameter.default!r}, which is not {_NAMES[hint]}"
            + ("" if optional else "; to allow None, add | None to the type")
        )
    return Parameter(
        name=parameter.name,
        type=_NAMES[hint],
        optional=optional,
        required=required,
        default=None if required else parameter.default,
        choices=choices,
    )
