"""Read JSON as types, by msgspec, and say in words which entry is not as expected."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from ncbench.errors import printable
from ncbench.files import from_json, verified

LARGEST = 1e100
"""The largest number that can be measured: sums of squares of larger ones may not be finite."""

_CONTROL = r"\x00-\x1f\x7f-\x9f\ud800-\udfff"
Name = Annotated[str, Meta(pattern=rf"\A[^{_CONTROL}]*\Z")]
"""Text without control characters."""
Count = Annotated[int, Meta(ge=0)]
Size = Annotated[int, Meta(ge=1)]
Number = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Time = Annotated[float, Meta(ge=0, le=LARGEST)]
Share = Annotated[float, Meta(ge=0, le=1)]
Matrix = Annotated[list[Annotated[list[Number], Meta(min_length=2)]], Meta(min_length=2)]

Kind = TypeVar("Kind")


def converted(data: Any, kind: type[Kind], where: str) -> Kind:
    """Return plain data as a type; raise ValueError, with the field, if it is not of that type."""
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise ValueError(f".{where}{_in_words(error, data)}") from error


def parse(
    content: bytes, kind: type[Kind], where: str, within: str = "", schema: int | None = None
) -> Kind:
    """Return the JSON of a file as a type; raise ValueError, with its origin and the field.

    Parameters
    ----------
    content : bytes
    kind : type
    where : str
        Where the content comes from, for the message.
    within : str
        What the content is called in the message.
    schema : int, optional
        What the key "schema" must be. If it is not, nothing else is worth saying.

    Examples
    --------
    >>> parse(b'{"loss": 0.1, "T": "none"}', dict[str, float], "a.json")
    Traceback (most recent call last):
    ValueError: a.json: T: 'none'; expected a finite number
    """
    verified(content, where)
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.ValidationError as error:
        data = from_json(content, where)
        found = data.get("schema") if isinstance(data, dict) else None
        if schema is not None and (found != schema or isinstance(found, bool)):
            said = f"not a record of schema {schema} (found {_short(found)})"
        else:
            said = f"{within}{_in_words(error, data)}".removeprefix(".")
        raise ValueError(f"{where}: {said}") from error
    except RecursionError as error:
        raise ValueError(f"{where}: nested too deeply") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if found := _not_finite(from_json(content, where)):  # Python would read it
            raise ValueError(f"{where}: {within}{found}; expected a finite number") from error
        raise ValueError(f"{where}: not JSON ({error})") from error


def _not_finite(data: Any, where: str = "") -> str:
    """Return the first entry that is NaN or infinite, and what it is."""
    if isinstance(data, float) and not math.isfinite(data):
        return f"{where.removeprefix('.')}: {data}"
    items: Iterable[tuple[str, Any]] = ()
    if isinstance(data, dict):
        items = ((f"{where}.{key}", value) for key, value in data.items())
    elif isinstance(data, list):
        items = ((f"{where}[{place}]", value) for place, value in enumerate(data))
    return next(filter(None, (_not_finite(value, within) for within, value in items)), "")


_WORDS = {
    **{"str": "text", "float": "a finite number", "int": "a whole number", "bool": "true or false"},
    **{"object": "a mapping", "array": "a list"},
}


def _in_words(error: msgspec.ValidationError, data: Any) -> str:
    """Return what msgspec says: the entry with a dot in front, what it is, and what is expected."""
    said, _, place = str(error).partition(" - at ")
    of_key, _, path = place.removesuffix("`").partition("`$")
    if said.startswith("."):  # of a __post_init__ above
        return f"{path}{said}"
    if missing := re.fullmatch("Object missing required field `(.+)`", said):
        return f"{path}.{missing[1]} is missing"
    for name, place in re.findall(r"\.(\w+)|\[(\d+|\.\.\.)\]", path):
        if place == "...":  # msgspec does not say which entry of a mapping it is
            name = next((key for key in data if _is_meant(data[key], said)), "...")
            path = path.replace("[...]", f".{printable(name)}", 1)
            if name not in data:
                break
        data = data[int(place) if place.isdecimal() else name]
    expected = re.sub(r", got .*", "", said.removeprefix("Expected "))
    expected = re.sub(r"`(.*?)`", lambda kind: _words(kind[1]), expected)
    expected = re.sub(r"matching regex .*\((.*)\).*", r"that is \1", expected).replace("|", " or ")
    expected = re.sub(r"matching regex .*", "without control characters", expected)
    expected = expected.replace("Number out of range", f"a number up to {LARGEST:g}")
    expected = expected.replace("of length >= ", "of at least ").replace(" <= ", ", at most ")
    expected = re.sub(r" >= (.+)", lambda least: f", {float(least[1]):g} or more", expected)
    if of_key:
        return f"{path}: expected keys that are {expected}"
    return f"{path}: {_short(data)}; expected {expected}"


def _is_meant(value: Any, said: str) -> bool:
    """Whether a value is one that msgspec says something about."""
    if got := re.search(r"got `(\w+)`", said):
        return isinstance(value, _PYTHON[got[1]])
    if "regex" in said:
        return isinstance(value, str) and printable(value) != value
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and (abs(value) > LARGEST or (">= 0" in said and value < 0))


_PYTHON: dict[str, Any] = {"str": str, "float": float, "int": int, "bool": bool, "object": dict}
_PYTHON |= {"array": list, "null": type(None)}


def _words(kind: str) -> str:
    return " or ".join(_WORDS.get(each, each) for each in kind.split(" | "))


def _short(value: Any) -> str:
    text = printable(repr(value)) if not isinstance(value, list | dict) else ""
    kind = f"{type(value).__name__} of length {len(value)}" if not text and value else text
    return (kind or repr(value))[:60]


def require(holds: bool, where: str, expected: str, found: Any = msgspec.UNSET) -> None:
    """Raise ValueError, with the entry in front, unless it is as expected."""
    if not holds:
        shown = "" if found is msgspec.UNSET else f"{_short(found)}; "
        raise ValueError(f".{where}: {shown}expected {expected}")
