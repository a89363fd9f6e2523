"""held_out_map: its mathematics, and what it finds if classes are apart and if they overlap."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from ncbench import NcbenchError, NoiseMatrix, NoisySample, load
from ncbench.data import UNKNOWN
from ncbench.noise_estimation import share_of_wrong
from ncbench_plugins.t_estimators.held_out_map import HeldOutMAP, _Model, best_fit


def toy(checked: bool) -> tuple[_Model, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    F = np.log(rng.dirichlet(np.ones(3), size=(2, 40)))
    y = rng.integers(3, size=40)
    truth = np.where(rng.random(40) < 0.4, rng.integers(3, size=40), UNKNOWN)
    return _Model(F, y, 3, 0.7, truth if checked else None), F, y, truth


@pytest.mark.parametrize("checked", [False, True])
def test_the_gradient_is_that_of_the_objective(checked: bool):
    model, *_ = toy(checked)
    theta = np.random.default_rng(1).normal(size=len(model.mean))
    error = check_grad(lambda t: model.objective(t)[0], lambda t: model.objective(t)[1], theta)
    assert error < 1e-4


def test_the_information_is_the_expected_square_of_the_score():
    model, F, *_ = toy(False)
    theta = np.random.default_rng(1).normal(size=len(model.mean))
    expected = model.precision.copy()
    for i in range(40):
        for label in range(3):
            one = _Model(F[:, [i]], np.array([label]), 3, 0.7, None)
            deviation = theta - one.mean
            value, gradient = one.objective(theta)
            score = gradient - one.precision @ deviation
            probability = np.exp(-(value - deviation @ one.precision @ deviation / 2))
            expected += probability * np.outer(score, score)
    np.testing.assert_allclose(model.information(theta), expected, atol=1e-10)


def test_a_checked_label_says_of_the_clean_posterior_what_a_clean_one_would():
    model, F, *_ = toy(False)
    theta = np.random.default_rng(1).normal(size=len(model.mean))
    clean = np.zeros(40, dtype=np.int64)
    known = _Model(F, clean, 3, 0.7, clean)
    never = theta.copy()
    never[-6:] = -12  # next to no noise: a noisy label is a clean one
    shown = known.information(theta)[:5, :5]
    np.testing.assert_allclose(shown, model.information(never)[:5, :5], atol=0.01)


def noisy(name: str, T: np.ndarray, seed: int) -> tuple[NoisySample, float]:
    data = load("dataset", name)()
    rng = np.random.default_rng(seed)
    y = NoiseMatrix(T).draw_labels(data.y, rng)
    sample = NoisySample(data.X, y, data.n_classes, None, rng)
    return sample, float((y != data.y).mean())


def test_separable_classes_do_not_hide_noise():
    T = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    sample, wrong = noisy("wine", T, seed=3)
    found = share_of_wrong(HeldOutMAP().estimate(sample), sample.counts)
    assert abs(found - wrong) < 0.25 * wrong
    blind = share_of_wrong(load("t_estimator", "cautious_map")().estimate(sample), sample.counts)
    assert blind < 0.75 * wrong  # what it is compared with


@pytest.mark.slow
def test_clean_labels_have_no_noise():
    sample, _ = noisy("iris", np.eye(3), seed=0)
    assert share_of_wrong(HeldOutMAP().estimate(sample), sample.counts) < 0.02


def test_overlap_is_not_noise():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=600)
    X = rng.normal(size=(600, 2)) + 1.2 * np.eye(3, 2)[y]  # a third cannot be told apart
    sample = NoisySample(X, y, 3, None, rng)
    assert share_of_wrong(HeldOutMAP().estimate(sample), sample.counts) < 0.1
    blind = share_of_wrong(load("t_estimator", "hoc")().estimate(sample), sample.counts)
    assert blind > 0.3  # what it is compared with


def test_noise_in_one_class_alone_is_found():
    T = np.eye(10)
    T[9, 9], T[0, 9] = 0.6, 0.4  # a value of tau near 1 finds none of it
    sample, _ = noisy("digits", T, seed=1)
    found = HeldOutMAP().estimate(sample).matrix
    np.testing.assert_allclose(found[[0, 9], 9], [0.4, 0.6], atol=0.1)


def test_checked_labels_narrow_the_posterior():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=300)
    P = np.column_stack([1 - truth, truth]) * 0.5 + 0.25
    F, y = np.log(P)[None], np.where(rng.random(300) < 0.2, 1 - truth, truth)
    checked = np.where(np.arange(300) < 150, truth, UNKNOWN)
    spread = [best_fit(F, y, 2, 1.0, c).draw(500, rng).std(axis=0)[0, 1] for c in (None, checked)]
    assert spread[1] < 0.8 * spread[0]


@pytest.mark.slow
def test_caution_keeps_a_smaller_inverse():
    sample, _ = noisy("iris", np.array([[0.8, 0, 0.2], [0.2, 0.8, 0], [0, 0.2, 0.8]]), seed=1)
    bold, cautious = (HeldOutMAP(caution=c).estimate(sample) for c in (0.0, 1e6))
    assert bold.inverse_norm > 1.2 * cautious.inverse_norm


def test_checked_examples_are_kept_in_a_part():
    rng = np.random.default_rng(0)
    checked = np.full(100, UNKNOWN)
    checked[90:] = 1
    sample = NoisySample(
        rng.normal(size=(100, 2)), np.arange(100) % 2, 2, None, rng, checked=checked
    )
    assert set(range(90, 100)) <= set(HeldOutMAP(max_rows=20)._rows(sample).tolist())


def test_labels_that_are_hardly_classes_are_refused() -> None:
    y = np.arange(200) % 90
    sample = NoisySample(
        X=np.zeros((200, 1)), y=y, n_classes=90, cpe=None, rng=np.random.default_rng(0)
    )
    with pytest.raises(NcbenchError, match="90 classes; it takes at most 80"):
        load("t_estimator", "held_out_map")().estimate(sample)
