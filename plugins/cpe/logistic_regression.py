"""Multinomial logistic regression with cross-validated regularization."""

from __future__ import annotations

import warnings
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PowerTransformer, StandardScaler

from ncbench.errors import require
from ncbench.learning import ArgmaxClassifier
from ncbench.types import Array

Score = Literal["accuracy", "log_loss"]


def logistic(
    score: Score = "accuracy",
    folds: int = 2,
    strengths: int = 10,
    C: float | None = None,
    random_state: int | None = None,
) -> Pipeline:
    """Multinomial logistic regression on standardized features, as in the paper.

    Parameters
    ----------
    score : {"accuracy", "log_loss"}
        Score that chooses the inverse regularization strength C.
    folds : int
        Folds of the cross-validation.
    strengths : int
        Number of values of C, from 1e-4 to 1e4.
    C : float, optional
        Fixed inverse regularization strength; by default it is chosen.
    random_state : int, optional
        Not used: the folds are not shuffled, as in the paper.
    """
    return make_pipeline(StandardScaler(), _path(score, folds, strengths, C))


def power_logistic(
    score: Score = "accuracy",
    folds: int = 2,
    strengths: int = 10,
    C: float | None = None,
    random_state: int | None = None,
) -> Pipeline:
    """Multinomial logistic regression after a Yeo-Johnson power transform of each feature.

    Parameters
    ----------
    score, folds, strengths, C, random_state
        See ``logistic``.
    """
    return make_pipeline(PowerTransformer(), _path(score, folds, strengths, C))


def _path(score: Score, folds: int, strengths: int, C: float | None) -> LogisticPath:
    require(folds >= 2, "cpe.folds", folds, "at least 2")
    require(strengths >= 1, "cpe.strengths", strengths, "at least 1")
    require(C is None or C > 0, "cpe.C", C, "a number > 0")
    return LogisticPath(score, folds, strengths, C=C)


class LogisticPath(ArgmaxClassifier):
    """Multinomial logistic regression whose C is chosen along a warm-started path.

    scikit-learn's ``LogisticRegressionCV`` does the same, but does not support classes that are
    missing from a fold. With noisy labels of rare classes these are common.

    Parameters
    ----------
    score : {"accuracy", "log_loss"}
        Score that chooses C; ties go to the smaller C.
    folds : int
        Number of stratified folds, not shuffled; at most the size of the largest class.
    strengths : int
        Number of values of C, from 1e-4 to 1e4.
    tol : float
        Stopping tolerance of the solver.
    max_iter : int
        Largest number of Newton steps.
    C : float, optional
        Fixed value; by default it is chosen.

    Attributes
    ----------
    C_ : float
        The inverse regularization strength used.

    Examples
    --------
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]] * 5)
    >>> model = LogisticPath().fit(X, (X[:, 0] > 0).astype(int))
    >>> model.predict([[3.0]])
    array([1])
    """

    def __init__(
        self,
        score: Score = "accuracy",
        folds: int = 2,
        strengths: int = 10,
        tol: float = 1e-3,
        max_iter: int = 200,
        C: float | None = None,
    ) -> None:
        self.score = score
        self.folds = folds
        self.strengths = strengths
        self.tol = tol
        self.max_iter = max_iter
        self.C = C

    def fit(self, X: Array, y: NDArray) -> Self:
        """Choose C by cross-validation, unless it is given, then fit to the whole sample."""
        if self.C is None:
            grid = np.logspace(-4, 4, self.strengths)
            self.C_ = float(grid[self._cross_validate(X, y, grid).mean(axis=0).argmax()])
        else:
            self.C_ = self.C
        self.model_ = self._model().set_params(C=self.C_).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return class probabilities."""
        return np.asarray(self.model_.predict_proba(X))

    def _cross_validate(self, X: Array, y: NDArray, grid: Array) -> Array:
        folds = min(self.folds, int(np.unique(y, return_counts=True)[1].max()))
        if folds < 2 or len(grid) < 2:
            return np.zeros((1, len(grid)))  # too few examples to choose: use the smallest C
        with warnings.catch_warnings():
            # A class smaller than the number of folds is fine: see _score.
            warnings.filterwarnings("ignore", message="The least populated class")
            splits = list(StratifiedKFold(folds).split(X, y))
        scores = np.zeros((len(splits), len(grid)))
        for fold, (train, held_out) in enumerate(splits):
            if len(np.unique(y[train])) < 2:
                continue
            model = self._model()
            for k, C in enumerate(grid):  # from strong to weak regularization, warm started
                model.set_params(C=C).fit(X[train], y[train])
                scores[fold, k] = self._score(model, X[held_out], y[held_out])
        return scores

    def _score(self, model: LogisticRegression, X: Array, y: NDArray) -> float:
        if self.score == "accuracy":
            return float(np.mean(model.predict(X) == y))
        seen = np.isin(y, model.classes_)  # log loss is undefined for classes not in training
        return -float(log_loss(y[seen], model.predict_proba(X[seen]), labels=model.classes_))

    def _model(self) -> LogisticRegression:
        return LogisticRegression(
            solver="newton-cg", tol=self.tol, max_iter=self.max_iter, warm_start=True
        )
