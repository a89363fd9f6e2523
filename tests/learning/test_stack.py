"""Held-out predictions of the learners of the stack."""

import numpy as np
import pytest

from ncbench import NoiseMatrix
from ncbench.learning import fitted, held_out, held_out_rows, stack
from ncbench.learning.stack import KernelLogistic

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 3)) + 4 * np.repeat(np.eye(3), 80, axis=0)
TRUTH = np.repeat([0, 1, 2], 80)
Y = np.where(RNG.random(240) < 0.2, RNG.integers(0, 3, 240), TRUTH)
T = NoiseMatrix(np.full((3, 3), 1 / 15) + 0.8 * np.eye(3))


@pytest.mark.parametrize("name", stack.BASES)
def test_a_learner_predicts_labels_that_it_has_not_seen(name):
    found = held_out(name, X, Y, 3, 0, T)
    assert found.probabilities.shape == (240, 3)
    assert (found.probabilities.argmax(axis=1) == TRUTH).mean() > 0.9
    # A label that is seen would be predicted better than one of a hundred that is drawn at random.
    assert (found.probabilities.argmax(axis=1) == Y)[Y != TRUTH].mean() < 0.15
    learner = fitted(name, X, Y, 0, found.setting, T)
    assert (learner.predict_proba(X).argmax(axis=1) == TRUTH).mean() > 0.9
    # A class with one example has no chance where that is held out, and no label is lost for it.
    rare = held_out(name, X, np.where(np.arange(240) == 7, 2, Y % 2), 3, 0, NoiseMatrix.identity(3))
    np.testing.assert_allclose(rare.probabilities.sum(axis=1), 1)


def test_a_learner_is_fitted_once_to_a_sample_and_a_seed():
    first = held_out("trees", X, Y, 3, 1)
    assert held_out("trees", X, Y, 3, 1) is first
    assert held_out("trees", X, Y, 3, 1, T) is first, "trees are not told T"
    assert held_out("trees", X, Y, 3, 2) is not first
    assert held_out("trees", X, np.roll(Y, 1), 3, 1) is not first


def test_a_tree_of_a_wide_table_sees_a_part(monkeypatch):
    monkeypatch.setattr(stack, "_LEAST", 10)
    assert not stack._trees(None, 0, (240, 3)).bootstrap
    monkeypatch.setattr(stack, "_NUMBERS", 300)
    assert stack._trees(None, 0, (240, 3)).max_samples == 100
    found = held_out("trees", X + 1e-9, Y, 3, 0)
    assert (found.probabilities.argmax(axis=1) == TRUTH).mean() > 0.9


def test_trees_of_many_classes_are_fitted_in_parts(monkeypatch):
    whole = held_out("trees", X, Y, 3, 0).probabilities
    monkeypatch.setattr(stack, "_MANY_CLASSES", 2)
    sizes = []
    learner = stack.BASES["trees"].learner
    base = stack.Base(lambda k, *about: sizes.append(k) or learner(k, *about), parts=(60, 40))
    monkeypatch.setitem(stack.BASES, "trees", base)
    parts = held_out("trees", X + 2e-9, Y, 3, 0).probabilities
    assert sizes == [60, 40] * 5
    np.testing.assert_allclose(parts.sum(axis=1), 1)
    assert np.corrcoef(parts.ravel(), whole.ravel())[0, 1] > 0.98


def test_what_is_remembered_is_bounded():
    for seed in range(stack._KEPT + 5):
        held_out("linear", X[::4], Y[::4], 3, seed)
    assert len(stack._memory) == stack._KEPT


def test_of_many_examples_a_part_is_predicted(monkeypatch):
    monkeypatch.setattr(stack, "_HELD_OUT", 50)
    rows = held_out_rows(240, seed=0)
    assert len(np.unique(rows)) == 50
    assert (np.diff(rows) > 0).all()
    assert (held_out_rows(50, seed=0) == np.arange(50)).all()


def test_equal_examples_have_a_kernel_too():
    model = KernelLogistic(random_state=0).fit(np.zeros((20, 2)), np.arange(20) % 2)
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 2))), [[0.5, 0.5]], atol=1e-6)
