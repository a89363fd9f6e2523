"""Confusion matrices of deterministic classifiers, by counting."""

from __future__ import annotations

import numpy as np


def confusion_matrix(y: np.ndarray, predicted: np.ndarray, n: int) -> np.ndarray:
    """Return what scikit-learn does (see test_confusion.py), without a millisecond of checks."""
    return np.bincount(n * np.asarray(y) + predicted, minlength=n * n).reshape(n, n) / len(y)
