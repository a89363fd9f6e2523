"""Losses for noisy labels: unbiased, with the gradients of finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from softmax_problem import LOSSES, random_noise, softmax_sample

from ncbench import NoiseMatrix
from ncbench.learning.linear_softmax import (
    CrossEntropy,
    LinearSoftmax,
    _log_softmax,
    fit_linear_softmax,
)


def test_backward_loss_is_unbiased():
    """``sum_i T[i, k] l'_i = l_k``: in expectation over the noise, the clean loss."""
    n, rng = 5, np.random.default_rng(5)
    noise, g = random_noise(rng, n), rng.dirichlet(np.ones(n))[None]
    corrected = [CrossEntropy.backward(noise, np.array([i]))(np.log(g), g).value for i in range(n)]
    for k in range(n):
        assert noise.matrix[:, k] @ corrected == pytest.approx(-np.log(g[0, k]))


@pytest.mark.parametrize("name", ["forward", "backward_bounded"])
def test_corrected_losses_recover_the_clean_posterior(name):
    rng = np.random.default_rng(3)
    noise = random_noise(rng, 4, sigma=0.35)
    X, posterior, y = softmax_sample(rng, 50_000, noise)
    error = {}
    for loss in (name, "cross_entropy"):
        fitted = LOSSES[loss](noise, y)
        model = fit_linear_softmax(X, fitted, LinearSoftmax.zero(3, 4), penalty=1e-6)
        error[loss] = np.abs(model.posterior(X) - posterior).mean()
    assert error[name] < 0.015
    assert error["cross_entropy"] > 5 * error[name]


def test_backward_loss_diverges_unbounded_and_has_a_minimum_bounded():
    # One class was never observed, though T says that it would be: p = T^-1 p~ = (1.2, -0.2).
    noise = NoiseMatrix([[0.9, 0.4], [0.1, 0.6]])
    y = np.zeros(10, dtype=np.int64)
    X = np.linspace(-1, 1, 10)[:, None]
    raw, bounded = (CrossEntropy.backward(noise, y, bounded=b) for b in (False, True))
    far = [LinearSoftmax(np.zeros((1, 2)), np.array([b, 0.0])) for b in (1e2, 1e4)]
    # loss = log(1 + e^-b) - 0.2 b: the intercept alone takes it down without end.
    assert [m.loss(X, raw) for m in far] == pytest.approx([-0.2 * 1e2, -0.2 * 1e4])
    model = fit_linear_softmax(X, bounded, LinearSoftmax.zero(1, 2), penalty=1e-3)
    assert model.converged
    # The bounded problem's solution: no weights, and the lifted priors (1.2, 0.1) / 1.3.
    np.testing.assert_allclose(model.coef, 0, atol=1e-4)
    np.testing.assert_allclose(model.posterior(X), [[12 / 13, 1 / 13]] * 10, atol=1e-4)


def test_backward_loss_diverges_in_the_weights_without_penalty():
    # Separable, and T claims noise that is not there: p is inside the simplex, but growing
    # weights gain without end. The penalty ends it, at weights of order 1 / mu.
    noise = NoiseMatrix([[0.7, 0.3], [0.3, 0.7]])
    X, y = np.repeat([[-1.0], [1.0]], 20, axis=0), np.repeat([0, 1], 20)
    loss = CrossEntropy.backward(noise, y, bounded=True)
    assert loss.moved == pytest.approx(0)
    # T^-T has 1.75 on the diagonal and -0.75 off it; for scores (-s, s) / 2 and large s the loss
    # is -0.75 s, and the penalty mu s^2 / 4: the minimum is at s = 1.5 / mu.
    for mu in (0.1, 0.01):
        model = fit_linear_softmax(X, loss, LinearSoftmax.zero(1, 2), penalty=mu)
        assert model.converged
        assert model.coef[0, 1] - model.coef[0, 0] == pytest.approx(1.5 / mu, rel=1e-3)
        assert model.objective == pytest.approx(-(0.75**2) / mu, rel=1e-3)


@pytest.mark.parametrize("name", LOSSES)
def test_vanishing_probabilities_keep_gradients_finite_and_right(name):
    noise = NoiseMatrix.identity(3)
    y = np.array([0, 1, 2])
    X = 1e5 * np.eye(3)[[1, 2, 0]]
    model = LinearSoftmax(np.eye(3), np.zeros(3))  # certain, and wrong each time
    log_g, g = _log_softmax(X, model.coef, model.intercept)
    assert g.min() == 0
    value, gradient, _ = LOSSES[name](noise, y)(log_g, g, np.zeros(0))
    assert np.isfinite(value)
    assert value > 400
    np.testing.assert_allclose(gradient, -np.eye(3) / 3, atol=1e-12)
