"""Build a tidy frame from records: one row for each cell, with the numbers of its trials."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from ncbench.config import not_default
from ncbench.errors import NcbenchError, UnknownName
from ncbench.results.keys import (
    Fingerprints,
    Newest,
    Origin,
    Which,
    as_text,
    distinct_names,
    is_tagged,
    matches,
    mixed,
    of_a_method,
    same_text,
    takes,
    told_apart,
    varies,
)
from ncbench.results.statistics import mean_interval, overlap
from ncbench.results.value import Value, known_values, no_such_value
from ncbench.run import Record

LEADING = ["measure", "dataset", "algo", "sigma"]
NUMBERS = ["n", "mean", "sem", "low", "high"]
_ABOUT = ["status", "reason", "told", "judged", "half_width", "fixed_test", "id", "untagged"]
# Not "trials": that is a key of the configuration.
_TRIALS = ["trial_numbers", "values", "test_train_ratio", "record"]
_OF_FIGURES = ["problem", "setting", "series", "style", "train_size", "bayes", "link"]
_NOT_KEYS = {*NUMBERS, *_ABOUT, *_TRIALS, *_OF_FIGURES, "mark"}

ABSENT = "absent"
"""Status of a cell that is done but has no such value."""

Filter = Mapping[str, Sequence[str]]
"""The values to keep for each key, as text from the command line."""


def tidy(
    records: Iterable[Record],
    value: Value | None = None,
    *,
    where: Filter | None = None,
    ddof: int = 1,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return a frame with one row per cell.

    The columns are measure, dataset, algo, sigma, and every other configuration key that differs
    between records (but ``dataset`` names a file, so its path is not a key); n (trials), mean, sem
    (standard error), low and high (confidence interval of the mean, see :func:`mean_interval`),
    all three corrected for the overlap of the splits; status, reason, told (the parts of the truth
    that plug-ins were given), judged and half_width (how noisy test labels were corrected, and half
    the width of the interval of a trial), fixed_test (the number of test examples if all trials
    have the same, else 0), id, untagged (the name of the data set without the digits that tell it
    from other data of this name); trial_numbers, values and test_train_ratio (test size over
    training size); and record, the index of the record in the input. A cell that is skipped, failed
    or has no such value has a missing mean.

    Parameters
    ----------
    records : iterable
        Read one at a time; only the requested numbers are kept. Of several records with the same
        configuration and data, only the newest is kept: they differ in the versions of their
        plug-ins, and a table could not tell them apart. Different data are different data sets.
    value : Value, optional
        The loss of the measure that was optimized, by default.
    where : mapping, optional
        See :class:`FrameBuilder`.
    ddof : {1, 0}
        The ddof of the standard error.
    level : float
        The confidence level.
    """
    builder = FrameBuilder(value, where)
    for record in records:
        builder.add(record)
    return builder.frame(ddof, level)


def keys_of(frame: pd.DataFrame) -> list[str]:
    """Return the columns that identify a cell: measure, dataset, algo, sigma, swept keys."""
    return [column for column in frame.columns if column not in _NOT_KEYS]


def in_order(frame: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return a frame sorted by keys: numbers by size, other values by their text."""
    return frame.sort_values(list(keys), key=_sortable, kind="stable", ignore_index=True)


class _Row(NamedTuple):
    entries: dict[str, Any]
    data: Which
    origin: Origin
    made_with: Mapping[str, str]
    """The version of each distribution, and the code of each plug-in."""


class FrameBuilder:
    """Build a tidy frame from records, keeping only what a table needs.

    Parameters
    ----------
    value : Value, optional
        The loss of the measure that was optimized, by default.
    where : mapping, optional
        Keep only cells whose key has one of these values. A dotted key, such as
        ``algo.max_iter``, does not filter algorithms without this parameter.
    """

    def __init__(self, value: Value | None = None, where: Filter | None = None) -> None:
        self.value = value or Value()
        self.where = where or {}
        self._newest: Newest[_Row] = Newest()
        self._settled: tuple[Newest[_Row], Fingerprints] | None = None
        self._added = 0
        self._known_values: set[str] = set()
        self._keys: set[str] = set()
        self._met: dict[str, set[str]] = {}  # values of the keys of ``where``
        self._datasets: dict[Which, str] = {}

    def add(self, record: Record) -> bool:
        """Add a record's numbers, unless a newer record was added; return False if filtered out.

        Raises ValueError, and adds nothing, if a loss is not that of its confusion matrix.
        """
        self._added += 1
        origin = Origin.of(record)
        if not self.fits(record):
            return False
        self._newest.add(record, partial(self._row, record, origin), origin.fingerprint)
        self._settled = None
        return True

    def fits(self, record: Record) -> bool:
        """Whether a record has the values of the filter, of which ``check`` will know it."""
        row = {**record.keys, "status": record.status}
        self._keys.update(row)
        if record.status == "done" or record.data_keys not in self._datasets:
            self._datasets[record.data_keys] = record.dataset_name
        values = {name: self._values(record, row, name) for name in self.where}
        for name, met in values.items():
            self._met.setdefault(name, set()).update(map(as_text, met))
        return all(self._has_one(row, name, met) for name, met in values.items())

    def _row(self, record: Record, origin: Origin) -> _Row:
        row = {**record.keys, "status": record.status, "reason": record.reason, "id": record.id}
        row |= {"record": self._added - 1, **self._numbers(record)}
        made_with = {
            f"{kind}={row.get(kind)} of {record.plugins.get(kind, 'unknown')}": code
            for kind, code in record.code.items()
        }
        for plugin in record.plugins.values():
            distribution, _, version = plugin.rpartition(" ")
            made_with[distribution] = version
        return _Row(row, record.data_keys, origin, made_with)

    def _has_one(self, row: Mapping[str, Any], key: str, values: Sequence[Any]) -> bool:
        """Whether a cell has one of the values of a filter, or the filter does not apply to it."""
        if key in row:
            return any(matches(value, self.where[key]) for value in values)
        kind, _, parameter = key.partition(".")
        # A record may be older than the parameter.
        is_here = of_a_method(key) and kind in row
        return is_here and not takes(kind, row[kind], parameter, unknown=False)

    def _values(self, record: Record, row: Mapping[str, Any], key: str) -> list[Any]:
        """Return the values that a filter may have: of a file, its name and "file"."""
        if key != "dataset":
            return [row[key]] if key in row else []
        name, fingerprint = self._datasets[record.data_keys], record.dataset.fingerprint
        return [name, *(t for t in self.where[key] if is_tagged(t, name, fingerprint)), row[key]]

    def _settle(self) -> tuple[Newest[_Row], Fingerprints]:
        """Return the newest rows, and what tells their data apart: all records must be known."""
        if self._settled is None:
            data = Fingerprints({row.origin for row in self._newest})
            self._settled = self._newest.settled(lambda row: data.fingerprint(row.origin)), data
        return self._settled

    @property
    def _rows(self) -> Newest[_Row]:
        return self._settle()[0]

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def left_out(self) -> int:
        """The number of records left out because another one of their configuration is newer."""
        return self._rows.left_out

    @property
    def keys(self) -> set[str]:
        """The configuration keys that at least one record has."""
        return self._keys - {"status"}

    def frame(self, ddof: int = 1, level: float = 0.95, keep: Collection[str] = ()) -> pd.DataFrame:
        """Return the tidy frame, with the keys ``keep`` even if all cells have the same value."""
        self.check()
        for key in keep:
            if key not in self._keys:
                raise UnknownName.among("--rows, --cols: key", key, self.keys)
        if not len(self):
            return pd.DataFrame(columns=[*LEADING, *NUMBERS, *_ABOUT, *_TRIALS])
        # pandas would read None as NaN, which stands for a parameter that a plug-in does not have.
        frame = pd.DataFrame(
            {key: "null" if value is None else value for key, value in row.entries.items()}
            for row in self._rows
        )
        names = distinct_names((row.data, self._datasets[row.data]) for row in self._rows)
        named = {key for data in names for key, _ in data}
        frame["untagged"] = [names[row.data] for row in self._rows]
        tags = [self._settle()[1].tag(row.origin) for row in self._rows]
        frame["dataset"] = [name + tag for name, tag in zip(frame["untagged"], tags, strict=True)]
        numbers = [
            _summary(values, self._ratio(ratio), self.value.is_loss, ddof, level)
            for values, ratio in zip(frame["values"], frame["test_train_ratio"], strict=True)
        ]
        frame[NUMBERS] = pd.DataFrame(numbers, columns=NUMBERS, index=frame.index)
        others = [key for key in keys_of(frame) if key not in LEADING]
        swept = [k for k in others if k in keep or (k not in named and varies(frame, k))]
        frame = frame[[*LEADING, *swept, *NUMBERS, *_ABOUT, *_TRIALS]]
        return in_order(frame, [*LEADING, *swept])

    def _ratio(self, ratio: float) -> float | None:
        """Return test size over training size where splits share what the value depends on."""
        return None if self.value.is_time else known_ratio(ratio)

    def _numbers(self, record: Record) -> dict[str, Any]:
        """Return the numbers and values of the trials, or the reason why there are none."""
        numbers, values, reason, trials = [], [], "", record.trials
        for trial in trials:
            try:
                values.append(self.value(record, trial))
            except NcbenchError as error:
                reason = str(error)
                continue
            numbers.append(trial.trial)
        sizes = [each.test_size / each.train_size for each in trials if each.train_size]
        entries: dict[str, Any] = {"trial_numbers": tuple(numbers)}
        entries["values"] = tuple(values)
        entries["told"] = _told(record)
        entries["judged"], entries["half_width"] = _judged(record)
        fixed = record.test_part == "fixed" and trials
        entries["fixed_test"] = trials[0].test_size if fixed else 0
        entries["test_train_ratio"] = sum(sizes) / len(sizes) if sizes else math.nan
        if reason:
            entries["reason"] = reason
        if trials and not values:
            entries["status"] = ABSENT
            self._known_values.update(known_values(trials[0]))  # for the message
        return entries

    def check(self) -> None:
        """Raise if no record matches a filter, or no record has the value."""
        for key, texts in self.where.items():
            if self._keys and key not in self._keys:
                raise UnknownName.among("--where: key", key, self._keys)
            met = self._met.get(key, set())
            for text in texts:
                if not any(same_text(text, known) for known in met):
                    raise UnknownName.among(f"--where {key}: value", text, met)
        rows = [row.entries for row in self._rows]
        absent = [row for row in rows if row["status"] == ABSENT]
        if absent and not any(row["values"] for row in rows):
            raise no_such_value(self.value, self._known_values, {row["reason"] for row in absent})

    def not_default(self, shown: Collection[str]) -> list[str]:
        """Return ``key=value`` for each key that is neither shown in a table nor the default."""
        keys = self.keys
        rows = [{k: v for k, v in row.entries.items() if k in keys} for row in self._rows]
        named = {key for row in self._rows for key, _ in row.data}
        told = [k for k in named if len({dict(row.data).get(k) for row in self._rows}) > 1]
        return not_default(rows, [*shown, *told])

    def told_apart(self) -> list[str]:
        """Return a sentence for each name that several data sets have, or that records leave open.

        See :func:`ncbench.results.keys.told_apart`.
        """
        rows, data = self._settle()
        return told_apart(
            (
                self._datasets[row.data],
                data.tag(row.origin),
                bool(row.entries["values"] and data.fingerprint(row.origin))
                and not row.origin.fingerprint,
            )
            for row in rows
        )

    def mixed_versions(self) -> list[str]:
        """Return a sentence about cells that older versions or code of plug-ins have made."""
        cells = [
            (time, row.made_with) for time, row in self._rows.with_times() if row.entries["values"]
        ]
        return [said for said in [mixed(cells)] if said]


def _told(record: Record) -> str:
    """Return the plug-ins that were told a part of the truth, and which part."""
    told = record.trials[0].told if record.trials else {}  # not every record says it
    truth = {kind: [p for p in parts if p != "unlabeled"] for kind, parts in told.items()}
    return ", ".join(
        f"{kind}={record.keys[kind]} ({', '.join(parts)})" for kind, parts in truth.items() if parts
    )


def _judged(record: Record) -> tuple[str, float]:
    """Return how noisy test labels were corrected, and half the width of a trial's interval.

    An empty string means that the test labels are clean.
    """
    judgments = [trial.judged for trial in record.trials if trial.judged is not None]
    name = record.measure
    ends = [each.intervals[name] for each in judgments if name in each.intervals]
    half_width = sum(high - low for low, high in ends) / (2 * len(ends)) if ends else math.nan
    return (judgments[0].by if judgments else ""), half_width


def _summary(
    values: Sequence[float], ratio: float | None, on_test: bool, ddof: int, level: float
) -> tuple[int, float, float, float, float]:
    nan = math.nan
    n = len(values)
    if n == 0:
        return 0, nan, nan, nan, nan
    mean, low, high, _ = mean_interval(values, level, ratio, on_test)
    if n == 1:  # one value has no spread
        return 1, mean, nan, nan, nan
    if math.isinf(high):  # equal values have no interval
        low = high = nan
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - ddof)
    return n, mean, math.sqrt((1 / n + overlap(ratio, on_test)) * variance), low, high


def known_ratio(ratio: float) -> float | None:
    """Return a frame's ``test_train_ratio``, or None if it is missing."""
    return None if math.isnan(ratio) else ratio


def _sortable(column: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column):
        return column
    return column.map(partial(json.dumps, sort_keys=True))
