"""The columns of a table as features: numbers, categories, dates and ids.

What is done with each column is decided once, by :meth:`TableEncoder.fit`, and never from labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np
import pandas as pd

from ncbench.data.column_values import (
    FEW,
    as_dates,
    as_days,
    as_numbers,
    coded,
    is_date,
    is_id,
    is_numeric,
    notice_alike,
    option,
    refuse_almost_numbers,
    refuse_grouped_numbers,
    share,
)
from ncbench.data.labels import whole_text
from ncbench.data.tables import at_row, refuse_repeated
from ncbench.errors import NcbenchError, counted, did_you_mean, notice_once
from ncbench.types import Array, Labels

MAX_CATEGORIES = 1000
"""Largest number of values to one-hot encode: a column with more is an id or free text."""

_ROWS = 4096  # at a time: they stay in the cache while all columns are written
_SHOWN = 6  # columns to name before they are only counted


class Column(TypedDict):
    """What became of a column."""

    name: str
    kind: str
    """``number``, ``date``, ``categories``, or ``left out``."""
    why: str
    """Why it is left out."""
    fill: float
    """Takes the place of missing numbers: the median."""
    values: list[str]
    """The categories, in the order of their 0/1 columns; ``""`` is a missing value."""
    missing: int
    """Missing values in the table that it was fitted to."""
    usable: bool
    """Whether it is left out but could be kept."""


@dataclass(frozen=True)
class EncodedTable:
    """The columns of a table, checked, whose features are computed for some rows at a time.

    All features at once may take more memory than the table, and more time to get that memory than
    to fill it.
    """

    rows: int
    features: int
    numbers: Mapping[int, Array]
    """The values of a column, by its feature."""
    categories: Mapping[int, Labels]
    """Which of its features each row has, -1 for none, by the first feature of a column."""

    def parts(self, size: int) -> Iterator[tuple[slice, Array]]:
        """Yield the features of so many rows at a time, and which rows they are."""
        for start in range(0, self.rows, size):
            rows = slice(start, min(start + size, self.rows))
            X = np.zeros((rows.stop - start, self.features))
            for feature, values in self.numbers.items():
                X[:, feature] = values[rows]
            for first, which in self.categories.items():
                present = np.flatnonzero(which[rows] >= 0)
                X[present, first + which[rows][present]] = 1.0
            yield rows, X


@dataclass
class TableEncoder:
    """Turn the columns of a table into features, and those of later tables in the same way.

    A numeric column is one feature; missing values become the median. Any other column (text,
    categories, true/false) is one 0/1 feature for each of its values, in sorted order, and one for
    missing values. Dates, ids, free text, empty columns and constant ones are left out.

    Parameters
    ----------
    drop : sequence of str
        Columns to leave out.
    keep : sequence of str
        Columns to use though they look like ids or dates. A date is then the number of days since
        1970-01-01.
    categorical : sequence of str
        Columns whose values are categories, even if they are numbers.

    Attributes
    ----------
    columns : list of Column
        What became of each column, in the order of the table. Plain data.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [3, None, 1], "color": ["red", "blue", "red"]})
    >>> encoder = TableEncoder().fit(table)
    >>> print(encoder.describe())
    number: size; categories: color (2); missing values take the median, or are a category: size (1)
    >>> encoder.transform(table).tolist()
    [[3.0, 0.0, 1.0], [2.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    """

    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    categorical: Sequence[str] = ()
    columns: list[Column] = field(default_factory=list)

    def fit(self, table: pd.DataFrame, *, where: str = "table") -> TableEncoder:
        """Decide what becomes of each column.

        Parameters
        ----------
        table : DataFrame
            Without the column of the labels.
        where : str
            The origin of the table, for messages, such as ``"file 'a.csv'"``.
        """
        names = [str(name) for name in table.columns]
        _require_options(
            {"drop": self.drop, "keep": self.keep, "categorical": self.categorical}, names, where
        )
        refuse_repeated(names)
        self.columns = [self._decide(table, k, where) for k in range(len(names))]
        if not self.used:
            raise NcbenchError(f"{where}: no column is a feature; {self.describe()}")
        return self

    def transform(self, table: pd.DataFrame, *, where: str = "table") -> Array:
        """Return the features of a table, m x d.

        Columns may be in any order. One that was not there before is ignored, with a notice; a
        category that was not there before is 0 in every feature of its column, with a notice.
        """
        encoded = self.encode(table, where=where)
        X = np.zeros((encoded.rows, encoded.features))
        for rows, part in encoded.parts(_ROWS):
            X[rows] = part
        return X

    def encode(self, table: pd.DataFrame, *, where: str = "table") -> EncodedTable:
        """Check the columns of a table, with the notices of :meth:`transform`."""
        positions = self._positions(table, where)
        numbers, categories, start = {}, {}, 0
        for column, position in zip(self.used, positions, strict=True):
            if column["kind"] == "categories":
                categories[start] = self._category(column, table, position, where)
                start += len(column["values"])
                continue
            read = as_days if column["kind"] == "date" else as_numbers
            values = read(table, position, where)
            missing = np.isnan(values)
            numbers[start] = np.where(missing, column["fill"], values) if missing.any() else values
            start += 1
        return EncodedTable(len(table), start, numbers, categories)

    def describe(self) -> str:
        """Say in one line what became of each column."""
        parts = [f"{what}: {_listed(names)}" for what, names in self.uses().items()]
        keep = [c["name"] for c in self.columns if c["usable"]]
        if keep:
            parts.append(f"to use what was left out: {option('keep', keep)}")
        return "; ".join(parts)

    def uses(self) -> dict[str, list[str]]:
        """Return the names of columns by what became of them."""
        used = self.used
        numbers = [c["name"] for c in used if c["kind"] == "number"]
        found = {
            f"number{'s'[: len(numbers) > 1]}": numbers,
            "days since 1970": [c["name"] for c in used if c["kind"] == "date"],
            # A missing value is a category, "", which is counted among the gaps.
            "categories": [
                f"{c['name']} ({sum(map(bool, c['values']))})" for c in used if c["values"]
            ],
            "missing values take the median, or are a category": [
                f"{c['name']} ({c['missing']})" for c in used if c["missing"]
            ],
            "left out": [f"{c['name']} ({c['why']})" for c in self.columns if c["why"]],
        }
        return {what: names for what, names in found.items() if names}

    @property
    def used(self) -> list[Column]:
        """The columns that are features."""
        return [c for c in self.columns if c["kind"] != "left out"]

    def _decide(self, table: pd.DataFrame, position: int, where: str) -> Column:
        series = table.iloc[:, position]
        name = str(table.columns[position])
        missing = int(series.isna().sum())
        column = Column(
            name=name, kind="left out", why="", fill=0.0, values=[], missing=missing, usable=False
        )
        if name in self.drop:
            return {**column, "why": "as asked"}
        if missing == len(series):
            return {**column, "why": "empty"}
        kept = name in self.keep or name in self.categorical
        if name not in self.categorical:
            if is_numeric(series):
                numbers = as_numbers(table, position, where)
                if not kept and is_id(numbers, name):
                    why = f"id: {share(series.nunique(), len(series))}"
                    return {**column, "why": why, "usable": True}
                if not kept and len(series) > 1 and np.nanmin(numbers) == np.nanmax(numbers):
                    return {**column, "why": "constant"}  # also where missing values are filled in
                return {**column, "kind": "number", "fill": float(np.nanmedian(numbers))}
            if is_date(series):
                if not kept:
                    usable = bool(as_dates(series).notna().sum() == len(series) - missing)
                    return {**column, "why": "dates", "usable": usable}
                fill = float(np.nanmedian(as_days(table, position, where)))
                return {**column, "kind": "date", "fill": fill}
        where = f"{where}, column {name!r}"
        codes, found = coded(series, where)
        if name not in self.categorical:
            refuse_almost_numbers(table, codes, found, name, where)
            refuse_grouped_numbers(table, codes, found, name, where)
        values = [whole_text(value) for value in np.unique(found).tolist()]
        if not kept and len(series) > 1 and len(values) == 1 and not missing:
            return {**column, "why": "constant"}
        if not kept and len(values) > min(MAX_CATEGORIES, max(FEW, len(series) // 2)):
            why = f"id or text: {share(len(values), len(series))}"
            return {**column, "why": why, "usable": len(values) <= MAX_CATEGORIES}
        if len(values) > MAX_CATEGORIES:
            raise NcbenchError(
                f"{where}: {len(values)} distinct values that are not numbers, such as "
                f"{values[0]!r} and {values[-1]!r}; at most {MAX_CATEGORIES} are one-hot encoded. "
                f"Leave the column out, {option('drop', [name])}"
            )
        notice_alike(lambda k: int(np.argmax(codes == k)), found, table, f"{where}: values")
        if column["missing"] and "" not in values:
            values.append("")
        return {**column, "kind": "categories", "values": values}

    def _positions(self, table: pd.DataFrame, where: str) -> list[int]:
        """Return where a table has the columns that are features."""
        found = [str(name) for name in table.columns]
        refuse_repeated(found)
        place = {name: k for k, name in enumerate(found)}
        missing = [c["name"] for c in self.used if c["name"] not in place]
        for column in self.used:
            if column["name"] not in place:
                raise NcbenchError(
                    f"{where}: no column {column['name']!r}, which is one of the features"
                    + (f" (missing in all: {_listed(missing)})" if len(missing) > 1 else "")
                    + f"; {did_you_mean(column['name'], found)}Columns: {', '.join(found)}"
                )
        known = {column["name"] for column in self.columns}
        extra = [name for name in found if name not in known]
        if extra:
            notice_once(f"{where}: not features, so ignored: {_listed(extra)}")
        return [place[column["name"]] for column in self.used]

    def _category(self, column: Column, table: pd.DataFrame, position: int, where: str) -> Labels:
        """Return which of the values of a column each row has, or -1."""
        number = {value: k for k, value in enumerate(column["values"])}
        where = f"{where}, column {column['name']!r}"
        codes, found = coded(table.iloc[:, position], where)
        # The last one is for missing values, whose code is -1.
        texts = [*map(whole_text, found.tolist()), ""]
        feature = np.array([number.get(text, -1) for text in texts])[codes]
        unknown = int((feature < 0).sum())
        if unknown:
            row = int(np.argmin(feature))
            new = counted(unknown, "new value")
            value = repr(texts[codes[row]]) if codes[row] >= 0 else "a missing one"
            notice_once(
                f"{where}: {new}, first {value} in {at_row(table, row)}; unknown when the columns "
                "were learned, so all features of the column are 0 there"
            )
        return np.asarray(feature)


def _require_options(
    options: Mapping[str, Sequence[str]], names: Sequence[str], where: str
) -> None:
    for key, given in options.items():
        for name in given:
            if name not in names:
                raise NcbenchError(
                    f"{where}: {key} names no feature: {name!r}; {did_you_mean(name, names)}"
                    f"Columns: {', '.join(names)}"
                )
            if key != "drop" and name in options["drop"]:
                raise NcbenchError(f"{where}: column {name!r} is in both drop and {key}")


def _listed(names: Sequence[str]) -> str:
    """Name columns, or count them and name the first and the last."""
    if len(names) <= _SHOWN:
        return ", ".join(names)
    return f"{len(names)} columns, {', '.join(names[:2])}, ..., {names[-1]}"
