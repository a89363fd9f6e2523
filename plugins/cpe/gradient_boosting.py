"""Gradient boosting with calibrated probabilities."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier

from ncbench.errors import NcbenchError, require


def boosting(
    max_iter: int = 100,
    learning_rate: float = 0.1,
    folds: int = 3,
    random_state: int | None = None,
) -> Any:
    """Histogram gradient boosting, calibrated by cross-validated sigmoids.

    Parameters
    ----------
    max_iter : int
        Boosting rounds.
    learning_rate : float
    folds : int
        Folds of the calibration.
    random_state : int, optional
    """
    require(max_iter >= 1, "cpe.max_iter", max_iter, "at least 1")
    require(learning_rate > 0, "cpe.learning_rate", learning_rate, "a number > 0")
    require(folds >= 2, "cpe.folds", folds, "at least 2")
    booster = HistGradientBoostingClassifier(
        max_iter=max_iter, learning_rate=learning_rate, random_state=random_state
    )
    return _Calibrated(booster, method="sigmoid", cv=folds)


class _Calibrated(CalibratedClassifierCV):
    """Explains in its error message which class sizes scikit-learn requires."""

    def fit(self, X: Any, y: NDArray, sample_weight: Any = None, **fit_params: Any) -> Self:
        classes, counts = np.unique(y, return_counts=True)
        if counts.min() < self.cv:
            raise NcbenchError(
                f"cpe=boosting: label {classes[counts.argmin()]} has {counts.min()} of the "
                f"{len(y)} training examples, too few for cpe.folds={self.cv}; use more data, or "
                "a learner that accepts rare labels, such as cpe=logistic"
            )
        super().fit(X, y, sample_weight, **fit_params)
        return self
