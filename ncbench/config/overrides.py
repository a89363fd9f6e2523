"""Overrides of a command line that Hydra's grammar has no words for, such as ``path=größe.csv``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hydra.core.override_parser.overrides_parser import OverridesParser, create_functions
from hydra.errors import HydraException

from ncbench.errors import NcbenchError

_FUNCTIONS = "|".join(create_functions().functions)
_MORE_THAN_TEXT = re.compile(rf"""[\[\]{{}},'"$]|^[=\s]|^({_FUNCTIONS})\(""")
"""What may be meant as a list, a sweep, quotes, an interpolation or a function."""


def readable(overrides: Sequence[str]) -> list[str]:
    """Return overrides that Hydra can read, or raise NcbenchError.

    Text that Hydra refuses and that can mean nothing else is quoted; whatever it accepts stays
    as it is.

    Examples
    --------
    >>> readable(["sigma=0.1,0.2", "dataset.path=a(1).csv", "dataset.target=größe"])
    ['sigma=0.1,0.2', "dataset.path='a(1).csv'", "dataset.target='größe'"]
    >>> readable(["dataset.path=größe.csv,a.csv"])
    Traceback (most recent call last):
    ...
    ncbench.errors.NcbenchError: dataset.path=größe.csv,a.csv: cannot be read, for text with such characters needs quotes. One text: "dataset.path='größe.csv,a.csv'"; several: "dataset.path='größe.csv','a.csv'"
    """  # noqa: E501
    return [text if _parses(text) else _with_quotes(text) for text in overrides]


def quoted(text: str) -> str:
    r"""Return a text as one value of an override, whatever it holds.

    Examples
    --------
    >>> print(quoted("it's"))
    'it\'s'
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _with_quotes(text: str) -> str:
    key, equals, value = text.partition("=")
    if not equals or not value or not _parses(f"{key}=x"):
        raise NcbenchError(f"{text}: expected KEY=VALUE, see --help")
    whole = f"{key}={quoted(value)}"
    if not _MORE_THAN_TEXT.search(value) and _parses(whole):
        return whole
    message = (
        f'{text}: cannot be read, for text with such characters needs quotes. One text: "{whole}"'
    )
    if "," in value and not _MORE_THAN_TEXT.search(value.replace(",", "")):
        message += f'; several: "{key}={",".join(map(quoted, value.split(",")))}"'
    raise NcbenchError(message)


def _parses(text: str) -> bool:
    try:
        OverridesParser.create().parse_override(text)
    except HydraException:
        return False
    return True
