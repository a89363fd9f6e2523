"""Statistics against scipy, published examples, closed forms and brute force."""

from __future__ import annotations

import itertools
import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy import optimize, stats

from ncbench.results.rank_tests import nemenyi_quantile
from ncbench.results.statistics import (
    _groups,
    friedman,
    holm,
    mean_interval,
    overlap,
    paired,
    power,
    trials_needed,
    wins_ties_losses,
)

NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
# AUC of Demsar (2006), Table 6. Of "voting" his ranks tell 0.975 and 0.975 apart.
AUC = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_friedman_and_nemenyi_of_demsars_example() -> None:
    found = friedman(1 - AUC, NAMES)
    published = {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}
    assert found.average_ranks == pytest.approx(published, abs=5e-4)
    assert list(found.average_ranks) == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    # His 9.28 is without the correction for ties: three of two and one of four here.
    c = 1 - (3 * (2**3 - 2) + (4**3 - 4)) / (14 * 4 * (4**2 - 1))
    assert found.statistic * c == pytest.approx(9.28, abs=5e-3)
    assert found.critical_difference == pytest.approx(1.25, abs=5e-3)
    assert friedman(1 - AUC, NAMES, level=0.9).critical_difference == pytest.approx(1.12, abs=5e-3)
    assert found.differ
    # "the performance of C4.5 is (almost) separable": 3.143 - 1.964 < 1.25, so one group of all;
    # at 0.10, 1.12, C4.5 is separable from both with m.
    assert found.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    assert friedman(1 - AUC, NAMES, level=0.9).groups == (
        ("C4.5+m+cf", "C4.5+m", "C4.5+cf"),
        ("C4.5+cf", "C4.5"),
    )


def test_friedman_is_scipys() -> None:
    found = friedman(1 - AUC, NAMES)
    theirs = stats.friedmanchisquare(*(1 - AUC).T)
    assert found.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert not found.exact
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.parametrize(
    ("rank_sums", "statistic", "p"),
    # Three algorithms, four data sets: published to three digits, as in tables of Friedman's
    # statistic. Of 6 the chi-squared distribution says 0.0498.
    [
        ((4, 8, 12), 8, 0.005),
        ((4, 9, 11), 6.5, 0.042),
        ((5, 8, 11), 4.5, 0.125),
        ((5, 7, 12), 6.5, 0.042),
        ((6, 6, 12), 6, 0.069),
    ],
)
def test_friedmans_p_is_exact_for_few_data_sets(
    rank_sums: tuple[int, ...], statistic: float, p: float
) -> None:
    orders = list(itertools.permutations([1.0, 2.0, 3.0]))
    table = next(
        rows
        for rows in itertools.product(orders, repeat=4)
        if np.array_equal(np.sum(rows, axis=0), rank_sums)
    )
    found = friedman(table, ["a", "b", "c"])
    assert found.statistic == pytest.approx(statistic)
    assert found.exact
    assert found.p == pytest.approx(p, abs=5.1e-4)


@pytest.mark.parametrize(
    "losses",
    [
        [[1, 1, 2, 3], [1, 2, 2, 2], [2, 1, 3, 4]],
        [[1, 1, 2, 3], [1, 1, 2, 2], [1, 2, 3, 3]],
        [[1, 1, 1, 3], [2, 2, 1, 3], [2, 3, 3, 3]],
        [[1, 2, 3, 4], [1, 2, 4, 3], [4, 2, 1, 3]],
    ],
)
def test_friedmans_p_with_ties_by_brute_force(losses: list) -> None:
    found = friedman(losses, list("abcd"))
    ranks = np.array([stats.rankdata(row) for row in losses])
    every = [list(itertools.permutations(row)) for row in ranks]
    spread = [np.sum(np.square(np.sum(rows, axis=0))) for rows in itertools.product(*every)]
    expected = np.mean(np.array(spread) >= np.sum(ranks.sum(axis=0) ** 2) - 1e-9)
    assert found.p == pytest.approx(expected)


def test_a_p_of_exactly_alpha_is_no_difference() -> None:
    two = friedman([[0.1, 0.2]] * 5, ["a", "b"], level=1 - 2 / 2**5)
    assert two.p == 1 - two.level
    assert (two.differ, two.groups) == (False, (("a", "b"),))
    losses = [[1, 2, 3], [2, 3, 1]]
    p = friedman(losses, list("abc")).p
    assert p == pytest.approx(5 / 6)
    three = friedman(losses, list("abc"), level=1 - p)
    assert (three.differ, three.groups) == (False, (("a", "c", "b"),))
    assert len(friedman(losses, list("abc"), level=0.9 * (1 - p)).groups) > 1


def test_groups_span_less_than_the_critical_difference() -> None:
    ranks = {"a": 1.0, "b": 2.0, "c": 3.0}
    assert _groups(ranks, 1.0) == ()
    assert _groups(ranks, 1.5) == (("a", "b"), ("b", "c"))
    assert _groups(ranks, math.inf) == (("a", "b", "c"),)


def test_one_data_set_is_not_two() -> None:
    one, two = (friedman([[0.1, 0.2, 0.3]] * n, list("abc")) for n in (1, 2))
    assert (one.blocks, two.blocks) == ("1 data set", "2 data sets")
    assert "no difference of ranks can be concluded" in one.conclusion
    assert "finds no difference" in two.conclusion


@pytest.mark.parametrize(("n", "exact"), [(50, True), (51, False)])
def test_two_algorithms_have_an_exact_p_for_up_to_fifty_data_sets(n: int, exact: bool) -> None:
    losses = np.stack([np.zeros(n), np.arange(1, n + 1)], axis=1)
    assert friedman(losses, ["a", "b"]).exact == exact


def test_nemenyi_quantiles_are_the_published_ones() -> None:
    published = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]  # Demsar, Table 5
    assert nemenyi_quantile(2, 0.95) == pytest.approx(published[0], abs=1.1e-3)
    for k, q in enumerate(published[1:], start=3):
        found = friedman([range(k)] * 6, [str(j) for j in range(k)]).critical_difference
        assert found / math.sqrt(k * (k + 1) / 36) == pytest.approx(q, abs=1.1e-3)


def test_friedman_of_ties_and_of_one_data_set() -> None:
    tied = friedman(np.add(0.1, [[0, 1e-16, 2e-16]] * 5), ["a", "b", "c"])
    assert (tied.statistic, tied.p) == (0, 1)
    assert set(tied.average_ranks.values()) == {2}
    assert tied.groups == (("a", "b", "c"),)
    one = friedman([[0.1, 0.2, 0.3]], ["a", "b", "c"])
    assert one.statistic == pytest.approx(2)  # k - 1, whatever the losses
    assert one.p == pytest.approx(1)
    assert one.groups == (("a", "b", "c"),)
    assert "no difference of ranks can be concluded" in one.conclusion


def test_two_algorithms_are_compared_by_signed_ranks_not_by_signs() -> None:
    few = friedman([[0.1, 0.2]] * 4, ["a", "b"])
    assert (few.test, few.exact, few.critical_difference) == ("Wilcoxon", True, None)
    assert few.p == pytest.approx(2 / 2**4)  # the chi-squared distribution says 0.0455
    assert few.groups == (("a", "b"),)
    # Better on nine of twelve data sets, and by much; worse on three, by little: the sign test
    # has p = 0.146.
    difference = np.concatenate([-np.arange(4, 13) / 100, np.arange(1, 4) / 100])
    losses = np.stack([0.5 + difference, np.full(12, 0.5)], axis=1)
    found = friedman(losses, ["a", "b"])
    assert found.p == pytest.approx(stats.wilcoxon(difference).pvalue)
    assert found.p < 0.05 < stats.binomtest(9, 12).pvalue
    assert found.statistic == 1 + 2 + 3
    assert found.groups == ()
    assert found.conclusion == (
        "Over 12 data sets the algorithms differ (Wilcoxon's p = 0.0068): a is better."
    )


def test_signed_ranks_may_favor_another_algorithm_than_the_average_ranks() -> None:
    losses = [[0.50, 0.51]] * 6 + [[0.9, 0.1]] * 5  # a wins six times by little
    found = friedman(losses, ["a", "b"], level=0.5)
    assert list(found.average_ranks) == ["b", "a"]
    assert "b is better" in found.conclusion


@pytest.mark.parametrize("losses", [[], [[0.1, np.nan]], [[0.1]], [0.1, 0.2], [[0.1, 0.2, 0.3]]])
def test_friedman_refuses_what_is_no_complete_table(losses: list) -> None:
    with pytest.raises(ValueError, match=r"finite|data sets"):
        friedman(losses, ["a", "b"])


def test_holm_of_demsars_example() -> None:
    # Section 3.2.3: against C4.5 by z = (R_i - R_j) / sqrt(k (k + 1) / (6 N)).
    ranks = friedman(1 - AUC, NAMES).average_ranks
    error = math.sqrt(4 * 5 / (6 * 14))
    p = [2 * stats.norm.sf(abs(ranks["C4.5"] - ranks[name]) / error) for name in NAMES[1:]]
    assert p == pytest.approx([0.019, 0.607, 0.016], abs=2e-3)  # he rounds z
    adjusted = holm(p)
    assert adjusted == pytest.approx([3 * p[2], p[1], 3 * p[2]])
    assert [value < 0.05 for value in adjusted] == [True, False, True]  # his conclusion


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
    # rejects the true null in 5 % of cases, the plain t test in far more.
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
    # The mean of a training part is the simplest estimate that uses no test part. With 98 % of
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


@pytest.mark.parametrize("r", [1e-3, 0.5, 1.0, 2.0, 1e3])
def test_overlap_is_between_that_of_either_part_alone(r: float) -> None:
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


@pytest.mark.parametrize("mean", [0.5, 1.0, 2.0, 3.0])
def test_trials_needed_for_a_difference_in_its_standard_deviations(mean: float) -> None:
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


@pytest.mark.parametrize("rounding", [0.0, 1e-16, 1e-14])
def test_a_constant_difference_is_no_evidence(rounding: float) -> None:
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


def test_what_was_found_cannot_be_changed() -> None:
    for found in (paired([1, 2], [3, 5]), friedman([[1, 2, 3]], list("abc"))):
        with pytest.raises(FrozenInstanceError):
            found.p = 0.01


def test_ties_leave_fewer_signs() -> None:
    assert paired([1, 2, 3, 4], [1, 0, 0, 0]).smallest_p == 2 / 2**3


def test_what_is_not_paired_is_refused() -> None:
    with pytest.raises(ValueError, match="3 and 2"):
        paired([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="finite"):
        mean_interval([0.1, np.nan])
    with pytest.raises(ValueError, match="one or more"):
        mean_interval([])


def test_wins_ties_and_losses() -> None:
    assert wins_ties_losses([1, 2, 3, 4], [2, 2, 2, 2 + 1e-15]) == (1, 1, 2)
