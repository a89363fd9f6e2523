"""What ``ncbench fit`` and ``ncbench evaluate`` print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ncbench.errors import notice_once
from ncbench.noise_estimation.held_out import UNCOUNTED
from ncbench.noise_estimation.share import CANNOT_TELL, KNOWN, LEVEL, Share, level_of
from ncbench.own_labels.data import shown_names
from ncbench.own_labels.text import reliance
from ncbench.report.export import no_formula
from ncbench.report.tables import Entry, Grid
from ncbench.types import Array


def fitted_text(about: Mapping[str, Any]) -> str:
    """Say what was fitted, and how many labels are wrong.

    Parameters
    ----------
    about : dict
        The description of a model.

    Examples
    --------
    >>> share = {"estimate": 0.25, "low": 0.2, "high": 0.3}
    >>> about = {"measure": "g_mean", "algorithm": "soft_fw", "cpe": "blend", "rows": 1000}
    >>> about |= {"features": 1, "classes": ["ill", "well"], "t_estimator": "held_out_map"}
    >>> print(fitted_text({**about, "share_of_wrong": share}))
    Minimized g_mean by soft_fw, learner blend: 1,000 rows, 1 feature, classes ill, well.
    Wrong labels: 25.0% [20.0%, 30.0%], by held_out_map.
    `ncbench estimate-noise` says whether this is known.
    >>> said = "between 4.0% and 24%: check 162 rows drawn at random to know"
    >>> print(fitted_text({**about, "share_of_wrong": share, "verdict": said}).splitlines()[1])
    Wrong labels: between 4.0% and 24%: check 162 rows drawn at random to know (by held_out_map).
    """
    measure = about["measure"]
    if about.get("background") is not None:
        measure += f" (background class: {about['background']})"
    names = shown_names(about["classes"])
    features = "1 feature" if about["features"] == 1 else f"{about['features']} features"
    share = Share(**about["share_of_wrong"])
    source = about["t_estimator"]
    verdict = about.get("verdict")
    wrong = f"Wrong labels: {share}, {f'by {source}' if source else 'as given'}."
    if verdict is not None:
        wrong = f"Wrong labels: {share}, {verdict} (by {source})."
        if level_of(verdict) != KNOWN:
            wrong = f"Wrong labels: {verdict} (by {source})."
    people = " Of those that several people gave, a row has the most probable one."
    return (
        f"Minimized {measure} by {about['algorithm']}, learner {about['cpe']}: "
        f"{about['rows']:,} rows, {features}, classes {', '.join(names)}.\n"
        + wrong
        + people * bool(about.get("people"))
        + (f"\n{reliance(bool(about.get('people')))}" if source and verdict is None else "")
    )


def noisy_text(
    target: str, about: Mapping[str, Any], given: str | None, found: Sequence[Any]
) -> str:
    """Say what losses on clean labels are estimated from, and the estimates.

    Parameters
    ----------
    target : str
        The column of the noisy labels.
    about : dict
        The description of the model.
    given : str or None
        The noise matrix of the command; None for that of the model.
    found : sequence of Performance

    Examples
    --------
    >>> from ncbench.noise_estimation import Performance
    >>> found = [Performance("g_mean", 0.2, 0.15, 0.25, 90, False, False)]
    >>> print(noisy_text("label", {"t_estimator": "held_out_map"}, None, found))
    Labels of column 'label' taken as noisy, with the noise matrix of the model (by held_out_map)
    g_mean: loss 0.200, 90% interval 0.150 to 0.250, from 90 noisy labels; the noise matrix is \
taken as known
    """
    source = f"by {about['t_estimator']}" if about["t_estimator"] else "as given to fit"
    matrix = f"the noise matrix of the model ({source})"
    if given is not None:
        matrix = f"the noise matrix of {given}"
    said = f"taken as noisy, with {matrix}"
    verdict = about.get("verdict")
    if given is None and verdict is not None and level_of(verdict) == CANNOT_TELL:
        return (
            f"Labels of column {target!r} {said}\nLosses on clean labels: {verdict}; evaluate on "
            "checked labels, with --clean-column"
        )
    if given == "none":
        said = "taken as clean, by --noise-matrix none"
    lines = [f"Labels of column {target!r} {said}", *map(str, found)]
    if any(each.too_wide for each in found):
        lines.append(
            "To check labels: put the true ones of some of these rows into a column that is empty "
            "elsewhere, and evaluate with --clean-column and its name instead of --target."
        )
    return "\n".join(lines)


def checked_text(column: str, about: Mapping[str, Any], C: Array, found: Sequence[Any]) -> str:
    """Return losses with intervals, and recalls, on checked labels.

    Parameters
    ----------
    column : str
        The column of the checked labels.
    about : dict
        The description of the model.
    C : array of shape (n, n)
        The confusion matrix.
    found : sequence of Performance

    Examples
    --------
    >>> about = {"measure": "zero_one", "classes": ["ill", "well"]}
    >>> from ncbench.noise_estimation import Performance
    >>> found = [Performance("zero_one", 0.1, 0.0, 0.28, 10, False, True, True)]
    >>> print(checked_text("truth", about, np.array([[0.2, 0.1], [0.0, 0.7]]), found))
    Labels of column 'truth' taken as clean
    measure    loss   90% interval
    zero_one*  0.100  0.000 to 0.280 (wide)
    * minimized. Losses: lower is better.
    Recall: ill 0.667 (of 3), well 1.000 (of 7)
    (wide): too wide to be of use; check more labels.
    """
    rows = [
        [
            Entry(each.measure + "*" * (each.measure == about["measure"])),
            Entry(f"{each.loss:.3f}"),
            Entry(f"{each.low:.3f} to {each.high:.3f}" + " (wide)" * bool(each.too_wide)),
        ]
        for each in found
    ]
    share = C.sum(axis=1)
    recall = np.diagonal(C) / np.where(share > 0, share, 1)
    labels = share * (found[0].examples if found else 0)
    recalls = [
        f"{name} {recall[k]:.3f} (of {labels[k]:.0f})" if share[k] > 0 else f"{name} - (of 0)"
        for k, name in enumerate(about["classes"])
    ]
    note = "* minimized. " if about["measure"] in [each.measure for each in found] else ""
    absent = found[0].absent if found else ()
    wide = any(each.too_wide for each in found)
    table = Grid(["measure", "loss", f"{LEVEL * 100:.0f}% interval"], rows, 1)
    return "\n".join(
        [
            f"Labels of column {column!r} taken as clean",
            table.text(),
            f"{note}Losses: lower is better.",
            f"Recall: {', '.join(recalls)}",
            *([f"No label of {', '.join(absent)}: {UNCOUNTED}."] if absent else []),
            *(["(wide): too wide to be of use; check more labels."] if wide else []),
        ]
    )


# The file of ``ncbench predict``.


def predictions_csv(
    others: pd.DataFrame,
    lines: NDArray[np.int64] | None,
    classes: Sequence[str],
    predicted: NDArray[Any],
    probabilities: Array,
) -> bytes:
    """Return predictions as CSV: rows counted from 1, other columns, classes, probabilities.

    Parameters
    ----------
    others : DataFrame
        Columns to copy. Those with the name of a column of ours are left out, with a notice.
    lines : array of shape (m,), optional
        The line of the file on which each row begins.
    classes : sequence of str
    predicted : array of shape (m,)
    probabilities : array of shape (m, n)
        Written with six digits.

    Examples
    --------
    >>> others = pd.DataFrame({"id": [7, 8], "note": ["a, b", None]})
    >>> P = np.array([[0.25, 0.75], [1.0, 0.0]])
    >>> print(predictions_csv(others, None, ["ill", "well"], np.array(["well", "ill"]), P).decode())
    row,id,note,predicted,p_ill,p_well
    1,7,"a, b",well,0.250000,0.750000
    2,8,,ill,1.000000,0.000000
    <BLANKLINE>
    """
    places = {"row": np.arange(1, len(predicted) + 1)}
    if lines is not None:
        places["line"] = lines
    # Rounded here, and only written by pandas: .0000005 is not always below or above its half.
    digits = np.rint(probabilities * 1e6) / 1e6
    found = {"predicted": predicted} | {
        f"p_{name}": column for name, column in zip(classes, digits.T, strict=True)
    }
    copied = {str(name): others.iloc[:, k] for k, name in enumerate(others.columns)}
    clash = {*places, *found}.intersection(copied)
    if clash:
        notice_once(
            f"columns of the table that have the name of one of the predictions are left out: "
            f"{', '.join(sorted(clash))}"
        )
    kept = {name: column.to_numpy() for name, column in copied.items() if name not in clash}
    columns = places | kept | found
    texts = {
        _harmless(name): _harmless_column(values) if name in kept or name == "predicted" else values
        for name, values in columns.items()
    }
    table = pd.DataFrame(texts)
    return table.to_csv(index=False, lineterminator="\n", float_format="%.6f").encode()


def _harmless_column(values: NDArray[Any]) -> NDArray[np.object_]:
    """Return values as text that a spreadsheet does not run; each different one is read once."""
    try:
        codes, found = pd.factorize(values)
    except TypeError:  # lists, as in a Parquet file
        return np.array([_harmless(value) for value in values], dtype=object)
    fields = [*map(_harmless, found.tolist()), ""]  # the code of none is -1
    return np.array(fields, dtype=object)[codes]


def _harmless(value: Any) -> str:
    text = str(no_formula(value))
    if text != str(value):
        notice_once(
            "text that begins like a formula (=, +, -, @) has an apostrophe in front in the "
            "predictions, so that a spreadsheet does not run it"
        )
    return text
