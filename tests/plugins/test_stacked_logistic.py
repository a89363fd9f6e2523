"""Two levels of logistic regression: the default CPE learner."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from ncbench.core.noise_matrix import NoiseMatrix
from ncbench.errors import NcbenchError
from ncbench.learning.linear_softmax import LinearSoftmax
from ncbench.types import Array
from ncbench_plugins.cpe import stacked_logistic as module
from ncbench_plugins.cpe.logistic_regression import logistic
from ncbench_plugins.cpe.stacked_logistic import StackedLogistic, stacked

T = NoiseMatrix(0.4 * np.eye(3) + 0.2)


def sample(m: int, seed: int) -> tuple[Array, Array, NDArray[np.int64]]:
    """Return X, noisy probabilities whose clean log odds are linear, and labels drawn from them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 2))
    clean = LinearSoftmax(np.array([[6.0, -6.0, 0.0], [2.0, 2.0, -8.0]]), np.zeros(3)).posterior(X)
    eta = T.corrupt_posterior(clean)
    return X, eta, (rng.random(m)[:, None] > eta.cumsum(axis=1)[:, :-1]).sum(axis=1)


@pytest.mark.parametrize("seed", range(4))
def test_it_is_closer_to_noisy_probabilities_than_one_level(seed: int) -> None:
    X, eta, y = sample(4000, seed)
    one, two = (
        np.abs(cpe.fit(X, y).predict_proba(X) - eta).mean() for cpe in (logistic(), stacked())
    )
    assert two < one


def test_it_is_the_average_of_its_levels() -> None:
    X, _, y = sample(300, 0)
    new = sample(50, 1)[0]
    model = stacked().fit(X, y)
    first = model.first_.predict_proba(new)
    second = model.second_.predict_proba(np.hstack([new, first]))
    np.testing.assert_allclose(model.predict_proba(new), (first + second) / 2)
    np.testing.assert_allclose(first, logistic().fit(X, y).predict_proba(new))


class Memory(ClassifierMixin, BaseEstimator):
    """Is sure of examples it has seen, and of others knows nothing."""

    C_ = 1.0
    fitted: ClassVar[list[Array]] = []

    def __getitem__(self, step: int) -> Memory:
        return self

    def fit(self, X: Array, y: NDArray) -> Memory:
        self.fitted.append(X)
        self.classes_ = np.unique(y)
        self._seen = {row.tobytes(): label for row, label in zip(X, y, strict=True)}
        return self

    def predict_proba(self, X: Array) -> Array:
        n = len(self.classes_)
        known = [self._seen.get(row.tobytes()) for row in X]
        return np.array([np.full(n, 1 / n) if k is None else self.classes_ == k for k in known])


def test_the_second_level_learns_from_probabilities_of_examples_not_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Memory, "fitted", [])
    monkeypatch.setattr(module, "logistic", lambda **_: Memory())
    X, _, y = sample(60, 0)
    stacked(folds=3).fit(X, y)
    first, *folds, second = Memory.fitted
    assert [len(part) for part in (first, *folds)] == [60, 40, 40, 40]
    np.testing.assert_array_equal(second[:, :2], X)
    np.testing.assert_allclose(second[:, 2:], 1 / 3)


def test_every_fold_has_the_penalty_of_the_whole_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def watched(**parameters: Any) -> Any:
        asked.append(parameters)
        return logistic(**parameters)

    monkeypatch.setattr(module, "logistic", watched)
    X, _, y = sample(300, 0)
    C = stacked(folds=2).fit(X, y).first_[-1].C_
    assert asked == [{}, {"C": C}, {"C": C}, {}]


def test_a_large_sample_chooses_the_second_penalty_on_a_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Memory, "fitted", [])
    monkeypatch.setattr(module, "logistic", lambda **_: Memory())
    monkeypatch.setattr(module, "SEARCH", 25)
    X, _, y = sample(60, 0)
    stacked(folds=2).fit(X, y)
    *_, search, second = Memory.fitted
    assert (len(search), len(second)) == (20, 60)
    assert {row.tobytes() for row in search} <= {row.tobytes() for row in second}
    y[:] = 0
    y[np.argmax(X[:, 0])] = 1  # the part has one class
    stacked(folds=2).fit(X, y)
    assert [len(part) for part in Memory.fitted[-2:]] == [30, 60]


def test_labels_may_be_words_and_a_class_may_have_one_example() -> None:
    X, _, y = sample(100, 0)
    names = np.array(["ant", "bee", "cat", "dog"])[y]
    names[0] = "dog"
    model = StackedLogistic().fit(X, names)
    assert model.classes_.tolist() == ["ant", "bee", "cat", "dog"]
    assert model.predict_proba(X).shape == (100, 4)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert set(model.predict(X)) <= {"ant", "bee", "cat", "dog"}


def test_two_examples_are_enough() -> None:
    model = stacked().fit(np.array([[0.0], [1.0]]), np.array([0, 1]))
    assert model.predict_proba([[0.5]]).shape == (1, 2)


def test_fewer_than_two_folds_are_refused() -> None:
    with pytest.raises(NcbenchError, match=r"cpe\.folds=1.*at least 2"):
        stacked(folds=1)
