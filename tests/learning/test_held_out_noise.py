"""The joint posterior of T and the sharpness of learners: gradient, information, evidence."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from ncbench.data import UNKNOWN
from ncbench.learning import HeldOutNoise, NoisePrior

PRIOR = NoisePrior(0.7)


def toy(checked: bool) -> tuple[HeldOutNoise, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    F = np.log(rng.dirichlet(np.ones(3), size=(2, 40)))
    y = rng.integers(3, size=40)
    truth = np.where(rng.random(40) < 0.4, rng.integers(3, size=40), UNKNOWN)
    return HeldOutNoise(F, y, 3, truth if checked else None), F, y, truth


@pytest.mark.parametrize("checked", [False, True])
def test_the_gradient_is_that_of_the_objective(checked: bool):
    model, *_ = toy(checked)
    theta = np.random.default_rng(1).normal(size=2 + 3 + 6)
    error = check_grad(
        lambda t: model.objective(t, PRIOR)[0], lambda t: model.objective(t, PRIOR)[1], theta
    )
    assert error < 1e-4


def test_the_information_is_the_expected_square_of_the_score():
    model, F, *_ = toy(False)
    theta = np.random.default_rng(1).normal(size=2 + 3 + 6)
    expected = np.zeros((len(theta), len(theta)))
    vague = NoisePrior(1e6, level_sd=1e6)
    for i in range(40):
        for label in range(3):
            one = HeldOutNoise(F[:, [i]], np.array([label]), 3)
            value, gradient = one.objective(theta, vague)
            deviation, pull = one._pull(theta, vague)
            score = gradient - pull
            probability = np.exp(-(value - deviation @ pull / 2))
            expected += probability * np.outer(score, score)
    np.testing.assert_allclose(model.information(theta), expected, atol=1e-10)
    checked = toy(True)[0].information(theta)
    np.testing.assert_allclose(checked, checked.T, atol=1e-12)
    assert np.linalg.eigvalsh(checked).min() > -1e-9


def test_a_checked_label_says_of_the_clean_posterior_what_a_clean_one_would():
    model, F, *_ = toy(False)
    theta = np.random.default_rng(1).normal(size=2 + 3 + 6)
    clean = np.zeros(40, dtype=np.int64)
    known = HeldOutNoise(F, clean, 3, clean)
    never = theta.copy()
    never[-6:] = -12  # next to no noise: a noisy label is a clean one
    shown = known.information(theta)[:5, :5]
    np.testing.assert_allclose(shown, model.information(never)[:5, :5], atol=0.01)


def test_the_pull_of_the_prior_is_its_precision_times_the_deviation():
    model, *_ = toy(False)
    theta = np.random.default_rng(1).normal(size=2 + 3 + 6)
    deviation, pull = model._pull(theta, PRIOR)
    np.testing.assert_allclose(model.precision(PRIOR) @ deviation, pull, atol=1e-12)


def test_checked_labels_narrow_the_posterior():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=300)
    P = np.column_stack([1 - truth, truth]) * 0.5 + 0.25
    F, y = np.log(P)[None], np.where(rng.random(300) < 0.2, 1 - truth, truth)
    checked = np.where(np.arange(300) < 150, truth, UNKNOWN)
    prior, spread = NoisePrior(1.0), []
    for given in (None, checked):
        model = HeldOutNoise(F, y, 2, given)
        thetas = model.draw(model.fit(model.from_predictions(), prior), prior, 500, rng)
        spread.append(np.std([model.matrix(theta)[0, 1] for theta in thetas]))
    assert spread[1] < 0.8 * spread[0]
