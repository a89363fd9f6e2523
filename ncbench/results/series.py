"""Name the series and panels of figures: one row for each cell, with its names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ncbench.errors import NcbenchError, NotApplicable
from ncbench.results.best import method_keys, problem_keys
from ncbench.results.frame import LEADING, as_text, tidy
from ncbench.results.regret import least_loss
from ncbench.types import Record

SIZES = ("dataset.train", "test_size")
"""Keys that say how large the training part is."""


ADDED = ("problem", "setting", "series", "style", "train_size", "bayes", "link")
"""What ``results`` adds to a tidy frame."""


def results(records: Sequence[Record], links: Sequence[str] | None = None) -> pd.DataFrame:
    """Return one row for each record, in the order of the table.

    Parameters
    ----------
    records : sequence
    links : sequence of str, optional
        Where each record is, as a URL: its points in an SVG link there.

    Returns
    -------
    DataFrame
        Columns of ``tidy``, and

        ========== =====================================================================
        problem    data set and whatever else must be equal for losses to be comparable
        setting    the same but for the size of the training part
        series     algorithm and whatever else is swept: "ncfw", "ncfw cpe=boosting"
        style      number of the series, the same in every figure
        train_size examples in the training part, missing unless the cell is done
        bayes      the lowest loss any classifier has, missing where it is not known
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
    """Return the lowest loss that any classifier has, missing where it is not known.

    It is known where the data set's distribution is.
    """
    try:
        return _least_loss(record)
    except _GONE:  # what ``bayes_remarks`` says
        return math.nan


def bayes_remarks(records: Iterable[Record]) -> list[str]:
    """Say of which records the Bayes level cannot be had here, each reason once."""
    remarks: dict[str, None] = {}
    for record in records:
        try:
            _least_loss(record)
        except _GONE as error:
            measure, dataset = (record["config"][key]["name"] for key in ("measure", "dataset"))
            remarks[f"no Bayes level of {measure} on {dataset}: {error}"] = None
    return list(remarks)


_GONE = (NcbenchError, OSError, TypeError)
"""What is raised where a record's plug-in, its parameter or its file is not there any more."""


def _least_loss(record: Record) -> float:
    # Records older than the key have the terms of the theory instead.
    known = record.get("dataset", {}).get("distribution_known")
    if not known and not any(trial.get("theory") for trial in record.get("trials", [])):
        return math.nan
    try:
        return least_loss(record["config"])[1]
    except NotApplicable:  # a measure that is only reported
        return math.nan


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the tidy frame that results were made from."""
    return frame.drop(columns=list(ADDED))


def at_sigma(frame: pd.DataFrame, sigma: float | None = None) -> pd.DataFrame:
    """Keep one sigma: the given one, or of each measure and problem the largest that is done."""
    if sigma is not None:
        found = frame[np.isclose(frame["sigma"], sigma)]
        if not len(found):
            known = ", ".join(f"{each:g}" for each in sorted(frame["sigma"].unique()))
            raise NcbenchError(f"--sigma {sigma:g}: no record has it; they have {known or 'none'}")
        return found
    done = frame[frame["status"] == "done"]
    largest = done.groupby(["measure", "problem"])["sigma"].transform("max")
    return done[done["sigma"] == largest]


def panels(frame: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Return measure, problem and rows of each panel."""
    groups: Any = frame.groupby(["measure", "problem"], sort=False)
    return [(str(measure), str(name), rows) for (measure, name), rows in groups]


def each_series(frame: pd.DataFrame) -> list[tuple[str, int, pd.DataFrame]]:
    """Return name, style and rows of each series."""
    groups: Any = frame.groupby(["series", "style"], sort=False)
    return [(str(name), int(style), rows) for (name, style), rows in groups]


def _named(frame: pd.DataFrame, first: str, keys: Sequence[str], separator: str) -> list[str]:
    names = []
    for row in frame[[first, *keys]].to_dict("records"):
        texts = {key: as_text(row[key]) for key in keys}
        said = [f"{key}={text}" for key, text in texts.items() if text]
        names.append(separator.join([str(row[first]), *said]))
    return names


def _mean(record: Record, *path: str) -> float:
    """Return the mean over trials of a number they keep; missing if they do not."""
    values: list[Any] = list(record.get("trials", []))
    for key in path:
        values = [value.get(key) for value in values if value is not None]
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else float("nan")
