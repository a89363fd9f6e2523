"""A linear model of the clean class probabilities, fitted through the noise matrix."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import PowerTransformer, StandardScaler

from ncbench.core import NoiseMatrix
from ncbench.errors import require
from ncbench.learning import ForwardCrossEntropy, fit_penalty_path, numbered_labels
from ncbench.types import Array


class ForwardLogistic(ClassifierMixin, BaseEstimator):
    """Noisy probabilities ``T softmax(W x + b)``, fitted by maximum likelihood.

    ``logistic`` assumes that the *noisy* log odds are linear in x, which is false under noise even
    if the clean log odds are linear. This learner assumes linear clean log odds and uses T. Without
    T it is multinomial logistic regression whose penalty is chosen by log loss.

    Parameters
    ----------
    transform : {"standardise", "power"}
        Transform of each feature; ``power`` is the Yeo-Johnson transform.
    folds : int
        Folds of the cross-validation that chooses the penalty, by likelihood.
    max_iter : int
        Iterations of L-BFGS for each penalty.
    random_state : int, optional
        Seed of the folds.

    Attributes
    ----------
    penalty_ : float
        The chosen penalty.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> y = (X[:, 0] > 0).astype(int)
    >>> y[::10] = 1  # a few 0 were written down as 1
    >>> T = [[0.8, 0.0], [0.2, 1.0]]
    >>> ForwardLogistic(random_state=0).fit(X, y, noise_matrix=T).predict_proba([[-1.0]]).round(1)
    array([[0.8, 0.2]])
    """

    def __init__(
        self,
        transform: Literal["standardise", "power"] = "standardise",
        folds: int = 3,
        max_iter: int = 500,
        random_state: int | None = None,
    ) -> None:
        self.transform = transform
        self.folds = folds
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(
        self, X: Array, y: NDArray, noise_matrix: NoiseMatrix | ArrayLike | None = None
    ) -> Self:
        """Fit to noisy labels: 0..n-1 with T, of any type without."""
        self.classes_, codes, self.noise_matrix_ = numbered_labels(y, noise_matrix)
        scaler = PowerTransformer() if self.transform == "power" else StandardScaler()
        self._scaler = scaler.fit(X)
        self.model_, self.penalty_, self.n_iter_ = fit_penalty_path(
            self._scaler.transform(X),
            codes,
            self.noise_matrix_,
            ForwardCrossEntropy,
            folds=self.folds,
            max_iter=self.max_iter,
            random_state=self.random_state,
        )
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return noisy class probabilities."""
        clean = self.model_.posterior(self._scaler.transform(X))
        return self.noise_matrix_.corrupt_posterior(clean)

    def predict(self, X: Array) -> NDArray:
        """Return the most probable noisy class."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def forward(
    folds: int = 3, max_iter: int = 500, random_state: int | None = None
) -> ForwardLogistic:
    """Logistic model of the clean probabilities on standardized features, fitted through T.

    Parameters
    ----------
    folds, max_iter, random_state
        See ``ForwardLogistic``.
    """
    return _learner("standardise", folds, max_iter, random_state)


def power_forward(
    folds: int = 3, max_iter: int = 500, random_state: int | None = None
) -> ForwardLogistic:
    """Logistic model of the clean probabilities on power-transformed features, through T.

    Parameters
    ----------
    folds, max_iter, random_state
        See ``ForwardLogistic``.
    """
    return _learner("power", folds, max_iter, random_state)


def _learner(
    transform: Literal["standardise", "power"], folds: int, max_iter: int, random_state: int | None
) -> ForwardLogistic:
    require(folds >= 2, "cpe.folds", folds, "at least 2")
    require(max_iter >= 1, "cpe.max_iter", max_iter, "at least 1")
    return ForwardLogistic(transform, folds, max_iter, random_state)
