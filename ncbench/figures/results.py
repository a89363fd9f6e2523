"""What figures are drawn from: one row for each cell, with the names it is drawn under."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ncbench.aggregate import other_keys, tidy
from ncbench.errors import NcbenchError

Record = Mapping[str, Any]

_PROBLEM = ("noise", "seed", "trials", "test_size", "dataset")
"""Beside measure and data set: what is different here is not compared in one panel."""

SIZES = ("dataset.train", "test_size")
"""Keys that say how large the training part is."""


class NothingToDraw(NcbenchError):
    """Records that a figure has no use for; the message says why."""


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
        series     algorithm and whatever else is swept: "ncfw", "ncfw max_iter=500"
        style      number of the series, the same in every figure
        train_size examples in the training part, missing unless the cell is done
        record     place in ``records``
        link       as given, or None
        ========== =====================================================================

    Examples
    --------
    >>> config = {"measure": {"name": "h_mean"}, "dataset": {"name": "iris"}, "sigma": 0.1}
    >>> records = [
    ...     {"status": "skipped", "config": {**config, "algo": {"name": "fw", "max_iter": k}}}
    ...     for k in (10, 20)
    ... ]
    >>> results(records)[["problem", "series", "record"]].values.tolist()
    [['iris', 'fw max_iter=10', 0], ['iris', 'fw max_iter=20', 1]]
    """
    numbered = [
        {**record, "config": {**record["config"], "record": place}}
        for place, record in enumerate(records)
    ]
    frame = tidy(numbered)
    if "record" not in frame:
        frame["record"] = 0
    others = [key for key in other_keys(frame) if key != "record"]
    problem = [key for key in others if key.partition(".")[0] in _PROBLEM]
    method = [key for key in others if key not in problem]
    frame["problem"] = _named(frame, "dataset", problem, ", ")
    frame["setting"] = _named(frame, "dataset", [k for k in problem if k not in SIZES], ", ")
    frame["series"] = _named(frame, "algo", method, " ")
    order = {name: number for number, name in enumerate(frame["series"].unique())}
    frame["style"] = frame["series"].map(order)
    sizes = [_train_size(record) for record in records]
    frame["train_size"] = [sizes[place] for place in frame["record"]]
    frame["link"] = [links[place] if links else None for place in frame["record"]]
    return frame


def at_sigma(frame: pd.DataFrame, sigma: float | None = None) -> pd.DataFrame:
    """Keep one sigma: the given one, or of each measure and problem the largest that is done."""
    if sigma is not None:
        return frame[np.isclose(frame["sigma"], sigma)]
    done = frame[frame["status"] == "done"]
    largest = done.groupby(["measure", "problem"])["sigma"].transform("max")
    return done[done["sigma"] == largest]


def panels(frame: pd.DataFrame, column: str = "problem") -> list[tuple[str, str, pd.DataFrame]]:
    """Return measure, problem and rows of each panel."""
    groups: Any = frame.groupby(["measure", column], sort=False)
    return [(str(measure), str(name), rows) for (measure, name), rows in groups]


def series(frame: pd.DataFrame) -> list[tuple[str, int, pd.DataFrame]]:
    """Return name, style and rows of each series."""
    groups: Any = frame.groupby(["series", "style"], sort=False)
    return [(str(name), int(style), rows) for (name, style), rows in groups]


def _named(frame: pd.DataFrame, first: str, keys: Sequence[str], separator: str) -> list[str]:
    names = []
    for row in frame[[first, *keys]].to_dict("records"):
        parts = [str(row[first])]
        for key in keys:
            value = row[key]
            if not (isinstance(value, float) and np.isnan(value)):
                parts.append(f"{key.removeprefix(f'{first}.')}={value}")
        names.append(separator.join(parts))
    return names


def _train_size(record: Record) -> float:
    if record["status"] != "done":
        return float("nan")
    return float(np.mean([trial["train_size"] for trial in record["trials"]]))
