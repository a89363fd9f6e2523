"""Compare pairs of algorithms over splits, and rank algorithms over data sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from ncbench.errors import NcbenchError, UnknownName, counted, did_you_mean
from ncbench.results.best import Measured, in_pairs, method_keys, problem_keys, problems
from ncbench.results.statistics import (
    EXACT,
    differences,
    finite,
    friedman_p,
    holm,
    nemenyi_quantile,
    paired,
    rank_sums,
    ranks_of,
    wilcoxon,
)

# Ranks of algorithms over data sets, with the tests of Demsar (2006).


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


ByProblem = dict[tuple[str, ...], dict[str, Measured]]
"""The cell of each method, by problem and label of the method."""


def by_method(frame: pd.DataFrame) -> ByProblem:
    """Return the cells that have numbers, by problem and by the label of their method.

    A label is the algorithm's name, followed by the other swept keys: ``ncfw algo.max_iter=500``.
    """
    keys = method_keys(frame)
    return {
        problem: {_label(keys, cell.method, "algo"): cell for cell in cells}
        for problem, cells in problems(frame).items()
    }


def _label(keys: Sequence[str], texts: Sequence[str], plain: str) -> str:
    """Return ``key=text`` for each key that has a text; for the key ``plain``, only the text."""
    named = zip(keys, texts, strict=True)
    return " ".join(text if key == plain else f"{key}={text}" for key, text in named if text)


def methods_of(cells: ByProblem) -> list[str]:
    """Return the labels of all methods, sorted."""
    return sorted({method for found in cells.values() for method in found})


def _method(
    cells: ByProblem, keys: Sequence[str], name: str
) -> tuple[str, dict[tuple[str, ...], Measured]]:
    """Return the label of a method or an algorithm, and its cells by problem."""
    exact = {problem: found[name] for problem, found in cells.items() if name in found}
    if exact:
        return name, exact
    algo = keys.index("algo")
    chosen: dict[tuple[str, ...], Measured] = {}
    labels: set[str] = set()
    for problem, found in cells.items():
        settings = {label: cell for label, cell in found.items() if cell.method[algo] == name}
        if len(settings) > 1:
            raise _several(name, keys, settings)
        for label, cell in settings.items():
            labels.add(label)
            chosen[problem] = cell
    if not chosen:
        algorithms = {cell.method[algo] for found in cells.values() for cell in found.values()}
        known = sorted({*algorithms, *methods_of(cells)})
        hint = did_you_mean(name, known)
        raise NcbenchError(
            f"--pair {name}: no record has this algorithm{f'; {hint}' if hint else '. '}They have: "
            f"{', '.join(known)}"
        )
    return (labels.pop() if len(labels) == 1 else name), chosen


def _several(name: str, keys: Sequence[str], settings: Mapping[str, Measured]) -> NcbenchError:
    columns = zip(keys, *(cell.method for cell in settings.values()), strict=True)
    where = " ".join(f"{key}=..." for key, *texts in columns if len(set(texts)) > 1)
    labels = ", ".join(map(repr, sorted(settings)))
    return NcbenchError(
        f"--pair: {name} has several settings in the same cell: {labels}; give one of these labels "
        f"in quotes, or choose with --where {where}"
    )


@dataclass(frozen=True)
class Pair:
    """Two methods, compared cell by cell.

    Attributes
    ----------
    first, second : str
        The labels of the methods.
    cells : DataFrame
        One row for each problem that both have solved: its keys, n, the means, the difference
        (first minus second) with its interval, the p values of the corrected t test and of
        Wilcoxon's test, both also with Holm's correction over all rows, and the smallest p that
        Wilcoxon's test could have given.
    alone : int
        The number of problems that only one of them has solved.
    counts : WinsTiesLosses
        Wins, ties and losses of the first method, by mean loss.
    level : float
        The confidence level.
    """

    first: str
    second: str
    cells: pd.DataFrame
    alone: int
    counts: WinsTiesLosses
    level: float

    @classmethod
    def of(cls, frame: pd.DataFrame, first: str, second: str, level: float = 0.95) -> Pair:
        """Compare two methods over the splits that both have.

        A method is given by its label, or by its algorithm if that has one setting per problem.
        """
        solved, settings = by_method(frame), method_keys(frame)
        first, firsts = _method(solved, settings, first)
        second, seconds = _method(solved, settings, second)
        keys = problem_keys(frame)
        rows, alone = [], 0
        for problem in solved:
            if problem not in firsts or problem not in seconds:
                alone += problem in firsts or problem in seconds
                continue
            a, b = in_pairs(firsts[problem], seconds[problem])
            if not a:
                alone += 1
                continue
            result = paired(a, b, level, firsts[problem].test_train_ratio)
            means = {"mean_first": sum(a) / len(a), "mean_second": sum(b) / len(b)}
            position = firsts[problem].position
            values = {key: frame[key].iat[position] for key in keys}
            rows.append({**values, **means, **asdict(result)})
        if not rows:
            raise NcbenchError(f"--pair {first} {second}: no cell that both have solved")
        cells = pd.DataFrame(rows)
        cells["p_holm"] = holm(cells["p"].tolist())
        cells["wilcoxon_p_holm"] = holm(cells["wilcoxon_p"].tolist())
        counts = wins_ties_losses(cells["mean_first"], cells["mean_second"])
        return cls(first, second, cells, alone, counts, level)

    @property
    def found(self) -> tuple[int, int]:
        """The numbers of cells where the first is better and worse, after Holm's correction."""
        rejected = self.cells[self.cells["p_holm"] < 1 - self.level]
        better = int((rejected["difference"] < 0).sum())
        return better, len(rejected) - better

    @property
    def conclusion(self) -> str:
        """What the test supports, and what it does not, in two sentences."""
        better, worse = self.found
        cells = counted(len(self.cells), "cell")
        lower = [
            f"{name} has the lower expected loss in {count} of {cells}"
            for name, count in ((self.first, better), (self.second, worse))
            if count
        ]
        overlap = (
            "corrected for the overlap of the splits"
            if self.cells["corrected"].all()
            else "splits taken as independent, which overlapping splits are not"
        )
        claims = " and ".join(lower) or "no difference in any one cell"
        return (
            f"It may be concluded, with a chance of any false claim below {1 - self.level:.2g} "
            f"(Holm; {overlap}): {claims}. It may not be concluded that the algorithms are equal "
            "in the other cells, nor anything about other data sets or other draws of the noise: "
            "the splits of a cell share one draw."
        )

    @property
    def warning(self) -> str:
        """A warning if Wilcoxon's test has too few splits to reject anything, else empty."""
        smallest = float(self.cells["smallest_p"].min())
        alpha = 1 - self.level
        if smallest * len(self.cells) < alpha:
            return ""
        reach = (
            f"p = {smallest:.4g} is the smallest that Wilcoxon's test can give with so few splits"
        )
        if smallest < alpha:
            cells = counted(len(self.cells), "cell")
            return f"{reach}: after Holm's correction over {cells} it cannot reject anything."
        return f"{reach}: it cannot reject anything at {alpha:.2g}, whatever the losses."


@dataclass(frozen=True)
class Ranking:
    """All methods of one measure, ranked over data sets.

    Attributes
    ----------
    measure : str
    ranks : Ranks or None
        None if there is only one method, or no problem that all methods have solved.
    methods : list of str
    counts : dict
        For each pair of methods, wins, ties and losses of the first by mean loss, over the
        problems that both have solved.
    left_out : int
        The number of problems that some method has not solved; they are not ranked.
    """

    measure: str
    ranks: Ranks | None
    methods: list[str]
    counts: dict[tuple[str, str], WinsTiesLosses]
    left_out: int


def rankings(
    frame: pd.DataFrame, over: Sequence[str] = ("dataset",), level: float = 0.95
) -> list[Ranking]:
    """Rank the methods of each measure.

    Parameters
    ----------
    frame : DataFrame
        As returned by :func:`ncbench.results.frame.tidy`.
    over : sequence of str
        The keys to rank over. Cells with the same values are averaged first, because the noise
        levels of one data set are not independent.
    level : float
        The confidence level.
    """
    keys = problem_keys(frame)
    for key in over:
        if key not in keys:
            raise UnknownName.among("--over: key", key, [k for k in keys if k != "measure"])
    blocks = [i for i, key in enumerate(keys) if key in over]
    measure = [i for i, key in enumerate(keys) if key.partition(".")[0] == "measure"]
    by_measure: dict[str, ByProblem] = {}
    for problem, methods in by_method(frame).items():
        name = _label([keys[i] for i in measure], [problem[i] for i in measure], "measure")
        by_measure.setdefault(name, {})[problem] = methods
    what = "data sets" if list(over) == ["dataset"] else f"combinations of {' and '.join(over)}"
    return [_ranking(name, cells, blocks, level, what) for name, cells in by_measure.items()]


def _ranking(
    measure: str, cells: ByProblem, blocks: Sequence[int], level: float, what: str
) -> Ranking:
    methods = methods_of(cells)
    complete = {problem: found for problem, found in cells.items() if len(found) == len(methods)}
    losses: dict[tuple[str, ...], list[list[float]]] = {}
    for problem, found in complete.items():
        block = tuple(problem[i] for i in blocks)
        losses.setdefault(block, []).append([found[method].mean for method in methods])
    table = [
        [sum(column) / len(column) for column in zip(*rows, strict=True)]
        for rows in losses.values()
    ]
    ranks = friedman(table, methods, level, what) if len(methods) > 1 and table else None
    counts = {}
    for a, b in permutations(methods, 2):
        both = [found for found in cells.values() if a in found and b in found]
        if both:
            pairs = [(found[a].mean, found[b].mean) for found in both]
            counts[a, b] = wins_ties_losses(*zip(*pairs, strict=True))
    return Ranking(measure, ranks, methods, counts, len(cells) - len(complete))
