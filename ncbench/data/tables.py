"""Read tables from CSV, TSV, Parquet, Excel and ARFF files."""

from __future__ import annotations

import csv
import gzip
import itertools
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncbench.errors import NcbenchError, notice_once

if TYPE_CHECKING:
    import pandas as pd

TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".xlsx", ".arff")

_DECIMAL_COMMA = r"^\s*([-+]?\d*),(\d+(?:[eE][-+]?\d+)?)\s*$"
_THOUSANDS = r"[-+]?(?:0|[1-9]\d{0,2}(?:,\d{3})*)\s*"

_ENGINES = {"parquet": "pyarrow", "excel": "openpyxl"}

# Exceptions of readers for a file that does not match its suffix. scipy's ARFF reader raises a bare
# StopIteration if the header does not end, and NotImplementedError for text attributes.
_UNREADABLE = (
    *(OSError, zipfile.BadZipFile, EOFError, ValueError, TypeError, LookupError),
    *(StopIteration, NotImplementedError),
)


def read_table(place: Path) -> pd.DataFrame:
    """Read a table with named columns."""
    import pandas as pd

    suffix = next((s for s in reversed(TABLES) if place.name.lower().endswith(s)), None)
    if suffix is None:
        raise NcbenchError(
            f"file {str(place)!r}: unknown file type; expected one of {', '.join(TABLES)}"
        )
    if not place.is_file():
        raise NcbenchError(f"file {str(place)!r}: no such file (looked for {place.absolute()})")

    try:
        if suffix == ".arff":
            return _arff(place)
        if suffix == ".parquet":
            return pd.read_parquet(place, engine="pyarrow")
        if suffix == ".xlsx":
            return _sheet(place)
        return _separated(place, "\t" if suffix.startswith(".tsv") else ",")
    except ImportError as error:
        extra = {".parquet": "parquet", ".xlsx": "excel"}[suffix]
        raise NcbenchError(
            f"file {str(place)!r}: reading {suffix} needs {_ENGINES[extra]}: "
            f"pip install 'ncbench[{extra}]'"
        ) from error
    except UnicodeDecodeError as error:
        encoding = _encoding(place)
        raise NcbenchError(
            f"file {str(place)!r}: not UTF-8 but probably {encoding}; save it as UTF-8, or "
            f"convert it: iconv -f {encoding} -t UTF-8 OLD > NEW"
        ) from error
    except _UNREADABLE as error:
        reason = str(error).strip() or "it ends too early"
        reason = reason.removeprefix("Error tokenizing data. C error: ")
        raise NcbenchError(f"file {str(place)!r}: cannot be read as {suffix}: {reason}") from error


def at_row(table: pd.DataFrame, row: int) -> str:
    """Name a row, counted from 1, and its line in the file that the table was read from.

    Examples
    --------
    >>> import pandas as pd
    >>> at_row(pd.DataFrame({"a": [1, 2]}), 1)
    'row 2'
    """
    line = None
    if "path" in table.attrs and row < len(table):
        lines = _lines(Path(table.attrs["path"]), table.attrs["separator"])
        line = next((line for k, line in enumerate(lines) if k == row), None)
    return f"row {row + 1}" + (f" (line {line})" if line else "")


def lines_of(table: pd.DataFrame) -> NDArray[np.int64] | None:
    r"""Return the line on which each row begins in the file that the table was read from, if any.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.csv")
    >>> _ = path.write_text("size,note\n1,small\n\n2,large\n")
    >>> lines_of(read_table(path))
    array([2, 4])
    """
    if "path" not in table.attrs:
        return None
    place, separator = Path(table.attrs["path"]), table.attrs["separator"]
    opened = gzip.open if place.suffix.lower() == ".gz" else open
    if separator is not None:
        with opened(place, "rb") as stream:
            if sum(1 for _ in stream) != len(table) + 1:  # text with line breaks, or blank lines
                return np.fromiter(_lines(place, separator), np.int64, len(table))
    return np.arange(2, len(table) + 2)


def _lines(place: Path, separator: str | None) -> Iterator[int]:
    """Yield the line on which each row begins: text may have line breaks, and lines be blank."""
    if separator is None:  # a sheet
        yield from itertools.count(2)
        return
    opened = gzip.open if place.suffix.lower() == ".gz" else open
    with opened(place, "rt", encoding="utf-8", newline="") as stream:
        records = csv.reader(stream, delimiter=separator, skipinitialspace=True)
        start, rows = 1, -1  # the header
        for record in records:
            if len(record) > 1 or any(text.strip() for text in record):  # as pandas does
                rows += 1
                if rows:
                    yield start
            start = records.line_num + 1


def _separated(place: Path, separator: str) -> pd.DataFrame:
    """Read CSV or TSV, including semicolons as separators and decimal commas."""
    import pandas as pd

    def read(separator: str, decimal: str = ".", rows: int | None = None) -> pd.DataFrame:
        # UCI files mark a missing value with "?", which would turn a numeric column into text.
        return pd.read_csv(
            place,
            sep=separator,
            decimal=decimal,
            nrows=rows,
            na_values=["?"],
            skipinitialspace=True,
            low_memory=False,  # by parts, a column may be read as numbers here and text there
        )

    separator = _separator(place, separator, read(separator, rows=0).shape[1])
    with gzip.open(place) if place.suffix.lower() == ".gz" else place.open("rb") as stream:
        if any(b"\0" in chunk for chunk in iter(lambda: stream.read(2**20), b"")):
            raise ValueError("it has NUL bytes, so it is damaged or not UTF-8 text")
    table = read(separator)
    table.attrs |= {"path": str(place), "separator": separator}
    names = _names(place, separator)
    if separator != ";":
        return _renamed(table, names, place)
    # With the wrong decimal mark, numbers read as text. Use the comma if it turns more columns into
    # numbers and loses none; if it loses some, for the columns whose commas cannot be thousands.
    with_comma = read(separator, decimal=",")
    numbers, numbers_with_comma = (
        set(found.select_dtypes("number").columns) for found in (table, with_comma)
    )
    if not numbers < numbers_with_comma:
        for column in numbers_with_comma - numbers:
            if not table[column].dropna().astype(str).str.fullmatch(_THOUSANDS).all():
                table[column] = with_comma[column]
        return _renamed(table, names, place)
    with_comma.attrs |= table.attrs
    # pandas leaves decimal commas in a column that has any text, where they would not be numbers.
    texts = [str(column) for column in with_comma if column not in numbers_with_comma]
    with_comma[texts] = with_comma[texts].replace(_DECIMAL_COMMA, r"\1.\2", regex=True)
    return _renamed(with_comma, names, place)


def _separator(place: Path, expected: str, columns: int) -> str:
    """Return the separator of a file that has so many columns by the expected one.

    A table with one column has no features, so it probably has another separator. Only the header
    can tell: decimal commas add fields to the other lines. But a name may have a comma, so one that
    makes more fields, and as many of the next line, is taken as well.
    """
    opened = gzip.open if place.suffix.lower() == ".gz" else open
    with opened(place, "rt", encoding="utf-8-sig", newline="") as stream:
        start = list(itertools.islice(stream, 2))
    for separator in ";\t,":
        try:
            header, *rest = (len(next(csv.reader([line], delimiter=separator))) for line in start)
        except csv.Error:  # a line that is too long: the file is no table, as pandas will say
            continue
        if separator != expected and header > columns and (columns == 1 or rest == [header]):
            return separator
    return expected


def _sheet(place: Path) -> pd.DataFrame:
    """Read the first sheet of an Excel file."""
    import pandas as pd

    table = pd.read_excel(place, engine="openpyxl", na_values=["?"])
    table.attrs |= {"path": str(place), "separator": None}
    names = [str(name) for name in table.columns]
    return _renamed(table, ["" if name == "Unnamed: 0" else name for name in names], place)


def _names(place: Path, separator: str) -> list[str]:
    """Return the header as it is in the file: pandas makes names different, and invents some."""
    import pandas as pd

    line = pd.read_csv(
        place,
        sep=separator,
        header=None,
        nrows=1,
        dtype=str,
        skipinitialspace=True,
        keep_default_na=False,
    )
    return [str(name) for name in line.iloc[0]]


def _renamed(table: pd.DataFrame, names: list[str], place: Path) -> pd.DataFrame:
    """Name columns as in the file; leave out the index that pandas writes in front of them."""
    if len(names) != table.shape[1]:
        return table
    for name in {name for name in names if names.count(name) > 1 and name}:
        table.columns = [
            name if original == name else column
            for original, column in zip(names, table.columns, strict=True)
        ]
    if names[0] == "" and len(names) > 1:
        notice_once(
            f"file {str(place)!r}: the first column has no name and is left out; give it "
            "one to use it as a feature"
        )
        return table.iloc[:, 1:]
    return table


def _encoding(place: Path) -> str:
    """Guess the encoding of text that is not UTF-8."""
    with gzip.open(place) if place.suffix.lower() == ".gz" else place.open("rb") as stream:
        marked = stream.read(2) in (b"\xff\xfe", b"\xfe\xff")
    return "UTF-16" if marked else "WINDOWS-1252"


def _arff(place: Path) -> pd.DataFrame:
    import pandas as pd
    from scipy.io import arff

    with place.open(encoding="utf-8") as stream:
        records, _ = arff.loadarff(stream)
    table = pd.DataFrame(records)
    for column in table.columns:
        if table[column].dtype == object:  # nominal values are bytes
            table[column] = table[column].str.decode("utf-8").replace("?", None)
    return table
