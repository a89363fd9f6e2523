"""Compare our means with a published table: lower or higher, and ahead or behind beyond chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.special import stdtr

from ncbench.data import as_written, read_table
from ncbench.errors import NcbenchError, counted
from ncbench.results.frame import LEADING, Filter, in_order, keys_of, known_ratio
from ncbench.results.keys import as_text, matches, of_a_method
from ncbench.results.statistics import TIE, holm, overlap

AHEAD, LOWER, HIGHER, BEHIND, NOT_PRESENT = "ahead", "lower", "higher", "behind", "not present"
VERDICTS = (AHEAD, LOWER, HIGHER, BEHIND, NOT_PRESENT)

EQUAL = "equal"
"""Instead of lower or higher, if both means are the same."""

ERRORS: dict[str, tuple[Callable[[float, float], float], str]] = {
    "combined": (math.hypot, "sqrt(ours^2 + theirs^2)"),
    "theirs": (lambda ours, theirs: theirs, "theirs"),
    "ours": (lambda ours, theirs: ours, "ours"),
}
"""How to compute the standard error of a difference, and its formula, by name."""


PAPER = "paper"
"""Names the 400 cells of Tables 2, 3, 5 and 6 of Zhang and Agarwal (2024), which ship with ncbench.

They are means and standard errors with ddof 0 over five splits. Rows of ``nc_selected``, which the
paper does not have, repeat those of its NCFW and NCBS.
"""

TABLE = "table"
"""A column of a reference with the title of each row's table, if it has several tables."""


def read_reference(path: str, where: Filter | None = None) -> pd.DataFrame:
    """Read a published table: CSV with measure, dataset, algo, sigma, mean and sem.

    Parameters
    ----------
    path : str
        A file, or ``paper``.
    where : mapping, optional
        Keep only rows with these values, for keys that are columns.
    """
    file = Path(path)
    if path == PAPER:
        file = Path(str(files("ncbench.results") / "paper.csv"))
    if not file.is_file():
        raise NcbenchError(f"--reference {path}: no such file (looked in {Path.cwd()})")
    wanted = [*LEADING, "mean", "sem"]
    try:
        table = as_written(read_table(file))
    except NcbenchError as error:
        raise NcbenchError(f"--reference {path}: not CSV: {error}") from error
    missing = [column for column in wanted if column not in table.columns]
    if missing:
        raise NcbenchError(
            f"--reference {path}: no column {', '.join(missing)}; expected {', '.join(wanted)}, "
            f"found {', '.join(map(str, table.columns)) or 'none'}"
        )
    for column in ("sigma", "mean", "sem"):
        table[column] = _numbers(table[column], f"--reference {path}")
    for key, texts in (where or {}).items():
        if key in table.columns:
            blank = of_a_method(key)  # empty for algorithms without this parameter
            table = table[[matches(v, texts) or (blank and not v) for v in table[key]]]
    return table


def _numbers(column: pd.Series, where: str) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce")
    for position, (text, number) in enumerate(zip(column, numbers, strict=True)):
        if not math.isfinite(number) or (column.name == "sem" and number < 0):
            raise NcbenchError(
                f"{where}: line {position + 2}: {column.name} is {text!r}, not a number"
                + (" of at least 0" if column.name == "sem" else "")
            )
    return numbers


@dataclass(frozen=True)
class Comparison:
    """Our cells compared with those of a reference.

    Attributes
    ----------
    cells : DataFrame
        One row for each pair of a reference cell and a matching cell of ours: table, if the
        reference has several, keys, ours, ours_sem, theirs, theirs_sem, difference (ours minus
        theirs), in_errors, p_holm, verdict.
        Standard errors are plain, as those of published tables are: they take the splits as
        independent. The verdict is lower, higher or equal, by the means; ahead or behind, where
        p_holm is small; not present; or the status of our cell if it has no number.
    ours_alone : int
        The number of our cells that the reference does not have.
    errors : str
        A key of ``ERRORS``.
    level : float
        The confidence level of ahead and behind.
    ddof : {1, 0}
        The ddof of our standard errors.
    """

    cells: pd.DataFrame
    ours_alone: int
    errors: str
    level: float
    ddof: int

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        reference: pd.DataFrame,
        errors: str = "combined",
        level: float = 0.95,
        ddof: int = 1,
    ) -> Comparison:
        """Compare a tidy frame with a reference, matched by every key that both have.

        A key with the same value in all of our cells counts only if the frame was made to keep it.
        p is that of a t test with our n - 1 degrees of freedom. Both standard errors are widened
        by the overlap of our splits, as if the reference had as many splits of these sizes. Means
        over the same splits differ less than that, so the test is cautious.
        """
        keys = keys_of(frame)
        shared = [key for key in keys if key in reference.columns]
        theirs = _by_key(reference, shared)
        ours: dict[tuple[str, ...], list[Any]] = {key: [] for key in theirs}
        alone = 0
        # A published table knows one data set of a name: whatever has the name is compared with it.
        plain = frame.assign(dataset=frame["untagged"])
        for key, row in zip(_texts(plain, shared), frame.to_dict("records"), strict=True):
            if key in theirs:
                ours[key].append(row)
            else:
                alone += 1
        if alone == len(frame):
            example = " ".join(map("=".join, zip(shared, next(iter(theirs), ()), strict=False)))
            raise NcbenchError(
                "no cell of the reference is among the records; it has, for example, "
                f"{example or 'no row'}"
            )
        rows = []
        for key, reference_row in theirs.items():
            their_numbers = {"theirs": reference_row["mean"], "theirs_sem": reference_row["sem"]}
            for row in ours[key] or [{k: reference_row[k] for k in shared}]:
                ours_keys = {k: row.get(k) for k in keys}
                title = {TABLE: reference_row[TABLE]} if TABLE in reference_row else {}
                rows.append({**title, **ours_keys, **_compared(row, their_numbers, errors)})
        cells = pd.DataFrame(rows)
        tested = cells["p_holm"].notna()
        cells.loc[tested, "p_holm"] = holm(cells.loc[tested, "p_holm"].tolist())
        rejected = cells["p_holm"] < 1 - level
        beyond = cells.loc[rejected, "verdict"].map({LOWER: AHEAD, HIGHER: BEHIND})
        cells.loc[rejected, "verdict"] = beyond
        return cls(in_order(cells, keys), alone, errors, level, ddof)

    def counts(self, *keys: str) -> pd.DataFrame:
        """Return the number of cells with each verdict, for each combination of keys."""
        others = sorted(set(self.cells["verdict"]) - set(VERDICTS))
        verdicts = [*VERDICTS, *others]
        dummies = pd.get_dummies(self.cells["verdict"]).reindex(columns=verdicts, fill_value=False)
        if not keys:
            return dummies.sum().to_frame().T
        return dummies.groupby([self.cells[key] for key in keys]).sum().reset_index()

    @property
    def definition(self) -> str:
        """The meaning of the columns and verdicts."""
        tested = counted(int(self.cells["p_holm"].notna().sum()), "cell")
        return (
            "Losses: lower is better. mean (standard error, which takes the splits as independent; "
            f"ours with ddof {self.ddof}). se: the difference over the standard error "
            f"{ERRORS[self.errors][1]}. lower, higher: of the means, which may be chance. ahead, "
            f"behind: beyond chance at {self.level:.0%}, by a t test that allows for the overlap "
            f"of the splits and, by Holm's correction, for {tested}. not present: no record (these "
            "cells are counted, not listed)."
        )

    @property
    def summary(self) -> str:
        """All counts in one line."""
        (row,) = self.counts().to_dict("records")
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in row.items())
        more = (
            f"; {counted(self.ours_alone, 'of ours is', 'of ours are')} not in the reference"
            if self.ours_alone
            else ""
        )
        return f"Of {counted(len(self.cells), 'cell')}: {verdicts}{more}."


COMPARED = ["ours", "ours_sem", "theirs", "theirs_sem", "difference", "in_errors", "p_holm"]
COMPARED += ["verdict"]
"""Columns of the cells of a comparison, besides keys and titles."""


def _compared(row: dict[str, Any], theirs: dict[str, float], errors: str) -> dict[str, Any]:
    """Return the numbers of one cell, its p value before Holm's correction, and its verdict."""
    nan = math.nan
    empty = {"ours": nan, "ours_sem": nan, **theirs}
    empty |= {"difference": nan, "in_errors": nan, "p_holm": nan}
    if "n" not in row:
        return {**empty, "verdict": NOT_PRESENT}
    if row["n"] == 0:
        return {**empty, "verdict": row["status"]}
    widened = math.sqrt(1 + row["n"] * overlap(known_ratio(row["test_train_ratio"])))
    ours_sem = row["sem"] / widened
    error = ERRORS[errors][0](ours_sem, theirs["theirs_sem"])  # NaN for one trial
    difference = row["mean"] - theirs["theirs"]
    in_errors = difference / error if error > 0 else nan
    p = float(2 * stdtr(row["n"] - 1, -abs(in_errors) / widened)) if row["n"] > 1 else nan
    side = EQUAL if abs(difference) <= TIE else LOWER if difference < 0 else HIGHER
    numbers = {"ours": row["mean"], "ours_sem": ours_sem, **theirs, "difference": difference}
    return {**numbers, "in_errors": in_errors, "p_holm": p, "verdict": side}


def _by_key(reference: pd.DataFrame, keys: Sequence[str]) -> dict[tuple[str, ...], dict[str, Any]]:
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for key, row in zip(_texts(reference, keys), reference.to_dict("records"), strict=True):
        if key in rows:
            raise NcbenchError(
                "the reference has two rows for "
                + " ".join(map("=".join, zip(keys, key, strict=True)))
            )
        rows[key] = {str(name): value for name, value in row.items()}
    return rows


def _texts(frame: pd.DataFrame, keys: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(*(frame[key].map(_printed) for key in keys), strict=True))


def _printed(value: Any) -> str:
    """Return a value as text with 12 digits, so that 0.3 and 0.1 + 0.2 match."""
    text = as_text(value)
    try:
        return f"{float(text):.12g}"  # a CSV file may have 1e-4 where we have 0.0001
    except ValueError:
        return text
