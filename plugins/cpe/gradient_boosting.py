"""Gradient boosting with calibrated probabilities."""

from __future__ import annotations

from typing import Any

from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier


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
    booster = HistGradientBoostingClassifier(
        max_iter=max_iter, learning_rate=learning_rate, random_state=random_state
    )
    return CalibratedClassifierCV(booster, method="sigmoid", cv=folds)
