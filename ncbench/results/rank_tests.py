"""Rank tests, with ties, and exact p values where all permutations can be enumerated.

With few splits and few data sets, as in benchmarks, approximations give p values that are too
small: if one of two algorithms wins on all of four data sets, p is 2/16, not 0.0455 as by
chi-squared.
"""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncbench.types import Array

TIE = 1e-12
"""Two numbers are tied if they differ by at most this, times the larger of 1 and their size."""

EXACT = 50
"""Wilcoxon's distribution is enumerated for up to this many differences."""

_ENUMERABLE = 5e7
"""Friedman's distribution is enumerated for up to this many additions: about a second."""


def wilcoxon(difference: ArrayLike) -> float:
    """Return the two-sided p value of Wilcoxon's signed rank test.

    Differences of zero are left out. For up to 50 differences the distribution is exact, even with
    tied ranks: all signs are equally likely, and the sums of ranks are counted by convolution.
    scipy.stats.wilcoxon gives the same p, but with tied ranks it is exact only up to 13
    differences, and takes a second for them.

    Examples
    --------
    >>> wilcoxon([1, 2, 3, 4, 5])
    0.0625
    >>> wilcoxon([0, 0])
    1.0
    """
    x = finite(difference)
    x = x[x != 0]
    if len(x) > EXACT:
        from scipy.stats import wilcoxon as approximate

        return float(approximate(x, method="approx").pvalue)
    doubled = np.rint(2 * ranks_of(np.abs(x))).astype(int)  # mid-ranks are halves
    counts = np.ones(1)
    for rank in doubled:
        counts = np.concatenate([counts, np.zeros(rank)]) + np.concatenate([np.zeros(rank), counts])
    smaller = min(doubled[x > 0].sum(), doubled[x < 0].sum())
    return float(min(1.0, 2 * counts[: smaller + 1].sum() / 2.0 ** len(x)))


def rank_sums(difference: ArrayLike) -> tuple[float, float]:
    """Return the sums of the ranks of differences below zero and of those above.

    Examples
    --------
    >>> rank_sums([-0.3, 0.0, -0.2, 0.1])
    (5.0, 1.0)
    """
    x = finite(difference)
    x = x[x != 0]
    ranks = ranks_of(np.abs(x))
    return float(ranks[x < 0].sum()), float(ranks[x > 0].sum())


def finite(values: ArrayLike) -> Array:
    """Return numbers as an array; raise ValueError if it is empty or one is not finite."""
    x = np.asarray(values, dtype=float)
    if x.ndim != 1 or len(x) == 0 or not np.isfinite(x).all():
        raise ValueError(f"expected one or more finite numbers, got {values!r}")
    return x


def tied(a: Array, b: Array) -> NDArray[np.bool_]:
    """Return a mask of the numbers that differ by rounding only."""
    return np.abs(a - b) <= TIE * np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))


def ranks_of(values: Array) -> Array:
    """Return ranks from 1; tied values share their mean rank.

    Examples
    --------
    >>> ranks_of(np.array([0.3, 0.1, 0.3, 0.2])).tolist()
    [3.5, 1.0, 3.5, 2.0]
    """
    from scipy.stats import rankdata

    order = np.argsort(values, kind="stable")
    ordered = values[order]
    groups = np.empty(len(values))
    groups[order] = np.concatenate([[0], np.cumsum(~tied(ordered[1:], ordered[:-1]))])
    return np.asarray(rankdata(groups), dtype=np.float64)


def friedman_p(ranks: Array) -> float | None:
    """Return the exact p value of Friedman's test, or None if it would take too long.

    scipy.stats.friedmanchisquare has only the chi-squared approximation.

    Under the null hypothesis every order of a data set's ranks is equally likely. The rank sums of
    all algorithms but the last index an array of probabilities. Data sets are added to it one by
    one.
    """
    N, k = ranks.shape
    steps = ranks - ranks.min(axis=1, keepdims=True)
    if (steps % 1).any():
        steps = 2 * steps  # mid-ranks are halves
    whole = np.rint(steps).astype(int)
    size = int(whole.max(axis=1).sum()) + 1
    if math.factorial(k) * N * size ** (k - 1) > _ENUMERABLE:
        return None
    probability = np.zeros((size,) * (k - 1))
    probability[(0,) * (k - 1)] = 1.0
    for row in whole:
        added = np.zeros_like(probability)
        orders = list(permutations(row.tolist()))
        for order in orders:
            shift = order[:-1]
            target = tuple(slice(s, None) for s in shift)
            source = tuple(slice(None, size - s) for s in shift)
            added[target] += probability[source]
        probability = added / len(orders)
    sums = np.indices(probability.shape)
    total = whole.sum()
    spread = (sums**2).sum(axis=0) + (total - sums.sum(axis=0)) ** 2
    observed = int((whole.sum(axis=0) ** 2).sum())
    return min(1.0, float(probability[spread >= observed].sum()))


def nemenyi_quantile(k: int, level: float) -> float:
    """Return the quantile of the studentized range of k, divided by the square root of 2."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(level, k, math.inf)) / math.sqrt(2)
