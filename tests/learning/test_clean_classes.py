"""Probabilities of clean classes and of true labels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad

from ncbench import NoiseMatrix
from ncbench.learning import joint_noise as clean_classes
from ncbench.learning.joint_noise import (
    clean_posterior,
    combined_clean,
    fit_weights,
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


def test_noisy_labels_show_which_of_two_learners_to_follow() -> None:
    rng = np.random.default_rng(0)
    eta, other = rng.dirichlet([1, 1, 1], size=(2, 4000))
    clean = np.array([rng.choice(3, p=p) for p in eta])
    noisy = [T.corrupt_posterior(P) for P in (eta, other)]
    found = combined_clean(noisy, T.draw_labels(clean, rng), T)
    assert np.abs(found - eta).mean() < 0.03


def test_the_gradient_is_that_of_the_objective(monkeypatch):
    rng = np.random.default_rng(1)
    F = np.log(rng.dirichlet(np.ones(3), (2, 30)))
    y = rng.integers(0, 3, 30)
    taken = []

    def keep(objective, start, **_):
        taken.append(objective)
        return type("Result", (), {"x": start})

    monkeypatch.setattr(clean_classes, "minimize", keep)
    fit_weights(F, y, NoiseMatrix(np.full((3, 3), 0.1) + 0.7 * np.eye(3)))
    theta = np.append(rng.uniform(0, 2, 2), rng.normal(size=3))
    error = check_grad(lambda t: taken[0](t)[0], lambda t: taken[0](t)[1], theta)
    assert error < 1e-4


def test_the_frequencies_of_the_classes_are_held():
    """One in ten is of a rare class, and the learners say one in fifty."""
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.1).astype(np.int64)
    F = np.log(np.full((2, 2000, 2), [0.98, 0.02]))
    a, b = fit_weights(F, y, NoiseMatrix.identity(2))
    scores = np.tensordot(a, F, 1) + b
    g = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert g[:, 1].mean() == pytest.approx(y.mean(), abs=0.02)


def test_a_label_that_the_noise_excludes_is_taken_as_it_is() -> None:
    y = 1
    found = true_label_posterior(np.array([[0.5, 0.5]]), np.array([y]), NoiseMatrix.identity(2))
    np.testing.assert_array_equal(found[0], np.eye(2)[y])
