"""Rank methods over data sets for each measure, from the records of a suite of problems.

Methods that know T and methods that estimate it are ranked apart, each beside those that ignore it.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ncbench.errors import UnknownName, counted
from ncbench.results.frame import FrameBuilder
from ncbench.results.keys import Newest, comparable, takes
from ncbench.results.read import report_older
from ncbench.results.significance import Ranks, friedman
from ncbench.run import ESTIMATED, IGNORED, KNOWN, Record

# What records say of problems and methods, and which own records can stand beside published ones.


class Problem(NamedTuple):
    """What a method has to solve."""

    dataset: str
    noise: str
    sigma: float
    seed: int
    key: str
    """All keys of the configuration that define it."""


@dataclass(frozen=True)
class Solution:
    """A method's losses on a problem.

    Attributes
    ----------
    problem : Problem
    settings : mapping
        The keys of the configuration that define the method.
    use_of_T : str
        ``KNOWN``, ``ESTIMATED`` or ``IGNORED``.
    measure : str or None
        The measure that was optimized; None if the algorithm is not told the measure.
    losses : mapping
        The mean loss over the trials, by measure.
    seconds : mapping
        The mean time of each stage.
    agrees : mapping
        What all solutions of a problem have in common: the data, T, and the test parts.
    added : bool
        Whether it was put beside published ones.
    """

    problem: Problem
    settings: Mapping[str, Any]
    use_of_T: str  # noqa: N815
    measure: str | None
    losses: Mapping[str, float]
    seconds: Mapping[str, float]
    agrees: Mapping[str, str]
    added: bool = False


def solution(record: Record) -> Solution:
    """Return what a record that is done says of its method."""
    keys, trials, data = record.keys, record.trials, record.dataset
    problem = Problem(
        record.dataset_name,
        str(keys.get("noise", "")),
        float(keys["sigma"]),
        int(keys.get("seed", 0)),
        comparable(record.problem),
    )
    parts = [
        [trial.test_size, np.array(trial.confusion).sum(axis=1).round(9).tolist()]
        for trial in trials
    ]
    return Solution(
        problem,
        record.method,
        record.uses_T,
        record.measure if takes("algo", keys["algo"], "measure", unknown=True) else None,
        _means([trial.losses for trial in trials]),
        _means([trial.seconds for trial in trials]),
        {
            # Not the fingerprint: it covers the paper's noise, which not every copy has.
            "data": comparable([data.examples, data.features, data.classes]),
            "noise matrix": comparable(record.noise_matrix),
            "test examples": comparable(parts),
        },
    )


def solutions_of(records: Iterable[Record], builder: FrameBuilder) -> list[Solution]:
    """Return what records say of their methods, those that match the filter of a builder.

    Records that are older than another one of their configuration, or not done, are left out and
    reported on standard error.

    Parameters
    ----------
    records : iterable
    builder : FrameBuilder
        Has the filter. ``builder.check()`` tells whether a record matches it.
    """
    newest: Newest[Solution | str] = Newest()
    for record in records:
        if builder.fits(record):
            newest.add(record, partial(_done, record))
    report_older(newest.left_out)
    for status, count in Counter(each for each in newest if isinstance(each, str)).items():
        print(f"left out: {counted(count, 'cell')} ({status})", file=sys.stderr)
    return [each for each in newest if not isinstance(each, str)]


def _done(record: Record) -> Solution | str:
    """Return the solution of a record that is done, the status of another one."""
    return solution(record) if record.status == "done" else record.status


def _means(mappings: Sequence[Mapping[str, float]]) -> dict[str, float]:
    if len(mappings) == 1:
        return dict(mappings[0])
    values: dict[str, list[float]] = defaultdict(list)
    for mapping in mappings:
        for key, value in mapping.items():
            values[key].append(value)
    return {key: float(np.mean(found)) for key, found in values.items()}


def addable(
    published: Sequence[Solution], own: Iterable[Solution]
) -> tuple[list[Solution], Counter[str]]:
    """Return the solutions that can stand beside published ones, and why the others cannot.

    The problem must be published, with the same data, noise matrix and test parts.
    """
    known = {each.problem.key: each.agrees for each in published}
    there = {(each.problem.key, comparable(each.settings), each.measure) for each in published}
    fit, reasons = [], Counter[str]()
    for each in own:
        problem = each.problem
        where = f"dataset={problem.dataset} noise={problem.noise} sigma={problem.sigma:g}"
        where += f" seed={problem.seed}"
        if problem.key not in known:
            reasons[f"{where}: no published cell has these settings"] += 1
            continue
        agreed = known[problem.key]
        different = [what for what, text in each.agrees.items() if agreed[what] != text]
        if different:
            reasons[f"{where}: other {' and '.join(different)}"] += 1
        elif (problem.key, comparable(each.settings), each.measure) in there:
            reasons["already published"] += 1
        else:
            fit.append(replace(each, added=True))
    return fit, reasons


class Standing(NamedTuple):
    """One method on a board."""

    label: str
    """The method, with its T estimator if it has several."""
    method: str
    noise_matrix: str
    rank: float
    loss: float
    by_noise: dict[str, float]
    """Its average rank over the data sets with each kind of noise."""
    seconds: float
    added: bool


@dataclass(frozen=True)
class Board:
    """The methods for one measure, ranked over data sets.

    Attributes
    ----------
    measure : str
    noise : str
        A kind of noise, or ``""`` for all of them.
    use_of_T : str
        ``KNOWN`` or ``ESTIMATED``; methods that ignore T are on both boards. ``IGNORED`` if there
        are no others.
    ranks : Ranks
    standings : list of Standing
        In the order of their ranks.
    problems : int
        The number of problems that all methods have solved.
    left_out : int
        The number of problems that some method has not solved.
    seeds : int
        The smallest number of draws of a noise: its problems that differ in the seed.
    """

    measure: str
    noise: str
    use_of_T: str  # noqa: N815
    ranks: Ranks
    standings: list[Standing]
    problems: int
    left_out: int
    seeds: int

    @property
    def title(self) -> str:
        """The measure, the use of T, and the noise if there is one."""
        noise = f", {self.noise} noise" if self.noise else ""
        return f"{self.measure}, T {self.use_of_T}{noise}"


def boards(
    solutions: Sequence[Solution],
    measures: Sequence[str] = (),
    *,
    by_noise: bool = False,
    level: float = 0.95,
) -> list[Board]:
    """Rank the methods for each measure, with T known and with T estimated.

    The critical differences allow for all boards that are returned (Bonferroni), so that the chance
    of any false difference is at most ``1 - level``.

    Parameters
    ----------
    solutions : sequence of Solution
    measures : sequence of str
        By default every measure that a method was optimized for.
    by_noise : bool
        Rank for each kind of noise apart.
    level : float
        The confidence level of all boards together.
    """
    optimized = {each.measure for each in solutions if each.measure}
    everywhere = set.intersection(*(set(each.losses) for each in solutions)) if solutions else set()
    for name in measures:
        if name not in everywhere:
            raise UnknownName.among("--measure", name, sorted(optimized or everywhere))
    if not solutions:
        return []
    frame = pd.DataFrame([each.problem for each in solutions], columns=_PROBLEM)
    frame[_METHOD] = _names(solutions)
    frame["seconds"] = _costs(solutions)
    for key in ("use_of_T", "measure", "losses", "added"):
        frame[key] = [getattr(each, key) for each in solutions]
    kinds = sorted(set(frame["noise"])) if by_noise else [""]
    uses = [use for use in (ESTIMATED, KNOWN) if use in set(frame["use_of_T"])] or [IGNORED]
    tables = {}
    for measure, use, noise in product(measures or sorted(optimized or everywhere), uses, kinds):
        chosen = frame[frame["use_of_T"].isin([use, IGNORED])]
        chosen = chosen[chosen["measure"].isna() | (chosen["measure"] == measure)]
        chosen = chosen[chosen["noise"] == noise] if noise else chosen
        if len(chosen[_METHOD].drop_duplicates()) > 1:
            tables[measure, noise, use] = chosen
    each_level = 1 - (1 - level) / max(1, len(tables))
    found = (_board(*which, chosen, each_level) for which, chosen in tables.items())
    return [board for board in found if board is not None]


_PROBLEM = list(Problem._fields)
_METHOD = ["method", "T"]
"""The columns of a method, and of its T estimator."""


def _board(measure: str, noise: str, use: str, chosen: pd.DataFrame, level: float) -> Board | None:
    chosen = chosen.assign(loss=[losses[measure] for losses in chosen["losses"]])
    last = chosen.drop_duplicates([*_PROBLEM, *_METHOD], keep="last")
    losses = last.pivot(index=_PROBLEM, columns=_METHOD, values="loss").sort_index(axis=1)
    solved = losses.dropna()
    if solved.empty:
        return None
    methods: list[Any] = list(solved.columns)
    alone = Counter(method for method, _ in methods)
    labels = [method if alone[method] == 1 else f"{method} {T}" for method, T in methods]
    # Losses are averaged over the problems of a data set.
    ranks = friedman(solved.groupby("dataset").mean(), labels, level)
    by_kind = {
        kind: friedman(problems.groupby("dataset").mean(), labels).average_ranks
        for kind, problems in solved.groupby("noise")
    }
    means = solved.groupby("dataset").mean().mean()
    added = chosen.groupby(_METHOD)["added"].any()
    of_solved = chosen[pd.MultiIndex.from_frame(chosen[_PROBLEM]).isin(solved.index)]
    seconds = of_solved.groupby(_METHOD)["seconds"].median()
    by_label = dict(zip(labels, methods, strict=True))
    standings = [
        Standing(
            *(label, method, T, rank, float(means[method, T])),
            {str(kind): rank_of[label] for kind, rank_of in by_kind.items()},
            *(float(seconds[method, T]), bool(added[method, T])),
        )
        for label, rank in ranks.average_ranks.items()
        for method, T in [by_label[label]]
    ]
    seeds = int(solved.groupby(["dataset", "noise", "sigma"]).size().min())
    left_out = len(losses) - len(solved)
    return Board(measure, noise, use, ranks, standings, len(solved), left_out, seeds)


def _names(solutions: Sequence[Solution]) -> list[tuple[str, str]]:
    """Return the names of methods: the algorithm, and those of its settings that differ."""
    each_method = [comparable(each.settings) for each in solutions]  # many solutions have the same
    methods = dict(zip(each_method, solutions, strict=True))
    values: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for each in methods.values():
        for key, value in each.settings.items():
            values[_which(each, key)].add(comparable(value))
    names = {}
    for method, each in methods.items():
        several = [
            f"{key}={value}"
            for key, value in each.settings.items()
            if key.partition(".")[0] != "t_estimator" and len(values[_which(each, key)]) > 1
        ]
        names[method] = " ".join([each.settings["algo"], *several])
    return [
        (names[method], _told(each)) for method, each in zip(each_method, solutions, strict=True)
    ]


def _which(each: Solution, key: str) -> tuple[str, str, str]:
    """Return a setting with its algorithm and, for a parameter, the plug-in that has it."""
    kind, _, parameter = key.partition(".")
    return each.settings["algo"], each.settings[kind] if parameter else "", key


def _told(each: Solution) -> str:
    return IGNORED if each.use_of_T == IGNORED else str(each.settings.get("t_estimator", KNOWN))


def _costs(solutions: Sequence[Solution]) -> pd.Series:
    """Return the seconds of each solution, as if no other cell had shared its work.

    Cells of a sweep share estimates of T and class probabilities. The first one takes the time, the
    others read a file. So the time of a shared stage is the longest of those that share it.
    """
    stages = pd.DataFrame([each.seconds for each in solutions])
    stages = stages.reindex(columns=["t_estimate", "cpe", "fit"]).fillna(0.0)
    costs = stages["fit"] - stages["cpe"]
    for stage in ("t_estimate", "cpe"):
        shared = pd.Series([_shared(stage, each) for each in solutions], dtype=object)
        costs += stages[stage].groupby(shared).transform("max")
    return costs


def _shared(stage: str, each: Solution) -> str:
    """Return what solutions that share the work of a stage have in common."""
    kind = "t_estimator" if stage == "t_estimate" else "cpe"
    of_kind = {k: v for k, v in each.settings.items() if k.partition(".")[0] == kind}
    split = each.settings.get("algo.sample_split", "none") if stage == "cpe" else ""
    learned = stage in each.seconds
    return comparable([each.problem.key, of_kind, split, learned])
