"""held_out_map: what it finds if classes are apart and if they overlap."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from ncbench import (
    NcbenchError,
    NoiseMatrix,
    NoisySample,
    estimate_noise,
    find_label_issues,
    load,
)
from ncbench.noise_estimation import share_of_wrong
from ncbench.own_labels.estimate_text import estimate_text
from ncbench_plugins.t_estimators.held_out_map import HeldOutMAP


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


@pytest.mark.slow(reason="estimates of two seconds each")
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


@pytest.mark.slow(reason="estimates of two seconds each")
def test_caution_keeps_a_smaller_inverse():
    sample, _ = noisy("iris", np.array([[0.8, 0, 0.2], [0.2, 0.8, 0], [0, 0.2, 0.8]]), seed=1)
    bold, cautious = (HeldOutMAP(caution=c).estimate(sample) for c in (0.0, 1e6))
    assert bold.inverse_norm > 1.2 * cautious.inverse_norm


def test_labels_that_are_hardly_classes_are_refused() -> None:
    for n, m in ((90, 200), (501, 3000)):
        sample = NoisySample(
            X=np.zeros((m, 1)),
            y=np.arange(m) % n,
            n_classes=n,
            cpe=None,
            rng=np.random.default_rng(0),
        )
        with pytest.raises(
            NcbenchError, match=rf"{n:,} classes in {m:,} rows; it takes at most 500"
        ):
            load("t_estimator", "held_out_map")().estimate(sample)


def test_of_many_classes_a_share_and_a_ranking_are_found_and_what_is_left_out_is_said() -> None:
    rng = np.random.default_rng(0)
    n, m = 52, 624
    truth = np.arange(m) % n
    X = rng.normal(size=(n, 20))[truth] + 0.5 * rng.normal(size=(m, 20))
    wrong = rng.random(m) < 0.2
    y = np.where(wrong, (truth + rng.integers(1, n, size=m)) % n, truth)
    noise = estimate_noise(X, y, random_state=0)
    assert abs(noise.share.estimate - wrong.mean()) < 0.03
    assert noise.share.low <= wrong.mean() <= noise.share.high
    said = "52 classes, more than 50: a rate of mistakes is estimated for each class"
    assert any(doubt.startswith(said) for doubt in noise.doubts)
    shown = estimate_text(noise)
    assert "the classes whose labels are wrong most often, 90% intervals" in shown
    assert "These are 15 of 52 classes" in shown
    issues = find_label_issues(X, y, noise, random_state=0)
    assert average_precision_score(wrong, issues.p_wrong) > 0.95
    assert (issues.likeliest == truth).mean() > 0.9
