"""Group cells into the series and panels of figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ncbench.errors import NcbenchError, NotApplicable
from ncbench.results.best import method_keys, problem_keys
from ncbench.results.config_key import as_text
from ncbench.results.frame import LEADING, tidy
from ncbench.results.regret import SIZES, least_loss
from ncbench.types import Record

ADDED = ("problem", "setting", "series", "style", "train_size", "bayes", "link")
"""Columns that ``results`` adds to a tidy frame."""


def results(records: Sequence[Record], links: Sequence[str] | None = None) -> pd.DataFrame:
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

    Examples
    --------
    >>> config = {"measure": {"name": "h_mean"}, "dataset": {"name": "iris"}, "sigma": 0.1}
    >>> records = [
    ...     {"id": k, "status": "skipped", "config": {**config, "algo": {"name": "fw", "tol": k}}}
    ...     for k in (10, 20)
    ... ]
    >>> results(records)[["problem", "series", "record"]].values.tolist()
    [['iris', 'fw algo.tol=10', 0], ['iris', 'fw algo.tol=20', 1]]
    """
    frame = tidy(records)
    problem = [key for key in problem_keys(frame) if key not in LEADING]
    method = [key for key in method_keys(frame) if key not in LEADING]
    frame["problem"] = _named(frame, "dataset", problem, ", ")
    frame["setting"] = _named(frame, "dataset", [k for k in problem if k not in SIZES], ", ")
    frame["series"] = _named(frame, "algo", method, " ")
    order = {name: number for number, name in enumerate(frame["series"].unique())}
    frame["style"] = frame["series"].map(order)
    frame["train_size"] = [_mean(records[k], "train_size") for k in frame["record"]]
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
            measure, dataset = (record["config"][key]["name"] for key in ("measure", "dataset"))
            remarks[f"no Bayes level of {measure} on {dataset}: {error}"] = None
    return list(remarks)


_GONE = (NcbenchError, OSError, TypeError)
"""Errors raised if a record's plug-in, its parameter or its file no longer exists."""


def _least_loss(record: Record) -> float:
    # Records from before the key ``distribution_known`` have the terms of the theory instead.
    known = record.get("dataset", {}).get("distribution_known")
    if not known and not any(trial.get("theory") for trial in record.get("trials", [])):
        return math.nan
    try:
        return least_loss(record["config"])[1]
    except NotApplicable:  # the measure cannot be optimized
        return math.nan


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the tidy frame without the columns that ``results`` adds."""
    return frame.drop(columns=list(ADDED))


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


def _mean(record: Record, *path: str) -> float:
    """Return the mean over trials of a number in the record, or NaN if they do not have it."""
    values: list[Any] = list(record.get("trials", []))
    for key in path:
        values = [value.get(key) for value in values if value is not None]
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else float("nan")
