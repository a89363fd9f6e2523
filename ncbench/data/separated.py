"""Read CSV and TSV files, and refuse those in which rows and columns are not what they seem."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, NamedTuple, NoReturn

import pandas as pd

from ncbench.errors import counted

_DECIMAL_COMMA = r"^\s*([-+]?\d*),(\d+(?:[eE][-+]?\d+)?)\s*$"
_THOUSANDS = r"[-+]?(?:0|[1-9]\d{0,2}(?:,\d{3})*)\s*"

# Half a million columns have a header of a few megabytes. A longer line would only fill the memory.
_LONGEST_LINE = 2**26


class Row(NamedTuple):
    """The header or a row of a file as it is written, without blank lines."""

    line: int
    """On which it begins, from 1."""
    fields: list[str]
    lines: list[str]
    """More than one if a text between quotation marks has line breaks."""


def opened(place: Path) -> IO[bytes]:
    """Open a file that may be compressed."""
    return gzip.open(place) if place.suffix.lower() == ".gz" else place.open("rb")  # type: ignore[return-value]


def _opened_as_text(place: Path) -> IO[str]:
    return io.TextIOWrapper(opened(place), encoding="utf-8-sig", newline="")


def rows_of(place: Path, separator: str) -> Iterator[Row]:
    r"""Yield the header and the rows of a file, as pandas separates them.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.csv")
    >>> _ = path.write_text('size,note\n1,"large,\nold"\n\n2,\n')
    >>> [(row.line, row.fields) for row in rows_of(path, ",")]
    [(1, ['size', 'note']), (2, ['1', 'large,\nold']), (5, ['2', ''])]
    """
    taken: list[str] = []

    def lines(stream: IO[str]) -> Iterator[str]:
        for line in stream:
            taken.append(line)
            yield line

    with _opened_as_text(place) as stream:
        start = 1
        for fields in _fields(lines(stream), separator):
            if len(fields) > 1 or any(text.strip() for text in fields):  # not blank, as for pandas
                yield Row(start, fields, taken.copy())
            start += len(taken)
            taken.clear()


def _fields(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    csv.field_size_limit(2**31 - 1)  # for a field that takes the rest of the file
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def read_separated(place: Path, separator: str) -> tuple[pd.DataFrame, list[str]]:
    """Read CSV or TSV, and the header as it is written: pandas makes names different.

    Separators may be semicolons, with decimal commas. Raises ValueError for a file that is not a
    table. ``attrs`` of the table say how to find its rows again.
    """

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

    lines, quoted = _count_lines(place)
    try:
        separator = _separator(place, separator, read(separator, rows=0).shape[1])
        # pandas takes the first columns as an index if the first row has more fields than the
        # header. Of the other rows, it says so itself.
        _refuse_malformed(place, separator, most=2)
        table = read(separator)
    except pd.errors.ParserError as error:
        _explain(place, separator, error)
    plain = lines == len(table) + 1
    if quoted and not plain:
        _refuse_malformed(place, separator)
    header = next(rows_of(place, separator)).fields
    attrs = {"separator": separator, "plain": plain}
    table.attrs |= attrs
    if separator != ";":
        return table, header
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
        return table, header
    with_comma.attrs |= attrs
    # pandas leaves decimal commas in a column that has any text, where they would not be numbers.
    texts = [str(column) for column in with_comma if column not in numbers_with_comma]
    with_comma[texts] = with_comma[texts].replace(_DECIMAL_COMMA, r"\1.\2", regex=True)
    return with_comma, header


def read_text(place: Path, separator: str, positions: list[int]) -> pd.DataFrame:
    """Return some columns of a file that was read, as the text that it has."""
    return pd.read_csv(
        place,
        sep=separator,
        usecols=positions,
        dtype=str,
        keep_default_na=False,
        skipinitialspace=True,
        low_memory=False,
    ).fillna("")  # at the end of rows that are too short


def _count_lines(place: Path) -> tuple[int, bool]:
    """Return the number of lines, and whether any has a quotation mark."""
    lines, length, quoted, last = 0, 0, False, b"\n"  # as if a line had ended before the file
    with opened(place) as stream:
        for chunk in iter(lambda: stream.read(2**20), b""):
            if b"\0" in chunk:
                if last == b"\n" and chunk[:2] in (b"\xff\xfe", b"\xfe\xff"):
                    raise UnicodeDecodeError("utf-8", chunk[:2], 0, 1, "the mark of UTF-16")
                raise ValueError("it has NUL bytes, so it is damaged or not UTF-8 text")
            lines += chunk.count(b"\n")
            quoted = quoted or b'"' in chunk
            end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
            length = length + len(chunk) if end < 0 else len(chunk) - end - 1
            if length > _LONGEST_LINE:
                raise ValueError(
                    f"line {lines + 1} has more than {_LONGEST_LINE >> 20} million characters, so "
                    "it is damaged or has no line breaks between its rows"
                )
            last = chunk
    return lines + (not last.endswith(b"\n")), quoted


def _separator(place: Path, expected: str, columns: int) -> str:
    """Return the separator of a file that has so many columns by the expected one.

    A table with one column has no features, so it probably has another separator. Only the header
    can tell: decimal commas add fields to the other lines. But a name may have a comma, so one that
    makes more fields, and as many of the next line, is taken as well.
    """
    with _opened_as_text(place) as stream:
        start = list(itertools.islice(stream, 2))
    for separator in ";\t,":
        header, *rest = (len(next(_fields([line], separator))) for line in start)
        if separator != expected and header > columns and (columns == 1 or rest == [header]):
            return separator
    return expected


def _refuse_malformed(place: Path, separator: str, most: int | None = None) -> None:
    """Raise ValueError for the first row that has too many fields or swallows other rows."""
    width = 0
    for row in itertools.islice(rows_of(place, separator), most):
        width = width or len(row.fields)
        if len(row.lines) > 1 and _swallows(row.lines, width, separator):
            raise ValueError(
                f"in line {row.line}, a quotation mark takes "
                f"{counted(len(row.lines) - 1, 'more line')} into its field, and each looks like "
                f"a row; delete it, or the line breaks if this is text: {_start(row)}"
            )
        if len(row.fields) > width:
            remedy = (
                "delete the separator at its end"
                if not row.fields[-1].strip()
                else f"put a field that has {separator!r} in it between quotation marks"
            )
            raise ValueError(
                f"line {row.line} has {len(row.fields)} fields, but the header has {width}; "
                f"{remedy}: {_start(row)}"
            )


def _swallows(lines: list[str], width: int, separator: str) -> bool:
    """Whether each line of a row could be a row by itself.

    The lines of an address or a comment have other numbers of fields. In a table of two columns,
    one comma is not enough: the same fields must be numbers, too.
    """
    # The mark that opens the field is the last of the first line, and closes as first of the last.
    first, last = lines[0].rsplit('"', 1), lines[-1].split('"', 1)
    alone = ["".join(first), *lines[1:-1], "".join(last)]
    found = [next(_fields([line], separator), []) for line in alone]
    if any(len(fields) != width for fields in found):
        return False
    kinds = {tuple(map(_is_number, fields)) for fields in found}
    return width > 2 or (len(kinds) == 1 and any(*kinds))


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _start(row: Row) -> str:
    """Show how a row begins."""
    line = row.lines[0].rstrip("\r\n")
    return repr(line if len(line) <= 60 else line[:57] + "...")


def _explain(place: Path, separator: str, error: Exception) -> NoReturn:
    """Raise ValueError for a file that pandas cannot read, with the line."""
    if "EOF inside string" in str(error):
        *_, row = rows_of(place, separator)
        raise ValueError(
            f"the row in line {row.line} has a quotation mark that is never closed; delete it: "
            f"{_start(row)}"
        ) from error
    _refuse_malformed(place, separator)
    raise error
