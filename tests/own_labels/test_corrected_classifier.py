"""The classifier for people with doubtful labels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import estimator_checks_generator

from ncbench import (
    NcbenchError,
    NoiseCorrectedClassifier,
    NoiseMatrix,
    find_label_issues,
    load,
    scorer,
)
from ncbench.core import expected_confusion, project_to_joint
from ncbench.learning import prediction
from ncbench.own_labels.classifier import RareClassWarning, _resampled

NAMES = np.array(["ant", "bee", "cow"])
T = np.array([[0.7, 0.1, 0.0], [0.2, 0.8, 0.1], [0.1, 0.1, 0.9]])
X, CODES = load_iris(return_X_y=True)
Y = NAMES[NoiseMatrix(T).draw_labels(CODES.astype(np.int64), np.random.default_rng(0))]
LEARNER = GaussianNB(var_smoothing=0.3)


def model(
    measure: Any = "zero_one", noise_matrix: Any = T, **more: Any
) -> NoiseCorrectedClassifier:
    """Return a classifier that is quickly fitted."""
    return NoiseCorrectedClassifier(measure, noise_matrix, **{"cpe": LEARNER, **more})


@pytest.mark.parametrize(
    ("estimator", "left_out"),
    [
        (model(noise_matrix=None), ()),
        # A decision for G-mean is not the most probable class: scikit-learn itself expects
        # FixedThresholdClassifier to fail the check that it is.
        # T by hoc and not the default learner, because the checks fit some 60 times.
        pytest.param(
            NoiseCorrectedClassifier(noise_matrix="hoc", cpe="anchored"),
            ("check_classifiers_train",),
            marks=pytest.mark.slow(reason="estimates and fits for seconds"),
        ),
    ],
)
def test_scikit_learns_checks(estimator: Any, left_out: tuple[str, ...]) -> None:
    for one, check in estimator_checks_generator(estimator):
        if check.func.__name__ not in {"check_array_api_input", *left_out}:
            check(one)


@pytest.mark.parametrize(
    ("measure", "algorithm"), [("h_mean", "soft_fw"), ("micro_f1", "ncbs"), ("zero_one", "ncfw")]
)
def test_the_rule_is_that_of_the_algorithm_that_fits_the_measure(
    measure: str, algorithm: str
) -> None:
    fitted = model(measure, random_state=0).fit(X, Y)
    own = load("algo", algorithm)(measure=measure, cpe=LEARNER, random_state=0)
    own.fit(X, Y, noise_matrix=T)
    assert fitted.algorithm_ == algorithm
    np.testing.assert_array_equal(fitted.prediction_distribution(X), own.predict_proba(X))
    np.testing.assert_array_equal(fitted.predict(X), own.predict(X))


def test_probabilities_are_those_of_the_clean_classes() -> None:
    fitted = model().fit(X, Y)
    noisy = LEARNER.fit(X, Y).predict_proba(X)
    inside = (noisy @ np.linalg.inv(T).T > 0).all(axis=1)
    assert 0 < inside.sum() < 150
    found = fitted.predict_proba(X)
    np.testing.assert_allclose(found[inside], (noisy @ np.linalg.inv(T).T)[inside], atol=0.01)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert found.min() >= 0


def test_probabilities_rank_as_well_as_the_learners() -> None:
    data, truth = load_breast_cancer(return_X_y=True)
    noise = NoiseMatrix([[0.8, 0.3], [0.2, 0.7]])
    y = noise.draw_labels(truth.astype(np.int64), np.random.default_rng(0))
    learner = make_pipeline(StandardScaler(), LogisticRegression(C=0.01))
    fitted = model(noise_matrix=noise, cpe=learner).fit(data, y)
    ours = roc_auc_score(truth, fitted.predict_proba(data)[:, 1])
    assert ours > roc_auc_score(truth, learner.fit(data, y).predict_proba(data)[:, 1]) - 0.01
    assert ours > roc_auc_score(truth, fitted.prediction_distribution(data)[:, 1]) + 0.01


def test_decisions() -> None:
    few = np.round(X[:, 1:2])  # three values: only a mixture divides the examples of one
    drawn = model("q_mean", decision="sample", random_state=0).fit(few, Y)
    distribution = drawn.prediction_distribution(few)
    mixed = np.flatnonzero((distribution > 0.1).sum(axis=1) > 1)
    labels = drawn.predict(np.repeat(few[mixed[:1]], 2000, axis=0))
    shares = [(labels == name).mean() for name in NAMES]
    np.testing.assert_allclose(shares, distribution[mixed[0]], atol=0.05)
    # What is scored is the distribution, in a pipeline too.
    np.testing.assert_array_equal(prediction(drawn, few, NAMES), distribution)
    pipeline = make_pipeline(StandardScaler(), drawn).fit(few, Y)
    rows = pipeline[-1].prediction_distribution(pipeline[0].transform(few))
    np.testing.assert_array_equal(prediction(pipeline, few, NAMES), rows)

    single = model("q_mean", decision="single").fit(few, Y)
    clean = LEARNER.fit(few, Y).predict_proba(few) @ np.linalg.inv(T).T
    rules = [np.argmin(clean @ L, axis=1) for L in single.mixture_.losses]
    psi = load("measure", "q_mean")()
    noisy = [expected_confusion(np.searchsorted(NAMES, Y), np.eye(3)[rule]) for rule in rules]
    losses = [psi(project_to_joint(np.linalg.inv(T) @ C).confusion) for C in noisy]
    np.testing.assert_array_equal(single.predict(few), NAMES[rules[int(np.argmin(losses))]])


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_the_noise_is_estimated_in_fit_from_what_is_known() -> None:
    clean = np.where(np.arange(150) % 2, NAMES[CODES], None)
    trusted = load("t_estimator", "trusted")(fraction=0.5)
    for named in ("trusted", trusted):
        counted = model(noise_matrix=named).fit(X, Y, clean=clean).noise_matrix_.matrix
        pairs = pd.crosstab(Y[1::2], NAMES[CODES][1::2]).to_numpy() + 0.5 / 3
        np.testing.assert_allclose(counted, pairs / pairs.sum(axis=0))
    estimated = model(noise_matrix="estimate").fit(X, Y, clean=clean).noise_matrix_.matrix
    assert np.abs(estimated - T).mean() < np.abs(counted - T).mean()  # it uses all labels
    people = pd.DataFrame(dict.fromkeys(("eve", "bob", "ann"), Y))
    people.loc[:100, "ann"] = None
    agreed = model().set_params(noise_matrix="estimate").fit(X, Y, annotations=people)
    assert agreed.noise_matrix_.matrix.diagonal().min() > 0.95
    numbers = CODES.copy()
    numbers[::2] = -1
    assert model(noise_matrix="estimate").fit(X, CODES, clean=numbers).noise_matrix_.n == 3
    never = model(noise_matrix=None).fit(X, Y).noise_matrix_
    assert never == NoiseMatrix.identity(3)


def test_a_class_that_only_the_matrix_or_a_checked_label_has() -> None:
    frame = pd.DataFrame(T, NAMES, NAMES)
    few = CODES < 2
    lacking = model(noise_matrix=frame).fit(X[few], NAMES[CODES[few]])
    assert lacking.classes_.tolist() == NAMES.tolist()
    assert lacking.predict_proba(X).shape == (150, 3)
    clean = np.where(np.arange(100) < 50, None, "dog")
    checked = model(noise_matrix="estimate").fit(X[few], NAMES[CODES[few]], clean=clean)
    assert checked.classes_.tolist() == ["ant", "bee", "dog"]


def test_scikit_learns_tools() -> None:
    frame = pd.DataFrame(X, columns=list("abcd"))
    pipeline = make_pipeline(StandardScaler(), model()).set_output(transform="pandas")
    pipeline.fit(frame, Y)
    assert pipeline[-1].feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        model().fit(frame, Y).predict(frame[list("dcba")])
    grid = {"measure": ["zero_one", "micro_f1"], "cpe__var_smoothing": [0.1, 1.0]}
    search = GridSearchCV(model(), grid, scoring=scorer("g_mean", T), cv=3).fit(X, Y)
    assert set(search.best_params_) == set(grid)
    assert set(cross_val_predict(model(), X, Y, cv=3)) <= set(NAMES)


def test_metadata_is_routed() -> None:
    clean = NAMES[CODES]
    with config_context(enable_metadata_routing=True):
        inner = model(noise_matrix="trusted").set_fit_request(clean=True, sample_weight=True)
        grid = GridSearchCV(inner, {"measure": ["zero_one"]}, scoring=scorer("g_mean", T), cv=3)
        found = grid.fit(X, Y, clean=clean, sample_weight=np.ones(150)).best_estimator_
    expected = model(noise_matrix="trusted").fit(X, Y, clean=clean)
    assert found.noise_matrix_ == expected.noise_matrix_


def test_weights_are_repetitions() -> None:
    few = np.round(X[:, :1])
    weight = np.where(Y == "ant", 2 * (few[:, 0] > 5), 1)
    weighted = model("balanced_error").fit(few, Y, sample_weight=weight)
    rows = np.repeat(np.arange(150), weight)
    repeated = model("balanced_error").fit(few[rows], Y[rows])
    ours, theirs = (fitted.prediction_distribution(few) for fitted in (weighted, repeated))
    np.testing.assert_allclose(ours, theirs, atol=0.02)
    scaled = model(cpe=make_pipeline(StandardScaler(), LEARNER)).fit(X, Y, sample_weight=weight)
    assert scaled.predict(X).shape == (150,)
    # Weights that are all equal leave each example as it is.
    np.testing.assert_array_equal(_resampled(np.full(2000, 0.1)), np.arange(2000))
    times = np.bincount(_resampled(np.arange(500)))
    np.testing.assert_allclose(times, np.arange(500) / 249.5 * 2, atol=1)


def test_sparse_features() -> None:
    learner = MultinomialNB()
    sparse, dense = model(cpe=learner).fit(csr_matrix(X), Y), model(cpe=learner).fit(X, Y)
    np.testing.assert_allclose(
        sparse.predict_proba(csr_matrix(X)), dense.predict_proba(X), atol=1e-3
    )
    named = model(noise_matrix="confident_joint", cpe=learner, random_state=0).fit(csr_matrix(X), Y)
    assert named.predict(csr_matrix(X)).shape == (150,)


class Fitted(GaussianNB):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        raise AssertionError("fitted before the check")


WRONG: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"measure": "macro_f1"}, {}, "MacroF1 is reported, not optimized; .* such as g_mean"),
    ({"measure": 3}, {}, "measure=3; expected the name"),
    ({"measure": load("measure", "micro_f1")("dog")}, {}, "class 'dog' is not known"),
    ({"measure": load("measure", "cost")([[0, 1], [1, 0]])}, {}, "there are 3 classes"),
    ({"decision": "mean"}, {}, "decision=mean; expected one of most_probable, sample, single"),
    ({"cpe": LinearSVC()}, {}, "with predict_proba, or the name of a learner: anchored"),
    ({"noise_matrix": "known"}, {}, "needs noise_matrix; give the matrix itself"),
    ({"noise_matrix": "trusted"}, {}, "'trusted' needs clean; give fit"),
    ({"noise_matrix": T[:2, :2] / T[:2, :2].sum(axis=0)}, {}, "does not fit 3 classes"),
    ({"noise_matrix": pd.DataFrame(T, list("abc"), list("abc"))}, {}, "label 'ant' is none"),
    ({"noise_matrix": "estimate"}, {"clean": Y[:9]}, r"clean: shape \(9,\); expected \(150,\)"),
    ({"noise_matrix": "estimate"}, {"clean": [None] * 150}, "clean: no label in any row"),
    (
        {"noise_matrix": "estimate"},
        {"annotations": Y[:, None]},
        "no example has more than one label",
    ),
    ({"cpe": KNeighborsClassifier()}, {"sample_weight": np.ones(150)}, "does not take weights"),
    (
        {},
        {"X": csr_matrix(X)},
        "X is sparse, which the learner Fitted .* cpe=Logistic",
    ),
    (
        {"cpe": LogisticRegression(), "noise_matrix": "estimate"},
        {"X": csr_matrix(X)},
        "cannot estimate",
    ),
    ({}, {"sample_weihgt": np.ones(150)}, "unexpected keyword argument 'sample_weihgt'"),
]


def test_wrong_combinations_are_refused_before_anything_is_fitted() -> None:
    for parameters, fit, message in WRONG:
        given = {"noise_matrix": None, "cpe": Fitted(), **parameters}
        with pytest.raises((NcbenchError, TypeError), match=message):
            NoiseCorrectedClassifier(**given).fit(**{"X": X, "y": Y, **fit})


def test_missing_values_go_to_a_learner_that_takes_them() -> None:
    learner = make_pipeline(SimpleImputer(), GaussianNB())
    rng = np.random.default_rng(0)
    gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    fitted = model("g_mean", "confident_joint", cpe=learner).fit(gaps, Y)
    assert (fitted.predict(gaps) == NAMES[CODES]).mean() > 0.7  # a third, if it guessed
    issues = find_label_issues(gaps, Y, T, learner, random_state=0)
    assert average_precision_score(NAMES[CODES] != Y, issues["p_wrong"]) > 0.7
    for given in (None, LEARNER):
        with pytest.raises(ValueError, match="contains NaN"):
            model(cpe=given).fit(gaps, Y)
    with pytest.raises(ValueError, match="contains infinity"):
        fitted.predict(np.where(np.isnan(gaps), np.inf, gaps))


def test_a_class_of_few_examples_is_named_with_the_rows_that_look_like_it() -> None:
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], [80, 80, 4])
    X = rng.normal(size=(164, 3)) + 6 * np.eye(3)[codes]
    with pytest.warns(RareClassWarning, match="class cow: about 4 true examples"):
        fitted = NoiseCorrectedClassifier("g_mean", None, LEARNER).fit(X, NAMES[codes])
    assert fitted.rare_.keys() == {"cow"}
    rare = fitted.rare_["cow"]
    assert rare.expected == pytest.approx(4, abs=1)
    assert len(rare.rows) == 20
    assert set(rare.rows[:4]) == {160, 161, 162, 163}
    with warnings.catch_warnings():
        warnings.simplefilter("error", RareClassWarning)
        enough = NoiseCorrectedClassifier("g_mean", None, LEARNER).fit(X[:160], codes[:160])
    assert enough.rare_ == {}
