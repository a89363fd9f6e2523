"""Class probabilities with any learner: absent classes, sample splits, and folds."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin

from ncbench import NcbenchError, NoiseMatrix
from ncbench.learning.class_probabilities import (
    deal_folds,
    fit_cpe,
    fit_posterior,
    posterior,
    stratified_folds,
)


class Remembers(ClassifierMixin, BaseEstimator):
    """Knows 1.0 for the class of an example it was fitted to, and is uniform elsewhere."""

    def fit(self, X, y, noise_matrix=None):
        self.classes_ = np.unique(y)
        self.seen_ = dict(zip(X[:, 0].tolist(), y.tolist(), strict=True))
        self.told_ = noise_matrix
        return self

    def predict_proba(self, X):
        rows = np.full((len(X), len(self.classes_)), 1 / len(self.classes_))
        for row, x in zip(rows, X[:, 0].tolist(), strict=True):
            if x in self.seen_:
                row[:] = self.classes_ == self.seen_[x]
        return rows


class Plain(Remembers):
    def fit(self, X, y):
        return super().fit(X, y)


X = np.arange(60.0)[:, None]
Y = np.arange(60) % 3


def test_a_class_that_was_not_there_has_probability_0() -> None:
    learner = Remembers().fit(X[:2], np.array([0, 2]))
    np.testing.assert_array_equal(
        posterior(learner, X[:3], 3), [[1, 0, 0], [0, 0, 1], [0.5, 0, 0.5]]
    )


def test_only_a_learner_that_takes_the_noise_is_told_it() -> None:
    noise = NoiseMatrix(np.eye(3))
    own = Remembers()
    assert fit_cpe(own, X, Y, noise).told_ is noise
    assert not hasattr(own, "classes_")  # a clone was fitted
    assert fit_cpe(Plain(), X, Y, noise).told_ is None


def test_each_split_uses_the_examples_it_says() -> None:
    known = lambda rows: np.asarray(rows).max(axis=1) == 1  # noqa: E731
    none = fit_posterior(Remembers(), X, Y, 3, "none", 0)
    assert known(none.posterior).all()
    half = fit_posterior(Remembers(), X, Y, 3, "half", 0)
    assert (len(half.y), len(half.cpe.seen_)) == (30, 30)
    assert not known(half.posterior).any()  # the other half
    assert np.bincount(half.y).tolist() == [10, 10, 10]
    crossfit = fit_posterior(Remembers(), X, Y, 3, "crossfit", 0)
    assert (len(crossfit.y), len(crossfit.cpe.seen_)) == (60, 60)
    assert not known(crossfit.posterior).any()  # out of fold
    with pytest.raises(NcbenchError, match="sample_split='third'; expected one of none, half"):
        fit_posterior(Remembers(), X, Y, 3, "third", 0)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=60)
@given(labels=st.lists(st.integers(0, 3), min_size=2, max_size=40), folds=st.integers(2, 6))
def test_folds_divide_any_sample_evenly(labels: list[int], folds: int) -> None:
    y = np.array(labels)
    dealt = deal_folds(y, folds, np.random.default_rng(0).permutation(len(y)))
    for each in (y == k for k in set(labels)):
        sizes = np.bincount(dealt[each], minlength=min(folds, len(y)))
        assert sizes.max() - sizes.min() <= 1
    held_out = [part for _, part in stratified_folds(y, 4, folds, 0)]
    assert sorted(np.concatenate(held_out).tolist()) == list(range(len(y)))
    for train, part in stratified_folds(y, 4, folds, 0):
        assert set(train.tolist()) | set(part.tolist()) == set(range(len(y)))
        assert len(part) < len(y)


@pytest.mark.parametrize("counts", [(21, 11, 6), (21, 11, 2), (12, 12, 1), (1, 1, 1, 1)])
def test_rare_classes_are_split_as_far_as_they_can_without_a_warning(counts: tuple) -> None:
    y, n = np.repeat(np.arange(len(counts)), counts), len(counts)
    x = np.arange(float(len(y)))[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for split in ("none", "half", "crossfit"):
            found, again = (fit_posterior(Remembers(), x, y, n, split, 0) for _ in range(2))
            assert found.posterior.shape == (len(found.y), n)
            np.testing.assert_array_equal(found.rows, again.rows)
            if split == "half":
                difference = 2 * np.bincount(found.y, minlength=n) - counts
                assert np.abs(difference).max() <= 1
