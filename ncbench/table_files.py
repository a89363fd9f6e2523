"""Reads tables from files: CSV, TSV, Parquet, ARFF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ncbench.errors import NcbenchError

if TYPE_CHECKING:
    import pandas as pd

TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".arff")

# What readers raise for a file that is not what its suffix says; scipy's ARFF reader lets a bare
# StopIteration out where the header does not end, and does not implement text attributes.
_UNREADABLE = (
    *(OSError, EOFError, ValueError, TypeError, LookupError),
    *(StopIteration, NotImplementedError),
)


def read_table(place: Path) -> pd.DataFrame:
    """Read a table whose columns have names."""
    import pandas as pd

    suffix = next((s for s in reversed(TABLES) if place.name.lower().endswith(s)), None)
    if suffix is None:
        raise NcbenchError(
            f"file {str(place)!r}: of no known kind; it should end in {', '.join(TABLES)}"
        )
    if not place.is_file():
        raise NcbenchError(f"file {str(place)!r}: no such file (looked for {place.absolute()})")

    try:
        if suffix == ".arff":
            return _arff(place)
        if suffix == ".parquet":
            return pd.read_parquet(place, engine="pyarrow")
        # UCI's files mark a missing value with "?", which would turn a column of numbers to text.
        separator = "\t" if suffix.startswith(".tsv") else ","
        return pd.read_csv(place, sep=separator, na_values=["?"], skipinitialspace=True)
    except ImportError as error:
        raise NcbenchError(
            f"file {str(place)!r}: reading Parquet needs pyarrow: pip install 'ncbench[parquet]'"
        ) from error
    except _UNREADABLE as error:
        reason = str(error).strip() or "it ends too early"
        raise NcbenchError(f"file {str(place)!r}: cannot be read as {suffix}: {reason}") from error


def _arff(place: Path) -> pd.DataFrame:
    import pandas as pd
    from scipy.io import arff

    with place.open(encoding="utf-8") as stream:
        records, _ = arff.loadarff(stream)
    table = pd.DataFrame(records)
    for column in table.columns:
        if table[column].dtype == object:  # nominal values come as bytes
            table[column] = table[column].str.decode("utf-8").replace("?", None)
    return table
