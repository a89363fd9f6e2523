from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from ncbench import NcbenchError, NoiseMatrix
from ncbench.learning.linear_softmax import (
    LinearSoftmax,
    _Problem,
    _whitening,
    fit_linear_softmax,
)
from ncbench.learning.noisy_losses import CrossEntropy, ForwardCrossEntropy, LossValue

LOSSES = {
    "cross_entropy": lambda noise, y: CrossEntropy.of_labels(y, noise.n),
    "forward": ForwardCrossEntropy,
    "backward": CrossEntropy.backward,
    "backward_bounded": partial(CrossEntropy.backward, bounded=True),
}


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


def random_noise(rng, n, sigma=0.3):
    T = rng.random((n, n)) * (1 - np.eye(n))
    return NoiseMatrix(sigma * T / T.sum(axis=0) + (1 - sigma) * np.eye(n))


def softmax_sample(rng, m, noise, d=3, scale=2.0):
    """Draw features, clean posterior and noisy labels of a linear softmax model."""
    n = noise.n
    X = rng.normal(size=(m, d))
    truth = LinearSoftmax(scale * rng.normal(size=(d, n)), 0.5 * rng.normal(size=n))
    posterior = truth.posterior(X)
    clean = (rng.random(m)[:, None] >= posterior.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return X, posterior, noise.draw_labels(clean, rng)


@pytest.mark.parametrize("n", [2, 3, 12])
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


@pytest.mark.parametrize("n", [2, 3, 12])
@pytest.mark.parametrize("name", ["forward", "backward", "backward_bounded", "cross_entropy"])
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


@pytest.mark.parametrize("n", [2, 5])
def test_backward_loss_is_unbiased(n):
    """``sum_i T[i, k] l'_i = l_k``: in expectation over the noise, the clean loss."""
    rng = np.random.default_rng(n)
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


def test_bounded_backward_loss_is_the_raw_one_where_priors_are_inside():
    rng = np.random.default_rng(0)
    noise = random_noise(rng, 3)
    X, _, y = softmax_sample(rng, 400, noise)
    raw, bounded = (CrossEntropy.backward(noise, y, bounded=b) for b in (False, True))
    model = LinearSoftmax(rng.normal(size=(3, 3)), rng.normal(size=3))
    assert bounded.moved == pytest.approx(0)
    assert model.loss(X, raw) == pytest.approx(model.loss(X, bounded))


@pytest.mark.parametrize("name", LOSSES)
def test_vanishing_probabilities_keep_gradients_finite_and_right(name):
    noise = NoiseMatrix.identity(3)
    y = np.array([0, 1, 2])
    X = 1e5 * np.eye(3)[[1, 2, 0]]
    model = LinearSoftmax(np.eye(3), np.zeros(3))  # certain, and wrong each time
    g, log_g = model.posterior(X), model.log_posterior(X)
    assert g.min() == 0
    value, gradient, _ = LOSSES[name](noise, y)(log_g, g, np.zeros(0))
    assert np.isfinite(value)
    assert value > 400
    np.testing.assert_allclose(gradient, -np.eye(3) / 3, atol=1e-12)


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


@pytest.mark.parametrize(
    ("shape", "penalty", "message"),
    [((5, 2), 0.1, r"shape \(5, 2\).*\(m, 3\)"), ((5, 3), -1.0, "penalty is -1.0")],
)
def test_what_does_not_fit_is_refused(shape, penalty, message):
    loss = CrossEntropy.of_labels(np.zeros(5, dtype=np.int64), 2)
    with pytest.raises(NcbenchError, match=message):
        fit_linear_softmax(np.zeros(shape), loss, LinearSoftmax.zero(3, 2), penalty=penalty)
