r"""Statistics of losses: intervals, paired comparisons, and corrections for several of them.

Lower losses are better. Two numbers that differ by rounding only are tied.

Splits of one data set overlap: two random 70:30 splits share seven tenths of their training
examples. Losses over splits are therefore positively correlated, and :math:`s / \sqrt n` is too
small. If the sizes of the parts are known, intervals and t tests use the variance
:math:`(1/n + o)\, s^2` with n - 1 degrees of freedom, where :func:`overlap` gives o [1]_ [2]_.
Wilcoxon's test over splits has no such correction: its p value assumes independent differences,
and is shown together with the interval, never instead of it.

References
----------
.. [1] C. Nadeau and Y. Bengio. Inference for the Generalization Error. Machine Learning
       52:239-281, 2003.
.. [2] J. Shao and C. F. J. Wu. A General Theory for Jackknife Variance Estimation. Annals of
       Statistics 17:1176-1197, 1989.
.. [3] S. Holm. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of
       Statistics 6:65-70, 1979.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import nctdtr, stdtr, stdtrit

from ncbench.types import Array

# Rank tests, with ties, and exact p values where all permutations can be enumerated.

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
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    groups = np.empty(len(values), dtype=int)
    groups[order] = np.concatenate([[0], np.cumsum(~tied(ordered[1:], ordered[:-1]))])
    sizes = np.bincount(groups)
    ranks: Array = np.cumsum(sizes) - (sizes - 1) / 2
    return ranks[groups]


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


def overlap(test_train_ratio: float | None, on_test: bool = True) -> float:
    r"""Return what the overlap of random splits adds to 1/n in the variance of a mean.

    With correlation :math:`\rho` between splits this is :math:`\rho / (1 - \rho)`. Two splits of
    one sample share the fraction of the training part, and of the test part, that each is of the
    sample. So a loss that varies with its test part alone has r, the test size over the training
    size (Nadeau and Bengio), and a number that varies with its training part alone has 1/r (Shao
    and Wu). A loss varies with both: if an example matters as much in either part, it has
    2 / (r + 1/r).

    Parameters
    ----------
    test_train_ratio : float or None
        The ratio r. If None, splits are taken as independent.
    on_test : bool
        Whether the number is measured on the test part, as losses are, and not on the training
        part alone, as the error of an estimate of T is.

    Returns
    -------
    float
        For a loss r if r is at most 1, where the test part matters most, else 2 / (r + 1/r); for
        another number 1/r. ``benchmarks/false_verdicts.py`` measures these rules.

    Examples
    --------
    >>> overlap(0.5), round(overlap(1000), 3), overlap(0.5, on_test=False), overlap(None)
    (0.5, 0.002, 2.0, 0.0)
    """
    if test_train_ratio is None:
        return 0.0
    r = test_train_ratio
    if not on_test:
        return 1 / r
    return r if r <= 1 else 2 / (r + 1 / r)


class Interval(NamedTuple):
    """A mean with its confidence interval, and the p value of the t test against zero."""

    mean: float
    low: float
    high: float
    p: float


def mean_interval(
    values: ArrayLike,
    level: float = 0.95,
    test_train_ratio: float | None = None,
    on_test: bool = True,
) -> Interval:
    """Return the mean of values over splits, with its t interval.

    Parameters
    ----------
    values : array-like of shape (n,)
    level : float
        The confidence level.
    test_train_ratio : float, optional
        Size of the test part over size of the training part. If given, the variance is corrected
        for the overlap of random splits; if not, values are taken as independent.
    on_test : bool
        As for :func:`overlap`.

    Returns
    -------
    Interval
        A single value has no spread: its interval is infinite and p is 1. The same holds for
        several equal values that are not zero. If all are zero, which is a tie, the interval has
        width zero and p is 1.

    Examples
    --------
    >>> mean, low, high, p = mean_interval([0.1, 0.2, 0.3])
    >>> print(f"{mean:.3f} [{low:.3f}, {high:.3f}]")
    0.200 [-0.048, 0.448]
    >>> mean, low, high, p = mean_interval([0.1, 0.2, 0.3], test_train_ratio=3 / 7)
    >>> print(f"{mean:.3f} [{low:.3f}, {high:.3f}]")
    0.200 [-0.176, 0.576]
    """
    # Plain floats, because tables have many short lists, for which numpy is slow.
    x = [float(value) for value in np.asarray(values).ravel().tolist()]
    n = len(x)
    if not x or not all(map(math.isfinite, x)):
        raise ValueError(f"expected one or more finite numbers, got {values!r}")
    mean = math.fsum(x) / n
    if n == 1:
        return Interval(mean, -math.inf, math.inf, 1.0)
    variance = math.fsum((value - mean) ** 2 for value in x) / (n - 1)
    error = math.sqrt((1 / n + overlap(test_train_ratio, on_test)) * variance)
    if max(x) - min(x) <= TIE * max(1.0, *map(abs, x)):
        # Losses on small test parts are discrete and often equal over a few splits. This is not
        # evidence of zero variance, which would make any difference certain.
        if all(abs(value) <= TIE for value in x):
            return Interval(0.0, 0.0, 0.0, 1.0)
        return Interval(mean, -math.inf, math.inf, 1.0)
    reach = _t_quantile(n - 1, (1 + level) / 2) * error
    return Interval(mean, mean - reach, mean + reach, float(2 * stdtr(n - 1, -abs(mean) / error)))


@lru_cache(maxsize=1024)
def _t_quantile(degrees: int, probability: float) -> float:
    return float(stdtrit(degrees, probability))


def power(size: float, n: int, level: float = 0.95, test_train_ratio: float | None = None) -> float:
    """Return the chance that the interval over n splits excludes zero on the right side.

    Parameters
    ----------
    size : float
        The true mean, in standard deviations over splits.
    n : int
        The number of splits, at least two.
    level : float
        The confidence level.
    test_train_ratio : float, optional
        As for :func:`mean_interval`.

    Examples
    --------
    >>> [round(power(2, n, test_train_ratio=3 / 7), 2) for n in (5, 10, 20)]
    [0.48, 0.69, 0.78]
    """
    shift = abs(size) / math.sqrt(1 / n + overlap(test_train_ratio))
    return 1 - float(nctdtr(n - 1, shift, _t_quantile(n - 1, (1 + level) / 2)))


def trials_needed(
    size: float, level: float = 0.95, test_train_ratio: float | None = None, chance: float = 0.8
) -> int | None:
    """Return how many splits would separate a mean from zero with a chance of 80%.

    Returns None if 1000 would not: splits overlap, so there is a limit to what they tell.

    Parameters
    ----------
    size, level, test_train_ratio
        As for :func:`power`.
    chance : float
        The power that is asked for.

    Examples
    --------
    >>> trials_needed(2), trials_needed(2, test_train_ratio=3 / 7)
    (5, 25)
    >>> trials_needed(1.5, test_train_ratio=3 / 7) is None
    True
    """
    numbers = range(2, 1001)
    at = bisect_left(numbers, chance, key=lambda n: power(size, n, level, test_train_ratio))
    return numbers[at] if at < len(numbers) else None


@dataclass(frozen=True)
class Paired:
    """Two algorithms over the same splits; a difference below zero favors the first.

    Attributes
    ----------
    n : int
        The number of splits.
    difference : float
        Mean of first minus second.
    low, high : float
        Confidence interval of the difference; infinite if n is 1 or all differences are equal.
    p : float
        The p value of the t test with the variance of that interval.
    wilcoxon_p : float
        The two-sided p value of the signed rank test without ties; 1 if all are tied.
    smallest_p : float
        The smallest possible ``wilcoxon_p``: ``2 / 2**n`` without ties.
    corrected : bool
        Whether the variance was corrected for overlapping splits.
    trials_needed : int or None
        How many splits would separate such a difference, see :func:`trials_needed`. None also if
        it has no spread to judge by.
    """

    n: int
    difference: float
    low: float
    high: float
    p: float
    wilcoxon_p: float
    smallest_p: float
    corrected: bool
    trials_needed: int | None


def paired(
    a: ArrayLike,
    b: ArrayLike,
    level: float = 0.95,
    test_train_ratio: float | None = None,
) -> Paired:
    """Compare two algorithms by their losses over the same splits.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        Losses; entries with the same index belong to the same split.
    level : float
        The confidence level.
    test_train_ratio : float, optional
        As for :func:`mean_interval`.

    Examples
    --------
    >>> ncfw, fw = [0.20, 0.22, 0.21, 0.25, 0.24], [0.25, 0.26, 0.28, 0.28, 0.30]
    >>> found = paired(ncfw, fw, test_train_ratio=3 / 7)
    >>> print(f"{found.difference:.3f} [{found.low:.3f}, {found.high:.3f}]")
    -0.050 [-0.085, -0.015]
    >>> found.wilcoxon_p, found.smallest_p  # five splits cannot give less
    (0.0625, 0.0625)
    """
    difference = differences(a, b)
    interval = mean_interval(difference, level, test_train_ratio)
    untied = int(np.count_nonzero(difference))
    s = float(difference.std(ddof=1)) if math.isfinite(interval.high) else 0.0
    return Paired(
        n=len(difference),
        difference=interval.mean,
        low=interval.low,
        high=interval.high,
        p=interval.p,
        wilcoxon_p=wilcoxon(difference),
        smallest_p=min(1.0, 2.0 ** (1 - untied)),
        corrected=test_train_ratio is not None,
        trials_needed=trials_needed(interval.mean / s, level, test_train_ratio) if s > 0 else None,
    )


def differences(a: ArrayLike, b: ArrayLike) -> Array:
    """Return a - b over the same splits; ties are exactly zero.

    Examples
    --------
    >>> differences([0.75, 0.1 + 0.2], [0.25, 0.3]).tolist()
    [0.5, 0.0]
    """
    a, b = finite(a), finite(b)
    if a.shape != b.shape:
        raise ValueError(f"expected as many losses in both, got {len(a)} and {len(b)}")
    return np.where(tied(a, b), 0.0, a - b)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p values for multiple tests, by Holm's step-down procedure.

    If tests with an adjusted value below alpha are rejected, the chance of any false rejection is
    below alpha, whatever the dependence of the tests.

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.016, 0.019, 0.607])]  # Demsar (2006), Section 3.2.3
    [0.048, 0.048, 0.607]
    """
    p = finite(p_values) if len(p_values) else np.empty(0)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]
