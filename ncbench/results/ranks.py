"""Ranks of algorithms over data sets, with the tests of Demsar (2006).

Lower losses are better. Two numbers that differ by rounding only are tied.

References
----------
.. [1] J. Demsar. Statistical Comparisons of Classifiers over Multiple Data Sets. JMLR 7:1-30, 2006.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from ncbench.results.rank_tests import (
    EXACT,
    finite,
    friedman_p,
    nemenyi_quantile,
    rank_sums,
    ranks_of,
    wilcoxon,
)
from ncbench.results.statistics import differences


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
    quantile over :math:`\sqrt 2`.

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
