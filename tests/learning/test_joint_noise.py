"""The noise matrix and the clean posterior, fitted together."""

from __future__ import annotations

import numpy as np
from scipy.optimize import approx_fprime
from softmax_problem import softmax_sample

from ncbench import NoiseMatrix
from ncbench.learning.joint_noise import JointCrossEntropy, OffDiagonal, fit_joint_noise


def ridge(V, T):
    return float((V**2).sum()), 2 * V, np.zeros_like(T)


def test_every_v_is_a_noise_matrix_with_a_dominant_diagonal() -> None:
    V = np.random.default_rng(0).normal(scale=3, size=12)
    T = OffDiagonal(4).matrix(V)
    np.testing.assert_allclose(T.sum(axis=0), 1)
    assert (T >= 0).all()
    assert (T.max(axis=0) == np.diag(T)).all()


def test_the_chain_rule_is_that_of_finite_differences() -> None:
    rng = np.random.default_rng(0)
    V, weight = rng.normal(size=6), rng.normal(size=(3, 3))
    noise = OffDiagonal(3)
    numeric = approx_fprime(V, lambda v: float((weight * noise.matrix(v)).sum()), 1e-7)
    np.testing.assert_allclose(noise.chain(V, weight), numeric, atol=1e-6)


def test_the_gradients_of_the_loss_are_those_of_finite_differences() -> None:
    rng = np.random.default_rng(1)
    y, V = rng.integers(3, size=20), rng.normal(size=6)
    P = rng.dirichlet(np.ones(3), size=20)

    loss = JointCrossEntropy(y, 3, ridge)
    found = loss(np.log(P), P, V)
    by_hand = (V**2).sum() - np.log((OffDiagonal(3).matrix(V)[y] * P).sum(axis=1)).mean()
    np.testing.assert_allclose(found.value, by_hand)
    in_v = approx_fprime(V, lambda v: loss(np.log(P), P, v).value, 1e-7)
    np.testing.assert_allclose(found.extra_gradient, in_v, atol=1e-5)


def test_it_explains_noisy_labels_better_than_no_noise_and_finds_the_level() -> None:
    rng = np.random.default_rng(0)
    noise = NoiseMatrix(0.7 * np.eye(3) + 0.1)
    X, _, y = softmax_sample(rng, 6000, noise, scale=4.0)
    fit = fit_joint_noise(X, y, 3, lambda V, T: (0.0, 0 * V, 0 * T), penalty=1e-4)
    np.testing.assert_allclose(fit.matrix.sum(axis=0), 1)
    assert np.abs(fit.matrix - noise.matrix).mean() < np.abs(np.eye(3) - noise.matrix).mean() / 2
    assert fit.losses(X, y).mean() < np.log(3)
