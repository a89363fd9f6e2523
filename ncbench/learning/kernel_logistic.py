"""Logistic regression on a Gaussian kernel."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import StandardScaler

from ncbench.learning.linear_softmax import LinearSoftmax, fit_linear_softmax
from ncbench.learning.noisy_losses import CrossEntropy
from ncbench.types import Array

_LANDMARKS = 300
_DISTANCES = 1000  # examples whose distances set the width of the kernel
_PART = 4096  # examples to predict at a time


class KernelLogistic(ClassifierMixin, BaseEstimator):
    """Logistic regression on Nystroem features of a Gaussian kernel.

    The kernel's gamma is 2 by the median squared distance of standardized examples.

    Parameters
    ----------
    C : float
        Inverse strength of the penalty, as in scikit-learn.
    random_state : int, optional
        Seed of the landmarks.

    Attributes
    ----------
    scaler_ : StandardScaler
    landmarks_ : array of shape (k, d)
        Standardized examples.
    gamma_ : float
    model_ : LinearSoftmax
        Of the kernel's values at the landmarks.

    Examples
    --------
    >>> X = np.linspace(-3, 3, 90)[:, None]
    >>> y = (np.abs(X[:, 0]) < 1).astype(int)  # not linear
    >>> KernelLogistic(10.0, random_state=0).fit(X, y).predict([[-2.0], [0.0], [2.0]])
    array([0, 1, 0])
    """

    def __init__(self, C: float = 1.0, random_state: int | None = None) -> None:
        self.C = C
        self.random_state = random_state

    def fit(self, X: Array, y: NDArray[Any]) -> Self:
        """Fit to labels of any type."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        n = len(self.classes_)
        self.scaler_ = StandardScaler().fit(X)
        Z = self.scaler_.transform(X)
        self.gamma_ = _gamma(Z, self.random_state)
        kernel = Nystroem(
            gamma=self.gamma_,
            n_components=min(_LANDMARKS, len(Z)),
            random_state=self.random_state,
        ).fit(Z)
        self.landmarks_ = kernel.components_
        features = self._kernel(Z) @ kernel.normalization_.T
        loss, zero = CrossEntropy.of_labels(codes, n), LinearSoftmax.zero(features.shape[1], n)
        penalty = 1 / (self.C * len(codes))
        model = fit_linear_softmax(features, loss, zero, penalty=penalty, max_iter=300, tol=1e-4)
        # Of values of the kernel, so that the roots are not needed to predict.
        self.model_ = LinearSoftmax(kernel.normalization_.T @ model.coef, model.intercept)
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return class probabilities."""
        Z = self.scaler_.transform(X)
        parts = (Z[start : start + _PART] for start in range(0, len(Z), _PART))
        return np.concatenate([self.model_.posterior(self._kernel(part)) for part in parts])

    def predict(self, X: Array) -> NDArray[Any]:
        """Return the most probable class."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def _kernel(self, Z: Array) -> Array:
        squares = pairwise_distances(Z, self.landmarks_, metric="sqeuclidean")
        return np.asarray(np.exp(-self.gamma_ * squares))


def _gamma(Z: Array, seed: int | None) -> float:
    some = Z
    if len(Z) > _DISTANCES:
        some = Z[np.random.default_rng(seed).choice(len(Z), _DISTANCES, replace=False)]
    squares = pairwise_distances(some, metric="sqeuclidean")
    median = float(np.median(squares[np.triu_indices(len(some), 1)]))
    return 2 / median if median > 0 else 1.0
