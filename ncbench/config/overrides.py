"""Quote overrides that Hydra's grammar cannot parse, such as ``path=größe.csv``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ncbench.config.hydra_session import FUNCTIONS, is_override
from ncbench.errors import NcbenchError

_MORE_THAN_TEXT = re.compile(rf"""[\[\]{{}},'"$]|^[=\s]|^({"|".join(FUNCTIONS)})\(""")
"""Text that may be meant as a list, a sweep, quotes, an interpolation or a function."""


def readable(overrides: Sequence[str]) -> list[str]:
    """Return overrides that Hydra can parse, or raise NcbenchError.

    A value that Hydra cannot parse is quoted if it can only be plain text. Everything else stays
    unchanged.

    Examples
    --------
    >>> readable(["sigma=0.1,0.2", "dataset.path=a(1).csv", "dataset.target=größe"])
    ['sigma=0.1,0.2', "dataset.path='a(1).csv'", "dataset.target='größe'"]
    >>> readable(["dataset.path=größe.csv,a.csv"])
    Traceback (most recent call last):
    ...
    ncbench.errors.NcbenchError: dataset.path=größe.csv,a.csv: this value needs quotes. One value: "dataset.path='größe.csv,a.csv'"; several: "dataset.path='größe.csv','a.csv'"
    """  # noqa: E501
    return [text if is_override(text) else _with_quotes(text) for text in overrides]


def quoted(text: str) -> str:
    r"""Return any text as one quoted value of an override.

    Examples
    --------
    >>> print(quoted("it's"))
    'it\'s'
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _with_quotes(text: str) -> str:
    key, equals, value = text.partition("=")
    if not equals or not value or not is_override(f"{key}=x"):
        raise NcbenchError(f"{text}: expected KEY=VALUE; see --help")
    whole = f"{key}={quoted(value)}"
    if not _MORE_THAN_TEXT.search(value) and is_override(whole):
        return whole
    if value.endswith(",") and is_override(f"{key}={value.rstrip(',')}"):
        raise NcbenchError(
            f"{text}: ends with a comma; write several values without spaces, {text}OTHER"
        )
    message = f'{text}: this value needs quotes. One value: "{whole}"'
    if "," in value and not _MORE_THAN_TEXT.search(value.replace(",", "")):
        message += f'; several: "{key}={",".join(map(quoted, value.split(",")))}"'
    raise NcbenchError(message)
