"""Scores from noisy labels, as scikit-learn's model selection uses them."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from counting import confusion_matrix
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ncbench import NcbenchError, NoiseMatrix, load, scorer
from ncbench.core.confusion import expected_confusion

T = np.array([[0.9, 0.2], [0.1, 0.8]])
NAMES = np.array(["common", "rare"])


def rare_class(m: int = 1200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features, clean labels and noisy ones; a tenth of the examples is rare."""
    rng = np.random.default_rng(0)
    y = (rng.random(m) < 0.1).astype(int)
    noisy = NoiseMatrix(T).draw_labels(y, rng)
    return rng.normal(size=(m, 2)) + 1.2 * y[:, None], y, noisy


def test_the_loss_on_clean_labels_is_what_the_score_estimates() -> None:
    X, y, noisy = rare_class(100_000)
    model = LogisticRegression(class_weight="balanced").fit(X, y)
    g_mean = load("measure", "g_mean")()
    clean = -g_mean(confusion_matrix(y, model.predict(X), 2))
    assert scorer("g_mean", T)(model, X, noisy) == pytest.approx(clean, abs=0.02)
    assert scorer("g_mean")(model, X, noisy) < clean - 0.1
    assert scorer("g_mean")(model, X, y) == pytest.approx(clean)


def test_a_class_with_hardly_any_mass_does_not_decide() -> None:
    # T^-1 leaves the third class next to nothing; whoever copies noisy labels had any recall there.
    noisy = np.repeat([0, 1, 2], [90, 89, 21])
    T = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    copies = KNeighborsClassifier(1).fit(np.arange(200)[:, None], noisy)
    for measure in ("g_mean", "h_mean", "q_mean"):
        assert -1.5 <= scorer(measure, T)(copies, np.arange(200)[:, None], noisy) <= 0.5


def test_a_randomized_classifier_is_scored_by_the_expectation_also_in_a_pipeline() -> None:
    X, _, noisy = rare_class(300)
    ncfw = load("algo", "ncfw")(measure="h_mean", max_iter=20, random_state=0)
    psi = load("measure", "h_mean")()
    for model in (ncfw, make_pipeline(StandardScaler(), ncfw)):
        model.fit(X, noisy)
        C = expected_confusion(noisy, model.predict_proba(X))
        assert scorer("h_mean")(model, X, noisy) == pytest.approx(-psi(C), rel=1e-12)
        assert -psi(C) != -psi(confusion_matrix(noisy, model.predict(X), 2))


@pytest.mark.slow(reason="two processes")
@pytest.mark.parametrize(
    "jobs", [None, pytest.param(2, marks=pytest.mark.slow(reason="two processes"))]
)
def test_it_chooses_the_measure_that_a_rare_class_needs_where_accuracy_does_not(
    jobs: int | None,
) -> None:
    X, _, noisy = rare_class()
    y = NAMES[noisy]
    chosen = {}
    for name, scoring in (("g_mean", scorer("g_mean", T)), ("accuracy", "accuracy")):
        search = GridSearchCV(
            load("algo", "ncfw")(max_iter=50, random_state=0),
            {"measure": ["zero_one", "g_mean"]},
            scoring=scoring,
            cv=3,
            n_jobs=jobs,
            error_score="raise",
        )
        search.fit(X, y, noise_matrix=NoiseMatrix(T))
        chosen[name] = search.best_params_["measure"]
    assert chosen == {"g_mean": "g_mean", "accuracy": "zero_one"}


def test_it_survives_pickling_and_cloning() -> None:
    X, _, noisy = rare_class(200)
    model = LogisticRegression().fit(X, noisy)
    score = scorer("micro_f1", T)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, scoring=score)
    for copy in (pickle.loads(pickle.dumps(score)), clone(search).scoring):
        assert copy(model, X, noisy) == score(model, X, noisy)


def test_labels_may_be_of_any_type() -> None:
    X, _, noisy = rare_class(200)
    expected = cross_val_score(LogisticRegression(), X, noisy, scoring=scorer("g_mean", T))
    for y in (NAMES[noisy], NAMES[noisy].astype(object), noisy == 1, noisy + 5):
        found = cross_val_score(LogisticRegression(), X, y, scoring=scorer("g_mean", T))
        assert found.tolist() == expected.tolist()


def test_a_measure_may_name_a_class() -> None:
    X, _, noisy = rare_class(300)
    y = NAMES[noisy]
    named, numbered = (load("measure", "micro_f1")(background) for background in ("rare", 1))
    models = [
        load("algo", "ncbs")(psi, LogisticRegression()).fit(X, y) for psi in (named, numbered)
    ]
    assert (models[0].predict(X) == models[1].predict(X)).all()
    scores = [scorer(psi, T)(models[0], X, y) for psi in (named, numbered, "micro_f1")]
    assert scores[0] == scores[1] != scores[2]
    with pytest.raises(NcbenchError, match=r"'odd' is not known\. Known: common, rare"):
        load("algo", "ncbs")(load("measure", "micro_f1")("odd")).fit(X, y)


def test_a_class_may_be_absent_from_the_training_part_or_from_what_is_scored() -> None:
    X = np.zeros((4, 1))
    model = DummyClassifier(strategy="most_frequent").fit(X, ["a", "a", "b", "b"])
    three = NoiseMatrix(np.full((3, 3), 0.1) + 0.7 * np.eye(3))
    # T^-1 of the shares (1/4, 1/4, 1/2) of the labels: ((1/4, 1/4, 1/2) - 0.1) / 0.7.
    found = scorer("zero_one", three)(model, X, ["a", "b", "c", "c"])
    assert found == pytest.approx(0.15 / 0.7 - 1)
    with pytest.raises(
        NcbenchError, match="if the labels lack a class, give a DataFrame with the names"
    ):
        scorer("zero_one", three)(model, X, ["a", "b", "b", "b"])
    named = pd.DataFrame(three.matrix, index=[*"abc"], columns=[*"abc"])
    assert np.isfinite(scorer("zero_one", named)(model, X, ["a", "b", "b", "b"]))
    numbers = DummyClassifier(strategy="most_frequent").fit(X, [0, 0, 1, 1])
    assert np.isfinite(scorer("zero_one", three)(numbers, X, [0, 1, 1, 1]))


def test_a_noise_matrix_with_names_is_aligned_by_them() -> None:
    X, y = np.zeros((4, 1)), ["ill", "well", "well", "well"]
    model = DummyClassifier(strategy="most_frequent").fit(X, y)
    T = pd.DataFrame([[0.75, 0.0], [0.25, 1.0]], ["ill", "well"], ["ill", "well"])
    for named in (T, T.loc[["well", "ill"]], T.loc[["well", "ill"], ["well", "ill"]]):
        assert scorer("zero_one", named)(model, X, y) == pytest.approx(-1 / 3)
    with pytest.raises(NcbenchError, match="rows Ill, well and columns ill, well"):
        scorer("zero_one", T.rename(index={"ill": "Ill"}))(model, X, y)


def test_what_is_wrong_is_said_before_anything_is_fitted() -> None:
    with pytest.raises(NcbenchError, match="did you mean 'g_mean'"):
        scorer("gmean")
    with pytest.raises(NcbenchError, match="noise matrix"):
        scorer("g_mean", [[0.5, 0.5], [0.5, 0.5]])


def test_labels_that_no_model_could_predict_are_refused() -> None:
    X = np.arange(3.0)[:, None]
    model = DummyClassifier().fit(X, [0, 1, 1])
    for labels, message in (
        ([0.0, np.nan, 1.0], "label nan in row 1"),
        (["0", "1", "1"], "labels such as .*'0'.*fitted to labels such as .*0"),
    ):
        with pytest.raises(NcbenchError, match=message):
            scorer("zero_one")(model, X, labels)
    with pytest.raises(NcbenchError, match="measure=None; expected the name"):
        scorer(None)  # type: ignore[arg-type]
