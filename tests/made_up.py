"""Records made up for tests, and the tables that come of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
from made_up_files import typed

from ncbench.report.export import Results
from ncbench.results import frame, series
from ncbench.results.frame import LEADING, FrameBuilder, keys_of
from ncbench.results.value import Value


def record(losses: list[float] | None, status: str = "done", **config: Any) -> dict[str, Any]:
    base: dict[str, Any] = {"measure": {"name": "h_mean"}, "dataset": {"name": "iris"}}
    base |= {"algo": {"name": "ncfw", "max_iter": 9}, "sigma": 0.1, "seed": 0, "output_dir": "x"}
    trials = [{"losses": {"h_mean": loss, "q_mean": 0.0}} for loss in losses or []]
    reason = {} if status == "done" else {"reason": "because"}
    return {"status": status, "config": base | config, "trials": trials, **reason}


def tidy(records: Iterable[dict[str, Any]], *more: Any, **options: Any) -> pd.DataFrame:
    return frame.tidy(map(typed, records), *more, **options)


def figure_frame(records: Sequence[dict[str, Any]]) -> pd.DataFrame:
    return series.figure_frame([*map(typed, records)])


def results(records: list[dict[str, Any]], value: str = "loss", **layout: Any) -> Results:
    cells = FrameBuilder(Value(value))
    for each in records:
        cells.add(typed(each))
    return Results.of(cells, **layout)


def table(records: list[dict[str, Any]]) -> str:
    return results(records).grid().text()


def other_keys(frame: pd.DataFrame) -> list[str]:
    return [key for key in keys_of(frame) if key not in LEADING]
