"""What algorithms share: the measure they are told, and what they may predict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ncbench import NcbenchError, load
from ncbench.core.measure import Measure
from ncbench.errors import NotApplicable, UnknownName
from ncbench.learning import prediction
from ncbench.learning.classifier import resolve_measure

CLASSES = np.arange(3)
X = np.zeros((4, 2))
RIGHT = np.full((4, 3), 1 / 3)


class Predicts(ClassifierMixin, BaseEstimator):
    """Predicts what it is given; ``steps`` is a parameter, as of any optimizer."""

    def __init__(self, answer=None, randomized=True, steps=3):
        self.answer = answer
        self.randomized = randomized
        self.steps = steps

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.answer

    predict_proba = predict


def changed(row: int, values: list[float]) -> np.ndarray:
    rows = RIGHT.copy()
    rows[row] = values
    return rows


def refused(answer: Any, message: str, randomized: bool) -> None:
    with pytest.raises(NcbenchError, match=message):
        prediction(Predicts(answer, randomized).fit(X, [0, 1, 2, 0]), X, CLASSES)


def test_rows_that_are_not_distributions_are_refused() -> None:
    for answer, message in (
        (changed(2, [1.0, 1.0, 0.0]), r"\[1.0, 1.0, 0.0\] for row 2 \(1 of 4 rows"),
        (changed(0, [2.0, -1.0, 0.0]), r"\[2.0, -1.0, 0.0\] for row 0"),
        (changed(3, [np.nan, 0.5, 0.5]), "for row 3"),
        (3 * RIGHT, r"\(4 of 4 rows are wrong\); expected probabilities that sum to 1"),
        (RIGHT[:2], r"shape \(2, 3\); expected \(4, 3\)"),
    ):
        refused(answer, message, randomized=True)


def test_predictions_that_are_not_labels_are_refused() -> None:
    for answer, message in (
        ([0, 1, -1, 2], r"predict returned .*-1.* for row 2 \(1 of 4 rows are wrong\)"),
        ([0, 0.5, 1, 2], "for row 1"),
        ([0, 1, 2, 3], "expected one of 0, 1, 2"),
        ([0, 1, 2, np.nan], "for row 3"),
        ([0, 1], r"shape \(2,\); expected \(4,\)"),
    ):
        refused(answer, message, randomized=False)


def test_rows_are_those_of_the_classifier_also_in_a_pipeline() -> None:
    # Also of a float32 network, and where a parameter is called steps, as those of a pipeline are.
    rows = np.random.default_rng(0).dirichlet(np.ones(3), size=4).astype(np.float32)
    for algorithm in (Predicts(rows), make_pipeline(StandardScaler(), Predicts(rows))):
        np.testing.assert_allclose(prediction(algorithm.fit(X, [0, 1, 2, 0]), X, CLASSES), rows)


def test_classes_that_were_not_seen_have_no_probability() -> None:
    algorithm = Predicts(np.full((4, 2), 0.5)).fit(X, [0, 2, 2, 0])
    np.testing.assert_array_equal(prediction(algorithm, X, CLASSES), [[0.5, 0, 0.5]] * 4)


# Measures for algorithms


class Ratio(Measure):
    family = "ratio_of_linear"

    def __call__(self, C):
        return 0.0


class Reported(Ratio):
    family = None


class OnlyConvex:
    measure_families = frozenset({"monotonic_convex", "linear"})


class Anything:
    measure_families = None


def test_resolve_measure_by_name_and_as_object() -> None:
    psi = resolve_measure("h_mean", OnlyConvex())
    assert psi.family == "monotonic_convex"
    assert resolve_measure(psi, OnlyConvex()) is psi
    ratio = Ratio()
    assert resolve_measure(ratio, Anything()) is ratio


def test_resolve_measure_refuses_with_both_names_and_families() -> None:
    message = "OnlyConvex optimizes linear and monotonic_convex measures; Ratio is ratio_of_linear"
    with pytest.raises(NotApplicable, match=message):
        resolve_measure(Ratio(), OnlyConvex())
    with pytest.raises(NotApplicable, match="Reported is reported only, not optimized"):
        resolve_measure(Reported(), OnlyConvex())
    with pytest.raises(UnknownName, match="did you mean 'h_mean'"):
        resolve_measure("h_maen", OnlyConvex())


@pytest.mark.parametrize("name", ["cpe_argmax", "nc_selected"])
def test_bad_parameters_are_named(name: str) -> None:
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    with pytest.raises(NcbenchError, match="random_state='abc'; expected a whole number or None"):
        load("algo", name)(random_state="abc").fit(X, y)
    with pytest.raises(NcbenchError, match="cpe='nope'; expected a scikit-learn classifier, or No"):
        load("algo", name)(cpe="nope").fit(X, y)
