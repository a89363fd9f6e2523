"""Group cells into the series and panels of figures."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd

from ncbench.core import Measure, stream
from ncbench.data import Dataset
from ncbench.errors import NcbenchError, NotApplicable, counted, require
from ncbench.plugin import get_registry
from ncbench.results.best import method_keys, problem_keys
from ncbench.results.frame import LEADING, in_order, tidy
from ncbench.results.keys import Newest, as_text, varies
from ncbench.results.statistics import overlap
from ncbench.run import Record, Trial

# Optimal losses, regret, the terms of its bounds, and slopes, from records.

CURVE = ["measure", "dataset", "algo", "t_estimator", "cpe"]
"""Keys that always identify a curve of regret against m; other keys are added if they differ."""

SIZES = ("dataset.train", "test_size")
"""Keys that determine m, the size of the training part."""

_FEWEST = 1000  # with fewer points, comparing with a quarter of them does not measure the error

TERMS = ["cpe_error", "op1", "op1_bound", "op2_error", "op2", "op2_bound"]

_NUMBERS = ["m", "inverse_norm", "trials", "regret", "sem", *TERMS]


def optima(name: str, size: int) -> pd.DataFrame:
    """Return the Bayes-optimal value of each measure on a data set, with its error.

    The error is the duality gap, plus the change from a quarter of the points to all of them.

    Examples
    --------
    >>> print(optima("synthetic", 20_000).round(4).to_string(index=False))  # doctest: +ELLIPSIS
           measure  bayes  error
    balanced_error 0.5182    ...
    """
    from ncbench.theory import Population, bayes_optimal  # scikit-learn, which takes a second

    require(size >= _FEWEST, "size", size, f"at least {_FEWEST} points of the population")
    dataset = _load(name)
    fine, coarse = (Population.of(dataset, k) for k in (size, size // 4))
    if fine is None or coarse is None:
        raise NcbenchError(
            f"dataset={name}: its distribution is not known, so its lowest possible loss cannot be "
            "computed; use a data set with a known distribution, such as dataset=synthetic"
        )
    rows = []
    for measure, psi in get_registry().each_built("measure"):
        try:
            optimum = bayes_optimal(psi, fine.posterior)
        except NcbenchError:
            continue  # it cannot be optimized
        change = abs(optimum.value - bayes_optimal(psi, coarse.posterior).value)
        rows.append({"measure": measure, "bayes": optimum.value, "error": optimum.gap + change})
    return pd.DataFrame(rows)


def terms(records: Iterable[Record]) -> pd.DataFrame:
    """Return one row for each cell whose regret was measured, with means over its trials.

    The columns are the keys of a curve (``CURVE``, and every other key that differs, except for
    the sample size), sigma, m (size of the training part), inverse_norm, trials, regret, its
    standard error sem (ddof 1, corrected for the overlap of the training parts), and the terms of
    the bounds. Of several records with the same
    configuration, the newest is used. A record whose plug-in or file no longer exists is skipped,
    with a message on standard error.
    """
    newest: Newest[dict[str, Any] | None] = Newest()
    for record in records:
        try:
            newest.add(record, partial(_row, record))
        except Exception as error:  # another version of a plug-in may raise anything
            kind = "" if isinstance(error, NcbenchError) else f"{type(error).__name__}: "
            print(f"skipped: record {record.id}: {kind}{error}", file=sys.stderr)
    if newest.left_out:
        older = counted(newest.left_out, "older record")
        print(f"left out: {older} of the same configurations", file=sys.stderr)
    rows = [row for row in newest if row is not None]
    if not rows:
        raise NcbenchError(
            "no regret in these records: runs measure it with theory=true on a data set with a "
            "known distribution, such as dataset=synthetic; for example python -m ncbench -m "
            "+experiment=paper/figure1_micro_f1"
        )
    frame = pd.DataFrame(rows)
    about = [*CURVE, "sigma", *_NUMBERS]
    keys_met = [key for key in frame.columns if key not in (*about, *SIZES) or key == "trials"]
    alike = [rows for _, rows in frame.groupby(CURVE)]
    others = [key for key in keys_met if any(varies(rows, key) for rows in alike)]
    frame = in_order(frame, [*CURVE, *others, "sigma", "m"])
    for key in others:
        if key != "trials":
            frame[key] = frame[key].map(as_text)  # lists, and values that some plug-ins lack
    return frame[list(dict.fromkeys([*CURVE, *others, "sigma", *_NUMBERS]))]


def _row(record: Record) -> dict[str, Any] | None:
    """Return the keys and numbers of a record, or None if it has no regret."""
    trials = [trial for trial in record.trials if trial.theory]
    if not trials:
        return None
    try:
        psi, optimum = least_loss(record.config)
    except NotApplicable:
        return None  # the measure cannot be optimized
    measured, none = pd.DataFrame([trial.theory for trial in trials]), pd.Series(dtype=float)
    regret = pd.Series([psi(np.array(C)) - optimum for C in measured["confusion"]])
    return {
        **record.keys,
        "m": trials[0].train_size,
        "inverse_norm": measured["inverse_norm"].iloc[0],
        "trials": len(trials),
        "regret": regret.mean(),
        "sem": _error(regret, trials[0]),
        **{term: float(measured.get(term, none).mean()) for term in TERMS},
    }


def _error(values: pd.Series, trial: Trial) -> float:
    """Return the standard error of a mean of numbers that depend on the training part alone."""
    ratio = trial.test_size / trial.train_size if trial.test_size else None
    shared = overlap(ratio, on_test=False)
    return float(values.std(ddof=1) * math.sqrt(1 / len(values) + shared))


def curve_keys(frame: pd.DataFrame) -> list[str]:
    """Return the keys that identify a curve: the columns of ``terms`` before sigma."""
    return list(frame.columns[: list(frame.columns).index("sigma")])


def least_loss(config: Mapping[str, Any]) -> tuple[Measure, float]:
    """Return the measure of a run, and its lowest possible value on the population of the run.

    Raises NotApplicable for a measure that cannot be optimized.

    Parameters
    ----------
    config : mapping
        The configuration of a record whose data set has a known distribution.
    """
    return _optimum(json.dumps([config["dataset"], config["measure"]]))


@lru_cache
def _optimum(described: str) -> tuple[Measure, float]:
    from ncbench.theory import Population, bayes_optimal

    data, measure = json.loads(described)
    dataset = _load(**data)
    psi: Measure = get_registry().build("measure", **measure).for_classes(dataset.classes)
    population = Population.of(dataset)
    assert population is not None
    return psi, bayes_optimal(psi, population.posterior).value


def _load(name: str, **parameters: Any) -> Dataset:
    rng = stream(0, "dataset", name)
    dataset: Dataset = get_registry().build("dataset", name, **parameters, data_dir="data", rng=rng)
    return dataset


def slopes(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the least-squares slope of log regret against log m, for each curve and sigma.

    Examples
    --------
    >>> m = np.array([100, 1000, 10_000])
    >>> curve = {key: "same" for key in CURVE}
    >>> frame = pd.DataFrame({**curve, "sigma": 0.1, "m": m, "regret": 2 / np.sqrt(m)})
    >>> float(slopes(frame)["slope"].iloc[0].round(9))
    -0.5
    """
    rows = []
    keys = [*curve_keys(frame), "sigma"]
    for key, curve in frame.groupby(keys):
        fit = curve[curve["regret"] > 0]
        if fit["m"].nunique() > 1:
            slope, intercept = np.polyfit(np.log(fit["m"]), np.log(fit["regret"]), 1)
            names = dict(zip(keys, key, strict=True))
            rows.append({**names, "slope": slope, "at_1": np.exp(intercept)})
    return pd.DataFrame(rows, columns=[*keys, "slope", "at_1"])


def figure_frame(records: Sequence[Record], links: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the tidy frame of records, with the columns that figures need.

    Parameters
    ----------
    records : sequence
    links : sequence of str, optional
        The URL of each record, to which its points in an SVG link.

    Returns
    -------
    DataFrame
        Columns of ``tidy``, and

        ========== =====================================================================
        problem    data set and other keys that must be equal for losses to be comparable
        setting    the same without the size of the training part
        series     algorithm and other swept keys: "ncfw", "ncfw cpe=boosting"
        style      number of the series, the same in every figure
        train_size examples in the training part, missing unless the cell is done
        bayes      lowest loss any classifier can reach, missing where it is not known
        link       as given, or None
        ========== =====================================================================
    """
    frame = tidy(records)
    problem = [key for key in problem_keys(frame) if key not in LEADING]
    method = [key for key in method_keys(frame) if key not in LEADING]
    frame["problem"] = _named(frame, "dataset", problem, ", ")
    frame["setting"] = _named(frame, "dataset", [k for k in problem if k not in SIZES], ", ")
    frame["series"] = _named(frame, "algo", method, " ")
    order = {name: number for number, name in enumerate(frame["series"].unique())}
    frame["style"] = frame["series"].map(order)
    frame["train_size"] = [_train_size(records[k]) for k in frame["record"]]
    frame["bayes"] = [bayes_level(records[k]) for k in frame["record"]]
    frame["link"] = [links[k] if links else None for k in frame["record"]]
    return frame


def bayes_level(record: Record) -> float:
    """Return the lowest loss any classifier can reach, or NaN if it is not known.

    It is known if the distribution of the data set is known.
    """
    try:
        return _least_loss(record)
    except _GONE:  # ``bayes_remarks`` reports this
        return math.nan


def bayes_remarks(records: Iterable[Record]) -> list[str]:
    """Return a sentence for each reason why a Bayes level cannot be computed here."""
    remarks: dict[str, None] = {}
    for record in records:
        try:
            _least_loss(record)
        except _GONE as error:
            what = f"{record.measure} on {record.keys['dataset']}"
            remarks[f"no Bayes level of {what}: {error}"] = None
    return list(remarks)


_GONE = (NcbenchError, OSError, TypeError)
"""Errors raised if a record's plug-in, its parameter or its file no longer exists."""


def _least_loss(record: Record) -> float:
    # Records from before the key ``distribution_known`` have the terms of the theory instead.
    known = record.dataset.distribution_known
    if not known and not any(trial.theory for trial in record.trials):
        return math.nan
    try:
        return least_loss(record.config)[1]
    except NotApplicable:  # the measure cannot be optimized
        return math.nan


def at_sigma(frame: pd.DataFrame, sigma: float | None = None) -> pd.DataFrame:
    """Keep one sigma: the given one, or the largest done one of each measure and problem."""
    if sigma is not None:
        rows = frame[np.isclose(frame["sigma"], sigma)]
        if not len(rows):
            known = ", ".join(f"{each:g}" for each in sorted(frame["sigma"].unique()))
            raise NcbenchError(f"--sigma {sigma:g}: no record has it; they have {known or 'none'}")
        return rows
    done = frame[frame["status"] == "done"]
    largest = done.groupby(["measure", "problem"])["sigma"].transform("max")
    return done[done["sigma"] == largest]


def panels(frame: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Return the measure, the problem and the rows of each panel."""
    groups: Any = frame.groupby(["measure", "problem"], sort=False)
    return [(str(measure), str(name), rows) for (measure, name), rows in groups]


def each_series(frame: pd.DataFrame) -> list[tuple[str, int, pd.DataFrame]]:
    """Return the name, the style and the rows of each series."""
    groups: Any = frame.groupby(["series", "style"], sort=False)
    return [(str(name), int(style), rows) for (name, style), rows in groups]


def _named(frame: pd.DataFrame, first: str, keys: Sequence[str], separator: str) -> list[str]:
    names = []
    for row in frame[[first, *keys]].to_dict("records"):
        texts = {key: as_text(row[key]) for key in keys}
        settings = [f"{key}={text}" for key, text in texts.items() if text]
        names.append(separator.join([str(row[first]), *settings]))
    return names


def _train_size(record: Record) -> float:
    """Return the mean size of the training parts, or NaN if the record does not have it."""
    known = [trial.train_size for trial in record.trials if trial.train_size]
    return float(np.mean(known)) if known else math.nan
