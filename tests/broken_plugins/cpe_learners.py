"""Broken CPE learners."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB


class Good(GaussianNB):
    """Naive Bayes."""

    def __init__(self):
        super().__init__()


class LogProbabilities(Good):
    """Logarithms of probabilities."""

    def predict_proba(self, X):
        return super().predict_log_proba(X)


class Likelihoods(Good):
    """Not divided by their sum."""

    def predict_proba(self, X):
        return super().predict_proba(X) * 0.5


class OneColumnLess(Good):
    """Leaves out the last class: it follows from the others."""

    def predict_proba(self, X):
        return super().predict_proba(X)[:, :-1]


class WithoutClasses(ClassifierMixin, BaseEstimator):
    """Does not say which labels it saw."""

    def fit(self, X, y):
        self.model_ = GaussianNB().fit(X, y)
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


class ColumnsReversed(Good):
    """Columns in another order than classes_."""

    def predict_proba(self, X):
        return super().predict_proba(X)[:, ::-1]


def prior() -> DummyClassifier:
    """Class frequencies, whatever X is."""
    return DummyClassifier(strategy="prior")


class ChangesItsParameters(ClassifierMixin, BaseEstimator):
    """Stores what it learnt under the name of a parameter."""

    def __init__(self, smoothing: float = 1e-9):
        self.smoothing = smoothing

    def fit(self, X, y):
        self.smoothing = float(X.var())
        self.model_ = GaussianNB(var_smoothing=self.smoothing).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


class KeepsOnLearning(Good):
    """Remembers earlier fits in the class itself: a clone is not a new start."""

    seen = 0

    def fit(self, X, y):
        type(self).seen += 1
        return super().fit(X + type(self).seen * np.arange(len(X))[:, None] / 10, y)


class CleanProbabilities(Good):
    """Told T, it gives clean probabilities, and algorithms correct them once more."""

    def fit(self, X, y, noise_matrix=None):
        self.noise_ = noise_matrix
        return super().fit(X, y)

    def predict_proba(self, X):
        P = super().predict_proba(X)
        return P if self.noise_ is None else self.noise_.correct_posterior(P)


class GlobalGenerator(Good):
    """Adds noise from numpy's global generator."""

    def fit(self, X, y):
        return super().fit(X + np.random.normal(size=X.shape), y)


class ScalesInPlace(Good):
    """Standardises the features of everybody."""

    def fit(self, X, y):
        X /= X.std(axis=0)
        return super().fit(X, y)


class HoldsALambda(Good):
    """Cannot be pickled once it is fitted."""

    def fit(self, X, y):
        self.link_ = lambda z: z
        return super().fit(X, y)


class SinglePrecision(Good):
    """Good, too: probabilities in single precision."""

    def predict_proba(self, X):
        return (super().predict_proba(X) + 3e-7).astype(np.float32)


class ChangesX(Good):
    """A run hands out arrays that cannot be changed."""

    def fit(self, X, y):
        X *= 1.0
        return super().fit(X, y)


GOOD = [Good, SinglePrecision]


class FirstMeans(GaussianNB):
    """Centres with the means of the first rows that it has ever seen: no repetition shows it."""

    means = []  # noqa: RUF012

    def fit(self, X, y):
        self.means[:] = self.means or [X.mean(axis=0)]
        return super().fit(X - self.means[0], y)


def first_means(random_state=None):
    return FirstMeans()


BROKEN = {
    "state": {r"for trial 0 of data A differs by .* the reverse order, data B first": first_means},
    "trial": {r"it raised ValueError: .*read-only .*cpe_learners\.py, line \d+": ChangesX},
    "probabilities": {
        r"predict_proba has the entry -\d": LogProbabilities,
        r"row \d+ of predict_proba sums to 0\.5": Likelihoods,
        r"predict_proba has shape \(150, 2\)": OneColumnLess,
    },
    "classes": {
        r"classes_ is None after labels \[0, 2, 5\]": WithoutClasses,
        r"the right one of \[0, 2, 5\] for only 0\.\d+ of the examples": ColumnsReversed,
    },
    "learns": {r"is right for 0\.33 of its own training examples": prior},
    "clone": {
        r"fit changed the parameters from {'smoothing': 1e-09} to": ChangesItsParameters,
        r"of a learner and its clone differ by up to": KeepsOnLearning,
    },
    "noise_matrix": {
        r"class \d have label \d with probability 0\.\d, but predict_proba says": CleanProbabilities
    },
    "seeded": {r"of two fits, one seed differ by up to [\d.e-]+": GlobalGenerator},
    "inputs_unchanged": {r"300 entries of X changed": ScalesInPlace},
    "pickling": {r"pickling raises .*lambda": HoldsALambda},
}
