"""From records to a tidy frame: one row for each cell, with the numbers of its trials."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from ncbench.config import not_default
from ncbench.errors import NcbenchError, UnknownName
from ncbench.plugin import get_registry
from ncbench.results.config_key import Newest, comparable, flat, varies
from ncbench.results.statistics import mean_interval
from ncbench.results.trial_value import Value, known_values, no_such_value
from ncbench.results.versions import CellVersions, mixed_versions
from ncbench.types import Record

LEADING = ["measure", "dataset", "algo", "sigma"]
NUMBERS = ["n", "mean", "sem", "low", "high"]
_ABOUT = ["status", "reason", "id"]
# Not "trials": that is a key of the configuration.
_TRIALS = ["trial_numbers", "values", "test_train_ratio", "record"]
_NOT_KEYS = {*NUMBERS, *_ABOUT, *_TRIALS, "mark"}

ABSENT = "absent"
"""Status of a cell that is done but has no such value."""

Filter = Mapping[str, Sequence[str]]
"""For a key, the values to keep, as they are written on a command line."""


def tidy(
    records: Iterable[Mapping[str, Any]],
    value: Value | None = None,
    *,
    where: Filter | None = None,
    ddof: int = 1,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return one row a cell.

    Columns are measure, dataset, algo, sigma, then every other configuration key that is not
    the same in all records; n (trials), mean, sem (standard error), low and high (confidence
    interval of the mean, see :func:`mean_interval`), status, reason, id; and
    for each trial its number and value, with the ratio of test to training part; and record, the
    place of the record among those given. Where a cell is
    skipped, failed or has no such value its mean is missing: nothing is made up.

    Parameters
    ----------
    records : iterable
        Read one at a time; only the numbers asked for are kept. Of records with the same
        configuration, which differ in their data or in the versions of their plug-ins, the
        newest is kept: side by side in a table they would look alike.
    value : Value, optional
        The loss of the measure that was optimised, unless told otherwise.
    where : mapping, optional
        See :class:`FrameBuilder`.
    ddof : {1, 0}
        Of the standard error.
    level : float
        Of confidence.

    Examples
    --------
    >>> config = {"measure": {"name": "h_mean"}, "dataset": {"name": "iris"}, "sigma": 0.1}
    >>> trials = [{"losses": {"h_mean": 0.2}}, {"losses": {"h_mean": 0.4}}]
    >>> records = [
    ...     {"status": "done", "config": {**config, "algo": {"name": "ncfw"}}, "trials": trials},
    ...     {"status": "skipped", "reason": "why", "config": {**config, "algo": {"name": "ncbs"}}},
    ... ]
    >>> frame = tidy(records)
    >>> print(frame[[*LEADING, "n", "mean", "sem", "status"]].to_string(index=False))
    measure dataset algo  sigma  n  mean  sem  status
     h_mean    iris ncbs    0.1  0   NaN  NaN skipped
     h_mean    iris ncfw    0.1  2   0.3  0.1    done
    """
    builder = FrameBuilder(value, where)
    for record in records:
        builder.add(record)
    return builder.frame(ddof, level)


def keys_of(frame: pd.DataFrame) -> list[str]:
    """Return the columns that say which cell it is: measure, dataset, algo, sigma, swept keys."""
    return [column for column in frame.columns if column not in _NOT_KEYS]


def in_order(frame: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return a frame sorted by keys: numbers by size, whatever else by its text."""
    return frame.sort_values(list(keys), key=_sortable, kind="stable", ignore_index=True)


class _Row(NamedTuple):
    entries: dict[str, Any]
    plugins: Mapping[str, str]


class FrameBuilder:
    """Builds a tidy frame from records, keeping no more of each than a table needs.

    Parameters
    ----------
    value : Value, optional
        The loss of the measure that was optimised, unless told otherwise.
    where : mapping, optional
        Only cells whose key has one of these values; keys may be dotted, ``algo.max_iter``, and
        then leave alone the algorithms that have no such parameter.

    """

    def __init__(self, value: Value | None = None, where: Filter | None = None) -> None:
        self.value = value or Value()
        self.where = where or {}
        self._newest: Newest[_Row] = Newest()
        self._added = 0
        self._known_values: set[str] = set()
        self._keys: set[str] = set()
        self._met: dict[str, set[str]] = {}  # values of the keys of ``where``
        self._same: dict[Any, Any] = {}

    def add(self, record: Record) -> None:
        """Add a record's numbers, unless it is filtered out or older than one that is here.

        Raises ValueError, and adds nothing, if it lacks something that every record has.
        """
        self._added += 1
        try:
            self._add(record)
        except (KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
            what = f"{type(error).__name__}: {error}"
            raise ValueError(f"record {record.get('id', '')}: incomplete ({what})") from error

    def _add(self, record: Record) -> None:
        keys = flat(record["config"])
        row = {**keys, "status": record["status"]}
        for name in LEADING:
            _ = row[name]
        self._keys.update(row)
        for name in self.where:
            if name in row:
                self._met.setdefault(name, set()).add(as_text(row[name]))
        if not all(self._fits(row, name) for name in self.where):
            return
        self._newest.add(record, keys, lambda: self._row(record, row))

    def _row(self, record: Record, row: dict[str, Any]) -> _Row:
        row |= {"reason": record.get("reason", ""), "id": record.get("id", "")}
        row = {name: self._shared(entry) for name, entry in row.items()}
        row |= {"record": self._added - 1, **self._numbers(record)}
        return _Row(row, self._shared(record.get("plugins", {})))

    def _fits(self, row: Mapping[str, Any], key: str) -> bool:
        """Whether a cell has one of the values of a filter, or is none that it is about."""
        if key in row:
            return matches(row[key], self.where[key])
        kind, _, parameter = key.partition(".")
        return of_a_method(key) and kind in row and not _has(kind, row[kind], parameter)

    def __len__(self) -> int:
        return len(self._newest)

    @property
    def left_out(self) -> int:
        """How many records were older than another one of their configuration."""
        return self._newest.left_out

    @property
    def keys(self) -> set[str]:
        """The keys of the configuration that some record has."""
        return self._keys - {"status"}

    def frame(self, ddof: int = 1, level: float = 0.95, keep: Collection[str] = ()) -> pd.DataFrame:
        """Return the tidy frame, with the keys ``keep`` also if all cells have the same value."""
        self.check()
        for key in keep:
            if key not in self._keys:
                raise UnknownName.among("--rows, --cols: key", key, self.keys)
        if not len(self):
            return pd.DataFrame(columns=[*LEADING, *NUMBERS, *_ABOUT, *_TRIALS])
        frame = pd.DataFrame([row.entries for row in self._newest])
        numbers = [
            _summary(values, ratio, ddof, level)
            for values, ratio in zip(frame["values"], frame["test_train_ratio"], strict=True)
        ]
        frame[NUMBERS] = pd.DataFrame(numbers, columns=NUMBERS, index=frame.index)
        others = [key for key in keys_of(frame) if key not in LEADING]
        swept = [key for key in others if key in keep or varies(frame, key)]
        frame = frame[[*LEADING, *swept, *NUMBERS, *_ABOUT, *_TRIALS]]
        return in_order(frame, [*LEADING, *swept])

    def _numbers(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return numbers and values of the trials, and what is to be said if there are none."""
        numbers, values, sizes = [], [], []
        reason = ""
        trials = record.get("trials", []) if record["status"] == "done" else []
        if trials:
            self._known_values.update(known_values(trials[0]))
        for position, trial in enumerate(trials):
            try:
                values.append(self.value(record, trial))
            except NcbenchError as error:
                reason = str(error)
                continue
            numbers.append(trial.get("trial", position))
            if "train_size" in trial:
                sizes.append(trial["test_size"] / trial["train_size"])
        found: dict[str, Any] = {"trial_numbers": self._shared(tuple(numbers))}
        found["values"] = tuple(values)
        found["test_train_ratio"] = sum(sizes) / len(sizes) if sizes else math.nan
        if reason:
            found["reason"] = self._shared(reason)
        if trials and not values:
            found["status"] = ABSENT
        return found

    def check(self) -> None:
        """Raise if a filter, or the value, fits no record at all."""
        for key, texts in self.where.items():
            if self._keys and key not in self._keys:
                raise UnknownName.among("--where: key", key, self._keys)
            met = self._met.get(key, set())
            for text in texts:
                if not any(same_text(text, known) for known in met):
                    raise UnknownName.among(f"--where {key}: value", text, met)
        rows = [row.entries for row in self._newest]
        absent = [row for row in rows if row["status"] == ABSENT]
        if absent and not any(row["values"] for row in rows):
            raise no_such_value(self.value, self._known_values, {row["reason"] for row in absent})

    def not_default(self, shown: Collection[str]) -> list[str]:
        """Return what is not as by default and not among the keys that a table shows."""
        keys = self.keys
        rows = [{k: v for k, v in row.entries.items() if k in keys} for row in self._newest]
        return not_default(rows, shown)

    def mixed_versions(self) -> list[str]:
        """Return which cells that have numbers are not of the newest version of a plug-in."""
        return mixed_versions(
            CellVersions(time, row.entries, row.plugins)
            for time, row in self._newest.with_times()
            if row.entries["values"]
        )

    def _shared(self, entry: Any) -> Any:
        """Return one object for all equal ones: 100,000 records have few different words."""
        if isinstance(entry, dict):
            return self._same.setdefault((dict, comparable(entry)), entry)
        if isinstance(entry, str | float | int | tuple):
            return self._same.setdefault((type(entry), entry), entry)
        return entry


def _summary(
    values: Sequence[float], ratio: float, ddof: int, level: float
) -> tuple[int, float, float, float, float]:
    nan = math.nan
    n = len(values)
    if n == 0:
        return 0, nan, nan, nan, nan
    mean, low, high, _ = mean_interval(values, level, known_ratio(ratio))
    if n == 1:  # one value has no spread
        return 1, mean, nan, nan, nan
    if math.isinf(high):  # nor have equal ones, of which no interval can be had
        low = high = nan
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - ddof)
    return n, mean, math.sqrt(variance / n), low, high


def known_ratio(ratio: float) -> float | None:
    """Return a frame's ``test_train_ratio`` as the statistics want it."""
    return None if math.isnan(ratio) else ratio


def of_a_method(key: str) -> bool:
    """Whether a key is a parameter of a plug-in that says how a problem is solved, not which."""
    kind, dot, _ = key.partition(".")
    return bool(dot) and kind in ("algo", "cpe", "t_estimator")


def _has(kind: str, name: str, parameter: str) -> bool:
    """Whether a plug-in is known to have a parameter, which a record may be too old to have."""
    try:
        return any(each.name == parameter for each in get_registry().plugin(kind, name).parameters)
    except NcbenchError:  # it need not be installed here
        return False


def matches(value: Any, texts: Sequence[str]) -> bool:
    """Whether a value is one of those written on a command line."""
    return any(same_text(text, as_text(value)) for text in texts)


def same_text(text: str, known: str) -> bool:
    """Whether two texts are the same value: 1.0 is 1.

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
    """Return the value of a key as it is written on a command line.

    Numbers that differ have different texts: tables and pairs of cells are found by them.

    Examples
    --------
    >>> as_text(0.3), as_text(2.0), as_text(0.1 + 0.2), as_text([1, None])
    ('0.3', '2', '0.30000000000000004', '[1, null]')
    """
    value = getattr(value, "item", lambda: value)()  # of numpy's scalars, the number
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        short = f"{value:.15g}"
        return short if float(short) == value else repr(value)
    return comparable(value)


def _sortable(column: pd.Series) -> pd.Series:
    return column if pd.api.types.is_numeric_dtype(column) else column.map(comparable)
