"""Gradient boosting with calibrated probabilities."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier

from ncbench.errors import NcbenchError, require
from ncbench.learning import ArgmaxClassifier, PlainTrees
from ncbench.types import Array


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
    return CalibratedBoosting(max_iter, learning_rate, folds, random_state)


class CalibratedBoosting(ArgmaxClassifier):
    """Boosting calibrated as by ``CalibratedClassifierCV``, kept as arrays that can be stored.

    Parameters
    ----------
    max_iter, learning_rate, folds, random_state
        See :func:`boosting`.

    Attributes
    ----------
    classes_ : array of shape (n,)
    trees_ : list of PlainTrees
        Fitted without each fold.
    sigmoids_ : array of shape (folds, n, 2), or (folds, 1, 2) for two classes
        a and b of ``1 / (1 + exp(a s + b))`` for each score s, fitted to each fold.
    """

    def __init__(
        self,
        max_iter: int = 100,
        learning_rate: float = 0.1,
        folds: int = 3,
        random_state: int | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: Any, y: NDArray, sample_weight: Any = None) -> Self:
        """Fit trees to all folds but one, and sigmoids to that one, for each fold."""
        self.classes_, counts = np.unique(y, return_counts=True)
        if counts.min() < self.folds:
            raise NcbenchError(
                f"cpe=boosting: label {self.classes_[counts.argmin()]} has {counts.min()} of the "
                f"{len(y)} training examples, too few for cpe.folds={self.folds}; use more data, "
                "or a learner that accepts rare labels, such as cpe=logistic"
            )
        booster = HistGradientBoostingClassifier(
            max_iter=self.max_iter, learning_rate=self.learning_rate, random_state=self.random_state
        )
        calibrated = CalibratedClassifierCV(booster, method="sigmoid", cv=self.folds)
        pairs = calibrated.fit(X, y, sample_weight).calibrated_classifiers_
        self.trees_ = [PlainTrees.of(pair.estimator) for pair in pairs]
        self.sigmoids_ = np.array([[(s.a_, s.b_) for s in pair.calibrators] for pair in pairs])
        self.n_features_in_ = self.trees_[0].n_features
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return the mean of the calibrated probabilities of the folds."""
        total = np.zeros((len(X), len(self.classes_)))
        for trees, (a, b) in zip(self.trees_, self.sigmoids_.transpose(0, 2, 1), strict=True):
            each = expit(-(a * trees.scores(X) + b))
            if len(self.classes_) == 2:
                total += np.hstack([1.0 - each, each])
                continue
            total_each = each.sum(axis=1, keepdims=True)
            uniform = np.full_like(each, 1.0 / each.shape[1])
            total += np.divide(each, total_each, out=uniform, where=total_each > 0)
        return total / len(self.trees_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
