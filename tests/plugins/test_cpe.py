"""CPE learners: what is their own.

What every learner promises is in ``test_contract.py``.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from ncbench.errors import NcbenchError, UnknownName
from ncbench.learning import finite_features, takes_weights
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
    assert (
        sklearn_classifier("SGDClassifier", {"loss": "log_loss", "random_state": 5}, 3).random_state
        == 5
    )


def test_sklearn_refuses_what_it_cannot_build_and_suggests_names() -> None:
    for name in ("RandomForestRegressor", "LinearSVC", "os.system"):
        with pytest.raises(UnknownName, match="is not known") as caught:
            sklearn_classifier(name)
        assert name not in str(caught.value).split("Known: ")[1].split(", ")
    with pytest.raises(
        UnknownName, match=r"cpe\.estimator.*'RandomForestClasifier'.*did you mean 'R"
    ):
        sklearn_classifier("RandomForestClasifier")
    with pytest.raises(UnknownName, match=r"cpe\.params.*GaussianNB.*did you mean 'var_smoothing'"):
        sklearn_classifier("GaussianNB", {"var_smooting": 1.0})
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


def test_logistic_chooses_C_by_accuracy_as_brute_force_does() -> None:
    seed = 0
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


def test_logistic_with_classes_absent_from_a_fold() -> None:
    for score in ("accuracy", "log_loss"):
        X, y = blobs(m=60, n=2)
        y[:1] = 2
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


def test_boosting_says_which_label_is_too_rare_to_calibrate_with() -> None:
    X, y = blobs(40, n=2)
    y[:2] = 2
    with pytest.raises(NcbenchError, match=r"label 2 has 2 of the 40 .* cpe\.folds=3"):
        boosting().fit(X, y)
    assert boosting(max_iter=2, folds=2).fit(X, y).predict_proba(X).shape == (40, 3)


@pytest.mark.parametrize(("n", "weighted"), [(2, False), (8, True)])
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
