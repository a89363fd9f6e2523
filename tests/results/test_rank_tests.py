"""Wilcoxon's signed-rank test against scipy and brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from ncbench.results.statistics import finite, friedman_p, paired, tied, wilcoxon


def test_wilcoxon_is_scipys_without_ties() -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 5, 8, 20, 50):
        x = rng.standard_normal(n) + 0.3
        assert wilcoxon(x) == pytest.approx(stats.wilcoxon(x, method="exact").pvalue, rel=1e-9)
    x = rng.standard_normal(51) + 0.3
    assert wilcoxon(x) == pytest.approx(stats.wilcoxon(x, method="approx").pvalue, rel=1e-9)


def test_wilcoxon_with_ties_by_brute_force() -> None:
    for seed in range(8):
        x = np.append(np.random.default_rng(seed).integers(-2, 5, size=7), 0)
        untied = x[x != 0]
        ranks = stats.rankdata(np.abs(untied))
        observed = min(ranks[untied > 0].sum(), ranks[untied < 0].sum())
        sums = [np.dot(signs, ranks) for signs in itertools.product([0, 1], repeat=len(untied))]
        assert wilcoxon(x) == pytest.approx(min(1, 2 * np.mean(np.array(sums) <= observed)))


def test_friedmans_p_is_at_most_1() -> None:
    squares = np.tile([[1.0, 2, 3], [2, 3, 1], [3, 1, 2]], (3, 1))  # the average ranks are equal
    assert friedman_p(squares) == 1


def test_friedmans_p_is_exact_where_that_takes_about_a_second() -> None:
    # k! N (N (k - 1) + 1)^(k - 1) additions: 4.95e7 and 5.07e7.
    for N, exact in (127, True), (128, False):
        assert (friedman_p(np.tile([1.0, 2.0, 3.0], (N, 1))) is not None) == exact


def test_ties_are_relative_to_the_larger_of_1_and_the_numbers() -> None:
    for size, reach in (0.1, 1e-12), (-1.0, 1e-12), (1e6, 1e-6), (-1e6, 1e-6):
        a = np.array([size, size])
        b = a + np.array([0.9, 1.1]) * reach
        assert tied(a, b).tolist() == tied(b, a).tolist() == [True, False]


def test_only_lists_of_finite_numbers() -> None:
    for values in ([], [0.1, np.inf], [[0.1]], 0.1):
        with pytest.raises(ValueError, match="one or more finite numbers"):
            finite(values)


def test_the_smallest_reachable_p() -> None:
    for n in (1, 2, 5, 10):
        found = paired(np.arange(1, n + 1), np.zeros(n))
        assert found.smallest_p == found.wilcoxon_p == 2 / 2**n
