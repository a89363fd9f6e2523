"""The text of ``ncbench estimate-noise``, and its plan of labels to check."""

from __future__ import annotations

import numpy as np

from ncbench.core import NoiseMatrix
from ncbench.errors import counted
from ncbench.noise_estimation import LEVEL
from ncbench.noise_estimation.share import BETWEEN, CANNOT_TELL
from ncbench.own_labels.data import shown_names
from ncbench.own_labels.noise_estimate import NoiseEstimate
from ncbench.types import Array, Labels

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
    cells = noise.counted.matrix.copy()
    cells[:, ~noise.pairs.any(axis=0)] = np.nan  # nobody checked an example of this class
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
        *_grid(names, noise.true_given_label),
    ]


def _with_intervals(
    names: tuple[str, ...], T: Array, low: Array | None, high: Array | None
) -> list[str]:
    if low is None or high is None:
        return _grid(names, T)
    n = len(names)
    if n <= _WIDEST:
        cells = [
            [f"{T[i, j]:.2f} [{low[i, j]:.2f}, {high[i, j]:.2f}]" for j in range(n)]
            for i in range(n)
        ]
        return _grid(names, cells)
    return [
        *_grid(names, T),
        *("", "from", "", *_grid(names, low)),
        *("", "to", "", *_grid(names, high)),
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


def _grid(classes: tuple[str, ...], cells: Array | list[list[str]]) -> list[str]:
    """Return the lines of a table with the names of the classes for rows and columns."""
    if isinstance(cells, np.ndarray):
        cells = [["-" if np.isnan(value) else f"{value:.2f}" for value in row] for row in cells]
    return _columns([["", *classes], *([n, *row] for n, row in zip(classes, cells, strict=True))])


def _columns(rows: list[list[str]]) -> list[str]:
    """Return the lines of a table whose columns are aligned."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
