"""The keys of cells: write and compare them, find the newest record, and tell data apart."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
import pandas as pd

from ncbench.errors import NcbenchError, counted
from ncbench.plugin import get_registry
from ncbench.run import Record

Kept = TypeVar("Kept")

Which = tuple[tuple[str, str], ...]
"""A data set plug-in and its parameters that say which data it reads."""


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

    def add(self, record: Record, make: Callable[[], Kept], data: str = "") -> None:
        """Keep the value that ``make`` returns, unless a newer record was added before.

        Parameters
        ----------
        record : Record
        make : callable
            Called only if the record is the newest so far.
        data : str
            The fingerprint of the record's data, where records of other data are kept, too.
        """
        which = record.cell, data
        if self._is_newest(which, record.written):
            self._kept[which] = record.written, make()

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


def mixed(cells: Sequence[tuple[tuple[float, str], Mapping[str, str]]]) -> str:
    """Return a sentence about cells that were made with other versions or code than the newest.

    Parameters
    ----------
    cells : sequence of (tuple, mapping)
        For each cell the time of its record, and what it was made with: the version of each
        distribution or file, and the code of each plug-in.

    Examples
    --------
    >>> made_with = [((1.0, ""), "c957"), ((2.0, ""), "a012"), ((3.0, ""), "a012")]
    >>> cells = [(time, {"rule.py": version}) for time, version in made_with]
    >>> mixed(cells)
    '1 of 3 cells has another version or code than the newest of rule.py; run it again.'
    >>> mixed(cells[1:])
    ''
    """
    newest: dict[str, tuple[tuple[float, str], str]] = {}
    for time, made in cells:
        for what, version in made.items():
            newest[what] = max(newest.get(what, (time, version)), (time, version))
    others = [[what for what in made if made[what] != newest[what][1]] for _, made in cells]
    number = sum(map(bool, others))
    if not number:
        return ""
    has, them = ("has", "it") if number == 1 else ("have", "them")
    return (
        f"{number} of {len(cells)} cells {has} another version or code than the newest of "
        f"{', '.join(sorted({what for each in others for what in each}))}; run {them} again."
    )


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
    return json.dumps(value, sort_keys=True)


def texts_of(frame: pd.DataFrame, keys: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the values of keys as text, row by row."""
    if not keys:
        return [()] * len(frame)
    return list(zip(*(frame[key].map(as_text) for key in keys), strict=True))


def comparable(value: Any) -> str:
    """Return a text that is the same for equal values."""
    return msgspec.json.encode(value, order="sorted").decode()


def _hashable(column: pd.Series) -> pd.Series:
    try:
        column.nunique()
    except TypeError:  # lists
        return column.map(comparable)
    return column


# Name the data sets of records: a file is a data set, whatever plug-in reads it.

UNKNOWN = "unknown"
"""Stands for the fingerprint of data that a record does not tell."""

_LIKE_A_TAG = re.compile(rf" \[([0-9a-f]{{6,}}|{UNKNOWN})\]$")
"""The end of a file's name that could be mistaken for other data of another file."""


class Origin(NamedTuple):
    """Where the data of a cell comes from, and its fingerprint.

    Attributes
    ----------
    name : str
        The data set plug-in.
    settings : str
        The plug-in with its parameters, as text.
    seed : int
    fingerprint : str
        Empty if it is not known: the cell is not done, or its record is older than the field.
    """

    name: str
    settings: str
    seed: Any
    fingerprint: str

    @classmethod
    def of(cls, record: Record) -> Origin:
        """Return the origin of a record's data."""
        keys = record.keys
        settings = comparable({key: keys[key] for key in keys if key.startswith("dataset")})
        return cls(str(keys["dataset"]), settings, keys.get("seed"), record.dataset.fingerprint)


class Fingerprints:
    """The different data that come from the same place, such as a file that was edited.

    A data set that draws its examples is other data for another seed, and known to be.

    Parameters
    ----------
    origins : iterable of Origin
    """

    def __init__(self, origins: Iterable[Origin]) -> None:
        self._found: dict[tuple[str, Any], set[str]] = defaultdict(set)
        met: dict[str, set[Origin]] = defaultdict(set)
        for origin in origins:
            met[origin.settings].add(origin)
        self._drawn = {
            settings
            for settings, each in met.items()
            if len({o.fingerprint for o in each} - {""}) > 1
            and takes("dataset", next(iter(each)).name, "rng", unknown=True)
        }
        for origin in {origin for each in met.values() for origin in each if origin.fingerprint}:
            self._found[self._place(origin)].add(origin.fingerprint)

    def _place(self, origin: Origin) -> tuple[str, Any]:
        return origin.settings, origin.seed if origin.settings in self._drawn else None

    def fingerprint(self, origin: Origin) -> str:
        """Return the fingerprint of a cell's data; if it is not known, the only one it can be."""
        found = self._found.get(self._place(origin), set())
        return origin.fingerprint or (min(found) if len(found) == 1 else "")

    def tag(self, origin: Origin) -> str:
        """Return what follows the name of a data set, to tell it from others of the name.

        Examples
        --------
        >>> old, new = (Origin("file", "file a.csv", 0, letter * 64) for letter in "ab")
        >>> Fingerprints([old, new]).tag(new), Fingerprints([new]).tag(new)
        (' [bbbbbb]', '')
        """
        found = self._found.get(self._place(origin), set())
        if len(found) < 2:
            return ""
        digits = 6
        while len({each[:digits] for each in found}) < len(found):
            digits += 1
        return f" [{origin.fingerprint[:digits] or UNKNOWN}]"


def takes(kind: str, name: str, argument: str, *, unknown: bool) -> bool:
    """Whether a plug-in takes an argument; ``unknown`` if it is not installed here."""
    try:
        return get_registry().takes(kind, name, argument)
    except NcbenchError:
        return unknown


def is_tagged(text: str, name: str, fingerprint: str) -> bool:
    """Whether a text is a name followed by the first digits of a fingerprint.

    Examples
    --------
    >>> is_tagged("mine [a1b2c3]", "mine", "a1b2c3d4"), is_tagged("mine", "mine", "a1b2c3d4")
    (True, False)
    """
    start, _, digits = text.removesuffix("]").rpartition(" [")
    return start == name and len(digits) >= 6 and (fingerprint or UNKNOWN).startswith(digits)


def told_apart(cells: Iterable[tuple[str, str, bool]]) -> list[str]:
    """Return a sentence for each name that several data sets have, or that records leave open.

    Parameters
    ----------
    cells : iterable of (str, str, bool)
        For each cell the name of its data set, what tells it from others of the name, and whether
        the cell is done but does not say which data it had.

    Examples
    --------
    >>> (line,) = told_apart([("mine", " [a1b2c3]", False), ("mine", " [d4e5f6]", False)])
    >>> line.partition(". ")[0]
    'different data have the name mine: mine [a1b2c3] (1 cell), mine [d4e5f6] (1 cell)'
    """
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    silent: Counter[str] = Counter()
    for name, tag, says_nothing in cells:
        tags[name][tag] += 1
        silent[name] += says_nothing
    lines = []
    for name, tagged in tags.items():
        apart = [f"{name}{tag} ({counted(tagged[tag], 'cell')})" for tag in sorted(tagged) if tag]
        if apart:
            lines.append(
                f"different data have the name {name}: {', '.join(apart)}. Cells of one are not "
                "compared with cells of the other. To compare them, run all on the same data"
            )
        elif silent[name]:
            cells_that = counted(silent[name], "cell does", "cells do")
            lines.append(
                f"{cells_that} not say which data of the name {name} was used: taken to be the "
                "data of the others"
            )
    return lines


def distinct_names(found: Iterable[tuple[Which, str]]) -> dict[Which, str]:
    """Return a name for each data set; those of the same name get the parameters that differ.

    Examples
    --------
    >>> a, b, c = ((("dataset", "file"), ("dataset.path", p)) for p in ("a/x.csv", "b/x.csv", "y"))
    >>> list(distinct_names([(a, "x"), (b, "x"), (c, "y")]).values())
    ['x (dataset.path=a/x.csv)', 'x (dataset.path=b/x.csv)', 'y']
    """
    named = dict(found)
    distinct = {}
    for data, name in named.items():
        alike = [dict(other) for other in named if named[other] == name]
        differ = [
            f"{key}={text}"
            for key, text in data
            if len({other.get(key) for other in alike}) > 1 or _LIKE_A_TAG.search(name)
        ]
        distinct[data] = f"{name} ({', '.join(differ)})" if differ else name
    return distinct
