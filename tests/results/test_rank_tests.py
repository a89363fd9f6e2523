"""Wilcoxon's signed-rank test against scipy and brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from ncbench.results.rank_tests import wilcoxon
from ncbench.results.statistics import (
    paired,
)


def test_wilcoxon_is_scipys_without_ties() -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 5, 8, 20, 50):
        x = rng.standard_normal(n) + 0.3
        assert wilcoxon(x) == pytest.approx(stats.wilcoxon(x, method="exact").pvalue, rel=1e-9)
    x = rng.standard_normal(60) + 0.3
    assert wilcoxon(x) == pytest.approx(stats.wilcoxon(x).pvalue, rel=1e-9)


def test_wilcoxon_with_ties_by_brute_force() -> None:
    x = np.array([0.1, -0.1, 0.3, 0.3, 0.3, -0.4, 0.0])
    ranks = stats.rankdata(np.abs(x[x != 0]))
    observed = min(ranks[x[x != 0] > 0].sum(), ranks[x[x != 0] < 0].sum())
    sums = [np.dot(signs, ranks) for signs in itertools.product([0, 1], repeat=6)]
    assert wilcoxon(x) == pytest.approx(2 * np.mean(np.array(sums) <= observed))


@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_the_smallest_reachable_p(n: int) -> None:
    found = paired(np.arange(1, n + 1), np.zeros(n))
    assert found.smallest_p == found.wilcoxon_p == 2 / 2**n
