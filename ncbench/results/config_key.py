"""The keys of configurations: flatten, compare and write them, and find the newest record."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, Generic, TypeVar

import pandas as pd

from ncbench.run import NOT_IDENTITY
from ncbench.types import Record

Kept = TypeVar("Kept")


def flat(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with one key per value, without the keys that do not identify a cell.

    Examples
    --------
    >>> flat({"algo": {"name": "fw", "max_iter": 9}, "sigma": 0.1, "output_dir": "outputs"})
    {'algo': 'fw', 'algo.max_iter': 9, 'sigma': 0.1}
    """
    keys: dict[str, Any] = {}
    for key, value in config.items():
        if key in NOT_IDENTITY:
            continue
        if isinstance(value, Mapping):
            keys[key] = value["name"]
            keys.update({f"{key}.{k}": v for k, v in value.items() if k != "name"})
        else:
            keys[key] = value
    return keys


def digest(keys: Mapping[str, Any]) -> bytes:
    """Return a hash of keys and values; 1.0 and 1 are the same value.

    Examples
    --------
    >>> digest({"seed": 0, "sigma": 1.0}) == digest({"sigma": 1, "seed": 0})
    True
    """
    numbers = {key: _number(value) for key, value in keys.items()}
    return blake2b(comparable(numbers).encode(), digest_size=16).digest()


def written(time: Any) -> tuple[float, str]:
    """Return a sort key for the time in a record's provenance.

    Times have the offset of a time zone, so they cannot be compared as text. A text that is not a
    time counts as older than all times.

    Examples
    --------
    >>> written("2026-10-25T02:10:00+0100") > written("2026-10-25T02:50:00+0200")
    True
    """
    try:
        return datetime.strptime(str(time), "%Y-%m-%dT%H:%M:%S%z").timestamp(), str(time)
    except ValueError:
        return -math.inf, str(time)


class Newest(Generic[Kept]):
    """A value for each configuration and data, made from the newest record.

    Other records with the same configuration and data differ in the versions of their plug-ins or
    in their folder. A table could not tell them apart.

    Attributes
    ----------
    left_out : int
        The number of records left out because another one of their configuration is newer.
    """

    def __init__(self) -> None:
        self.left_out = 0
        self._kept: dict[tuple[bytes, str], tuple[tuple[float, str], Kept]] = {}

    def add(
        self, record: Record, keys: Mapping[str, Any], make: Callable[[], Kept], data: str = ""
    ) -> None:
        """Keep the value that ``make`` returns, unless a newer record was added before.

        Parameters
        ----------
        record : mapping
        keys : mapping
            The configuration of the record, as ``flat`` returns it.
        make : callable
            Called only if the record is the newest so far.
        data : str
            The fingerprint of the record's data, where records of other data are kept, too.
        """
        time = written(record.get("provenance", {}).get("time", ""))
        which = digest(keys), data
        if self._is_newest(which, time):
            self._kept[which] = time, make()

    def _is_newest(self, which: tuple[bytes, str], time: tuple[float, str]) -> bool:
        known = self._kept.get(which)
        self.left_out += known is not None
        return known is None or time >= known[0]

    def settled(self, data: Callable[[Kept], str]) -> Newest[Kept]:
        """Return the newest of each configuration, with other fingerprints of their data."""
        settled: Newest[Kept] = Newest()
        settled.left_out = self.left_out
        for (config, _), (time, kept) in self._kept.items():
            which = config, data(kept)
            if settled._is_newest(which, time):
                settled._kept[which] = time, kept
        return settled

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Kept]:
        return (kept for _, kept in self._kept.values())

    def with_times(self) -> Iterator[tuple[tuple[float, str], Kept]]:
        """Return each kept value with the time of its record."""
        return iter(self._kept.values())


def varies(frame: pd.DataFrame, key: str) -> bool:
    """Whether a key has several values; for a plug-in's parameter, within one plug-in."""
    values = _hashable(frame[key])
    group, _, parameter = key.partition(".")
    if values.nunique(dropna=False) <= 1:
        return False
    if parameter:
        return bool((values.groupby(frame[group]).nunique(dropna=False) > 1).any())
    return True


def of_a_method(key: str) -> bool:
    """Whether a key is a parameter of an algorithm, a CPE learner or a T estimator."""
    kind, dot, _ = key.partition(".")
    return bool(dot) and kind in ("algo", "cpe", "t_estimator")


def matches(value: Any, texts: Sequence[str]) -> bool:
    """Whether a value equals one of the texts from a command line."""
    return any(same_text(text, as_text(value)) for text in texts)


def same_text(text: str, known: str) -> bool:
    """Whether two texts have the same value, such as 1.0 and 1.

    Examples
    --------
    >>> same_text("1.0", "1"), same_text("fw", "ncfw")
    (True, False)
    """
    if text == known:
        return True
    try:
        return math.isclose(float(text), float(known), rel_tol=1e-12)
    except ValueError:
        return False


def as_text(value: Any) -> str:
    """Return the value of a key as text for a command line.

    Different numbers have different texts, because tables and pairs look up cells by their text.

    Examples
    --------
    >>> as_text(0.3), as_text(2.0), as_text(0.1 + 0.2), as_text([1, None])
    ('0.3', '2', '0.30000000000000004', '[1, null]')
    """
    value = getattr(value, "item", lambda: value)()  # the number in a numpy scalar
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        short = f"{value:.15g}"
        return short if float(short) == value else repr(value)
    return comparable(value)


def comparable(value: Any) -> str:
    """Return a text that is the same for equal values."""
    return json.dumps(value, sort_keys=True, default=str)


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _hashable(column: pd.Series) -> pd.Series:
    try:
        column.nunique()
    except TypeError:  # lists
        return column.map(comparable)
    return column
