"""Broken algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.validation import check_is_fitted, validate_data

from ncbench import NoiseMatrix, NoisyLabelClassifier, PosteriorClassifier


class Good(NoisyLabelClassifier):
    """The largest entry of T^-1 eta~(x)."""

    def __init__(self, cpe=None, random_state=None):
        self.cpe = cpe
        self.random_state = random_state

    def _fit(self, X, y, noise):
        self.noise_ = noise
        self.cpe_ = clone(self.cpe or GaussianNB()).fit(X, y)

    def _posterior(self, X):
        return self.noise_.correct_posterior(self.cpe_.predict_proba(X))

    def _predict_proba(self, X):
        P = self._posterior(X)
        return np.eye(P.shape[1])[P.argmax(axis=1)]


class DoesNotTakeT(ClassifierMixin, BaseEstimator):
    """A classifier of scikit-learn's, as it is."""

    def fit(self, X, y):
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)

    def predict(self, X):
        return self.model_.predict(X)


class NoneMeansTenPercent(Good):
    """Without a noise matrix it assumes one."""

    def fit(self, X, y, noise_matrix=None):
        n = len(np.unique(y))
        assumed = 0.9 * np.eye(n) + 0.1 / n
        return super().fit(X, y, assumed if noise_matrix is None else noise_matrix)

    def _predict_proba(self, X):
        P = np.abs(self._posterior(X))
        return P / P.sum(axis=1, keepdims=True)


class AsksForTheTruth(Good):
    """An algorithm is told an estimate of T, never T itself."""

    needs = ("noise_matrix",)


class AsksForWhatNobodyHas(Good):
    """A need that does not exist."""

    needs = ("clean_label",)


class IgnoresT(Good):
    """Does not correct, and does not say so."""

    def _posterior(self, X):
        return self.cpe_.predict_proba(X)


class CorrectsByTheTranspose(Good):
    """T^-T eta~ in place of T^-1 eta~."""

    def _posterior(self, X):
        return self.cpe_.predict_proba(X) @ np.linalg.inv(self.noise_.matrix)


class CorrectsAndDeniesIt(Good):
    """Says that it ignores T, and does not."""

    uses_noise_matrix = False

    def fit(self, X, y, noise_matrix=None):
        super().fit(X, y)
        self.noise_ = NoiseMatrix.of(noise_matrix, len(self.classes_))
        return self


class InvertsAnything(Good):
    """Inverts whatever matrix it is given."""

    def fit(self, X, y, noise_matrix=None):
        super().fit(X, y)
        T = np.eye(len(self.classes_)) if noise_matrix is None else np.asarray(noise_matrix)
        self.inverse_ = np.linalg.inv(T)
        return self

    def _posterior(self, X):
        return self.cpe_.predict_proba(X) @ self.inverse_.T


class InvertsRows(InvertsAnything):
    """Checks the shape of the matrix, and not which way round it is."""

    def fit(self, X, y, noise_matrix=None):
        if noise_matrix is not None and np.shape(noise_matrix) != (len(np.unique(y)),) * 2:
            raise ValueError("shape")
        return super().fit(X, y, noise_matrix)


class AcceptsAnyMeasure(Good):
    """Says that it optimises linear measures, and takes others without a word."""

    measure_families = frozenset({"linear"})

    def __init__(self, measure=None, cpe=None, random_state=None):
        super().__init__(cpe, random_state)
        self.measure = measure


class LooksAtTheMeasure(Good):
    """Says that it looks at no measure, and does."""

    def __init__(self, measure=None, cpe=None, random_state=None):
        super().__init__(cpe, random_state)
        self.measure = measure

    def _predict_proba(self, X):
        P = super()._predict_proba(X)
        return P[:, ::-1] if getattr(self.measure, "family", None) == "linear" else P


class UnknownFamily(AcceptsAnyMeasure):
    """There is no family of this name."""

    measure_families = frozenset({"convex"})


def made_by_a_function(measure: Any = None, cpe: Any = None):
    """A function hides what the class declares."""
    return AcceptsAnyMeasure(measure, cpe)


class GlobalGenerator(Good):
    """A bootstrap sample from numpy's global generator."""

    def _fit(self, X, y, noise):
        super()._fit(X + np.random.normal(size=X.shape), y, noise)


class FitsTheLearner(Good):
    """Fits the learner it was given."""

    def _fit(self, X, y, noise):
        self.noise_ = noise
        self.cpe_ = (self.cpe or GaussianNB()).fit(X, y)


class CentresInPlace(Good):
    """Centres the features of everybody."""

    def fit(self, X, y, noise_matrix=None):
        X -= X.mean(axis=0)
        return super().fit(X, y, noise_matrix)


class PredictsNumbers(Good):
    """Numbers of classes in place of labels."""

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)


class NumbersItsClasses(Good):
    """Forgets the labels it saw."""

    def fit(self, X, y, noise_matrix=None):
        super().fit(X, y, noise_matrix)
        self.classes_ = np.arange(len(self.classes_))
        return self


class NotADistribution(Good):
    """T^-1 eta~ as it is: rows sum to one, entries may be negative."""

    def _predict_proba(self, X):
        return self._posterior(X)


class PredictsTheLeastProbable(Good):
    """predict and predict_proba disagree."""

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmin(axis=1)]


class OneColumnLess(Good):
    """Leaves out the last class: it follows from the others."""

    def _predict_proba(self, X):
        return super()._predict_proba(X)[:, :-1]


class StandardisesTheBatch(Good):
    """What it says of an example depends on the others in the batch."""

    def _predict_proba(self, X):
        return super()._predict_proba(X - X.mean(axis=0))


class HoldsALambda(Good):
    """Cannot be pickled once it is fitted."""

    def _fit(self, X, y, noise):
        super()._fit(X, y, noise)
        self.rule_ = lambda P: P.argmax(axis=1)


class ValidatesNothing(Good):
    """Takes input as it comes."""

    def fit(self, X, y, noise_matrix=None):
        X, y = np.asarray(X), np.asarray(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._fit(X, codes, NoiseMatrix.of(noise_matrix, len(self.classes_)))
        return self

    def predict_proba(self, X):
        return self._predict_proba(np.asarray(X))


class ChangesItsParameters(Good):
    """__init__ stores something else than it was given."""

    def __init__(self, cpe=None, random_state=None):
        super().__init__(GaussianNB() if cpe is None else cpe, random_state)


class PredictOnly(ClassifierMixin, BaseEstimator):
    """Good, too: a classifier that is not randomized needs predict alone."""

    def __init__(self, cpe=None):
        self.cpe = cpe

    def fit(self, X, y, noise_matrix=None):
        self.rule_ = Good(self.cpe).fit(*validate_data(self, X, y), noise_matrix)
        self.classes_ = self.rule_.classes_
        return self

    def predict(self, X):
        check_is_fitted(self)
        return self.rule_.predict(validate_data(self, X, reset=False))


class RandomizedWithoutProbabilities(PredictOnly):
    """Its prediction is drawn, from a distribution that it does not tell."""

    randomized = True


class Float32Network(Good):
    """Good, too: in single precision, sums are rounded differently in batches of another size."""

    def __init__(self, cpe=None, hidden: list[int] = [32], random_state=None):  # noqa: B006
        super().__init__(cpe, random_state)
        self.hidden = hidden

    def _predict_proba(self, X):
        rounded = 1e-7 * (len(X) % 3 - 1)
        return (super()._predict_proba(X) + rounded).astype(np.float32)


class ForgetsFit(NoisyLabelClassifier):
    """Without _fit."""

    def _predict_proba(self, X):
        return np.full((len(X), 3), 1 / 3)


class ForgetsPredictProba(NoisyLabelClassifier):
    """Without _predict_proba."""

    def _fit(self, X, y, noise):
        self.n_ = noise.n


class ForgetsFitMixture(PosteriorClassifier):
    """Without fit_mixture."""

    def __init__(self, cpe=None, random_state=None):
        self.cpe = cpe
        self.random_state = random_state


class ReportsAnArray(Good):
    """A diagnostic that a record cannot hold."""

    def _fit(self, X, y, noise):
        super()._fit(X, y, noise)
        self.diagnostics_ = {"iterations": 3, "prior": np.bincount(y) / len(y)}


class ReportsNaN(Good):
    """A diagnostic that is not a number."""

    def _fit(self, X, y, noise):
        super()._fit(X, y, noise)
        self.diagnostics_ = {"gap": float("nan")}


class NoTypeHint(Good):
    """A parameter that a run cannot configure."""

    def __init__(self, cpe=None, random_state=None, alpha=1):
        super().__init__(cpe, random_state)
        self.alpha = alpha


class WritesIntoX(Good):
    """A run hands out arrays that cannot be changed."""

    def fit(self, X, y, noise_matrix=None):
        X *= 1.0
        return super().fit(X, y, noise_matrix)


GOOD = [Good, PredictOnly, Float32Network]


class RemembersRows(Good):
    """Keeps the rows of all fits, and so later test rows, in its class."""

    seen = {}  # noqa: RUF012

    def _fit(self, X, y, noise):
        self.seen.update(zip(map(bytes, X), y, strict=True))
        rows = np.array([np.frombuffer(row) for row in self.seen])
        super()._fit(rows, np.array(list(self.seen.values())), noise)


BROKEN = {
    "state": {r"its prediction for trial 0 of data A differs by up to [01]": RemembersRows},
    "fit_takes_noise_matrix": {
        r"fit\(X, y\) has no argument noise_matrix": DoesNotTakeT,
        r"with T = None and with T = I differs by up to 0\.\d+": NoneMeansTenPercent,
    },
    "respects_noise_matrix": {
        r"it mistakes 1\.00 when told T and 1\.00 when not": IgnoresT,
        r"it mistakes [01]\.\d\d when told T": CorrectsByTheTranspose,
        r"uses_noise_matrix is False\) differs by up to 1": CorrectsAndDeniesIt,
    },
    "refuses_bad_noise_matrix": {
        r"accepted noise_matrix = \[\[1\.0, 0\.0\], .* 2 x 2 for 3 classes": InvertsAnything,
        r"accepted noise_matrix = \[\[0\.7, 0\.2, 0\.1\].* row stochastic": InvertsRows,
    },
    "measure_families": {
        r"is \['linear'\], but fit accepts a monotonic_convex measure": AcceptsAnyMeasure,
        r"for a linear measure and for a \w+ one .* differs by up to 1": LooksAtTheMeasure,
        r"measure_families is frozenset\({'convex'}\); known: linear": UnknownFamily,
        r"declare None and frozenset\({'linear'}\)": made_by_a_function,
    },
    "seeded": {r"of two fits with one random_state differs by up to 1": GlobalGenerator},
    "inputs_unchanged": {
        r"the learner it was given is fitted: classes_ = \[0, 1, 2\]": FitsTheLearner,
        r"240 entries of X changed": CentresInPlace,
    },
    "labels": {
        r"with labels \[3, 7, 8\] it predicts (np\.int64\()?\d": PredictsNumbers,
        r"classes_ is array\(\[0, 1, 2\]\) after labels \[3, 7, 8\]": NumbersItsClasses,
    },
    "probabilities": {
        r"row \d+ of predict_proba is \[.*-0\.\d+": NotADistribution,
        r"predict gives \d for row \d+, whose predict_proba is \[": PredictsTheLeastProbable,
        r"returned shape \(120, 2\); expected \(120, 3\)": OneColumnLess,
        r"randomized is True, but it has no predict_proba": RandomizedWithoutProbabilities,
    },
    "trial": {
        r"needs noise_matrix, which only T estimators are given": AsksForTheTruth,
        r"needs 'clean_label' is not known; did you mean 'clean_labels'": AsksForWhatNobodyHas,
        r"diagnostics_\['prior'\] = array\(\[.*: .*ndarray.*; expected a plain": ReportsAnArray,
        r"diagnostics_\['gap'\] = nan: .*; expected a plain, finite number": ReportsNaN,
        r"parameter 'alpha' of .*NoTypeHint has no type hint": NoTypeHint,
        r"it raised ValueError: .*read-only .*algorithms\.py, line \d+": WritesIntoX,
        r"NotImplementedError: ForgetsFit does not define _fit\(self, X, y, noise\)": ForgetsFit,
        r"ForgetsPredictProba does not define _predict_proba\(self, X\)": ForgetsPredictProba,
        r"ForgetsFitMixture does not define fit_mixture\(self, pos": ForgetsFitMixture,
    },
    "batches": {r"in a separate batch and among all differs by up to 1": StandardisesTheBatch},
    "pickling": {r"pickling raises .*lambda": HoldsALambda},
    "scikit_learn": {
        r"of scikit-learn's \d+ checks fail: .*check_n_features_in": ValidatesNothing,
        r"of scikit-learn's \d+ checks fail: .*check_.*init": ChangesItsParameters,
    },
}
