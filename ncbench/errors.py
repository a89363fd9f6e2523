"""Errors that the user can fix.

The command line prints the message of an :class:`NcbenchError` without a traceback and exits with
code 2. Any other exception is a bug in a plug-in or in ncbench and keeps its traceback.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable
from typing import Any


class NcbenchError(ValueError):
    """An error the user can fix: the message says what is wrong, where, and what would work."""


def require(holds: bool, key: str, value: Any, expected: str) -> None:
    """Raise NcbenchError unless a parameter has a valid value.

    Parameters
    ----------
    holds : bool
        Whether the value is valid.
    key : str
        The name the user knows, such as ``cpe.folds``.
    value : object
    expected : str
        A description of valid values.

    Examples
    --------
    >>> require(False, "cpe.folds", 1, "at least 2")
    Traceback (most recent call last):
    ncbench.errors.NcbenchError: cpe.folds=1; expected at least 2
    """
    if not holds:
        raise NcbenchError(f"{key}={value}; expected {expected}")


def counted(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "cell"), counted(2, "cell"), counted(0, "cell was", "cells were")
    ('1 cell', '2 cells', '0 cells were')
    """
    return f"{number} {one if number == 1 else several or one + 's'}"


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Return one line of text with its control characters, and bytes that are no UTF-8, escaped.

    Text from files of others could otherwise move a terminal's cursor or break a table.

    Examples
    --------
    >>> print(printable("a\x1b[2Jb\udcff"))
    a\x1b[2Jb\udcff
    """
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def printable_lines(text: str) -> str:
    r"""Return text of several lines, each as by :func:`printable`.

    Examples
    --------
    >>> print(printable_lines("a\x1b[2J\nb"))
    a\x1b[2J
    b
    """
    return "\n".join(map(printable, text.split("\n")))


def did_you_mean(name: str, known: Iterable[str], most: int = 1) -> str:
    """Return a question that suggests the closest known names, or nothing if none is close.

    Examples
    --------
    >>> did_you_mean("h_maen", ["h_mean", "zero_one"])
    "did you mean 'h_mean'? "
    >>> did_you_mean("w3", ["W3", "x3"])
    "did you mean 'W3'? "
    """
    names = list(known)
    same = [other for other in names if other.casefold() == name.casefold()]
    close = same[:most] or difflib.get_close_matches(name, names, n=most)
    return f"did you mean {' or '.join(map(repr, close))}? " if close else ""


class UnknownName(NcbenchError):
    """A name that no plug-in has registered."""

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str]) -> UnknownName:
        """Build the error, suggesting the closest known names.

        Examples
        --------
        >>> print(UnknownName.among("measure", "h_maen", ["h_mean", "zero_one"]))
        measure 'h_maen' is not known; did you mean 'h_mean'? Known: h_mean, zero_one
        """
        names = sorted(known)
        hint = did_you_mean(name, names, most=3)
        join = f"; {hint}" if hint else ". "
        return cls(f"{kind} {name!r} is not known{join}Known: {', '.join(names) or 'none'}")

    def add(self, hint: str) -> None:
        """Append a hint to the message."""
        self.args = (f"{self}; {hint}",)


class NotApplicable(NcbenchError):
    """Two parts of a configuration do not fit: fails a single run, skips a cell of a sweep."""


already_said: set[str] = set()
"""What :func:`say_once` has printed."""


def say(text: str) -> None:
    """Print a line on standard error."""
    print(printable_lines(text), file=sys.stderr, flush=True)


def say_once(text: str) -> None:
    """Print a line on standard error, once per command: cells in other processes know of it."""
    if text not in already_said:
        already_said.add(text)
        say(text)


def notice(text: str) -> None:
    """Print a notice on standard error."""
    say(f"ncbench: {text}")


def notice_once(text: str) -> None:
    """Print a notice on standard error, once per command."""
    say_once(f"ncbench: {text}")
