"""What people use instead: common ways to learn from noisy labels or rare classes, as baselines.

None of them uses the measure or T.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ncbench import NoiseMatrix, NoisyLabelClassifier
from ncbench.errors import NotApplicable
from ncbench.types import Array, Labels


class _Peer(NoisyLabelClassifier):
    """Base class: fits a classifier to the noisy labels as they are."""

    uses_noise_matrix = False

    def _fit(self, X: Array, y: Labels, noise: NoiseMatrix) -> None:
        # cleanlab wants every number up to the largest; a class may have no label.
        self._present, numbers = np.unique(y, return_inverse=True)
        self._n = noise.n
        self.model_ = self._model().fit(X, numbers)

    def _predict_proba(self, X: Array) -> Array:
        probabilities = np.zeros((len(X), self._n))
        probabilities[:, self._present] = self.model_.predict_proba(X)
        return probabilities

    @abstractmethod
    def _model(self) -> Any: ...


class WeightedLogistic(_Peer):
    """Logistic regression with balanced class weights on standardized features.

    Parameters
    ----------
    C : float
        Inverse of the penalty's strength.
    """

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def _model(self) -> Any:
        learner = LogisticRegression(C=self.C, class_weight="balanced", max_iter=1000)
        return make_pipeline(StandardScaler(), learner)


class WeightedBoosting(_Peer):
    """scikit-learn's histogram gradient boosting with balanced class weights.

    Parameters
    ----------
    max_iter : int
        Number of rounds.
    random_state : int, optional
        Seed of the learner.
    """

    def __init__(self, max_iter: int = 100, random_state: int | None = None) -> None:
        self.max_iter = max_iter
        self.random_state = random_state

    @property
    def n_iter_(self) -> int:
        """The number of rounds that were made."""
        return int(self.model_.n_iter_)

    def _model(self) -> Any:
        return HistGradientBoostingClassifier(
            max_iter=self.max_iter, class_weight="balanced", random_state=self.random_state
        )


class CleanLab(_Peer):
    """cleanlab's CleanLearning with logistic regression (Northcutt et al. 2021).

    It removes the labels that confident learning finds, and fits to the others. Needs
    ``pip install cleanlab``.

    Parameters
    ----------
    C : float
        Inverse of the penalty's strength.
    balanced : bool
        Whether the logistic regression has balanced class weights.
    random_state : int, optional
        Seed of the folds.
    """

    def __init__(
        self, C: float = 1.0, balanced: bool = False, random_state: int | None = None
    ) -> None:
        self.C = C
        self.balanced = balanced
        self.random_state = random_state

    def _fit(self, X: Array, y: Labels, noise: NoiseMatrix) -> None:
        state = np.random.get_state()  # noqa: NPY002  (cleanlab seeds the global generator)
        try:
            super()._fit(X, y, noise)
        finally:
            np.random.set_state(state)  # noqa: NPY002

    def _model(self) -> Any:
        try:
            from cleanlab.classification import CleanLearning
        except ImportError as error:
            raise NotApplicable("algo=cleanlab needs cleanlab: pip install cleanlab") from error
        weights = "balanced" if self.balanced else None
        learner = LogisticRegression(C=self.C, class_weight=weights, max_iter=1000)
        return CleanLearning(
            make_pipeline(StandardScaler(), learner),
            seed=self.random_state,
            find_label_issues_kwargs={"n_jobs": 1},  # its forked processes can wait forever
        )
