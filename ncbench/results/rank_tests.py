"""Rank tests: ranks with ties, and p values from all permutations where these can be enumerated.

For few splits and few data sets, which is what benchmarks have, approximations claim too much: two
algorithms that agree on four data sets are 2/16 by chance, not 0.0455 as by chi-squared.
"""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncbench.types import Array

TIE = 1e-12
"""Numbers closer than this, absolutely and relative to their size, are tied."""

_EXACT = 50
"""Up to so many differences, Wilcoxon's distribution is enumerated."""

_ENUMERABLE = 5e7
"""Up to so many additions, Friedman's distribution is enumerated: about a second."""


def wilcoxon(difference: ArrayLike) -> float:
    """Return the two-sided p value of Wilcoxon's signed rank test.

    Differences of zero are left out. Up to 50 differences the distribution is exact, also with
    tied ranks: all signs are equally likely, and the sums of ranks are counted by convolution.
    scipy.stats.wilcoxon gives the same p, but with tied ranks it is exact up to 13 differences
    only, for which it takes a second.

    Examples
    --------
    >>> wilcoxon([1, 2, 3, 4, 5])
    0.0625
    >>> wilcoxon([0, 0])
    1.0
    """
    x = finite(difference)
    x = x[x != 0]
    if len(x) == 0:
        return 1.0
    if len(x) > _EXACT:
        from scipy.stats import wilcoxon as approximate

        return float(approximate(x, method="approx").pvalue)
    doubled = np.rint(2 * ranks_of(np.abs(x))).astype(int)  # mid-ranks are halves
    counts = np.ones(1)
    for rank in doubled:
        counts = np.concatenate([counts, np.zeros(rank)]) + np.concatenate([np.zeros(rank), counts])
    smaller = min(doubled[x > 0].sum(), doubled[x < 0].sum())
    return float(min(1.0, 2 * counts[: smaller + 1].sum() / 2.0 ** len(x)))


def finite(values: ArrayLike) -> Array:
    """Return numbers as an array; raises ValueError if there are none, or one is not finite."""
    x = np.asarray(values, dtype=float)
    if x.ndim != 1 or len(x) == 0 or not np.isfinite(x).all():
        raise ValueError(f"expected one or more finite numbers, got {values!r}")
    return x


def tied(a: Array, b: Array) -> NDArray[np.bool_]:
    """Say which numbers differ by no more than rounding."""
    return np.abs(a - b) <= TIE * np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))


def ranks_of(values: Array) -> Array:
    """Return ranks from 1; ties share the mean of theirs.

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

    scipy.stats.friedmanchisquare has the chi-squared approximation only.

    Under the null hypothesis every order of a data set's ranks is equally likely. The sums of ranks
    of all algorithms but the last are the indices of an array of probabilities, to which
    one data set after the other is added.
    """
    N, k = ranks.shape
    steps = ranks - ranks.min(axis=1, keepdims=True)
    if (steps % 1).any():
        steps = 2 * steps  # mid-ranks are halves
    whole = np.rint(steps).astype(int)
    size = int(whole.max(axis=1).sum()) + 1
    if math.factorial(min(k, 20)) * N * size ** (k - 1) > _ENUMERABLE:
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
    """Return the quantile of the studentized range of k, over the square root of 2."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(level, k, math.inf)) / math.sqrt(2)
