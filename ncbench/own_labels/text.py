"""The text of ``ncbench issues``, ``estimate-noise`` and its plan of labels to check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ncbench.errors import counted
from ncbench.noise_estimation import LEVEL
from ncbench.noise_estimation.share import BETWEEN, CANNOT_TELL, level_of
from ncbench.own_labels.data import shown_names
from ncbench.own_labels.verdict import Findings
from ncbench.report.tables import Entry, Grid
from ncbench.types import Array, Labels

if TYPE_CHECKING:
    from ncbench.core import NoiseMatrix
    from ncbench.own_labels.noise_estimate import NoiseEstimate


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


def issues_text(issues: pd.DataFrame, known: Findings, show: int, estimated: bool = False) -> str:
    """Return how many labels are wrong, and the first ranks of those that nobody checked.

    A label that is the likeliest one for its row is not listed.

    Parameters
    ----------
    issues : DataFrame
        As returned by ``find_label_issues``; a column ``line`` is shown too, and a row whose
        column ``checked`` is true is not. Columns ``agree`` and ``labels`` are numbers of people:
        those who gave the label, and all who gave one.
    known : Findings
        What the noise matrix says. If the labels leave it open, ranks and ranges are shown; if
        labels alone cannot tell, nothing is.
    show : int
        Number of rows of the table.
    estimated : bool
        Whether the noise matrix was estimated.

    Examples
    --------
    >>> issues = pd.DataFrame({"label": ["a", "b"], "p_wrong": [0.1, 0.75], "likeliest": "a"})
    >>> issues = issues.assign(rank=[2, 1], expected_issues=[0.85, 0.75])
    >>> issues = issues.assign(expected_precision=[0.42, 0.75])
    >>> from ncbench.noise_estimation import Share
    >>> known = Findings(Share(0.5, 0.4, 0.6), None, None, None, [])
    >>> print(issues_text(issues, known, show=1))
    About 1 of 2 labels are wrong: 50.0% [40.0%, 60.0%]. Of the first 1, expect 0.8 (75%).
    <BLANKLINE>
    rank  row  label  likeliest  p_wrong  expected precision
    1     2    b      a          0.75     0.75
    """
    labels = counted(len(issues), "label")
    share, verdict = known.share, known.verdict
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


# The text of ``estimate-noise``.

_ENDS = 5  # annotators to show from each end of a long list
_WIDEST = 6  # the largest number of classes whose intervals fit in one table
WHOLE = 12
"""The largest number of classes whose matrices are shown whole, here and on pages."""

_MISTAKES = 15  # of larger ones
_ROWS = 200  # the largest number of rows to check that are listed


def estimate_text(noise: NoiseEstimate) -> str:
    """Return the report for the terminal."""
    rows = f"{noise.counts.sum():,} rows"
    if noise.examples is not None:
        people = f"{noise.examples:,} rows by {len(noise.annotators)} people"
        rows = f"{noise.counts.sum():,} labels of {people}"
    title = f"{noise.data}: {rows}, {counted(noise.features, 'feature')}"
    title += f", {len(noise.classes)} classes"
    if noise.level == CANNOT_TELL:
        return "\n".join([title, *_checked(noise), *_people(noise), *_verdict(noise)])
    about = [["", "labels", "probably wrong"]]
    wrong = [f"{k:,.0f}" for k in noise.wrong_by_label]
    number = f"{noise.share}, about {noise.share.estimate * noise.counts.sum():,.0f}"
    if noise.level == BETWEEN:
        about, wrong, number = [["", "labels", ""]], [""] * noise.n, noise.verdict
    for name, count, k in zip(shown_names(noise.classes), noise.counts, wrong, strict=True):
        about.append([name, f"{count:,}", k])
    lines = [
        title,
        "",
        f"Wrong labels: {number}",
        "",
        *_columns(about),
        "",
        *_matrices(noise),
        "",
        f"smallest singular value    {noise.smallest_singular_value:.3f}",
        f"||T^-1||_1                 {noise.inverse_norm:.2f}",
        f"weight of the identity, a  {noise.a:g}",
        *_checked(noise),
        *_people(noise),
        *_verdict(noise),
    ]
    return "\n".join(lines)


def plan_text(noise: NoiseEstimate, rows: Labels, width: float) -> str:
    """Return which labels to check for an interval of this width."""
    if not len(rows):
        return f"\nNothing to check: {counted(noise.checked, 'checked label')} give that width."
    shown = ", ".join(map(str, np.sort(rows[:_ROWS])))
    if len(rows) > _ROWS:
        shown += f"\nThese are {_ROWS} of them, drawn at random as well; --json lists all."
    labels = counted(len(rows), "more label" if noise.checked else "label")
    return (
        f"\nFor an interval of the share of wrong labels that is at most {width:g} wide, also if "
        f"{min(noise.at_most, 0.5):.0%} of them are wrong, check {labels} "
        "drawn at random, put the true labels into a column, and name it with --clean-column. "
        f"Rows, counted from 1 without the header:\n{shown}"
    )


def _checked(noise: NoiseEstimate) -> list[str]:
    if noise.pairs is None or noise.counted is None:
        return []
    names = shown_names(noise.classes)
    cells = _numbers(noise.counted.matrix)
    for k in np.flatnonzero(~noise.pairs.any(axis=0)):  # nobody checked an example of this class
        for row in cells:
            row[k] = "-"
    what = counted(noise.checked, "label" if noise.annotators else "row")
    used, T = [], noise.counted.matrix
    if noise.unchecked is not None:
        used = [f"Without them, the estimate would be {noise.unchecked}.", ""]
    return [
        "",
        f"Counted in {what} with a checked label{_mixed(noise.counted)}:",
        "",
        *(_grid(names, cells) if noise.n <= WHOLE else _largest(names, noise.pairs, T)),
        "",
        f"Wrong among them: {noise.counted_share}",
        "",
        *used,
        f"mean |estimate - counted|  {noise.counted_error:.3f}",
    ]


def _mixed(counted: NoiseMatrix) -> str:
    """Say that counts were changed to make their matrix invertible."""
    a = getattr(counted, "a", 0.0)
    return f", and {a:.2f} of the identity, without which T has no inverse" if a else ""


def _verdict(noise: NoiseEstimate) -> list[str]:
    lines = [""]
    if noise.rivals:
        lines.append("Share of wrong labels by other estimators, which assume that")
        rows = [[f"{r.assumption}:", f"{r.share:.0%}", f"({r.estimator})"] for r in noise.rivals]
        lines += [f"- {line}" for line in _columns(rows)] + [""]
    lines.append(f"Verdict: {noise.verdict}.")
    if noise.doubts:
        lines.append("To know:")
    return lines + [f"- {doubt}" for doubt in noise.doubts]


def _people(noise: NoiseEstimate) -> list[str]:
    if not noise.annotators:
        return []
    title, rows = people(noise)
    return ["", f"{title}:", "", *_columns([["", "labels", "right", "most often confused"], *rows])]


def people(noise: NoiseEstimate) -> tuple[str, list[list[str]]]:
    """Return the annotators, the best first, and a title; of many, the best and the worst.

    A row has a name, a number of labels, the share of right ones and the most frequent confusion.
    """
    everybody = noise.annotators
    shown, title = everybody, "Annotators, the best first"
    if len(everybody) > 2 * _ENDS:
        shown = (*everybody[:_ENDS], *everybody[-_ENDS:])
        title = f"Annotators: the best {_ENDS} and the worst {_ENDS} of {len(everybody)}"
    names = shown_names(noise.classes)
    rows = []
    for person in shown:
        wrong = person.confusion * (1 - np.eye(len(noise.classes)))
        wrong[np.array(person.given) == 0] = 0  # a label that was never given says nothing
        i, j = np.unravel_index(wrong.argmax(), wrong.shape)
        confused = f"{names[j]} labeled {names[i]}, {wrong[i, j]:.0%}"
        if not wrong[i, j]:
            confused = "-"
        rows.append([person.name, str(person.labels), str(person.accuracy), confused])
    return f"{title}, by the labels of all", rows


def mistakes(joint: Array | Labels) -> list[tuple[int, int]]:
    """Return label and true class of the most frequent mistakes, the largest first.

    Parameters
    ----------
    joint : array of shape (n, n)
        Numbers of examples by label, in the rows, and true class.

    Examples
    --------
    >>> mistakes(np.array([[50, 0, 2], [9, 40, 3], [0, 0, 60]]))
    [(1, 0), (1, 2), (0, 2)]
    """
    beside = np.where(np.eye(len(joint), dtype=bool), 0, joint.round(6))  # rounding errors tie
    order = np.argsort(-beside, axis=None, kind="stable")[:_MISTAKES]
    return [divmod(int(k), len(joint)) for k in order if beside.flat[k] > 0]


def how_many(expected: float) -> str:
    """Return an expected number of labels.

    Examples
    --------
    >>> how_many(1234.5678), how_many(0.2)
    ('1,235', '<1')
    """
    return f"{expected:,.0f}" if expected >= 0.5 else "<1"


def _matrices(noise: NoiseEstimate) -> list[str]:
    T, low, high = noise.matrix, noise.low, noise.high
    names = shown_names(noise.classes)
    by, about = f"Noise matrix by {noise.estimator}", ""
    if low is not None:
        about = f", {LEVEL:.0%} intervals"
    if noise.resamples:
        about += f" from {counted(noise.resamples, 'resample')}"
    if not noise.of_pairs:
        return [f"{by}: the classes whose labels are wrong most often{about}", "", *_rates(noise)]
    if noise.n > WHOLE:
        largest = _largest(names, noise.expected_pairs, T, low, high)
        return [f"{by}: the most frequent mistakes{about}", "", *largest]
    return [
        f"{by}: P(labeled row | truly column){about}",
        "",
        *_with_intervals(names, T, low, high),
        "",
        "P(truly column | labeled row)",
        "",
        *_grid(names, _numbers(noise.true_given_label)),
    ]


def _with_intervals(
    names: tuple[str, ...], T: Array, low: Array | None, high: Array | None
) -> list[str]:
    if low is None or high is None:
        return _grid(names, _numbers(T))
    n = len(names)
    if n <= _WIDEST:
        cells = [
            [f"{T[i, j]:.2f} [{low[i, j]:.2f}, {high[i, j]:.2f}]" for j in range(n)]
            for i in range(n)
        ]
        return _grid(names, cells)
    return [
        *_grid(names, _numbers(T)),
        *("", "from", "", *_grid(names, _numbers(low))),
        *("", "to", "", *_grid(names, _numbers(high))),
    ]


def _largest(
    names: tuple[str, ...],
    joint: Array | Labels,
    T: Array,
    low: Array | None = None,
    high: Array | None = None,
) -> list[str]:
    """Return the most frequent mistakes, and how many are left out."""
    found = mistakes(joint)
    given_label = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1)
    rows = [["labeled", "truly", "labels", "P(labeled | truly)", "P(truly | labeled)"]]
    for i, j in found:
        ends = "" if low is None or high is None else f" [{low[i, j]:.2f}, {high[i, j]:.2f}]"
        shares = f"{T[i, j]:.2f}{ends}", f"{given_label[i, j]:.2f}"
        rows.append([names[i], names[j], how_many(joint[i, j]), *shares])
    wrong = joint.sum() - np.trace(joint)
    shown = sum(joint[pair] for pair in found)
    return [
        *_columns(rows),
        "",
        f"These are {shown:,.0f} of {wrong:,.0f} wrong labels; --json prints the whole matrix",
    ]


def _rates(noise: NoiseEstimate) -> list[str]:
    """Return the true classes with the highest rates of wrong labels."""
    names, true = shown_names(noise.classes), noise.expected_pairs.sum(axis=0)
    rates = 1 - np.diagonal(noise.matrix)
    found = np.argsort(-rates, kind="stable")[:_MISTAKES]
    rows = [["truly", "examples", "P(wrong label | truly)"]]
    for j in found:
        ends = ""
        if noise.low is not None and noise.high is not None:
            ends = f" [{1 - noise.high[j, j]:.2f}, {1 - noise.low[j, j]:.2f}]"
        rows.append([names[j], how_many(true[j]), f"{rates[j]:.2f}{ends}"])
    rest = f"These are {len(found)} of {noise.n} classes; --json prints the whole matrix"
    return [*_columns(rows), "", rest]


def _numbers(matrix: Array) -> list[list[str]]:
    return [[f"{value:.2f}" for value in row] for row in matrix]


def _grid(classes: tuple[str, ...], cells: list[list[str]]) -> list[str]:
    """Return the lines of a table with the names of the classes for rows and columns."""
    return _columns(
        [["", *classes], *([name, *row] for name, row in zip(classes, cells, strict=True))]
    )


def _columns(rows: list[list[str]]) -> list[str]:
    """Return the lines of a table whose columns are aligned."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
