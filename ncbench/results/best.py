"""Find the best cells of a table, and those that are not separable from the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from ncbench.results.frame import keys_of, known_ratio
from ncbench.results.keys import texts_of
from ncbench.results.statistics import TIE, differences, mean_interval
from ncbench.run import PROBLEM

BEST, TIED = "best", "level"
"""Marks of cells; "level" is the word that tables for programs have always used."""

_MAY_BE_IGNORED = ("cpe", "t_estimator")


def rule(level: float, corrected: bool) -> str:
    """Return a sentence that says when a cell is level with the best."""
    overlap = (
        "its variance corrected for the overlap of the splits"
        if corrected
        else "not corrected for the overlap of the splits, because the records lack their sizes"
    )
    return (
        f"not separable from it: the {level:.0%} interval of the paired difference over the same "
        f"splits, {overlap} and widened for all pairs of methods in the table, includes 0"
    )


def marked(frame: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """Add the column ``mark``: best, level (not separable from the best) or empty.

    Only cells of the same problem are compared: same measure, data set, noise, sigma, seed,
    number of trials and test size. The best cell has the lowest mean. Another cell is level with
    it if the confidence interval of their paired difference, over the trials that both have,
    includes zero. A cell that has its problem for itself has no mark. The best of k equal cells is
    chosen by its mean, so any of their k (k - 1) / 2 pairs may be the one that is compared:
    intervals are widened for the pairs of all problems of the frame (Bonferroni). So the chance
    that any cell of the table is not level by accident is at most ``1 - level``. A method that
    ignores the CPE learner or the T estimator is counted once, not once for each of them. With one
    trial, or if all differences are equal, every cell is level.
    """
    marks = [""] * len(frame)
    contested = [cells for cells in problems(frame).values() if len(cells) > 1]
    keys = method_keys(frame)
    pairs = sum(math.comb(_different(cells, keys), 2) for cells in contested)
    of_a_pair = 1 - (1 - level) / max(1, pairs)
    for cells in contested:
        best = min(cells, key=lambda cell: cell.mean)
        for cell in cells:
            if cell.mean - best.mean <= TIE:
                marks[cell.position] = BEST
            elif not _separable(cell, best, of_a_pair):
                marks[cell.position] = TIED
    return frame.assign(mark=marks)


def _different(cells: Sequence[Measured], keys: Sequence[str]) -> int:
    """Return the number of methods, without repeats of one that ignores an option.

    A repeat has the same algorithm and the same value in every trial, with another CPE learner or T
    estimator.
    """
    kinds = [key.partition(".")[0] for key in keys]
    return len(
        {
            (
                *(t for t, k in zip(cell.method, kinds, strict=True) if k not in _MAY_BE_IGNORED),
                *sorted(cell.values.items()),
            )
            for cell in cells
        }
    )


class Measured(NamedTuple):
    """A cell that has numbers: its position in the frame, and its trials."""

    position: int
    method: tuple[str, ...]
    mean: float
    values: dict[int, float]
    test_train_ratio: float | None


def problems(frame: pd.DataFrame) -> dict[tuple[str, ...], list[Measured]]:
    """Return the cells that have numbers, by problem."""
    problem, method = problem_keys(frame), method_keys(frame)
    by_problem: dict[tuple[str, ...], list[Measured]] = {}
    columns = ("mean", "trial_numbers", "values", "test_train_ratio")
    rows = zip(
        texts_of(frame, problem), texts_of(frame, method), *(frame[c] for c in columns), strict=True
    )
    for position, (key, used, mean, trials, values, ratio) in enumerate(rows):
        if values:
            by_trial = dict(zip(trials, values, strict=True))
            cell = Measured(position, used, float(mean), by_trial, known_ratio(ratio))
            by_problem.setdefault(key, []).append(cell)
    return by_problem


def problem_keys(frame: pd.DataFrame) -> list[str]:
    """Return the keys of a frame that define the problem."""
    return [key for key in keys_of(frame) if key.partition(".")[0] in PROBLEM]


def method_keys(frame: pd.DataFrame) -> list[str]:
    """Return the keys of a frame that define the method."""
    return [key for key in keys_of(frame) if key.partition(".")[0] not in PROBLEM]


def in_pairs(a: Measured, b: Measured) -> tuple[list[float], list[float]]:
    """Return the values of two cells over the trials that both have."""
    both = [trial for trial in a.values if trial in b.values]
    return [a.values[trial] for trial in both], [b.values[trial] for trial in both]


def _separable(a: Measured, b: Measured, level: float) -> bool:
    pairs = in_pairs(a, b)
    if not pairs[0]:
        return False  # they have no trial in common
    interval = mean_interval(differences(*pairs), level, a.test_train_ratio)
    return not interval.low <= 0 <= interval.high
