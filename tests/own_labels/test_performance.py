"""Losses on clean labels, estimated from noisy ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ncbench
from ncbench import (
    NcbenchError,
    NoiseCorrectedClassifier,
    NoiseMatrix,
    estimate_performance,
    load,
)
from ncbench.noise_estimation import HeldOut

T = np.array([[0.7, 0.1], [0.3, 0.9]])
NAMES = np.array(["ill", "well"])
RNG = np.random.default_rng(0)
CODES = RNG.integers(2, size=4000)
X = RNG.normal(size=(4000, 1)) + 1.5 * CODES[:, None]
TRUTH = NAMES[CODES]
Y = NAMES[NoiseMatrix(T).draw_labels(CODES, RNG)]
MODEL = NoiseCorrectedClassifier("zero_one", T, GaussianNB()).fit(X[:2000], Y[:2000])
HELD_OUT, NOISY, CLEAN = X[2000:], Y[2000:], TRUTH[2000:]


class Uncertain(NoiseMatrix):
    """A noise matrix that knows its own uncertainty."""

    def __init__(self, matrix: Any, spread: float) -> None:
        super().__init__(matrix)
        first, second = np.random.default_rng(0).normal(size=(2, 50)) * spread
        self.draws = np.array(
            [[[0.7 + a, 0.1 + b], [0.3 - a, 0.9 - b]] for a, b in zip(first, second, strict=True)]
        )


def test_the_loss_is_near_that_of_clean_labels_and_in_the_interval() -> None:
    found = estimate_performance(MODEL, HELD_OUT, NOISY, T)
    truth = ncbench.zero_one(CLEAN, MODEL.predict(HELD_OUT))
    assert found.measure == "zero_one"
    assert found.low <= truth <= found.high
    assert found.loss == pytest.approx(truth, abs=0.03)
    # Noisy labels alone would say something else.
    assert ncbench.zero_one(NOISY, MODEL.predict(HELD_OUT)) > truth + 0.05
    other = estimate_performance(MODEL, HELD_OUT, NOISY, T, measure="g_mean")
    clean = estimate_performance(MODEL, HELD_OUT, CLEAN, None, measure="g_mean")
    assert clean.loss == pytest.approx(ncbench.g_mean(CLEAN, MODEL.predict(HELD_OUT)))
    assert other.high - other.low > clean.high - clean.low


def test_the_interval_includes_the_uncertainty_of_the_noise() -> None:
    widths = []
    for spread in (0.0, 0.02, 0.06):
        found = estimate_performance(MODEL, HELD_OUT, NOISY, Uncertain(T, spread))
        assert found.noise_included
        assert "the uncertainty of the noise matrix is included" in str(found)
        widths.append(found.high - found.low)
    known = estimate_performance(MODEL, HELD_OUT, NOISY, T)
    assert not known.noise_included
    assert widths[0] == pytest.approx(known.high - known.low)
    assert widths[0] < widths[1] < widths[2]


def test_draws_of_another_noise_do_not_shift_the_loss() -> None:
    noise = Uncertain(T, 0.0)
    noise.draws = np.tile([[0.95, 0.02], [0.05, 0.98]], (50, 1, 1))
    found = estimate_performance(MODEL, HELD_OUT, NOISY, noise)
    assert found.loss == estimate_performance(MODEL, HELD_OUT, NOISY, T).loss


def of_ten_classes(seed: int, m: int) -> HeldOut:
    """Return predictions, 95.5% of them right, of ten classes, and labels, 75% of them right."""
    rng = np.random.default_rng(seed)
    noise = NoiseMatrix(np.full((10, 10), 0.25 / 9) + (0.75 - 0.25 / 9) * np.eye(10))
    clean = rng.integers(10, size=m)
    predicted = np.where(rng.random(m) < 0.05, rng.integers(10, size=m), clean)
    return HeldOut(noise, noise.draw_labels(clean, rng), np.arange(m), np.eye(10)[predicted])


def test_with_many_classes_losses_are_not_too_high() -> None:
    # Half of the 90 entries off the diagonal are negative by chance after the correction.
    psis = {name: load("measure", name)() for name in ("g_mean", "q_mean", "zero_one", "micro_f1")}
    covered = dict.fromkeys(psis, 0)
    losses: dict[str, list[float]] = {name: [] for name in psis}
    for seed in range(20):
        for name, (loss, half) in of_ten_classes(seed, 1200).estimates(psis).items():
            covered[name] += abs(loss - 0.045) <= half
            losses[name].append(loss)
    for name in psis:
        assert covered[name] >= 16, name  # 18 expected
        assert np.mean(losses[name]) == pytest.approx(0.045, abs=0.01), name


def test_rare_classes_do_not_make_a_loss_certain() -> None:
    measure = "h_mean"  # undefined where a class has no mass
    psi, narrow = load("measure", measure)(), 0
    prior = 0.75 ** np.arange(10)
    for seed in range(25):
        rng = np.random.default_rng(seed)
        noise = NoiseMatrix(np.full((10, 10), 0.3 / 9) + (0.7 - 0.3 / 9) * np.eye(10))
        clean = rng.choice(10, size=150, p=prior / prior.sum())
        predicted = np.where(rng.random(150) < 0.1, rng.integers(10, size=150), clean)
        held_out = HeldOut(
            noise, noise.draw_labels(clean, rng), np.arange(150), np.eye(10)[predicted]
        )
        found = held_out.performance(measure, psi)
        narrow += found.high - found.low < 0.05
        assert 0 <= found.low <= found.loss <= found.high <= 1
        # A class with hardly any mass does not have any recall.
        assert -1 <= psi(held_out.confusion) <= 1.5
        low, high = held_out.intervals({measure: psi})[measure]
        assert low <= psi(held_out.confusion) <= high
    assert narrow == 0


def test_resamples_without_a_label_are_left_out() -> None:
    held_out = HeldOut(NoiseMatrix(T), np.array([0, 1]), np.array([0, 1]), np.eye(2)[[0, 1] * 4])
    assert held_out.performance("zero_one", load("measure", "zero_one")()).too_wide


def test_an_interval_that_says_little_is_called_so() -> None:
    assert not estimate_performance(MODEL, HELD_OUT, NOISY, T).too_wide
    found = estimate_performance(MODEL, HELD_OUT[:20], NOISY[:20], T)
    assert found.too_wide
    assert "too wide to be of use: hold out more labels" in str(found)
    assert 0 <= found.low <= found.high <= 1


def test_few_clean_labels_without_a_mistake_do_not_make_a_loss_of_0_certain() -> None:
    right = X[:, 0] > 0.75
    X_clear, y_clear = X[(right == CODES)][:20], TRUTH[(right == CODES)][:20]
    model = GaussianNB().fit(X_clear, y_clear)
    assert (model.predict(X_clear) == y_clear).all()
    for measure in ("zero_one", "g_mean", "micro_f1"):
        found = estimate_performance(model, X_clear, y_clear, None, measure=measure)
        assert (found.loss, found.low) == (0, 0)
        assert not np.signbit(found.loss)
        assert 0.06 < found.high < 0.4
        assert found.clean
    # A class of the noise matrix that does not occur does not count.
    names = [*NAMES, "zombie"]
    T_more = pd.DataFrame(np.eye(3), names, names)
    macro = [
        estimate_performance(model, X_clear, y_clear, noise, measure="macro_f1").high
        for noise in (None, T_more)
    ]
    assert macro[0] == pytest.approx(macro[1], rel=0.3)


def test_pipelines_frames_and_missing_classes() -> None:
    pipeline = make_pipeline(StandardScaler(), clone(MODEL)).fit(X[:2000], Y[:2000])
    mixed = pd.DataFrame(T, NAMES, NAMES).loc[NAMES[::-1], NAMES]
    found = estimate_performance(pipeline, HELD_OUT, NOISY, mixed)
    assert found.loss == pytest.approx(estimate_performance(MODEL, HELD_OUT, NOISY, T).loss)
    ill = NOISY == "ill"
    only = estimate_performance(MODEL, HELD_OUT[ill], NOISY[ill], None, "zero_one")
    assert only.loss == pytest.approx(np.mean(MODEL.predict(HELD_OUT[ill]) != "ill"))


def test_what_cannot_be_estimated_is_refused() -> None:
    given = {"model": MODEL, "X": HELD_OUT, "y_noisy": NOISY, "noise_matrix": T}
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"y_noisy": NOISY[:9]}, r"X has 2000 rows, y_noisy has shape \(9,\)"),
        ({"y_noisy": np.zeros(2000)}, "labels such as .*0.0.* fitted to labels such as .*'ill'"),
        ({"model": GaussianNB().fit(X, Y)}, "GaussianNB does not say which it minimizes"),
        ({"noise_matrix": np.eye(3)}, "does not fit 2 classes"),
    ]
    for arguments, message in wrong:
        with pytest.raises(NcbenchError, match=message):
            estimate_performance(**{**given, **arguments})


def judged(T: Any, said: dict[tuple[int, int], int]) -> HeldOut:
    """Return labels of two classes by (predicted, said) and how many there are."""
    y = np.array([label for (_, label), count in said.items() for _ in range(count)])
    predicted = np.array([p for (p, _), count in said.items() for _ in range(count)])
    return HeldOut(NoiseMatrix(T), y, np.arange(len(y)), np.eye(2)[predicted])


@pytest.mark.parametrize(("m", "flip"), [(1, 0.45), (5, 0.3), (30, 0.1), (200, 0.3)])
def test_labels_hardly_ever_contradict_their_own_noise(m: int, flip: float) -> None:
    """Of one class, all predicted rightly: the most extreme shares. Summed over all numbers."""
    chance = sum(
        binom.pmf(wrong, m, flip)
        for wrong in range(m + 1)
        if judged(
            [[1 - flip, flip], [flip, 1 - flip]], {(0, 0): m - wrong, (0, 1): wrong}
        ).contradicted
    )
    assert chance < 1e-3


@pytest.mark.parametrize("by", [0.1, -1e-5])
def test_a_noise_matrix_that_is_nearly_singular_makes_no_loss_certain(by: float) -> None:
    """The labels depend on the prediction much more than this noise allows."""
    T = [[0.5 + by, 0.5], [0.5 - by, 0.5]]
    found = judged(T, {(0, 0): 81, (0, 1): 9, (1, 0): 29, (1, 1): 81})
    said = found.performance("g_mean", load("measure", "g_mean")(), ["u", "v"])
    assert (said.low, said.high, said.too_wide, said.contradicted) == (0.0, 1.0, True, True)
    assert "the noise matrix is not that of these labels" in str(said)
    # As much as chance explains: no contradiction, but nothing is known either.
    found = judged(T, {(0, 0): 55, (0, 1): 45, (1, 0): 45, (1, 1): 55})
    said = found.performance("g_mean", load("measure", "g_mean")(), ["u", "v"])
    assert (said.too_wide, said.contradicted) == (True, False)


def test_a_share_of_a_class_that_no_noise_explains_is_a_contradiction() -> None:
    T = [[0.9, 0.2], [0.1, 0.8]]
    assert not judged(T, {(0, 0): 450, (1, 0): 400, (0, 1): 50, (1, 1): 50}).contradicted
    assert judged(T, {(0, 0): 500, (1, 0): 500}).contradicted  # at most 9 of 10 are labeled so
