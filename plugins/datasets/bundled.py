"""Small data sets that come with scikit-learn and need no file or network."""

from __future__ import annotations

import numpy as np

from ncbench import Dataset


def iris() -> Dataset:
    """Iris: 150 flowers, 4 features, 3 species.

    Examples
    --------
    >>> iris().classes
    ('setosa', 'versicolor', 'virginica')
    """
    return _bundled("iris")


def wine() -> Dataset:
    """Wine: 178 wines, 13 features, 3 growers.

    Examples
    --------
    >>> wine().X.shape
    (178, 13)
    """
    return _bundled("wine")


def breast_cancer() -> Dataset:
    """Breast cancer: 569 tumors, 30 features, malignant or benign.

    Examples
    --------
    >>> breast_cancer().classes
    ('malignant', 'benign')
    """
    return _bundled("breast_cancer")


def digits() -> Dataset:
    """Digits: 1,797 images of 8 x 8 pixels, 10 digits.

    Examples
    --------
    >>> digits().n_classes
    10
    """
    return _bundled("digits")


def _bundled(name: str) -> Dataset:
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
