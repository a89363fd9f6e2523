"""Read tables from CSV, TSV, Parquet, Excel and ARFF files."""

from __future__ import annotations

import csv
import itertools
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ncbench.data.separated import opened, read_separated, read_text, rows_of
from ncbench.errors import NcbenchError, notice_once
from ncbench.files import reads

TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".xlsx", ".arff")

_ENGINES = {"parquet": "pyarrow", "excel": "openpyxl"}

# Exceptions of readers for a file that does not match its suffix. scipy's ARFF reader raises a bare
# StopIteration if the header does not end, and NotImplementedError for text attributes. Malformed
# XML in a sheet is a SyntaxError.
_UNREADABLE = (
    *(OSError, zipfile.BadZipFile, EOFError, ValueError, TypeError, LookupError),
    *(StopIteration, NotImplementedError, SyntaxError),
)


def read_table(place: Path) -> pd.DataFrame:
    """Read a table with named columns, each of which has another name; ``~`` is the home folder."""
    suffix = _suffix(place)
    try:
        place = place.expanduser()
        place.stat()
    except (OSError, RuntimeError) as error:  # RuntimeError: no such user
        missing = isinstance(error, FileNotFoundError)
        reason = "no such file" if missing else getattr(error, "strerror", None) or str(error)
        raise NcbenchError(
            f"file {str(place)!r}: {reason} (looked for {place.absolute()})"
        ) from error
    reads(place)
    if not place.is_file():
        raise NcbenchError(f"file {str(place)!r}: not a file (looked for {place.absolute()})")

    try:
        if suffix == ".arff":
            table, header = _arff(place), None
        elif suffix == ".parquet":
            table, header = _parquet(place), None
        elif suffix == ".xlsx":
            table, header = _sheet(place)
        else:
            table, header = read_separated(place, "\t" if suffix.startswith(".tsv") else ",")
        table.attrs["path"] = str(place)
        refuse_repeated(header or [str(name) for name in table.columns])
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
    except MemoryError as error:
        raise NcbenchError(
            f"file {str(place)!r}: does not fit into the memory of this machine; read fewer rows"
        ) from error
    except _UNREADABLE as error:
        reason = str(error).strip() or "it ends too early"
        reason = reason.removeprefix("Error tokenizing data. C error: ")
        raise NcbenchError(f"file {str(place)!r}: cannot be read as {suffix}: {reason}") from error
    if header and header[0] == "" and len(header) > 1:  # the index that pandas writes
        notice_once(
            f"file {str(place)!r}: the first column has no name and is left out; give it "
            "one to use it as a feature"
        )
        return table.iloc[:, 1:]
    return table


def _suffix(place: Path) -> str:
    for suffix in reversed(TABLES):
        if place.name.lower().endswith(suffix):
            return suffix
    raise NcbenchError(
        f"file {str(place)!r}: unknown file type; expected one of {', '.join(TABLES)}"
    )


def table_name(place: Path) -> str:
    """Return the name of a table's file without its ending.

    Examples
    --------
    >>> table_name(Path("fruit.csv.gz"))
    'fruit'
    """
    return place.name[: -len(_suffix(place))]


def at_row(table: pd.DataFrame, row: int) -> str:
    """Name a row, counted from 1, and its line in the file that the table was read from.

    Examples
    --------
    >>> import pandas as pd
    >>> at_row(pd.DataFrame({"a": [1, 2]}), 1)
    'row 2'
    """
    line = None
    if "separator" in table.attrs and row < len(table):
        line = next(itertools.islice(_lines(table), row, None), None)
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
    if "separator" not in table.attrs:
        return None
    return np.fromiter(_lines(table), np.int64, len(table))


def as_written(table: pd.DataFrame) -> pd.DataFrame:
    r"""Return the columns of a table as text, as its file has them; missing values are empty.

    Numbers lose what is not part of their value, such as leading zeros, or are rounded.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.csv")
    >>> _ = path.write_text("size,id,code\n1.50,1000000000000000007,NA\n2,,007\n")
    >>> as_written(read_table(path)[["id", "code"]]).values.tolist()
    [['1000000000000000007', 'NA'], ['', '007']]
    """
    if "path" not in table.attrs or not table.shape[1]:
        return table
    place = Path(table.attrs["path"])
    suffix = _suffix(place)
    names = [str(name) for name in table.columns]
    if suffix == ".arff":
        texts = _arff_text(place)
    elif suffix == ".parquet":
        from pyarrow.parquet import (  # type: ignore[import-untyped]
            read_table as read_parquet,
        )

        stored = read_parquet(place, use_threads=False)
        texts = pd.DataFrame({name: map(_text, stored[name].to_pylist()) for name in names})
    elif suffix == ".xlsx":
        texts = pd.read_excel(place, engine="openpyxl", dtype=object, na_filter=False).map(_text)
    else:
        separator = table.attrs["separator"]
        header = pd.read_csv(place, sep=separator, nrows=0, skipinitialspace=True).columns
        positions = [k for k, name in enumerate(header) if name in names]
        texts = read_text(place, separator, positions)
    texts = texts.set_axis([str(name) for name in texts.columns], axis=1)[names]
    texts.attrs = table.attrs
    return texts


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    return "" if value is None or value != value else str(value)


def _lines(table: pd.DataFrame) -> Iterator[int]:
    """Yield the line on which each row begins: text may have line breaks, and lines be blank."""
    if table.attrs["plain"]:
        yield from range(2, len(table) + 2)
        return
    rows = rows_of(Path(table.attrs["path"]), table.attrs["separator"])
    yield from itertools.islice((row.line for row in rows), 1, None)


def _parquet(place: Path) -> pd.DataFrame:
    try:
        table = pd.read_parquet(place, engine="pyarrow")
    except ValueError:  # such as a name twice, which pyarrow says in words of its own
        from pyarrow.parquet import read_schema

        refuse_repeated(read_schema(place).names)
        raise
    for name in [column for column in table if table[column].dtype == object]:
        try:
            table[name] = table[name].map(lambda v: v.decode() if isinstance(v, bytes) else v)
        except UnicodeDecodeError as error:
            raise TypeError(
                f"column {name!r} has bytes that are not UTF-8 text, such as "
                f"{error.object[:20]!r}; delete the column"
            ) from error
    return table


def _sheet(place: Path) -> tuple[pd.DataFrame, list[str]]:
    """Read the first sheet of an Excel file, and its header as it is written."""
    table = pd.read_excel(place, engine="openpyxl", na_values=["?"])
    first = pd.read_excel(place, engine="openpyxl", header=None, nrows=1, na_filter=False)
    table.attrs |= {"separator": None, "plain": True}
    return table, [str(name) for name in first.to_numpy().ravel().tolist()]


def refuse_repeated(names: Sequence[str]) -> None:
    """Raise NcbenchError if columns have the same name: nothing could say which is meant."""
    for name, times in Counter(names).items():
        if name and times > 1:
            places = [str(k) for k, other in enumerate(names, start=1) if other == name]
            raise NcbenchError(
                f"columns {', '.join(places[:-1])} and {places[-1]} have the name {name!r}; "
                "rename or delete all but one"
            )


def _encoding(place: Path) -> str:
    """Guess the encoding of text that is not UTF-8."""
    with opened(place) as stream:
        marked = stream.read(2) in (b"\xff\xfe", b"\xfe\xff")
    return "UTF-16" if marked else "WINDOWS-1252"


def _arff(place: Path) -> pd.DataFrame:
    from scipy.io import arff

    with place.open(encoding="utf-8") as stream:
        records, _ = arff.loadarff(stream)
    table = pd.DataFrame(records)
    for column in table.columns:
        if table[column].dtype == object:  # nominal values are bytes
            table[column] = table[column].str.decode("utf-8").replace("?", None)
    return table


def _arff_text(place: Path) -> pd.DataFrame:
    """Return all columns as text: the data of an ARFF file is CSV, in single quotation marks."""
    from scipy.io import arff

    with place.open(encoding="utf-8") as stream:
        names = arff.loadarff(stream)[1].names()
    with place.open(encoding="utf-8") as stream:
        after = itertools.dropwhile(lambda line: not line.lower().startswith("@data"), stream)
        data = [line for line in list(after)[1:] if line.strip() and not line.startswith("%")]
    rows = csv.reader(data, quotechar="'", skipinitialspace=True)
    texts = [["" if text.strip() == "?" else text.strip() for text in row] for row in rows]
    return pd.DataFrame(texts, columns=names, dtype=object)
