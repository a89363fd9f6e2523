"""Confusion matrices of deterministic classifiers, counted by scikit-learn."""

from __future__ import annotations

import numpy as np
from sklearn import metrics


def confusion_matrix(y: np.ndarray, predicted: np.ndarray, n: int) -> np.ndarray:
    return metrics.confusion_matrix(y, predicted, labels=range(n), normalize="all")
