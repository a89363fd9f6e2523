"""The text and the file of ``ncbench issues``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ncbench.errors import counted
from ncbench.noise_estimation.estimate import BETWEEN, CANNOT_TELL, Interval, level_of
from ncbench.report.grid import Entry, Grid


def reliance(people: bool) -> str:
    """Say what judges a share of wrong labels that was estimated.

    ``estimate-noise`` is about all labels that several people gave, not about the chosen ones.
    """
    return f"`ncbench {'diagnose' if people else 'estimate-noise'}` says whether this is known."


def ranked(issues: pd.DataFrame) -> pd.DataFrame:
    """Return label issues with the row of each example, counted from 1, the first rank first.

    A column ``row`` says which, if rows of the file are left out. A column ``line``, if there is
    one, follows the row.
    """
    if "row" not in issues:
        issues = issues.assign(row=range(1, len(issues) + 1))
    rows = issues.sort_values("rank")
    places = ["rank", "row", *issues.columns.intersection(["line"])]
    return rows[[*places, *issues.columns.drop(places, errors="ignore")]].reset_index(drop=True)


def text(
    issues: pd.DataFrame,
    share: Interval,
    show: int,
    estimated: bool = False,
    verdict: str | None = None,
) -> str:
    """Return how many labels are wrong, and the first ranks of those that nobody checked.

    A label that is the likeliest one for its row is not listed.

    Parameters
    ----------
    issues : DataFrame
        As returned by ``find_label_issues``; a column ``line`` is shown too, and a row whose
        column ``checked`` is true is not. Columns ``agree`` and ``labels`` are numbers of people:
        those who gave the label, and all who gave one.
    share : Interval
        The share of wrong labels that the noise matrix implies.
    show : int
        Number of rows of the table.
    estimated : bool
        Whether the noise matrix was estimated.
    verdict : str, optional
        What the labels say of their noise, if that was judged. If they leave it open, ranks and
        ranges are shown; if labels alone cannot tell, nothing is.

    Examples
    --------
    >>> issues = pd.DataFrame({"label": ["a", "b"], "p_wrong": [0.1, 0.75], "likeliest": "a"})
    >>> issues = issues.assign(rank=[2, 1], expected_issues=[0.85, 0.75])
    >>> print(text(issues.assign(expected_precision=[0.42, 0.75]), Interval(0.5, 0.4, 0.6), show=1))
    About 1 of 2 labels are wrong: 50.0% [40.0%, 60.0%]. Of the first 1, expect 0.8 (75%).
    <BLANKLINE>
    rank  row  label  likeliest  p_wrong  expected precision
    1     2    b      a          0.75     0.75
    """
    labels = counted(len(issues), "label")
    level = None if verdict is None else level_of(verdict)
    if level == CANNOT_TELL:
        return f"Which of {labels} are wrong: {verdict}."
    said = f"About {share.estimate * len(issues):.0f} of {labels} are wrong: {share}."
    if level == BETWEEN:
        said = f"Wrong labels of {len(issues):,}: {verdict}."
    table = ranked(issues)
    checked = 0
    if "checked" in table:
        checked = int(table["checked"].sum())
        table = table[~table["checked"]]
    unchecked = len(table)
    # There is nothing to look at where the label itself is the likeliest one.
    table = table[table["likeliest"] != table["label"]]
    # Checked labels are certain: depths count those that are listed.
    expected = table["p_wrong"].cumsum().to_numpy()
    table = table.assign(expected_precision=expected / np.arange(1, len(table) + 1))
    first = table.head(show)
    if len(first) and level != BETWEEN:
        precision = first["expected_precision"].iloc[-1]
        said += f" Of the first {len(first)}, expect {_number(expected[len(first) - 1])} "
        said += f"({precision:.0%})."
    if checked:
        said += f" {counted(checked, 'checked label is', 'checked labels are')} not listed."
    if len(first) < min(show, unchecked):
        said += " Of all other labels, the likeliest is the one they have."
    if estimated and verdict is None:
        said += f"\n{reliance(people='agree' in issues)}"
    places = ["rank", "row", *issues.columns.intersection(["line"]), "label", "likeliest"]
    if "agree" in issues:
        places.insert(-1, "agree")
        first = first.assign(agree=[f"{a} of {m}" for a, m in first[["agree", "labels"]].values])
    rows = [
        [*(Entry(str(row[name])) for name in places), *map(Entry, _sure(row, level))]
        for row in first.to_dict("records")
    ]
    columns = [*places, "p_wrong"] + ["expected precision"] * (level != BETWEEN)
    return f"{said}\n\n{Grid(columns, rows, len(places)).text()}" if rows else said


def _sure(row: dict[Any, Any], level: str | None) -> list[str]:
    if level == BETWEEN:
        return [f"{row['p_low']:.2f} to {row['p_high']:.2f}"]
    return [f"{row['p_wrong']:.2f}", f"{row['expected_precision']:.2f}"]


def _number(expected: float) -> str:
    return f"{expected:.0f}" if expected >= 10 else f"{expected:.1f}"
