"""What ``ncbench issues``, ``fit`` and ``evaluate`` print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ncbench.errors import counted
from ncbench.noise_estimation.held_out import UNCOUNTED
from ncbench.noise_estimation.share import BETWEEN, CANNOT_TELL, KNOWN, LEVEL, Share, level_of
from ncbench.own_labels.data import shown_names
from ncbench.own_labels.verdict import Findings
from ncbench.show import Format, Grid
from ncbench.types import Array


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
        wrong = expected[len(first) - 1]
        number = f"{wrong:.0f}" if wrong >= 10 else f"{wrong:.1f}"
        said += f" Of the first {len(first)}, expect {number} ({precision:.0%})."
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
    formats: list[tuple[str, Format]] = [(name, f"{{{name}}}") for name in places]
    if level == BETWEEN:
        formats.append(("p_wrong", "{p_low:.2f} to {p_high:.2f}"))
    else:
        formats += [
            ("p_wrong", "{p_wrong:.2f}"),
            ("expected precision", "{expected_precision:.2f}"),
        ]
    return f"{said}\n\n{Grid.of(first, formats, len(places)).text()}" if len(first) else said


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
        f"{about['rows']:,} rows, {counted(about['features'], 'feature')}, "
        f"classes {', '.join(names)}.\n"
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
            each.measure + "*" * (each.measure == about["measure"]),
            f"{each.loss:.3f}",
            f"{each.low:.3f} to {each.high:.3f}" + " (wide)" * bool(each.too_wide),
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
