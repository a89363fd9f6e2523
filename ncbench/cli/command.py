"""A command is a typed function: its signature and docstring are its command line.

Keyword-only parameters are options, others are positional arguments; those without a default must
be given. A parameter whose type is a dataclass stands for the fields of that class: a group of
options that several commands have. The section ``Parameters`` of a docstring has the help, and, in
place of a type, what stands for a value; in square brackets, if a list of values may be empty.
"""

from __future__ import annotations

import argparse
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass
from importlib import import_module
from typing import Annotated, Any, Literal, NoReturn, TypeVar

from ncbench.errors import NcbenchError, did_you_mean

Command = Callable[..., "int | None"]
"""It returns the exit code, or None for 0."""

_MODULES = ("own_labels", "plugins", "records")


def commands() -> dict[str, Command]:
    """Return the commands by name: every public function of three modules."""
    found = {
        name.replace("_", "-"): function
        for module in (import_module(f"ncbench.cli.{name}") for name in _MODULES)
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }
    return dict(sorted(found.items()))


def run(name: str, command: Command, argv: Sequence[str]) -> int:
    """Run a command with the arguments of a command line; return the exit code."""
    return _call(command, vars(parser_of(name, command).parse_args(argv))) or 0


@dataclass(frozen=True)
class Option:
    """What the type of an option does not say; use it as ``Annotated[int, Option(...)]``.

    Parameters
    ----------
    read : callable, optional
        Parses its text.
    metavar, help : str, optional
        For all commands whose docstrings do not say otherwise.
    """

    read: Callable[[str], Any] | None = None
    metavar: str | None = None
    help: str = ""


_Target = TypeVar("_Target", bound=Callable[..., Any])
_Choice = tuple[tuple[str, ...], bool]
_CHOICES: dict[Callable[..., Any], _Choice] = {}


def one_of(*names: str, required: bool = True) -> Callable[[_Target], _Target]:
    """Let a command or group take only one of some options; it must be given if ``required``."""

    def note(target: _Target) -> _Target:
        _CHOICES[target] = names, required
        return target

    return note


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, as all errors are."""

    def error(self, message: str) -> NoReturn:
        """Raise NcbenchError with what is wrong."""
        said, hint = re.sub(r"^argument (\S+): ", r"\1 ", message), ""
        if unknown := re.match(r"unrecognized arguments: (--[^\s=]+)", message):
            said = f"option {unknown[1]} is not known"
            hint = did_you_mean(unknown[1], self._option_string_actions)
        raise NcbenchError(f"{said}; {hint}see `{self.prog} --help`")


def parser_of(name: str, command: Command) -> Parser:
    """Return the parser of a command.

    Examples
    --------
    >>> def pick(file: str, *, most: int = 3) -> None:
    ...     '''Pick rows.
    ...
    ...     Parameters
    ...     ----------
    ...     file : FILE
    ...         a table
    ...     most : N
    ...         rows to pick
    ...     '''
    >>> print(parser_of("pick", pick).format_help().split("options:")[0])
    usage: ncbench pick [-h] [--most N] FILE
    <BLANKLINE>
    Pick rows.
    <BLANKLINE>
    positional arguments:
      FILE        a table
    <BLANKLINE>
    <BLANKLINE>
    """
    parser = Parser(
        prog=f"ncbench {name}",
        description=_documented(command)[0],
        epilog="--plugins-from FILE loads plug-ins from a file first; it may be repeated.",
    )
    places: dict[_Choice | None, argparse._ActionsContainer] = {None: parser}
    for flag, settings, choice in _arguments(command):
        if choice and choice not in places:
            places[choice] = parser.add_mutually_exclusive_group(required=choice[1])
        places[choice].add_argument(flag, **settings)
    return parser


def usage(name: str, command: Command) -> tuple[str, str]:
    """Return a command with the arguments that it needs, and what it does."""
    words = [name]
    forms = {None: "{}", "?": "[{}]", "+": "{}...", "*": ""}
    for flag, settings, _ in _arguments(command):
        if not flag.startswith("-"):
            words.append(forms[settings.get("nargs")].format(settings["metavar"]))
    summary = _documented(command)[0].partition("\n")[0].rstrip(".")
    return " ".join(words), summary[:1].lower() + summary[1:]


def options(command: Command) -> list[str]:
    """Return the options of a command."""
    return ["--help", *(flag for flag, *_ in _arguments(command) if flag.startswith("-"))]


def _arguments(target: Callable[..., Any]) -> Iterator[tuple[str, dict[str, Any], _Choice | None]]:
    """Yield the parameters of a command, or fields of a group, for ``add_argument``."""
    hints = typing.get_type_hints(target, include_extras=True)
    texts, choice = _documented(target)[1], _CHOICES.get(target)
    for name, parameter in inspect.signature(target).parameters.items():
        kind, option = hints[name], Option()
        if is_dataclass(kind):
            yield from _arguments(hints[name])
            continue
        if typing.get_origin(kind) is Annotated:
            kind, option = typing.get_args(kind)
        if typing.get_origin(kind) in (typing.Union, types.UnionType):
            kind = next(one for one in typing.get_args(kind) if one is not type(None))
        metavar, text = texts.get(name, ("", ""))
        option = Option(option.read, metavar or option.metavar, text or option.help)
        positional = parameter.kind is not parameter.KEYWORD_ONLY
        settings = _settings(kind, option, parameter.default, positional)
        if positional:
            yield name, settings, None
            continue
        # What is not given is not passed on: the default is that of the function.
        required = parameter.default is parameter.empty
        settings |= {"default": argparse.SUPPRESS, "required": required, "dest": name}
        among = choice if choice and name in choice[0] else None
        yield f"--{name.replace('_', '-')}", settings, among


def _settings(kind: Any, option: Option, default: Any, positional: bool) -> dict[str, Any]:
    """Return what the type, the texts and the default of a parameter say."""
    settings: dict[str, Any] = {"help": option.help}
    if kind is bool:
        return {**settings, "action": "store_true"}
    given = default is not inspect.Parameter.empty
    if given and default not in (None, ()) and "default" not in option.help:
        shown = " ".join(default) if isinstance(default, tuple) else default
        settings["help"] = f"{option.help} (default: {shown})".lstrip()
    if given and positional:
        settings |= {"default": default, "nargs": "?"}
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is Sequence:
        kind, settings["action"] = inner[0], "store" if positional else "extend"
        if option.read is None:
            empty = "nargs" in settings or "[" in (option.metavar or "")
            settings["nargs"] = "*" if empty else "+"
    elif origin is tuple:
        kind, settings["nargs"] = inner[0], len(inner)
    if typing.get_origin(kind) is Literal:
        settings["choices"] = typing.get_args(kind)
        kind = type(settings["choices"][0])
    metavar = option.metavar and option.metavar.strip("[]")
    return {**settings, "type": option.read or kind, "metavar": metavar}


def _call(target: Callable[..., Any], given: dict[str, Any]) -> Any:
    """Call a command, or build a group, with what was given."""
    values = {name: given[name] for name in inspect.signature(target).parameters if name in given}
    for name, kind in typing.get_type_hints(target).items():
        if is_dataclass(kind):
            values[name] = _call(typing.cast(Any, kind), given)
    return target(**values)


_ENTRY = re.compile(r"^(\w+)(?: : (.+))?\n((?: +.*\n?)+)", re.MULTILINE)


def _documented(target: Callable[..., Any]) -> tuple[str, dict[str, tuple[str, str]]]:
    """Return what a docstring says before its parameters, and of each its metavar and help."""
    about, _, section = (inspect.getdoc(target) or "").partition("\nParameters\n----------\n")
    found = _ENTRY.findall(section)
    return about, {name: (metavar, " ".join(text.split())) for name, metavar, text in found}
