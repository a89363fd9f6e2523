r"""Statistics of losses: paired comparisons, ranks, and corrections for multiple comparisons.

Lower losses are better. Two numbers that differ by rounding only are tied.

Splits of one data set overlap: two random 70:30 splits share seven tenths of their training
examples. Losses over splits are therefore positively correlated, and :math:`s / \sqrt n` is too
small. If the sizes of the parts are known, intervals and t tests use the variance
:math:`(1/n + o)\, s^2` with n - 1 degrees of freedom, where :func:`overlap` gives o [1]_ [4]_.
Wilcoxon's test over splits has no such correction: its p value assumes independent differences,
and is shown together with the interval, never instead of it.

References
----------
.. [1] C. Nadeau and Y. Bengio. Inference for the Generalization Error. Machine Learning
       52:239-281, 2003.
.. [2] J. Demsar. Statistical Comparisons of Classifiers over Multiple Data Sets. JMLR 7:1-30, 2006.
.. [3] S. Holm. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of
       Statistics 6:65-70, 1979.
.. [4] J. Shao and C. F. J. Wu. A General Theory for Jackknife Variance Estimation. Annals of
       Statistics 17:1176-1197, 1989.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, nctdtr, stdtr, stdtrit

from ncbench.results.rank_tests import (
    EXACT,
    TIE,
    finite,
    friedman_p,
    nemenyi_quantile,
    rank_sums,
    ranks_of,
    tied,
    wilcoxon,
)
from ncbench.types import Array


def overlap(test_train_ratio: float | None, on_test: bool = True) -> float:
    r"""Return what the overlap of random splits adds to 1/n in the variance of a mean.

    With correlation :math:`\rho` between splits this is :math:`\rho / (1 - \rho)`. Two splits of
    one sample share the fraction of the training part, and of the test part, that each is of the
    sample. So a loss that varies with its test part alone has r, the test size over the training
    size [1]_, and a number that varies with its training part alone has 1/r [2]_. A loss varies
    with both: if an example matters as much in either part, it has 2 / (r + 1/r).

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

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio. Inference for the Generalization Error. Machine Learning
           52:239-281, 2003.
    .. [2] J. Shao and C. F. J. Wu. A General Theory for Jackknife Variance Estimation. Annals of
           Statistics 17:1176-1197, 1989.

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
    """Return how many splits would separate a mean from zero with a chance of 80 %.

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


@dataclass(frozen=True)
class Ranks:
    """Algorithms ranked over data sets; rank 1 is the lowest loss.

    Attributes
    ----------
    average_ranks : dict
        The average rank of each algorithm, best first.
    test : {"Friedman", "Wilcoxon"}
        Two algorithms are compared by Wilcoxon's signed rank test of their losses: Friedman's test
        of two is a sign test, which ignores by how much they differ.
    statistic : float
        Friedman's chi-squared, corrected for ties, or Wilcoxon's smaller rank sum.
    p : float
        The p value of the test; see ``exact``.
    exact : bool
        Whether p comes from all permutations, which is the case if they can be enumerated.
        Otherwise it comes from the chi-squared distribution, which for three algorithms and few
        data sets gives p values that are too small, or from the normal distribution.
    critical_difference : float or None
        Nemenyi's critical difference: average ranks at least this far apart are separable. None
        for two algorithms.
    groups : tuple of tuples of str
        The largest sets of two or more algorithms that are not separable, best first. If
        the test finds no difference, all algorithms are one group.
    n_datasets : int
    level : float
    over : str
        The plural noun for the data sets.
    """

    average_ranks: dict[str, float]
    test: str
    statistic: float
    p: float
    exact: bool
    critical_difference: float | None
    groups: tuple[tuple[str, ...], ...]
    n_datasets: int
    level: float
    over: str = "data sets"

    @property
    def differ(self) -> bool:
        """Whether the test finds that the algorithms differ."""
        return self.p < 1 - self.level

    @property
    def blocks(self) -> str:
        """The data sets and their number: "6 data sets", "1 combination of seed and sigma"."""
        what, of, keys = self.over.partition(" of ")
        what = what.removesuffix("s") if self.n_datasets == 1 else what
        return f"{self.n_datasets} {what}{of}{keys}"

    @property
    def conclusion(self) -> str:
        """The conclusion of the test, in one sentence."""
        alpha = f"{1 - self.level:.2g}"
        over = f"Over {self.blocks}"
        if self.n_datasets == 1:
            return f"{over} no difference of ranks can be concluded."
        if not self.differ:
            return (
                f"{over} {self.test}'s test finds no difference (p = {self.p:.2g}, not below "
                f"{alpha}): the order of the ranks may be due to chance, which does not mean that "
                "the algorithms are equal."
            )
        differ = f"{over} the algorithms differ ({self.test}'s p = {self.p:.2g})"
        if self.critical_difference is None:
            return f"{differ}: {next(iter(self.average_ranks))} is better."
        return (
            f"{differ}; two of them differ if "
            f"their average ranks are {self.critical_difference:.2f} or more apart."
        )


def friedman(
    losses: ArrayLike, names: Sequence[str], level: float = 0.95, over: str = "data sets"
) -> Ranks:
    r"""Rank algorithms over data sets, with Friedman's test, and Nemenyi's test for pairs.

    Two algorithms are compared by Wilcoxon's signed rank test instead.

    Parameters
    ----------
    losses : array-like of shape (data sets, algorithms)
        Without missing values: leave out data sets that some algorithm has not solved.
    names : sequence of str
        The names of two or more algorithms.
    level : float
        The confidence level.
    over : str
        The plural noun for the data sets, if they are something else.

    Notes
    -----
    With average ranks :math:`R_j` over N data sets and k algorithms, and c the correction for
    ties, :math:`\chi^2 = \frac{12 N}{c k (k+1)} \left(\sum_j R_j^2 - k (k+1)^2 / 4\right)`;
    the critical difference is :math:`q \sqrt{k (k+1) / (6 N)}` with q the studentized range's
    quantile over :math:`\sqrt 2` [1]_.

    References
    ----------
    .. [1] J. Demsar. Statistical Comparisons of Classifiers over Multiple Data Sets. JMLR 7:1-30,
           2006.

    Examples
    --------
    >>> found = friedman([[0.1, 0.2, 0.3]] * 4 + [[0.2, 0.1, 0.3]], ["ncfw", "ncbs", "fw"])
    >>> found.average_ranks
    {'ncfw': 1.2, 'ncbs': 1.8, 'fw': 3.0}
    >>> round(found.statistic, 3), round(found.p, 4), round(found.critical_difference, 3)
    (8.4, 0.0085, 1.482)
    >>> found.groups
    (('ncfw', 'ncbs'), ('ncbs', 'fw'))
    """
    table = np.asarray(losses, dtype=float)
    if table.ndim != 2 or table.shape[1] != len(names) or len(names) < 2 or len(table) == 0:
        raise ValueError(
            "expected losses of one or more data sets x two or more algorithms, got shape "
            f"{table.shape} for {len(names)} names"
        )
    finite(table.ravel())
    N, k = table.shape
    ranks = np.array([ranks_of(row) for row in table])
    average = ranks.mean(axis=0)
    order = np.argsort(average, kind="stable")
    by_name = {names[j]: float(average[j]) for j in order}
    if k == 2:
        difference = differences(table[:, 0], table[:, 1])
        below, above = rank_sums(difference)
        if below != above:  # the test may favor another one than the average ranks
            better = names[0] if below > above else names[1]
            by_name = dict(sorted(by_name.items(), key=lambda named: named[0] != better))
        p, exactly = wilcoxon(difference), int(np.count_nonzero(difference)) <= EXACT
        apart: tuple[tuple[str, ...], ...] = () if p < 1 - level else (tuple(by_name),)
        sums = min(below, above)
        return Ranks(by_name, "Wilcoxon", sums, p, exactly, None, apart, N, level, over)
    # Without ties the spread of the ranks is N k (k^2 - 1) / 12; c is the fraction that remains.
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())
    statistic = 0.0
    if spread > 0:
        c = spread / (N * k * (k**2 - 1) / 12)
        # Centered at the mean rank, which is exact if the differences are small.
        statistic = 12 * N / (c * k * (k + 1)) * float(((average - (k + 1) / 2) ** 2).sum())
    exact = friedman_p(ranks)
    p = float(chdtrc(k - 1, statistic)) if exact is None else exact
    critical = nemenyi_quantile(k, level) * math.sqrt(k * (k + 1) / (6 * N))
    reach = critical if p < 1 - level else math.inf
    groups = _groups(by_name, reach)
    exact_p = exact is not None
    return Ranks(by_name, "Friedman", statistic, p, exact_p, critical, groups, N, level, over)


class WinsTiesLosses(NamedTuple):
    """How often the first of two algorithms is better, equal and worse."""

    wins: int
    ties: int
    losses: int


def wins_ties_losses(a: ArrayLike, b: ArrayLike) -> WinsTiesLosses:
    """Count how often the first of two algorithms has a lower, an equal and a higher loss.

    Examples
    --------
    >>> wins_ties_losses([0.1, 0.2, 0.3], [0.2, 0.2, 0.4])
    WinsTiesLosses(wins=2, ties=1, losses=0)
    """
    difference = differences(a, b)
    return WinsTiesLosses(
        *(int(count.sum()) for count in (difference < 0, difference == 0, difference > 0))
    )


def _groups(average_ranks: dict[str, float], reach: float) -> tuple[tuple[str, ...], ...]:
    """Return the maximal runs of names, in order of rank, that span less than ``reach``."""
    names, ranks = list(average_ranks), list(average_ranks.values())
    groups = []
    reached = 0
    for first in range(len(names)):
        end = max(j + 1 for j in range(len(names)) if ranks[j] - ranks[first] < reach)
        if end > reached and end - first > 1:
            groups.append(tuple(names[first:end]))
        reached = max(reached, end)
    return tuple(groups)
