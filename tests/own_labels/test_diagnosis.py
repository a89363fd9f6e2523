"""Labels to look at again, and what a correction gains."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_up_diagnosis import made_up_noise
from sklearn.naive_bayes import GaussianNB

from ncbench import NoiseMatrix
from ncbench.data import UNKNOWN
from ncbench.noise_estimation import HeldOut
from ncbench.own_labels import (
    DEFAULT_LEARNER,
    NoiseEstimate,
    OwnData,
    correction_gains,
    diagnosis,
    labels_to_look_at,
)

# Of the rare class, two of five are labeled as the frequent one.
T = NoiseMatrix([[1.0, 0.4], [0.0, 0.6]])
NAMES = ("well", "ill")


def problem(m: int = 1500) -> tuple[OwnData, Any, NoiseEstimate]:
    rng = np.random.default_rng(0)
    truth = (rng.random(m) < 0.2).astype(np.int64)
    X = rng.normal(size=(m, 2)) + 1.5 * truth[:, None]
    y = T.draw_labels(truth, rng)
    noise = made_up_noise(NAMES, counts=np.bincount(y))
    known = NoiseEstimate(
        T, data="", estimator="", classes=NAMES, counts=np.bincount(y), features=2,
        low=None, high=None, share=noise.share, resamples=0,
    )  # fmt: skip
    return OwnData("made up", X, y, NAMES, lines=np.arange(m) + 2), truth, known


DATA, TRUTH, NOISE = problem()


def test_a_correction_gains_where_the_noise_hides_a_rare_class_and_the_loss_is_the_true_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held_out: list[HeldOut] = []

    def kept(*arguments: Any) -> HeldOut:
        held_out.append(HeldOut(*arguments))
        return held_out[-1]

    monkeypatch.setattr(diagnosis, "HeldOut", kept)
    (gain,) = correction_gains(DATA, NOISE, ["zero_one"], GaussianNB())
    assert gain.real
    assert gain.low < gain.difference == gain.plain.loss - gain.corrected.loss < gain.high
    for found, given in zip((gain.corrected, gain.plain), held_out, strict=True):
        assert found.low < (given.predicted.argmax(axis=1) != TRUTH).mean() < found.high


def test_equal_classifiers_differ_by_nothing_and_that_is_not_beyond_chance() -> None:
    none = NoiseEstimate(
        NoiseMatrix.identity(2), data="", estimator="", classes=NAMES, counts=NOISE.counts,
        features=2, low=None, high=None, share=NOISE.share, resamples=0,
    )  # fmt: skip
    (gain,) = correction_gains(DATA, none, ["zero_one"], GaussianNB())
    assert (gain.difference, gain.low, gain.high, gain.real) == (0, 0, 0, False)


def test_intervals_of_more_measures_are_wider() -> None:
    one, two = (
        correction_gains(DATA, NOISE, measures, GaussianNB())[0]
        for measures in (["zero_one"], ["zero_one", "balanced_error"])
    )
    assert two.high - two.low == pytest.approx((one.high - one.low) * 1.96 / 1.645, rel=1e-3)


def test_micro_f1_leaves_out_the_class_that_is_named() -> None:
    first, second, default = (
        correction_gains(DATA, NOISE, ["micro_f1"], GaussianNB(), background=name)[0].plain.loss
        for name in (*NAMES, None)
    )
    assert first != second
    assert first == default


def test_measures_and_corrections_share_the_fits_of_a_learner() -> None:
    fits = []

    class Counted(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            fits.append(len(y))
            return super().fit(X, y)

    correction_gains(DATA, NOISE, ["zero_one", "balanced_error"], Counted())
    assert fits == [1200] * 5


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_the_classifiers_are_those_of_fit_and_a_learner_that_can_be_told_the_noise_is() -> None:
    told = []

    class Told(GaussianNB):
        def fit(self, X: Any, y: Any, noise_matrix: Any = None) -> Any:
            told.append(noise_matrix == T)
            return super().fit(X, y)

    correction_gains(DATA, NOISE, ["zero_one", "balanced_error"], Told())
    assert told == [True] * 5 + [False] * 5
    (gain,), (named,) = (
        correction_gains(DATA, NOISE, ["zero_one"], cpe) for cpe in (None, DEFAULT_LEARNER)
    )
    assert gain == named


def test_checked_labels_are_not_listed_again() -> None:
    clean = np.where(np.arange(1500) < 500, TRUTH, UNKNOWN)
    found, _ = labels_to_look_at(replace(DATA, clean=clean), NOISE)
    assert found["row"].min() == 501
    assert len(found) == 1000
    assert found["p_wrong"].is_monotonic_decreasing
    np.testing.assert_array_equal(found["line"], found["row"] + 1)
    np.testing.assert_allclose(
        found["expected_precision"], found["p_wrong"].cumsum() / np.arange(1, 1001)
    )
    wrong = (DATA.y != TRUTH)[found["row"] - 1]
    assert wrong[:50].mean() > 2 * wrong.mean()


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_of_many_rows_a_part_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "MAX_RANKED", 300)
    monkeypatch.setattr(diagnosis, "MAX_COMPARED", 200)
    found, _ = labels_to_look_at(DATA, NOISE)
    assert len(found) == 300
    assert found["row"].max() > 1000
    (gain,) = correction_gains(DATA, NOISE, ["zero_one"], GaussianNB())
    assert gain.plain.examples == 200
