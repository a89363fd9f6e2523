"""Statistics against scipy, published examples, closed forms and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

from ncbench.results.statistics import (
    holm,
    mean_interval,
    overlap,
    paired,
    power,
    trials_needed,
)


def test_holm_by_hand() -> None:
    # As of R's p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm").
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_interval_is_scipys_t_interval() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 9))
    found = paired(a, b, level=0.9)
    theirs = stats.ttest_rel(a, b)
    low, high = theirs.confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-10)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-10)
    assert not found.corrected


def test_the_corrected_interval_by_hand() -> None:
    # Differences 1, 2, 3, 4: mean 5/2, s^2 = 5/3, t(3, 0.975) = 3.1824.
    found = paired([2, 4, 6, 8], [1, 2, 3, 4], test_train_ratio=0.25)
    reach = 3.182446 * math.sqrt((1 / 4 + 1 / 4) * 5 / 3)
    assert (found.difference, found.corrected) == (2.5, True)
    assert (found.low, found.high) == pytest.approx((2.5 - reach, 2.5 + reach), rel=1e-6)
    t = 2.5 / math.sqrt((1 / 4 + 1 / 4) * 5 / 3)
    assert found.p == pytest.approx(2 * stats.t.sf(t, 3))
    assert found.low <= 0 <= found.high
    assert paired([2, 4, 6, 8], [1, 2, 3, 4]).low > 0


def test_the_correction_keeps_its_level_on_overlapping_splits() -> None:
    # Two algorithms whose losses differ by noise on each example. Means over two random test
    # parts then have correlation n_test / m, for which the corrected variance is exact: it
    # rejects the true null in 5% of cases, the plain t test in far more.
    rng = np.random.default_rng(0)
    repeats, m, n_test = 400, 60, 18
    rejected = np.zeros(2)
    for _ in range(repeats):
        noise = rng.standard_normal(m)
        difference = [noise[rng.permutation(m)[:n_test]].mean() for _ in range(10)]
        plain = mean_interval(difference)
        corrected = mean_interval(difference, test_train_ratio=n_test / (m - n_test))
        rejected += [plain.p < 0.05, corrected.p < 0.05]
    plain_rate, corrected_rate = rejected / repeats
    assert plain_rate > 0.3
    assert 0.02 < corrected_rate < 0.09  # 0.05 +- 3.7 standard errors


def test_splits_that_hardly_share_training_examples_are_nearly_independent() -> None:
    # 10 of 10 trials of the synthetic problem, 100 examples for training and 100,000 for testing:
    # r = n_test / n_train, by which the variance was corrected, gave [-0.576, +0.448], p = 0.78.
    z = stats.norm.ppf((np.arange(10) + 0.5) / 10)
    difference = -0.064 + 0.0071566 * z / z.std(ddof=1)
    reach = stats.t.ppf(0.975, 9) * 0.0071566 * math.sqrt(0.1 + 1000)
    assert (-0.064 - reach, -0.064 + reach) == pytest.approx((-0.576, 0.448), abs=5e-4)
    found = paired(difference, np.zeros(10), test_train_ratio=1000)
    assert not found.low <= 0 <= found.high
    assert found.p < 1e-6
    reach = stats.t.ppf(0.975, 9) * 0.0071566 * math.sqrt(0.1 + 2 / (1000 + 1 / 1000))
    assert found.high == pytest.approx(-0.064 + reach)


def test_the_correction_keeps_its_level_for_numbers_of_the_training_part() -> None:
    # The mean of a training part is the simplest estimate that uses no test part. With 98% of
    # the sample in every part, five of them are nearly the same number.
    rng = np.random.default_rng(0)
    repeats, m, n_test = 400, 100, 2
    rejected = np.zeros(2)
    for _ in range(repeats):
        sample = rng.standard_normal(m)
        means = [sample[rng.permutation(m)[n_test:]].mean() for _ in range(5)]
        ratio = n_test / (m - n_test)
        found = (mean_interval(means, 0.95, ratio, on_test) for on_test in (True, False))
        rejected += [interval.p < 0.05 for interval in found]
    as_a_loss, as_an_estimate = rejected / repeats
    assert as_a_loss > 0.4
    assert 0.02 < as_an_estimate < 0.09


def test_overlap_is_between_that_of_either_part_alone() -> None:
    for r in (1e-3, 0.5, 1.0, 2.0, 1e3):
        of_a_loss = overlap(r)
        assert min(r, 1 / r) <= of_a_loss <= max(r, 1 / r)
        assert overlap(r, on_test=False) == 1 / r
        assert overlap(1 + 1e-9) == pytest.approx(overlap(1.0))  # the two rules meet


def test_power_is_the_share_of_intervals_that_exclude_zero() -> None:
    rng = np.random.default_rng(0)
    shared = rng.normal(0, math.sqrt(3 / 7), (2000, 1))  # correlated as five 70:30 splits are
    losses = 2 + shared + rng.standard_normal((2000, 5))
    share = np.mean([mean_interval(row, 0.95, 3 / 7).low > 0 for row in losses])
    assert power(2, 5, test_train_ratio=3 / 7) == pytest.approx(share, abs=0.035)  # 3 std. errors


def test_power_is_that_of_the_noncentral_t_distribution() -> None:
    for n, ratio, level in (5, 3 / 7, 0.95), (2, 0.1, 0.9), (12, 2.0, 0.99):
        shift = 2 / math.sqrt(1 / n + overlap(ratio))
        expected = stats.nct.sf(stats.t.ppf((1 + level) / 2, n - 1), n - 1, shift)
        assert power(-2, n, level, ratio) == pytest.approx(expected, rel=1e-6)
    assert power(2, 5) == power(2, 5, 0.95, None)


def test_trials_needed_are_2_to_1000() -> None:
    assert trials_needed(50) == 2
    size = optimize.brentq(lambda size: power(size, 1000) - 0.8, 0.01, 1)
    assert trials_needed(size * (1 + 1e-6)) == 1000
    assert trials_needed(size * (1 - 1e-6)) is None


def test_trials_needed_for_a_difference_in_its_standard_deviations() -> None:
    for mean in (0.5, 1.0, 2.0, 3.0):
        a = mean + np.array([-1.0, 0.5, 0.0, 1.2, -0.7])
        size = a.mean() / a.std(ddof=1)
        assert paired(a, np.zeros(5)).trials_needed == trials_needed(size)
        assert paired([mean * 50], [0]).trials_needed is None


def test_trials_needed_is_the_first_number_with_enough_power() -> None:
    for size, ratio in (1.0, None), (1.5, 20.0), (2.5, 3 / 7):
        n = trials_needed(size, 0.95, ratio)
        assert n is not None
        assert power(size, n - 1, 0.95, ratio) < 0.8 <= power(size, n, 0.95, ratio)
    # However many splits, the variance stays above 3/7 of that of one.
    limit = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * math.sqrt(3 / 7)
    assert trials_needed(limit - 0.01, 0.95, 3 / 7) is None
    assert trials_needed(limit + 0.05, 0.95, 3 / 7) is not None
    ours = [0.20, 0.22, 0.21, 0.25, 0.24]
    assert paired(ours, [0.21, 0.21, 0.22, 0.25, 0.25], 0.95, 3 / 7).trials_needed is None
    assert paired(ours, [0.3, 0.3, 0.32, 0.36, 0.34], 0.95, 3 / 7).trials_needed == 3
    assert paired([0.1], [0.2]).trials_needed is None
    assert paired(ours, ours).trials_needed is None


def test_one_split_and_all_ties() -> None:
    one = paired([0.1], [0.2], test_train_ratio=3 / 7)
    assert (one.n, one.p, one.wilcoxon_p, one.smallest_p) == (1, 1, 1, 1)
    assert (one.low, one.high) == (-math.inf, math.inf)
    assert one.low <= 0 <= one.high
    tied = paired([0.1, 0.3], [0.1 + 1e-16, 0.3])  # apart by rounding alone
    assert (tied.difference, tied.low, tied.high) == (0, 0, 0)
    assert (tied.p, tied.wilcoxon_p, tied.smallest_p) == (1, 1, 1)
    assert tied.low <= 0 <= tied.high


def test_a_constant_difference_is_no_evidence() -> None:
    for rounding in (0.0, 1e-16, 1e-14):
        # Three splits of ten test examples, one example apart in each.
        found = paired([0.1, 0.2, 0.3 + rounding], [0.2, 0.3, 0.4], test_train_ratio=3 / 7)
        assert found.difference == pytest.approx(-0.1)
        assert (found.low, found.high, found.p) == (-math.inf, math.inf, 1)
        assert found.low <= 0 <= found.high
        assert found.wilcoxon_p == 0.25  # which asks for signs alone
        large = paired([1e6, 2e6], [2e6, 3e6 + 1e-9])
        assert (large.low, large.p) == (-math.inf, 1)
        assert paired([0.1, 0.2, 0.3], [0.2, 0.3, 0.4 + 1e-6]).high < 0  # a spread, if a small one


def test_values_that_differ_by_rounding_are_equal() -> None:
    assert math.isinf(mean_interval([0.1, 0.1 + 0.9e-12]).high)
    assert math.isfinite(mean_interval([0.1, 0.1 + 1.1e-12]).high)
    assert mean_interval([0.9e-12, 0.9e-12]) == (0, 0, 0, 1)
    assert mean_interval([1.1e-12, 1.1e-12])[1:] == (-math.inf, math.inf, 1)


def test_ties_leave_fewer_signs() -> None:
    assert paired([1, 2, 3, 4], [1, 0, 0, 0]).smallest_p == 2 / 2**3


def test_what_is_not_paired_is_refused() -> None:
    with pytest.raises(ValueError, match="3 and 2"):
        paired([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="finite"):
        mean_interval([0.1, np.nan])
    with pytest.raises(ValueError, match="one or more"):
        mean_interval([])
