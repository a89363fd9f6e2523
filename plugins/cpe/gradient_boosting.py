"""Gradient boosting with calibrated probabilities."""

from __future__ import annotations

from typing import Any

from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier

from ncbench.errors import require


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
    return CalibratedClassifierCV(booster, method="sigmoid", cv=folds)
