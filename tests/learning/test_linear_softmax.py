"""Linear softmax models: their gradients, their fit, and what they refuse."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression
from softmax_problem import LOSSES, random_noise, softmax_sample

from ncbench import NoiseMatrix
from ncbench.learning.linear_softmax import (
    CrossEntropy,
    ForwardCrossEntropy,
    LinearSoftmax,
    LossValue,
    _Problem,
    _whitening,
    fit_linear_softmax,
)


class SymmetricNoiseForward:
    """Forward loss under symmetric noise of a level that is fitted along."""

    def __init__(self, y, n):
        self.one_hot = np.eye(n)[y]

    def __call__(self, log_posterior, posterior, extra):
        m, n = posterior.shape
        g_y = (posterior * self.one_hot).sum(axis=1)
        off = extra[0] / (n - 1)
        evidence = off + (1 - extra[0] - off) * g_y
        gradient = -(1 - extra[0] - off) * posterior * self.one_hot / evidence[:, None] / m
        slope = -((1 / (n - 1) - (1 + 1 / (n - 1)) * g_y) / evidence).mean()
        return LossValue(-np.log(evidence).mean(), gradient, np.array([slope]))


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("name", LOSSES)
def test_gradient_is_that_of_finite_differences(name, n):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(20, 3)), rng.integers(n, size=20)
    loss = LOSSES[name](random_noise(rng, n), y)
    problem = _Problem(X, _whitening(X, 0.1), loss, 0.1, n)
    theta = rng.normal(size=4 * n)
    _, gradient = problem(theta)
    numeric = approx_fprime(theta, lambda t: problem(t)[0], 1e-6)
    np.testing.assert_allclose(gradient, numeric, atol=1e-5)


def test_gradient_of_extra_parameters():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), rng.integers(3, size=20)
    problem = _Problem(X, np.eye(2), SymmetricNoiseForward(y, 3), 0.1, 3)
    theta = np.append(rng.normal(size=9), 0.2)
    numeric = approx_fprime(theta, lambda t: problem(t)[0], 1e-7)
    np.testing.assert_allclose(problem(theta)[1], numeric, atol=1e-5)


def test_extra_parameters_are_fitted_within_bounds():
    rng = np.random.default_rng(1)
    noise = NoiseMatrix(0.7 * np.eye(3) + 0.1)  # symmetric, level 0.2
    X, posterior, y = softmax_sample(rng, 20_000, noise, scale=4.0)
    start = LinearSoftmax(np.zeros((3, 3)), np.zeros(3), np.array([0.05]))
    fit = partial(fit_linear_softmax, X, SymmetricNoiseForward(y, 3), start, penalty=1e-6)
    model = fit(extra_bounds=[(0.0, 0.6)])
    assert model.extra[0] == pytest.approx(0.2, abs=0.02)
    assert np.abs(model.posterior(X) - posterior).mean() < 0.02
    assert fit(extra_bounds=[(0.0, 0.1)]).extra[0] == pytest.approx(0.1)


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("name", ["forward", "backward_bounded", "cross_entropy"])
def test_without_noise_all_are_logistic_regression(name, n):
    rng = np.random.default_rng(0)
    X, _, y = softmax_sample(rng, 500, NoiseMatrix.identity(n), d=4)
    assert len(np.unique(y)) == n
    # Correlated, of unequal scale, off centre: the whitening must not change the solution.
    X = X @ rng.normal(size=(4, 4)) * [1.0, 2.0, 5.0, 0.3] + 1.0
    penalty = 0.01
    # Of two classes scikit-learn penalises one vector w, where softmax has w/2 and -w/2.
    C = (2 if n == 2 else 1) / (penalty * 500)
    expected = LogisticRegression(C=C, tol=1e-8, max_iter=5000).fit(X, y).predict_proba(X)
    loss = LOSSES[name](NoiseMatrix.identity(n), y)
    model = fit_linear_softmax(X, loss, LinearSoftmax.zero(4, n), penalty=penalty)
    assert model.converged
    np.testing.assert_allclose(model.posterior(X), expected, atol=1e-4)


def test_warm_start_at_the_solution_needs_no_iterations():
    rng = np.random.default_rng(0)
    noise = random_noise(rng, 3)
    X, _, y = softmax_sample(rng, 300, noise)
    fit = partial(fit_linear_softmax, X, ForwardCrossEntropy(noise, y), penalty=0.01)
    model = fit(LinearSoftmax.zero(3, 3))
    again = fit(model)
    assert again.n_iter == 0
    np.testing.assert_allclose(again.coef, model.coef)


@pytest.mark.parametrize("penalty", [0.0, 1e-3])
def test_constant_and_repeated_features_are_harmless(penalty):
    rng = np.random.default_rng(0)
    X, _, y = softmax_sample(rng, 200, NoiseMatrix.identity(2), scale=1.0)
    wide = np.hstack([X, X, np.zeros((200, 1))])
    loss = CrossEntropy.of_labels(y, 2)
    # Two copies with half the weight each pay half the penalty.
    a = fit_linear_softmax(X, loss, LinearSoftmax.zero(3, 2), penalty=penalty / 2)
    b = fit_linear_softmax(wide, loss, LinearSoftmax.zero(7, 2), penalty=penalty)
    np.testing.assert_allclose(a.posterior(X), b.posterior(wide), atol=1e-4)
