"""What records say of problems and methods, and which own records can stand beside published ones.

A problem is a data set, its noise and its splits. A method is an algorithm with its parameters and
its learner, and what it is told about T.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ncbench.errors import NcbenchError, counted
from ncbench.plugin import get_registry
from ncbench.results.best import PROBLEM
from ncbench.results.config_key import Newest, comparable, flat
from ncbench.results.dataset_name import own_name
from ncbench.results.frame import FrameBuilder
from ncbench.results.read import complete, report_older
from ncbench.types import Record

KNOWN, ESTIMATED, IGNORED = "known", "estimated", "ignored"
"""What a method makes of T."""

_OF_PROBLEM = tuple(key for key in PROBLEM if key != "measure")


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
    keys, trials = flat(record["config"]), record["trials"]
    of_problem = {key: keys[key] for key in keys if key.partition(".")[0] in _OF_PROBLEM}
    problem = Problem(
        own_name(record, keys),
        str(keys.get("noise", "")),
        float(keys["sigma"]),
        int(keys.get("seed", 0)),
        comparable(of_problem),
    )
    parts = [
        [trial.get("test_size"), np.array(trial["confusion"]).sum(axis=1).round(9).tolist()]
        for trial in trials
    ]
    data = record["dataset"]
    return Solution(
        problem,
        {k: v for k, v in keys.items() if k not in of_problem and k.partition(".")[0] != "measure"},
        _use_of_T(keys, trials[0]),
        keys["measure"] if _takes_measure(keys["algo"]) else None,
        _means(trial["losses"] for trial in trials),
        _means(trial["seconds"] for trial in trials),
        {
            # Not the fingerprint: it covers the paper's noise, which not every copy has.
            "data": comparable([data["examples"], data.get("features"), data["classes"]]),
            "noise matrix": comparable(record["noise_matrix"]),
            "test examples": comparable(parts),
        },
    )


def solutions_of(records: Iterable[Record], builder: FrameBuilder) -> list[Solution]:
    """Return what records say of their methods, those that a builder keeps.

    Records that are incomplete, older than another one of their configuration, or not done are left
    out. All are reported on standard error.

    Parameters
    ----------
    records : iterable
    builder : FrameBuilder
        Has the filter. ``builder.check()`` tells whether a record matches it.
    """
    newest: Newest[Solution | str] = Newest()
    for record, matches in complete(records, builder):
        if matches:
            newest.add(record, flat(record["config"]), partial(_done, record))
    report_older(newest.left_out)
    for status, count in Counter(each for each in newest if isinstance(each, str)).items():
        print(f"left out: {counted(count, 'cell')} ({status})", file=sys.stderr)
    return [each for each in newest if not isinstance(each, str)]


def _done(record: Record) -> Solution | str:
    """Return the solution of a record that is done, the status of another one."""
    status: str = record["status"]
    return solution(record) if status == "done" else status


def _use_of_T(keys: Mapping[str, Any], trial: Mapping[str, Any]) -> str:  # noqa: N802
    if keys.get("t_estimator") == "identity":
        return IGNORED
    return KNOWN if trial.get("told", {}).get("t_estimator") else ESTIMATED


def _takes_measure(algorithm: str) -> bool:
    """Whether an algorithm is told the measure; yes if it is not installed here."""
    try:
        return get_registry().takes("algo", algorithm, "measure")
    except NcbenchError:
        return True


def _means(mappings: Iterable[Mapping[str, float]]) -> dict[str, float]:
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
