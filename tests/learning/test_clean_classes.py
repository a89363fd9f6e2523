"""Probabilities of clean classes and of true labels."""

from __future__ import annotations

import numpy as np
import pytest

from ncbench import NoiseMatrix
from ncbench.learning.clean_classes import (
    as_likely_as_labels,
    as_sharp_as_labels,
    clean_posterior,
    true_label_posterior,
)

T = NoiseMatrix([[0.7, 0.1, 0.0], [0.2, 0.8, 0.1], [0.1, 0.1, 0.9]])


def test_noise_is_undone() -> None:
    eta = np.random.default_rng(0).dirichlet([2, 2, 2], size=50)
    np.testing.assert_allclose(clean_posterior(T.corrupt_posterior(eta), T), eta, atol=0.02)


def test_beyond_the_range_of_the_noise_the_order_is_kept() -> None:
    # Two classes: T reaches 0.2 to 0.8, and the learner says 0.85 and 0.9.
    noise = NoiseMatrix([[0.8, 0.2], [0.2, 0.8]])
    found = clean_posterior(np.array([[0.85, 0.15], [0.9, 0.1], [1.0, 0.0]]), noise)
    assert 0.99 < found[0, 0] < found[1, 0]
    assert (np.diff(found[:, 1]) <= 0).all()
    assert found.min() > 0
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_true_labels_follow_bayes_rule() -> None:
    eta = np.array([[0.2, 0.5, 0.3]])
    for y in range(3):
        joint = T.matrix[y] * eta[0]
        found = true_label_posterior(eta, np.array([y]), T)
        np.testing.assert_allclose(found[0], joint / joint.sum())


@pytest.mark.parametrize("sharpness", [0.4, 1.0, 2.5])
def test_noisy_labels_show_how_sharp_probabilities_should_be(sharpness: float) -> None:
    rng = np.random.default_rng(0)
    eta = rng.dirichlet([1, 1, 1], size=4000)
    clean = np.array([rng.choice(3, p=p) for p in eta])
    given = eta ** (1 / sharpness)
    given /= given.sum(axis=1, keepdims=True)
    found = as_sharp_as_labels(given, T.draw_labels(clean, rng), T)
    assert np.abs(found - eta).mean() < 0.01
    assert sharpness == 1 or np.abs(given - eta).mean() > 0.05


def test_noisy_labels_show_which_of_two_learners_to_follow() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.dirichlet([0.3, 0.3, 0.3], size=(2, 4000))
    eta = 0.3 * first + 0.7 * second
    clean = np.array([rng.choice(3, p=p) for p in eta])
    found = as_likely_as_labels(first, second, T.draw_labels(clean, rng), T)
    assert np.abs(found - eta).mean() < 0.01


@pytest.mark.parametrize("y", [0, 1])
def test_a_label_that_the_noise_excludes_is_taken_as_it_is(y: int) -> None:
    found = true_label_posterior(np.array([[0.5, 0.5]]), np.array([y]), NoiseMatrix.identity(2))
    np.testing.assert_array_equal(found[0], np.eye(2)[y])
