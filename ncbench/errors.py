"""Errors written for the person who reads them.

The command line prints the message of an :class:`NcbenchError` without a traceback and exits
with code 2; any other exception is a bug in a plug-in or in ncbench and keeps its traceback.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class NcbenchError(ValueError):
    """Something the user can put right: the message says what, where, and what would work."""


class UnknownName(NcbenchError):
    """A name that no plug-in has registered."""

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str]) -> UnknownName:
        """Build the message, with the nearest known names first.

        Examples
        --------
        >>> print(UnknownName.among("measure", "h_maen", ["h_mean", "zero_one"]))
        measure 'h_maen' is not known; did you mean 'h_mean'? Known: h_mean, zero_one
        """
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3)
        hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        return cls(f"{kind} {name!r} is not known; {hint}Known: {', '.join(names) or 'none'}")

    def add(self, hint: str) -> None:
        """Append a sentence to the message."""
        self.args = (f"{self}; {hint}",)


class NotApplicable(NcbenchError):
    """An algorithm and a measure that do not fit: refused alone, skipped in a sweep."""
