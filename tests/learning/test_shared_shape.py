"""Rates and a shape of the noise of many classes: gradients, information, what is found."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from ncbench.data import UNKNOWN
from ncbench.learning import NoisePrior, RatesAndShape, SharedShapeNoise

N = 4
SIZE = 2 + 3 * N + 1
PRIOR = NoisePrior(0.7)


def toy(checked: bool) -> SharedShapeNoise:
    rng = np.random.default_rng(0)
    F = np.log(rng.dirichlet(np.ones(N), size=(2, 40)))
    y = rng.integers(N, size=40)
    truth = np.where(rng.random(40) < 0.4, rng.integers(N, size=40), UNKNOWN)
    return SharedShapeNoise(F, y, N, truth if checked else None)


def test_columns_sum_to_one_and_other_labels_have_one_shape():
    T = RatesAndShape(5).matrix(np.random.default_rng(0).normal(size=11))
    np.testing.assert_allclose(T.sum(axis=0), 1)
    np.testing.assert_allclose(T[2, 0] / T[3, 0], T[2, 1] / T[3, 1])


@pytest.mark.parametrize("checked", [False, True])
def test_the_gradient_is_that_of_the_objective(checked: bool):
    model, theta = toy(checked), np.random.default_rng(1).normal(size=SIZE)
    error = check_grad(
        lambda t: model.objective(t, PRIOR)[0], lambda t: model.objective(t, PRIOR)[1], theta
    )
    assert error < 1e-4


@pytest.mark.parametrize("checked", [False, True])
def test_the_information_is_the_sum_of_the_squared_scores(checked: bool):
    model, theta = toy(checked), np.random.default_rng(1).normal(size=SIZE)
    expected = np.zeros((SIZE, SIZE))
    for seen, index in ((model.unseen, model.y), (model.seen, model.given)):
        for i, label in zip(seen, index, strict=True):
            clean = None if seen is model.unseen else model.truth[model.seen == i].argmax(axis=1)
            one = SharedShapeNoise(model.F[:, [i]], np.array([label]), N, clean)
            one.noise = model.noise
            score = one.objective(theta, PRIOR)[1] - one._pull(theta, PRIOR)[1]
            expected += np.outer(score, score)
    np.testing.assert_allclose(model.information(theta), expected, atol=1e-10)


def test_the_pull_of_the_prior_is_its_precision_times_the_deviation():
    model, theta = toy(False), np.random.default_rng(1).normal(size=SIZE)
    deviation, pull = model._pull(theta, PRIOR)
    precision = model.precision(PRIOR)
    np.testing.assert_allclose(precision @ deviation, pull, atol=1e-12)
    np.testing.assert_allclose(2 * model._log_scale(PRIOR), np.linalg.slogdet(precision)[1])


def test_starts_are_within_the_bounds_and_have_little_noise_or_that_of_predictions():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(60), 50)
    y = np.where(rng.random(3000) < 0.3, rng.integers(60, size=3000), truth)
    model = SharedShapeNoise(np.log(np.eye(60)[truth] * 0.9 + 0.1 / 60)[None], y, 60)
    low, high = np.transpose(model.bounds)
    shares = []
    for theta in (model.from_little_noise(), model.from_predictions()):
        V = theta[-121:]
        assert (low <= V).all()
        assert (high >= V).all()
        shares.append(1 - np.diagonal(model.matrix(theta)).mean())
    assert shares[0] == pytest.approx(0.02, abs=1e-3)
    assert shares[1] == pytest.approx((y != truth).mean(), abs=0.02)


def test_mistakes_from_one_class_into_another_are_found():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(30), 40)
    moved = rng.random(1200) < 0.2
    y = np.where(moved, (truth + 1) % 30, truth)
    model = SharedShapeNoise(np.log(np.eye(30)[truth] * 0.9 + 0.1 / 30)[None], y, 30)
    fit = model.fit(model.from_predictions(), NoisePrior(1.0))
    rates = 1 - np.diagonal(fit.T)
    assert rates.mean() == pytest.approx(moved.mean(), abs=0.03)
    assert fit.T[1, 0] > 0.8 * rates[0]
    alone = RatesAndShape(30).matrix(fit.theta[-61:])
    assert alone[1, 0] < 0.2 * rates[0]  # what it is compared with


def test_rates_and_the_shape_are_found_where_classes_are_apart():
    rng = np.random.default_rng(0)
    n, m = 20, 3000
    e = np.where(np.arange(n) < 10, 0.1, 0.4)
    s = np.where(np.arange(n) % 2, 3.0, 1.0) / (2 * n)
    T = RatesAndShape(n).matrix(np.concatenate([np.log(s), [0], np.log(e / (1 - e))]))
    truth = rng.integers(n, size=m)
    y = (rng.random(m)[:, None] > np.cumsum(T.T[truth], axis=1)).sum(axis=1)
    model = SharedShapeNoise(np.log(np.eye(n)[truth] * 0.9 + 0.1 / n)[None], y, n)
    prior = NoisePrior(3.0)
    fit = model.fit(model.from_little_noise(), prior)
    rates = 1 - np.diagonal(fit.T)
    drawn = [(y != truth)[truth == j].mean() for j in range(n)]
    assert np.abs(rates - drawn).mean() < 0.03
    off = np.where(np.eye(n, dtype=bool), 0.0, fit.T).sum(axis=1)
    np.testing.assert_allclose(off.reshape(-1, 2).sum(axis=0) / off.sum(), [0.25, 0.75], atol=0.04)
    np.testing.assert_allclose(fit.T.sum(axis=0), 1)
    draws = 1 / (1 + np.exp(-model.draw(fit, prior, 200, rng)[:, -n:]))
    expected = np.sqrt(e * (1 - e) / np.bincount(truth, minlength=n))
    assert 0.7 < np.median(np.std(draws, axis=0) / expected) < 1.3
