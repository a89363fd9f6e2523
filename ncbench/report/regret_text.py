"""The tables of ``ncbench theory`` and ``ncbench bayes``."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ncbench.report.grid import Entry, Grid, Section
from ncbench.results.regret import curve_keys, slopes


def optima_section(optima: pd.DataFrame) -> Section:
    """Return the lowest possible loss of each measure, with a bound on its error."""
    rows = [
        [Entry(row["measure"]), Entry(f"{row['bayes']:.5f}"), Entry(f"{row['error']:.0e}")]
        for row in optima.to_dict("records")
    ]
    return Section("", Grid(list(optima.columns), rows, 1))


def regret_sections(frame: pd.DataFrame, style: str) -> list[Section]:
    """Return the terms of the bounds, and the slopes of the regret if there are any.

    Parameters
    ----------
    frame : DataFrame
        As returned by :func:`ncbench.results.regret.terms`.
    style : str
        Format of numbers.
    """
    same = [key for key in curve_keys(frame) if frame[key].nunique() == 1]
    about = ", ".join(f"{key}={frame[key].iloc[0]}" for key in same)
    terms, fitted = frame.drop(columns=same), slopes(frame)
    if len(fitted):
        slopes_grid = _grid(fitted.drop(columns=[*same, "at_1"]), style)
        return [Section(about, _grid(terms, style)), Section("", slopes_grid)]
    no_slope = (
        "No slope of the regret: a slope needs positive regret at two or more sample sizes, such "
        "as dataset.train=100,1000,10000."
    )
    return [Section(about, _grid(terms, style, no_slope))]


def _grid(table: pd.DataFrame, style: str, *notes: str) -> Grid:
    rows = [[Entry(_text(value, style)) for value in row] for row in table.itertuples(index=False)]
    labels = list(table.columns).index("sigma")
    return Grid(list(table.columns), rows, labels, notes)


def _text(value: Any, style: str) -> str:
    return f"{value:{style}}" if isinstance(value, float) else str(value)
