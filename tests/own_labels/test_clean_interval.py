"""Intervals from few labels: as wide as these allow, and right as often as they promise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.dummy import DummyClassifier

from ncbench import estimate_performance, load
from ncbench.noise_estimation import held_out as module
from ncbench.noise_estimation.held_out import clean_interval


@pytest.mark.parametrize(("wrong", "m"), [(0, 3), (7, 40), (40, 40)])
def test_the_interval_of_one_rate_is_that_of_clopper_and_pearson(
    wrong: int, m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_DRAWS", (4000, 4000))
    counts = np.array([[m - wrong, wrong], [0, 0]], dtype=float)
    low, high = clean_interval(counts, load("measure", "zero_one")())
    exact = beta.ppf(
        [0.05, 0.95], [max(wrong, 1e-9), wrong + 1], [m - wrong + 1, m - wrong or 1e-9]
    )
    assert high == pytest.approx(exact[1], abs=0.03)
    # The lower end allows for bias, too.
    assert max(0, exact[0] - 0.06) <= low <= exact[0] + 0.02


PROBLEMS = {  # class frequencies, recalls, labels
    "a rare class": ([9, 1], [0.95, 0.7], 20),
    "three classes": ([3, 2, 1], [0.9, 0.7, 0.5], 15),
}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_intervals_from_few_labels_have_the_loss_nine_times_of_ten(
    problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_DRAWS", (100, 100))  # quicker, and hardly narrower
    weights, recalls, m = PROBLEMS[problem]
    n, prior, rng = len(recalls), np.divide(weights, np.sum(weights)), np.random.default_rng(0)
    wrong = (1 - np.array(recalls))[:, None] * (1 - np.eye(n)) / (n - 1)
    C = prior[:, None] * (np.diag(recalls) + wrong)
    psis = {name: load("measure", name)() for name in ("zero_one", "g_mean", "q_mean", "macro_f1")}
    covered = dict.fromkeys(psis, 0)
    for _ in range(50):
        counts = rng.multinomial(m, C.ravel()).reshape(n, n).astype(float)
        # The loss is that of the classes that have labels.
        there = C * (counts.sum(axis=1) > 0)[:, None]
        for name, psi in psis.items():
            low, high = clean_interval(counts, psi)
            covered[name] += low <= psi(there / there.sum()) <= high
    assert min(covered.values()) >= 42, covered  # 45 expected; fewer than 42 have a chance of 4%


def test_three_labels_of_one_class_do_not_promise_a_loss_of_0() -> None:
    X = np.zeros((90, 1))
    model = DummyClassifier(strategy="constant", constant="ant").fit(X, ["ant", "bee", "cow"] * 30)
    labels, T = ["ant"] * 3, np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    for noise in (None, T):
        for measure in ("g_mean", "q_mean", "zero_one", "worst_class"):
            found = estimate_performance(model, X[:3], labels, noise, measure)
            assert (found.loss, found.low) == (0, 0)
            assert found.high > 1 - 0.05 ** (1 / 3) - 0.05  # 63%
            assert found.too_wide
            assert found.absent == ("bee", "cow")
            assert "no label of bee, cow: nothing is said" in str(found)
