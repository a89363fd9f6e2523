"""From records to a table: mean and standard error of the optimised measure, cell by cell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from ncbench.records import NOT_IDENTITY

LEADING = ["measure", "dataset", "algo", "sigma"]
_VALUES = ["n", "mean", "sem", "status", "reason"]


def tidy(records: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return one row a record.

    Columns are measure, dataset, algo, sigma, then every other configuration key that is not
    the same in all records, then n (trials), mean, sem (standard error, ddof 1), status and
    reason. Where a cell is skipped or failed its mean is missing: nothing is made up.

    Examples
    --------
    >>> config = {"measure": {"name": "h_mean"}, "dataset": {"name": "iris"}, "sigma": 0.1}
    >>> trials = [{"losses": {"h_mean": 0.2}}, {"losses": {"h_mean": 0.4}}]
    >>> records = [
    ...     {"status": "done", "config": {**config, "algo": {"name": "ncfw"}}, "trials": trials},
    ...     {"status": "skipped", "reason": "why", "config": {**config, "algo": {"name": "ncbs"}}},
    ... ]
    >>> print(tidy(records).drop(columns="reason").to_string(index=False))
    measure dataset algo  sigma  n  mean  sem  status
     h_mean    iris ncbs    0.1  0   NaN  NaN skipped
     h_mean    iris ncfw    0.1  2   0.3  0.1    done
    """
    rows = [_row(record) for record in records]
    if not rows:
        return pd.DataFrame(columns=[*LEADING, *_VALUES])
    frame = pd.DataFrame(rows)
    keys = [column for column in frame.columns if column not in _VALUES]
    swept = [key for key in keys if key not in LEADING and _varies(frame, key)]
    frame = frame[[*LEADING, *swept, *_VALUES]]
    return frame.sort_values([*LEADING, *swept], key=_sortable, ignore_index=True)


def newest(records: Iterable[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], int]:
    """Keep the newest record of each configuration, and count those left out.

    Records of one configuration differ in their data or in the versions of their plug-ins; side
    by side in a table they would look alike.
    """
    found: dict[str, Mapping[str, Any]] = {}
    total = 0
    for record in records:
        total += 1
        key = _comparable(_flat(record["config"]))
        if key not in found or record["provenance"]["time"] >= found[key]["provenance"]["time"]:
            found[key] = record
    return list(found.values()), total - len(found)


def other_keys(frame: pd.DataFrame) -> list[str]:
    """Return the swept keys beside measure, dataset, algo and sigma."""
    return [column for column in frame.columns if column not in (*LEADING, *_VALUES)]


def _row(record: Mapping[str, Any]) -> dict[str, Any]:
    row = _flat(record["config"])
    measure = row["measure"]
    losses = pd.Series([t["losses"][measure] for t in record.get("trials", [])], dtype=float)
    return {
        **row,
        "n": len(losses),
        "mean": losses.mean() if record["status"] == "done" else float("nan"),
        "sem": losses.sem(ddof=1) if record["status"] == "done" else float("nan"),
        "status": record["status"],
        "reason": record.get("reason", ""),
    }


def _flat(config: Mapping[str, Any]) -> dict[str, Any]:
    """``{"algo": {"name": "fw", "max_iter": 9}}`` as ``{"algo": "fw", "algo.max_iter": 9}``."""
    flat: dict[str, Any] = {}
    for key, value in config.items():
        if key in NOT_IDENTITY:
            continue
        if isinstance(value, Mapping):
            flat[key] = value["name"]
            flat.update({f"{key}.{k}": v for k, v in value.items() if k != "name"})
        else:
            flat[key] = value
    return flat


def _varies(frame: pd.DataFrame, key: str) -> bool:
    """Whether a key has several values; of a plug-in's parameter: within one plug-in."""
    values = frame[key].map(_comparable)
    group, _, parameter = key.partition(".")
    if parameter:
        return bool((values.groupby(frame[group]).nunique() > 1).any())
    return bool(values.nunique() > 1)


def _comparable(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _sortable(column: pd.Series) -> pd.Series:
    return column if pd.api.types.is_numeric_dtype(column) else column.map(_comparable)
