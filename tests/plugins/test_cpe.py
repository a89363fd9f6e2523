"""CPE learners, and how the core gets posteriors from them.

What every learner promises is in ``test_contract.py``.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ncbench import load
from ncbench.errors import NcbenchError, UnknownName
from ncbench.learning import finite_features, takes_weights
from ncbench.learning.class_probabilities import fit_posterior, posterior
from ncbench_plugins.cpe.any_sklearn import sklearn_classifier
from ncbench_plugins.cpe.gradient_boosting import boosting
from ncbench_plugins.cpe.logistic_regression import LogisticPath, logistic


def blobs(m: int = 120, n: int = 3, spread: float = 1.0, seed: int = 0) -> tuple:
    rng = np.random.default_rng(seed)
    y = np.arange(m) % n
    X = rng.normal(scale=spread, size=(m, 2))
    X[:, 0] += 1.5 * y
    return X, y


# Any classifier of scikit-learn


def test_sklearn_passes_parameters_and_random_state_on() -> None:
    forest = sklearn_classifier("RandomForestClassifier", {"n_estimators": 7}, random_state=3)
    assert type(forest).__name__ == "RandomForestClassifier"
    assert (forest.n_estimators, forest.random_state) == (7, 3)


def test_sklearn_prefers_the_random_state_of_the_parameters() -> None:
    forest = sklearn_classifier("RandomForestClassifier", {"random_state": 5}, random_state=3)
    assert forest.random_state == 5


def test_sklearn_suggests_an_estimator() -> None:
    with pytest.raises(
        UnknownName, match=r"cpe\.estimator.*'RandomForestClasifier'.*did you mean"
    ) as e:
        sklearn_classifier("RandomForestClasifier")
    assert "'RandomForestClassifier'" in str(e.value)


@pytest.mark.parametrize("name", ["RandomForestRegressor", "LinearSVC", "os.system"])
def test_sklearn_offers_only_classifiers_with_probabilities(name: str) -> None:
    with pytest.raises(UnknownName, match="is not known") as caught:
        sklearn_classifier(name)
    assert name not in str(caught.value).split("Known: ")[1].split(", ")


def test_sklearn_suggests_a_parameter() -> None:
    with pytest.raises(UnknownName, match=r"cpe\.params.*GaussianNB.*did you mean 'var_smoothing'"):
        sklearn_classifier("GaussianNB", {"var_smooting": 1.0})


def test_sklearn_refuses_a_classifier_that_needs_another_one() -> None:
    with pytest.raises(NcbenchError, match=r"cpe\.estimator=VotingClassifier"):
        sklearn_classifier("VotingClassifier")


# Logistic regression


def best_strength_by_brute_force(X: np.ndarray, y: np.ndarray, folds: int) -> float:
    """Cross-validated number of hits of every C, each solved from scratch and tightly."""
    X = StandardScaler().fit_transform(X)
    grid = np.logspace(-4, 4, 10)
    hits = np.zeros(len(grid))
    for train, held_out in StratifiedKFold(folds).split(X, y):
        for k, C in enumerate(grid):
            model = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X[train], y[train])
            # Folds of equal size: the mean of accuracies is the number of hits.
            hits[k] += np.sum(model.predict(X[held_out]) == y[held_out])
    assert hits.max() > hits.min()  # there is something to choose
    return grid[hits.argmax()]  # ties to the smaller C


@pytest.mark.parametrize(
    "seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)]
)
def test_logistic_chooses_C_by_accuracy_as_brute_force_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.hstack([blobs(m=60, spread=1.2, seed=seed)[0], rng.normal(size=(60, 6))])
    y = blobs(m=60)[1]
    model = logistic().set_params(logisticpath__tol=1e-8).fit(X, y)
    assert pytest.approx(best_strength_by_brute_force(X, y, folds=2)) == model[-1].C_


def test_logistic_is_scikit_learns_fit_at_that_C() -> None:
    X, y = blobs(m=90)
    model = logistic().set_params(logisticpath__tol=1e-8).fit(X, y)
    plain = LogisticRegression(C=model[-1].C_, tol=1e-10, max_iter=10_000)
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(
        model.predict_proba(X), plain.fit(scaled, y).predict_proba(scaled), atol=1e-4
    )


def test_logistic_by_log_loss_prefers_calibration() -> None:
    # Labels without any relation to X: the constant prediction of the strongest penalty is best.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 10)), np.arange(80) % 2
    assert logistic(score="log_loss").fit(X, y)[-1].C_ < 1e-2


@pytest.mark.parametrize("score", ["accuracy", "log_loss"])
@pytest.mark.parametrize("rare", [1, 2, 3])
def test_logistic_with_classes_absent_from_a_fold(score: str, rare: int) -> None:
    X, y = blobs(m=60, n=2)
    y = y.copy()
    y[:rare] = 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = logistic(score=score, folds=3).fit(X, y)
    np.testing.assert_array_equal(fitted.classes_, [0, 1, 2])
    np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1)


def test_logistic_of_classes_sorted_so_that_a_fold_trains_on_one_class() -> None:
    # The single example of class 1 is held out in one fold, whose training part is all class 0.
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 0, 0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = LogisticPath().fit(X, y)
    np.testing.assert_array_equal(fitted.classes_, [0, 1])


def test_logistic_with_fewer_examples_of_each_class_than_folds_takes_the_smallest_C() -> None:
    X, y = np.arange(3.0)[:, None], np.array([0, 1, 2])
    assert pytest.approx(1e-4) == LogisticPath(folds=2).fit(X, y).C_


# Posteriors and sample splits


class Memory(ClassifierMixin, BaseEstimator):
    """Certain of the examples it has seen, in ignorance of all others."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Memory:
        self.classes_ = np.unique(y)
        self.seen_ = {row.tobytes(): label for row, label in zip(X, y, strict=True)}
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        P = np.full((len(X), len(self.classes_)), 1 / len(self.classes_))
        for i, row in enumerate(X):
            if row.tobytes() in self.seen_:
                P[i] = self.classes_ == self.seen_[row.tobytes()]
        return P


def numbered(*counts: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Examples that are all different, with so many of each class, shuffled."""
    y = np.repeat(np.arange(len(counts)), counts)
    np.random.default_rng(seed).shuffle(y)
    return np.arange(len(y), dtype=float)[:, None], y


def test_posterior_is_not_widened_without_need() -> None:
    X, y = blobs()
    fitted = GaussianNB().fit(X, y)
    np.testing.assert_array_equal(posterior(fitted, X, 3), fitted.predict_proba(X))


def test_posterior_of_classes_never_seen_is_zero() -> None:
    X, y = blobs()
    fitted = GaussianNB().fit(X[y != 1], y[y != 1])
    wide = posterior(fitted, X, 4)
    np.testing.assert_array_equal(wide[:, [1, 3]], 0)
    np.testing.assert_array_equal(wide[:, [0, 2]], fitted.predict_proba(X))


def test_no_split_trains_and_estimates_on_everything() -> None:
    X, y = numbered(20, 10, 5)
    fitted = fit_posterior(Memory(), X, y, 3, "none", 0)
    np.testing.assert_array_equal(fitted.posterior, np.eye(3)[y])
    np.testing.assert_array_equal(fitted.y, y)
    assert len(fitted.cpe.seen_) == 35


@pytest.mark.parametrize("counts", [(20, 10, 6), (21, 11, 7), (30, 3, 2)])
def test_half_separates_the_sample_into_stratified_halves(counts: tuple[int, ...]) -> None:
    X, y = numbered(*counts)
    fitted = fit_posterior(Memory(), X, y, 3, "half", 0)
    first = np.array(sorted(int(np.frombuffer(key)[0]) for key in fitted.cpe.seen_))
    second = np.setdiff1d(np.arange(len(y)), first)
    assert len(second) == len(fitted.y)
    assert abs(len(first) - len(second)) <= 1
    np.testing.assert_array_equal(np.bincount(y[second], minlength=3), np.bincount(fitted.y))
    difference = np.bincount(y[first], minlength=3) - np.bincount(y[second], minlength=3)
    assert np.abs(difference).max() <= 1
    # S2 is disjoint from S1: the learner knows none of it.
    np.testing.assert_allclose(fitted.posterior, 1 / 3)


@pytest.mark.parametrize("counts", [(20, 10, 5), (21, 11, 6), (50, 10, 1)])
def test_crossfit_never_shows_a_learner_the_example_it_is_asked_about(
    counts: tuple[int, ...],
) -> None:
    X, y = numbered(*counts)
    fitted = fit_posterior(Memory(), X, y, 3, "crossfit", 0)
    np.testing.assert_array_equal(fitted.y, y)
    # Ignorance: one over the number of classes that the learner of the fold has seen.
    np.testing.assert_allclose(fitted.posterior.sum(axis=1), 1)
    nonzero = (fitted.posterior > 0).sum(axis=1)
    assert nonzero.min() >= 2
    np.testing.assert_allclose(fitted.posterior.max(axis=1), 1 / nonzero)
    # The learner that is kept has seen everything.
    assert len(fitted.cpe.seen_) == len(y)


@pytest.mark.parametrize("split", ["half", "crossfit"])
def test_split_of_a_class_with_a_single_example(split: str) -> None:
    X, y = numbered(12, 12, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = fit_posterior(Memory(), X, y, 3, split, 0)
    assert fitted.posterior.shape == (len(fitted.y), 3)


def test_crossfit_of_a_class_smaller_than_the_number_of_folds_says_nothing() -> None:
    X, y = numbered(21, 11, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = fit_posterior(Memory(), X, y, 3, "crossfit", 0)
    assert fitted.posterior.shape == (34, 3)


@pytest.mark.parametrize("split", ["none", "half", "crossfit"])
def test_split_of_one_example_for_each_class(split: str) -> None:
    X, y = numbered(1, 1, 1, 1)
    fitted = fit_posterior(Memory(), X, y, 4, split, 0)
    assert fitted.posterior.shape == (len(fitted.y), 4)


@pytest.mark.parametrize("split", ["none", "half", "crossfit"])
def test_same_random_state_same_split(split: str) -> None:
    X, y = blobs()
    first, again = (fit_posterior(GaussianNB(), X, y, 3, split, 4) for _ in range(2))
    np.testing.assert_array_equal(first.posterior, again.posterior)
    np.testing.assert_array_equal(first.y, again.y)


@pytest.mark.parametrize("split", ["half", "crossfit"])
def test_another_random_state_another_split(split: str) -> None:
    X, y = blobs()
    first, other = (fit_posterior(GaussianNB(), X, y, 3, split, seed) for seed in (4, 5))
    assert (first.posterior != other.posterior).any()


def test_the_given_learner_is_not_fitted() -> None:
    X, y = blobs()
    for split in ("none", "half", "crossfit"):
        learner = GaussianNB()
        fit_posterior(learner, X, y, 3, split, 0)
        assert not hasattr(learner, "classes_")


def test_unknown_split_names_the_known_ones() -> None:
    X, y = blobs()
    with pytest.raises(NcbenchError, match="sample_split='third'; expected one of none, half, cr"):
        fit_posterior(GaussianNB(), X, y, 3, "third", 0)


def test_logistic_with_a_given_strength_is_scikit_learns():
    X, y = load_iris(return_X_y=True)
    found = logistic(C=1.0).fit(X, y).predict_proba(X)
    expected = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=1000)).fit(X, y)
    np.testing.assert_allclose(found, expected.predict_proba(X), atol=2e-3)


def test_boosting_says_which_label_is_too_rare_to_calibrate_with() -> None:
    X, y = blobs(40, n=2)
    y[:2] = 2
    with pytest.raises(NcbenchError, match=r"label 2 has 2 of the 40 .* cpe\.folds=3"):
        boosting().fit(X, y)
    assert boosting(max_iter=2, folds=2).fit(X, y).predict_proba(X).shape == (40, 3)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [2, 8])
def test_boosting_has_the_probabilities_of_scikit_learn(n: int, weighted: bool) -> None:
    rng = np.random.default_rng(n)
    X, y = make_classification(
        400, 8, n_informative=6, n_classes=n, n_clusters_per_class=1, random_state=0
    )
    X[rng.random(X.shape) < 0.05] = np.nan
    weights = rng.random(len(y)) if weighted else None
    names = np.array([f"class {k}" for k in range(n)])[y]
    found = clone(boosting(max_iter=10, learning_rate=0.2, random_state=1)).fit(X, names, weights)
    booster = HistGradientBoostingClassifier(max_iter=10, learning_rate=0.2, random_state=1)
    expected = CalibratedClassifierCV(booster, method="sigmoid", cv=3).fit(X, names, weights)
    np.testing.assert_allclose(
        found.predict_proba(X), expected.predict_proba(X), rtol=0, atol=1e-12
    )
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    assert takes_weights(found)
    assert finite_features(found) == "allow-nan"


@pytest.mark.slow
def test_more_folds_than_examples_of_a_class_are_capped() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [30, 10])
    X = rng.normal(size=(40, 2)) + 3 * y[:, None]
    chosen = [load("cpe", "logistic")(folds=folds).fit(X, y)[-1].C_ for folds in (30, 31, 60)]
    assert chosen[0] == chosen[1] == chosen[2] > 1e-4
