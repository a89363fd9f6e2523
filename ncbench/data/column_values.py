"""Read and judge the values of one column: numbers, dates, ids and categories."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from shlex import quote
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ncbench.data.labels import MAX_LABEL_LENGTH, plain_array
from ncbench.data.tables import at_row
from ncbench.errors import NcbenchError, counted, notice_once
from ncbench.types import Array, Labels

FEW = 20
"""As many different values may be categories in any table, however short."""

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


_AMOUNT = r"[€$£]?\s?[+-]?\d+{}(?:[.,]\d+)?\s?[€$£%]?"
_NUMBER = re.compile(_AMOUNT.format(r"(?:[.,'’\s]\d{3})*"))
_GROUPED = re.compile(_AMOUNT.format(r"(?:[.,'’\s]\d{3})+"))  # 1.234,56


def option(name: str, columns: Sequence[str]) -> str:
    """Return how an option of this page is given, to a command and to a run.

    Examples
    --------
    >>> option("keep", ["id", "day"])
    '--keep id,day (in a run dataset.keep=[id,day])'
    >>> print(option("keep", ["weight, net"]))
    --keep '"weight, net"' (in a run 'dataset.keep=["weight, net"]')
    """
    listed = ",".join(
        column if re.fullmatch(r"[\w.-]+", column) else f'"{column}"' for column in columns
    )
    return f"--{name} {quote(listed)} (in a run {_quoted(f'dataset.{name}=[{listed}]')})"


def _quoted(override: str) -> str:
    """Return an override for the shell; brackets alone are left as they are in our pages."""
    return override if re.fullmatch(r"[\w.,=\[\]-]+", override) else quote(override)


def plain_name(name: str) -> str:
    """Return a name without what people overlook: capitals and spaces.

    Examples
    --------
    >>> plain_name("Bosc  pear ")
    'bosc pear'
    """
    return " ".join(name.split()).casefold()


def notice_alike(
    first_row: Callable[[int], int], found: NDArray[Any], table: pd.DataFrame, what: str
) -> None:
    """Point out values that differ in spaces or capitals only, with the first row of each.

    Parameters
    ----------
    first_row : function of the number of a value
    found : array
        The values.
    table : DataFrame
    what : str
        What they are, for the notice.
    """
    groups: dict[str, list[int]] = {}
    for k, value in enumerate(found.tolist()):
        groups.setdefault(plain_name(str(value)), []).append(k)
    for group in groups.values():
        if len(group) > 1:
            places = [f"{str(found[k])!r} in {at_row(table, first_row(k))}" for k in group]
            notice_once(
                f"{what} that differ in spaces or capitals only: {', '.join(places)}; "
                "if they are the same, write them alike in the file"
            )


def is_numeric(series: pd.Series[Any]) -> bool:
    """Whether a column has numbers, which true and false are not."""
    types = pd.api.types
    return types.is_numeric_dtype(series) and not types.is_bool_dtype(series)


def is_id(values: Array, name: str) -> bool:
    """Whole numbers that follow one another, or are different and named as an id."""
    least = max(FEW, len(values) // 2)
    if len(values) <= FEW or np.isnan(values).any() or (values % 1).any():
        return False
    consecutive = values.max() - values.min() + 1 == len(values)
    if not consecutive and not _ID.search(name):
        return False
    distinct = len(np.unique(values))
    return distinct == len(values) if consecutive else distinct > least


def share(distinct: int, rows: int) -> str:
    """Say how many different values a column has."""
    return "different in each row" if distinct == rows else f"{distinct} values in {rows} rows"


def is_date(series: pd.Series[Any]) -> bool:
    """Whether a column has dates, or text that looks like dates in every row."""
    if pd.api.types.is_datetime64_any_dtype(series):
        return True
    values = series.dropna().astype(str)
    return bool(_DATE.fullmatch(values.iloc[0].strip())) and all(
        _DATE.fullmatch(text.strip()) for text in values.unique()
    )


def as_numbers(table: pd.DataFrame, position: int, where: str) -> Array:
    """Return a column as floats, NaN where missing."""
    series = table.iloc[:, position]
    where = f"{where}, column {str(table.columns[position])!r}"
    if pd.api.types.is_complex_dtype(series):
        raise NcbenchError(f"{where}: complex numbers; split real and imaginary parts")
    if not pd.api.types.is_numeric_dtype(series):
        read = pd.to_numeric(series, errors="coerce")
        remedy = " is not a number; correct it, or leave it empty if it is missing"
        _refuse_first(read.isna() & series.notna(), table, where, series, remedy)
        series = read
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iu":
        return np.asarray(series)  # none is missing, and a copy of each column takes memory
    values: Array = series.to_numpy(dtype=np.float64, na_value=np.nan)
    remedy = "; expected a number, or nothing if it is missing"
    _refuse_first(np.isinf(values), table, where, values, remedy)
    return values


def as_days(table: pd.DataFrame, position: int, where: str) -> Array:
    """Return a column of dates as days since 1970, NaN where missing."""
    series = table.iloc[:, position]
    name = str(table.columns[position])
    read = as_dates(series)
    as_categories = option("categorical", [name])
    remedy = f"; write dates as 2026-01-31, or use them as categories, {as_categories}"
    wrong = read.isna() & series.notna()
    _refuse_first(wrong, table, f"{where}, column {name!r}", series, remedy)
    days = (read - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
    return np.asarray(days.to_numpy(dtype=np.float64, na_value=np.nan))


def as_dates(series: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column as dates; text that is not written as 2026-01-31 is missing."""
    return pd.to_datetime(series, errors="coerce", format="ISO8601", utc=True)


def _refuse_first(wrong: Any, table: pd.DataFrame, where: str, values: Any, remedy: str) -> None:
    """Raise NcbenchError for the first wrong row, with its value and its place."""
    if wrong.any():
        row = int(np.argmax(wrong))
        value = np.asarray(values)[row]
        shown = value if isinstance(value, float) else repr(str(value))
        raise NcbenchError(f"{where}: {shown} in {at_row(table, row)}{remedy}")


def refuse_almost_numbers(
    table: pd.DataFrame, codes: Labels, found: NDArray[Any], name: str, where: str
) -> None:
    """Refuse text among many different numbers: each number would become a category."""
    if len(found) <= min(FEW, len(table) // 2):
        return
    wrong = [k for k, value in enumerate(found.tolist()) if not _is_number(value)]
    if not wrong or 2 * len(wrong) >= len(found):
        return
    bad = np.isin(codes, wrong)
    rest = int(bad.sum()) - 1
    others = f" (nor {'is' if rest == 1 else 'are'} {counted(rest, 'other')})" if rest else ""
    remedy = (
        f" is not a number{others}, unlike most of the column; correct it, leave it empty if it is "
        f"missing, or use all values as categories, {option('categorical', [name])}"
    )
    _refuse_first(bad, table, where, found[codes], remedy)


def refuse_grouped_numbers(
    table: pd.DataFrame, codes: Labels, found: NDArray[Any], name: str, where: str
) -> None:
    """Refuse a column of amounts such as 1.234,56, which would be taken for text."""
    texts = [str(value).strip() for value in found.tolist()]
    if len(found) <= FEW or not all(map(_NUMBER.fullmatch, texts)):
        return
    grouped = [k for k, text in enumerate(texts) if _GROUPED.fullmatch(text)]
    remedy = (
        " has a mark between thousands, or another one than the other columns; write numbers as "
        f"1234.56, or leave the column out, {option('drop', [name])}"
    )
    _refuse_first(np.isin(codes, grouped), table, where, np.array(texts)[codes], remedy)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def coded(series: pd.Series[Any], where: str) -> tuple[Labels, NDArray[Any]]:
    """Return a code for each row, -1 where missing, and the value of each code."""
    try:
        codes, found = pd.factorize(series)
    except TypeError as error:
        raise NcbenchError(
            f"{where}: values that are not plain text, such as {series.iloc[0]!r}"
        ) from error
    values = np.asarray(found)
    if any(isinstance(value, str) and len(value) > MAX_LABEL_LENGTH for value in values.tolist()):
        # As an array of text, all values would take the memory of the longest.
        return codes, np.array([str(value) for value in values.tolist()], dtype=object)
    return codes, plain_array(values, where)
