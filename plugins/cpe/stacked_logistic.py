"""Two-level logistic regression: nonlinear noisy log odds without knowing T."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from ncbench import load
from ncbench.errors import require
from ncbench.learning import deal_folds, posterior
from ncbench.types import Array

SEARCH = 20_000
"""Largest number of examples that choose C of the second level."""


def logistic(**parameters: Any) -> Any:
    """Return the learner of both levels, as it is registered."""
    return load("cpe", "logistic")(**parameters)


class StackedLogistic(ClassifierMixin, BaseEstimator):
    """Average of a logistic regression and a second one that also gets the first one's output.

    Noise mixes probabilities, ``eta~ = T eta``, so noisy log odds are bounded, but linear functions
    of x are not. Probabilities are bounded, too. As additional features they let the second level
    fit bounded log odds (stacked generalization, Wolpert 1992). The second level is trained on
    held-out probabilities, because it would trust fitted ones too much. If a class is rare, the
    average is safer than the second level alone.

    Parameters
    ----------
    folds : int
        Folds of the held-out probabilities; examples are assigned in their order.

    Attributes
    ----------
    first_, second_ : scikit-learn classifiers
        The two fitted levels; both are ``logistic``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.linspace(-3, 3, 600)[:, None]
    >>> y = (X[:, 0] > 0) ^ (rng.random(600) < 0.2)  # a fifth is wrong for any x
    >>> StackedLogistic().fit(X, y).predict([[-2.0], [2.0]])
    array([False,  True])
    """

    def __init__(self, folds: int = 5) -> None:
        self.folds = folds

    def fit(self, X: Array, y: NDArray) -> Self:
        """Fit the first level, and the second level to X and held-out probabilities."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        n = len(self.classes_)
        self.first_ = logistic().fit(X, codes)
        held_out = posterior(self.first_, X, n)  # kept if the rest of a fold has one class
        order = np.arange(len(codes))
        fold = deal_folds(codes, self.folds, order)
        C = self.first_[-1].C_  # one C for all folds, so that they give the same features
        for k in range(fold.max() + 1):
            rest, part = fold != k, fold == k
            if len(np.unique(codes[rest])) > 1:
                learner = logistic(C=C).fit(X[rest], codes[rest])
                held_out[part] = posterior(learner, X[part], n)
        both = np.hstack([X, held_out])
        search = deal_folds(codes, -(-len(codes) // SEARCH), order) == 0
        if search.all() or len(np.unique(codes[search])) < 2:
            self.second_ = logistic().fit(both, codes)
        else:
            C = logistic().fit(both[search], codes[search])[-1].C_
            self.second_ = logistic(C=C).fit(both, codes)
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return class probabilities."""
        n = len(self.classes_)
        first = posterior(self.first_, X, n)
        return (first + posterior(self.second_, np.hstack([X, first]), n)) / 2

    def predict(self, X: Array) -> NDArray:
        """Return the most probable class."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def stacked(folds: int = 5, random_state: int | None = None) -> StackedLogistic:
    """Average of logistic regression and one that also sees its held-out probabilities.

    Parameters
    ----------
    folds : int
        Folds of the held-out probabilities.
    random_state : int, optional
        Not used: the folds are not shuffled.
    """
    require(folds >= 2, "cpe.folds", folds, "at least 2")
    return StackedLogistic(folds)
