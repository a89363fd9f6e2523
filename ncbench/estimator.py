"""Base class for algorithms: a scikit-learn classifier whose ``fit`` takes a noise matrix."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ncbench.cpe import posterior
from ncbench.measure import Family
from ncbench.noise_matrix import NoiseMatrix

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


class NoisyLabelClassifier(ClassifierMixin, BaseEstimator):
    """Checks input, maps labels to 0..n-1 and back, and accepts any form of noise matrix.

    Subclasses write ``_fit(X, y, noise)`` and ``_predict_proba(X)`` for labels 0..n-1, and
    ``check_parameters()`` where a parameter can be wrong.

    Attributes
    ----------
    measure_families : frozenset or None
        Families of measures the algorithm can optimise; None for an algorithm that does not
        look at the measure, such as a baseline, which may be compared on all of them.
    uses_noise_matrix : bool
        False for algorithms that do not correct: they ignore ``noise_matrix``.
    randomized : bool
        True for a randomized classifier: its prediction is drawn from ``predict_proba``. Others
        predict the most probable class, whatever its probability.
    """

    measure_families: ClassVar[frozenset[Family] | None] = None
    uses_noise_matrix: ClassVar[bool] = True
    randomized: ClassVar[bool] = False

    def fit(
        self, X: ArrayLike, y: ArrayLike, noise_matrix: NoiseMatrix | ArrayLike | None = None
    ) -> Self:
        """Fit to noisy labels.

        Parameters
        ----------
        X : array of shape (m, d)
        y : array of shape (m,)
            Noisy labels of any type.
        noise_matrix : NoiseMatrix or array of shape (n, n), optional
            ``T[i, j] = P(noisy = i | clean = j)``, classes in sorted order. None: no noise.
            Labels that are numbers 0..n-1 of its n classes need not all occur: a small sample
            may lack a rare class.
        """
        self.check_parameters()
        features, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        seen = np.unique(labels)
        if len(seen) < 2:
            raise ValueError(f"y has one class only, {seen[0]!r}; at least two are needed")
        self.classes_ = _numbered(seen, noise_matrix)
        n = len(self.classes_)
        noise = NoiseMatrix.of(noise_matrix if self.uses_noise_matrix else None, n)
        self._fit(features, np.searchsorted(self.classes_, labels).astype(np.int64), noise)
        return self

    def check_parameters(self) -> None:
        """Refuse parameters that are wrong whatever the data.

        ``fit`` asks first of all, and a run before anything is written. scikit-learn wants
        constructors that check nothing.
        """

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return class probabilities for each row of X; see ``randomized``."""
        check_is_fitted(self)
        return self._predict_proba(validate_data(self, X, reset=False, dtype=np.float64))

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the most probable prediction for each row of X, ties to the lowest class."""
        most_probable = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[most_probable])

    @abstractmethod
    def _fit(self, X: Array, y: Labels, noise: NoiseMatrix) -> None: ...

    @abstractmethod
    def _predict_proba(self, X: Array) -> Array: ...


def _numbered(seen: NDArray, noise_matrix: NoiseMatrix | ArrayLike | None) -> NDArray:
    """Return the classes: 0..n-1 if the labels are such numbers and T has n classes."""
    if noise_matrix is None or not np.issubdtype(seen.dtype, np.integer):
        return seen
    n = (
        noise_matrix.n
        if isinstance(noise_matrix, NoiseMatrix)
        else len(np.atleast_1d(noise_matrix))
    )
    return np.arange(n) if seen[0] >= 0 and len(seen) < n and seen[-1] < n else seen


def prediction(algorithm: Any, X: Array, n: int) -> Array:
    """Return the distribution of a fitted algorithm's prediction, one column for each class.

    That of a randomized classifier is its ``predict_proba``; any other predicts one class.

    Parameters
    ----------
    algorithm : scikit-learn classifier
        Fitted to labels 0..n-1.
    X : array of shape (m, d)
    n : int
        Number of classes.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> prediction(GaussianNB().fit(X, [0, 0, 1, 1]), X[:1], 2)
    array([[1., 0.]])
    """
    if getattr(algorithm, "randomized", False):
        return posterior(algorithm, X, n)
    return np.asarray(np.eye(n)[algorithm.predict(X)])
