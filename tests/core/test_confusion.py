"""Confusion matrices: counts, expectations, and the way back to the simplex."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from counting import confusion_matrix
from hypothesis import given, strategies as st
from sklearn import metrics

from ncbench.core.confusion import expected_confusion, project_to_joint, with_possible_recalls

seeds = st.integers(0, 2**32 - 1)


def test_the_tests_count_as_scikit_learn_does() -> None:
    rng = np.random.default_rng(0)
    for n, m in ((2, 1), (3, 50), (6, 40)):
        y, predicted = rng.integers(n, size=(2, m))
        theirs = metrics.confusion_matrix(y, predicted, labels=range(n), normalize="all")
        np.testing.assert_allclose(confusion_matrix(y, predicted, n), theirs, rtol=1e-15)


@given(seeds, st.integers(2, 3), st.integers(1, 4))
def test_expected_confusion_is_the_mean_over_all_outcomes(seed: int, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.integers(n, size=m)
    distribution = rng.dirichlet(np.ones(n), size=m)
    mean = np.zeros((n, n))
    for outcome in product(range(n), repeat=m):
        probability = np.prod([distribution[i, k] for i, k in enumerate(outcome)])
        mean += probability * confusion_matrix(y, np.array(outcome), n)
    np.testing.assert_allclose(expected_confusion(y, distribution), mean, atol=1e-14)


@given(seeds, st.integers(2, 6), st.integers(1, 40))
def test_expected_confusion_of_one_hot_rows_is_the_confusion_matrix(
    seed: int, n: int, m: int
) -> None:
    rng = np.random.default_rng(seed)
    y, predicted = rng.integers(n, size=(2, m))
    np.testing.assert_array_equal(
        expected_confusion(y, np.eye(n)[predicted]), confusion_matrix(y, predicted, n)
    )


@given(seeds, st.integers(2, 6))
def test_projection_leaves_a_joint_distribution_alone(seed: int, n: int) -> None:
    C = np.random.default_rng(seed).dirichlet(np.ones(n * n)).reshape(n, n)
    C[0, 1] = 0.0
    projected, moved = project_to_joint(C)
    assert projected.tobytes() == C.tobytes()
    assert moved == 0.0


@given(seeds, st.integers(2, 6))
def test_projection_ends_on_the_simplex_and_counts_what_it_moved(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    C = rng.normal(1.0, 1.0, size=(n, n))
    C[0, 0], C[1, 1] = -abs(C[0, 0]), n * n + 1.0
    C /= C.sum()  # as T^-1 C~: it sums to one, but has negative entries
    projected, moved = project_to_joint(C)
    assert projected.min() >= 0
    assert projected.sum() == pytest.approx(1, abs=1e-14)
    assert moved == pytest.approx((np.abs(C).sum() - 1) / 2)  # of entries that sum to 1
    # Negative entries become 0, all others shrink by one factor.
    assert (projected[C < 0] == 0).all()
    np.testing.assert_allclose(projected[C > 0], C[C > 0] / (1 + moved))


def test_projection_does_not_touch_its_argument() -> None:
    C = np.array([[0.7, -0.1], [0.2, 0.2]])
    project_to_joint(C)
    np.testing.assert_array_equal(C, [[0.7, -0.1], [0.2, 0.2]])


def test_only_rows_without_a_possible_recall_are_projected() -> None:
    C = np.array([[0.5, -0.1, 0.1], [0.2, -0.05, -0.1], [-0.3, 0.1, 0.65]])
    expected = np.array([[0.5, -0.1, 0.1], [0.2, 0.0, 0.0], [-0.3, 0.1, 0.65]])
    np.testing.assert_allclose(with_possible_recalls(C), expected / expected.sum(), atol=1e-15)
    hardly_any = np.array([[0.8, 0.1, 0.05], [-0.05, 0.1, -0.04], [0.0, 0.0, 0.04]])
    repaired = np.array([[0.8, 0.1, 0.05], [0.0, 0.1, 0.0], [0.0, 0.0, 0.04]])
    np.testing.assert_allclose(with_possible_recalls(hardly_any), repaired / 1.09, atol=1e-15)
    np.testing.assert_array_equal(with_possible_recalls(np.zeros((2, 2))), np.zeros((2, 2)))
    without_mass = np.array([[0.9, 0.2], [-0.2, 0.1]])
    np.testing.assert_allclose(
        with_possible_recalls(without_mass), np.array([[0.9, 0.2], [0.0, 0.1]]) / 1.2, atol=1e-15
    )


def test_a_recall_of_two_is_the_largest_possible_one() -> None:
    for recall, possible in ((0.0, True), (2.0, True), (2.5, False)):
        mass = 0.1
        C = np.array([[recall * mass, (1 - recall) * mass, 0.0], [0.3, 0.3, -0.05], [0, 0, 0.35]])
        assert (with_possible_recalls(C) is C) == possible, recall
    without_mass = np.array([[0.0, 0.0, 0.0], [0.6, 0.0, -0.1], [0.2, 0.1, 0.2]])
    assert with_possible_recalls(without_mass)[1, 2] == -0.1  # the row of others stays
