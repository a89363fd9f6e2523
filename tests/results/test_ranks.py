"""Ranks over data sets against scipy, published examples and brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from ncbench.results.significance import _groups, friedman, wins_ties_losses
from ncbench.results.statistics import holm, nemenyi_quantile

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
    assert found.conclusion.endswith("if their average ranks are 1.25 or more apart.")
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


# Three algorithms, four data sets: published to three digits, as in tables of Friedman's
# statistic. Of 6 the chi-squared distribution says 0.0498.
def test_friedmans_p_is_exact_for_few_data_sets() -> None:
    for rank_sums, statistic, p in (
        ((4, 8, 12), 8, 0.005),
        ((4, 9, 11), 6.5, 0.042),
        ((5, 8, 11), 4.5, 0.125),
        ((5, 7, 12), 6.5, 0.042),
        ((6, 6, 12), 6, 0.069),
    ):
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


def test_friedmans_p_with_ties_by_brute_force() -> None:
    for losses in (
        [[1, 1, 2, 3], [1, 2, 2, 2], [2, 1, 3, 4]],
        [[1, 1, 2, 3], [1, 1, 2, 2], [1, 2, 3, 3]],
        [[1, 1, 1, 3], [2, 2, 1, 3], [2, 3, 3, 3]],
        [[1, 2, 3, 4], [1, 2, 4, 3], [4, 2, 1, 3]],
    ):
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


def test_two_algorithms_have_an_exact_p_for_up_to_fifty_data_sets() -> None:
    for n, exact in ((50, True), (51, False)):
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


def test_friedman_refuses_what_is_no_complete_table() -> None:
    for losses in ([], np.empty((0, 2)), [[0.1, np.nan]], [[0.1]], [0.1, 0.2], [[0.1, 0.2, 0.3]]):
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


def test_wins_ties_and_losses() -> None:
    assert wins_ties_losses([1, 2, 3, 4], [2, 2, 2, 2 + 1e-15]) == (1, 1, 2)
