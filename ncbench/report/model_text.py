"""What ``ncbench fit`` and ``ncbench evaluate`` print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ncbench.noise_estimation.estimate import Interval
from ncbench.report.grid import Entry, Grid
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
    >>> about = {"measure": "g_mean", "algorithm": "ncfw", "cpe": "anchored", "rows": 1000}
    >>> about |= {"features": 1, "classes": ["ill", "well"], "t_estimator": "held_out_map"}
    >>> print(fitted_text({**about, "share_of_wrong": share}))
    Minimized g_mean by ncfw, learner anchored: 1,000 rows, 1 feature, classes ill, well.
    Wrong labels: 25.0 % [20.0 %, 30.0 %], by held_out_map.
    """
    measure = about["measure"]
    if about.get("background") is not None:
        measure += f" (background class: {about['background']})"
    features = "1 feature" if about["features"] == 1 else f"{about['features']} features"
    share = str(Interval(**about["share_of_wrong"])).replace("%", " %")
    source = about["t_estimator"]
    return (
        f"Minimized {measure} by {about['algorithm']}, learner {about['cpe']}: "
        f"{about['rows']:,} rows, {features}, classes {', '.join(about['classes'])}.\n"
        f"Wrong labels: {share}, " + (f"by {source}." if source else "as given.")
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
    >>> print(noisy_text("label", {"t_estimator": "held_out_map"}, None, ["g_mean: loss 0.2"]))
    Labels of column 'label' taken as noisy, with the noise matrix of the model (by held_out_map)
    g_mean: loss 0.2
    """
    source = f"by {about['t_estimator']}" if about["t_estimator"] else "as given to fit"
    matrix = f"the noise matrix of the model ({source})"
    if given is not None:
        matrix = f"the noise matrix of {given}"
    said = f"taken as noisy, with {matrix}"
    if given == "none":
        said = "taken as clean, by --noise-matrix none"
    return "\n".join([f"Labels of column {target!r} {said}", *map(str, found)])


def checked_text(
    column: str, about: Mapping[str, Any], C: Array, losses: Mapping[str, float]
) -> str:
    """Return losses and recalls on checked labels.

    Parameters
    ----------
    column : str
        The column of the checked labels.
    about : dict
        The description of the model.
    C : array of shape (n, n)
        The confusion matrix.
    losses : mapping from measures to float

    Examples
    --------
    >>> about = {"measure": "zero_one", "classes": ["ill", "well"]}
    >>> print(checked_text("truth", about, np.array([[0.2, 0.1], [0.0, 0.7]]), {"zero_one": 0.1}))
    Labels of column 'truth' taken as clean
    measure    loss
    zero_one*  0.100
    * minimized. Losses: lower is better.
    Recall: ill 0.667, well 1.000
    """
    rows = [
        [Entry(name + "*" * (name == about["measure"])), Entry(f"{loss:.3f}")]
        for name, loss in losses.items()
    ]
    share = C.sum(axis=1)
    recall = np.diagonal(C) / np.where(share > 0, share, 1)
    recalls = [
        f"{name} {recall[k]:.3f}" if share[k] > 0 else f"{name} - (no such row)"
        for k, name in enumerate(about["classes"])
    ]
    note = "* minimized. " if about["measure"] in losses else ""
    return (
        f"Labels of column {column!r} taken as clean\n{Grid(['measure', 'loss'], rows, 1).text()}\n"
        f"{note}Losses: lower is better.\nRecall: {', '.join(recalls)}"
    )
