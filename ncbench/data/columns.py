"""The columns of a table as features: numbers, categories, dates and ids.

What is done with each column is decided once, by :meth:`TableEncoder.fit`, and never from labels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from ncbench.data.labels import plain_array
from ncbench.data.tables import at_row
from ncbench.errors import NcbenchError, counted, did_you_mean, notice_once
from ncbench.types import Array, Labels

if TYPE_CHECKING:
    import pandas as pd

MAX_CATEGORIES = 1000
"""Largest number of values to one-hot encode: a column with more is an id or free text."""

_FEW = 20  # as many different values may be categories in any table, however short
_SHOWN = 6  # columns to name before they are only counted
_ID = re.compile(r"(?i:(^|[^a-z])(id|uuid|guid|index|idx|key))$|[a-z]I[dD]$")
_DATE = re.compile(
    r"""(?xi)
    (   \d{4} ([-/.]) \d{1,2} \2 \d{1,2}           # 2026-01-31
      | \d{1,2} ([-/.]) \d{1,2} \3 \d{2,4}         # 31.1.2026, 1/31/26
      | (\d{1,2}[ -])? (jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec) [a-z]*
        [. -]{1,2} (\d{1,2},?[ ])? \d{4}            # 31 Jan 2026, January 31, 2026
    ) ( [T ]+ \d{1,2} : \d{2} .* )?
    | \d{1,2} : \d{2} ( : \d{2} .* )?              # 12:30
    """
)


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


@dataclass
class TableEncoder:
    """Turn the columns of a table into features, and those of later tables in the same way.

    A numeric column is one feature; missing values become the median. Any other column (text,
    categories, true/false) is one 0/1 feature for each of its values, in sorted order, and one for
    missing values. Dates, ids, free text and empty columns are left out.

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
        self.columns = [self._decide(table, k, where) for k in range(len(names))]
        if not self._used:
            raise NcbenchError(f"{where}: no column is a feature; {self.describe()}")
        return self

    def transform(self, table: pd.DataFrame, *, where: str = "table") -> Array:
        """Return the features of a table, m x d.

        Columns may be in any order. One that was not there before is ignored, with a notice; a
        category that was not there before is 0 in every feature of its column, with a notice.
        """
        positions = self._positions(table, where)
        widths = [len(c["values"]) if c["kind"] == "categories" else 1 for c in self._used]
        X = np.zeros((len(table), sum(widths)))
        start = 0
        for column, position, width in zip(self._used, positions, widths, strict=True):
            if column["kind"] == "categories":
                self._mark(X[:, start : start + width], column, table, position, where)
            else:
                read = _days if column["kind"] == "date" else _numbers
                values = read(table, position, where)
                X[:, start] = np.where(np.isnan(values), column["fill"], values)
            start += width
        return X

    def describe(self) -> str:
        """Say in one line what became of each column."""
        numbers = [c["name"] for c in self._used if c["kind"] == "number"]
        dates = [c["name"] for c in self._used if c["kind"] == "date"]
        others = [f"{c['name']} ({len(c['values'])})" for c in self._used if c["values"]]
        left = [f"{c['name']} ({c['why']})" for c in self.columns if c["kind"] == "left out"]
        keep = [c["name"] for c in self.columns if c["usable"]]
        gaps = [f"{c['name']} ({c['missing']})" for c in self._used if c["missing"]]
        parts = [
            numbers and f"number{'s'[: len(numbers) > 1]}: {_listed(numbers)}",
            dates and f"days since 1970: {_listed(dates)}",
            others and f"categories: {_listed(others)}",
            gaps and f"missing values take the median, or are a category: {_listed(gaps)}",
            left and f"left out: {_listed(left)}",
            keep and f"to use what was left out: {option('keep', keep)}",
        ]
        return "; ".join(part for part in parts if part)

    @property
    def _used(self) -> list[Column]:
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
            if _is_numeric(series):
                numbers = _numbers(table, position, where)
                if not kept and _is_id(numbers, name):
                    why = f"id: {_share(series.nunique(), len(series))}"
                    return {**column, "why": why, "usable": True}
                return {**column, "kind": "number", "fill": float(np.nanmedian(numbers))}
            if _is_date(series):
                if not kept:
                    usable = bool(_dates(series).notna().sum() == len(series) - missing)
                    return {**column, "why": "dates", "usable": usable}
                fill = float(np.nanmedian(_days(table, position, where)))
                return {**column, "kind": "date", "fill": fill}
        where = f"{where}, column {name!r}"
        codes, found = _coded(series, where)
        if name not in self.categorical:
            _refuse_almost_numbers(table, codes, found, name, where)
        values = [_text(value) for value in np.unique(found).tolist()]
        if not kept and len(values) > min(MAX_CATEGORIES, max(_FEW, len(series) // 2)):
            why = f"id or text: {_share(len(values), len(series))}"
            return {**column, "why": why, "usable": len(values) <= MAX_CATEGORIES}
        if len(values) > MAX_CATEGORIES:
            raise NcbenchError(
                f"{where}: {len(values)} distinct values that are not numbers, such as "
                f"{values[0]!r} and {values[-1]!r}; at most {MAX_CATEGORIES} are one-hot encoded. "
                f"Leave the column out, {option('drop', [name])}"
            )
        notice_alike(codes, found, table, f"{where}: values")
        if column["missing"] and "" not in values:
            values.append("")
        return {**column, "kind": "categories", "values": values}

    def _positions(self, table: pd.DataFrame, where: str) -> list[int]:
        """Return where a table has the columns that are features."""
        found = [str(name) for name in table.columns]
        places: list[int] = []
        for column in self._used:
            free = [k for k, name in enumerate(found) if name == column["name"] and k not in places]
            if not free:
                raise NcbenchError(
                    f"{where}: no column {column['name']!r}, which is one of the features; "
                    f"{did_you_mean(column['name'], found)}Columns: {', '.join(found)}"
                )
            places.append(free[0])
        known = {column["name"] for column in self.columns}
        extra = [name for name in found if name not in known]
        if extra:
            notice_once(f"{where}: not features, so ignored: {_listed(extra)}")
        return places

    def _mark(
        self, X: Array, column: Column, table: pd.DataFrame, position: int, where: str
    ) -> None:
        """Set the 0/1 features of one column."""
        number = {value: k for k, value in enumerate(column["values"])}
        where = f"{where}, column {column['name']!r}"
        codes, found = _coded(table.iloc[:, position], where)
        # The last one is for missing values, whose code is -1.
        texts = [*map(_text, found.tolist()), ""]
        feature = np.array([number.get(text, -1) for text in texts])[codes]
        rows = np.flatnonzero(feature >= 0)
        X[rows, feature[rows]] = 1.0
        if len(rows) < len(feature):
            row = int(np.argmin(feature))
            new = counted(len(feature) - len(rows), "new value")
            value = repr(texts[codes[row]]) if codes[row] >= 0 else "a missing one"
            notice_once(
                f"{where}: {new}, first {value} in {at_row(table, row)}; unknown when the columns "
                "were learned, so all features of the column are 0 there"
            )


def option(name: str, columns: Sequence[str]) -> str:
    """Return how an option of this page is given, to a command and to a run.

    Examples
    --------
    >>> option("keep", ["id", "day"])
    '--keep id,day (in a run dataset.keep=[id,day])'
    """
    listed = ",".join(columns)
    return f"--{name} {listed} (in a run dataset.{name}=[{listed}])"


def notice_alike(codes: Labels, found: NDArray[Any], table: pd.DataFrame, what: str) -> None:
    """Point out values that differ in spaces or capitals only, with the first row of each.

    ``found[codes[row]]`` is the value of a row; -1 is none.
    """
    groups: dict[str, list[int]] = {}
    for k, value in enumerate(found.tolist()):
        groups.setdefault(" ".join(str(value).split()).casefold(), []).append(k)
    for group in groups.values():
        if len(group) > 1:
            places = [
                f"{str(found[k])!r} in {at_row(table, int(np.argmax(codes == k)))}" for k in group
            ]
            notice_once(
                f"{what} that differ in spaces or capitals only: {', '.join(places)}; "
                "are they the same?"
            )


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


def _is_numeric(series: pd.Series[Any]) -> bool:
    import pandas as pd

    types = pd.api.types
    return types.is_numeric_dtype(series) and not types.is_bool_dtype(series)


def _is_id(values: Array, name: str) -> bool:
    """Whole numbers that follow one another, or are different and named as an id."""
    least = max(_FEW, len(values) // 2)
    if len(values) <= _FEW or np.isnan(values).any() or (values % 1).any():
        return False
    consecutive = values.max() - values.min() + 1 == len(values)
    if not consecutive and not _ID.search(name):
        return False
    distinct = len(np.unique(values))
    return distinct == len(values) if consecutive else distinct > least


def _share(distinct: int, rows: int) -> str:
    """Say how many different values a column has."""
    return "different in each row" if distinct == rows else f"{distinct} values in {rows} rows"


def _is_date(series: pd.Series[Any]) -> bool:
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(series):
        return True
    values = series.dropna().astype(str)
    return bool(_DATE.fullmatch(values.iloc[0].strip())) and all(
        _DATE.fullmatch(text.strip()) for text in values.unique()
    )


def _numbers(table: pd.DataFrame, position: int, where: str) -> Array:
    """Return a column as floats, NaN where missing."""
    import pandas as pd

    series = table.iloc[:, position]
    where = f"{where}, column {str(table.columns[position])!r}"
    if pd.api.types.is_complex_dtype(series):
        raise NcbenchError(f"{where}: complex numbers; split real and imaginary parts")
    if not pd.api.types.is_numeric_dtype(series):
        read = pd.to_numeric(series, errors="coerce")
        _refuse_first(
            (read.isna() & series.notna()).to_numpy(),
            table,
            lambda row: (
                f"{where}: {str(series.iloc[row])!r} in {{}} is not a number; correct it, "
                "or leave it empty if it is missing"
            ),
        )
        series = read
    values: Array = series.to_numpy(dtype=np.float64, na_value=np.nan)
    _refuse_first(
        np.isinf(values),
        table,
        lambda row: (
            f"{where}: {values[row]} in {{}}; expected a number, or nothing if it is missing"
        ),
    )
    return values


def _days(table: pd.DataFrame, position: int, where: str) -> Array:
    """Return a column of dates as days since 1970, NaN where missing."""
    import pandas as pd

    series = table.iloc[:, position]
    name = str(table.columns[position])
    read = _dates(series)
    _refuse_first(
        (read.isna() & series.notna()).to_numpy(),
        table,
        lambda row: (
            f"{where}, column {name!r}: {str(series.iloc[row])!r} in {{}}; write dates as "
            f"2026-01-31, or use them as categories, {option('categorical', [name])}"
        ),
    )
    days = (read - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
    return np.asarray(days.to_numpy(dtype=np.float64, na_value=np.nan))


def _dates(series: pd.Series[Any]) -> pd.Series[Any]:
    import pandas as pd

    return pd.to_datetime(series, errors="coerce", format="ISO8601", utc=True)


def _refuse_first(wrong: Any, table: pd.DataFrame, message: Callable[[int], str]) -> None:
    """Raise NcbenchError for the first wrong row; ``{}`` in the message is its place."""
    if wrong.any():
        row = int(np.argmax(wrong))
        raise NcbenchError(message(row).replace("{}", at_row(table, row)))


def _refuse_almost_numbers(
    table: pd.DataFrame, codes: Labels, found: NDArray[Any], name: str, where: str
) -> None:
    """Refuse text among many different numbers: each number would become a category."""
    if len(found) <= min(_FEW, len(table) // 2):
        return
    wrong = [k for k, value in enumerate(found.tolist()) if not _is_number(value)]
    if not wrong or 2 * len(wrong) >= len(found):
        return
    bad = np.isin(codes, wrong)
    rest = int(bad.sum()) - 1
    _refuse_first(
        bad,
        table,
        lambda row: (
            f"{where}: {str(found[codes[row]])!r} in {{}} is not a number"
            + (f" (nor are {counted(rest, 'other')})" if rest else "")
            + ", unlike most of the column; correct it, leave it empty if it is missing, or use "
            f"all values as categories, {option('categorical', [name])}"
        ),
    )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _coded(series: pd.Series[Any], where: str) -> tuple[Labels, NDArray[Any]]:
    """Return a code for each row, -1 where missing, and the value of each code."""
    import pandas as pd

    try:
        codes, found = pd.factorize(series)
    except TypeError as error:
        raise NcbenchError(
            f"{where}: values that are not plain text, such as {series.iloc[0]!r}"
        ) from error
    return codes, plain_array(np.asarray(found), where)


def _text(value: Any) -> str:
    """Return a value as text; 1 and 1.0 are the same."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _listed(names: Sequence[str]) -> str:
    """Name columns, or count them and name the first and the last."""
    if len(names) <= _SHOWN:
        return ", ".join(names)
    return f"{len(names)} columns, {', '.join(names[:2])}, ..., {names[-1]}"
