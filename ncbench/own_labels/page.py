"""A diagnosis of labels in plain words, for the page and the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ncbench.errors import counted
from ncbench.files import write_output
from ncbench.noise_estimation.share import BETWEEN, CANNOT_TELL, KNOWN, LEVEL, class_frequencies
from ncbench.own_labels.data import OwnData
from ncbench.own_labels.diagnosis import Gain
from ncbench.own_labels.estimate import plan
from ncbench.own_labels.estimate_text import WHOLE, how_many, mistakes, people
from ncbench.own_labels.noise_estimate import NoiseEstimate
from ncbench.own_labels.verdict import classes_gone
from ncbench.show.pages import rendered
from ncbench.types import Array

_NONE = 0.02  # a smaller share is next to nothing
_NAMES = {
    "g_mean": "G-mean", "h_mean": "H-mean", "q_mean": "Q-mean", "micro_f1": "Micro F1",
    "zero_one": "zero-one loss",
}  # fmt: skip


def summary(noise: NoiseEstimate, issues: pd.DataFrame, gains: Sequence[Gain]) -> str:
    """Say how wrong the labels are, whether to rely on that, and what to do next.

    Parameters
    ----------
    noise : NoiseEstimate
    issues : DataFrame
        As returned by ``labels_to_look_at``.
    gains : sequence of Gain
    """
    if noise.level == CANNOT_TELL:
        return (
            f"How many of the {int(noise.counts.sum()):,} labels are wrong, and which: "
            f"{noise.verdict}. Check labels drawn at random to know."
        )
    return " ".join(
        [_how_wrong(noise), _reliance(noise), worth(noise, gains), _next(noise, issues)]
    )


def percent(share: float) -> str:
    """Return a share in percent, with a digit more if it is small.

    Examples
    --------
    >>> percent(0.274), percent(0.004), percent(0.0)
    ('27%', '0.4%', '0%')
    """
    return f"{100 * share:.1f}%" if 0 < share < 0.0095 else f"{100 * share:.0f}%"


def measure_name(name: str) -> str:
    """Return the name of a measure as people write it.

    Examples
    --------
    >>> measure_name("g_mean"), measure_name("zero_one")
    ('G-mean', 'zero-one loss')
    """
    return _NAMES.get(name, name)


def doubtful(issues: pd.DataFrame) -> int:
    """Return how many labels are more probably wrong than right.

    Examples
    --------
    >>> doubtful(pd.DataFrame({"p_wrong": [0.9, 0.6, 0.2]}))
    2
    """
    return int((issues["p_wrong"] > 0.5).sum())


def worth(noise: NoiseEstimate, gains: Sequence[Gain]) -> str:
    """Say for which measures a correction for the noise pays."""
    if noise.level == CANNOT_TELL:
        return f"Whether correcting for the noise helps: {noise.verdict}."
    better = [gain for gain in gains if gain.real and gain.difference > 0]
    worse = [gain for gain in gains if gain.real and gain.difference < 0]
    if not better and not worse:
        said = "For no measure can we tell whether correcting for the noise helps"
    else:
        parts = [
            f"{verb} the estimated loss of {_listed(_change(gain) for gain in found)}"
            for verb, found in (("lowers", better), ("raises", worse))
            if found
        ]
        said = f"Correcting for the noise {' but '.join(parts)}"
        if len(better) + len(worse) < len(gains):
            said += "; for the other measures no difference can be told"
    if noise.level == BETWEEN:
        said += "; this rests on an estimate that the labels leave open"
    return f"{said}."


def _how_wrong(noise: NoiseEstimate) -> str:
    rows, share = int(noise.counts.sum()), noise.share
    if noise.level == BETWEEN:
        return f"Wrong labels of {rows:,}: {noise.verdict}."
    number = f"{share.estimate * rows:,.0f}"
    said = f"About {percent(share.estimate)} of the {rows:,} labels are wrong, some {number}"
    if share.low is not None and share.high is not None:
        said += f" ({LEVEL * 100:.0f}% interval: {percent(share.low)} to {percent(share.high)})"
    return f"{said}."


def _reliance(noise: NoiseEstimate) -> str:
    if noise.level == BETWEEN:
        return "Classes that overlap and wrong labels look alike, so labels leave this open."
    said = "This is known, if mistakes do not follow the features"
    if noise.share.estimate < _NONE:
        said += "; it is next to nothing: you can use the labels as they are"
    if noise.doubts:
        said += f". The page lists {counted(len(noise.doubts), 'thing')} to know first"
    return f"{said}."


def _next(noise: NoiseEstimate, issues: pd.DataFrame) -> str:
    count = doubtful(issues)
    gone = classes_gone(noise, noise.counts, noise.classes)
    sure = ""
    if gone:
        sure = (
            f"check some labels of {_listed(gone)}, of which hardly any is right by this estimate"
        )
    elif noise.level != KNOWN:
        sure = "check some labels drawn at random to make sure of the number"
    if not count:
        return f"Next, {sure}." if sure else "No single label is more probably wrong than right."
    labels = "label that is" if count == 1 else f"{count:,} labels that are"
    said = f"Next, {sure}{', and ' * bool(sure)}look at the {labels} more probably wrong than right"
    if noise.level == BETWEEN or count == 1:
        return f"{said}."
    found = issues["expected_issues"].iloc[count - 1]
    return f"{said}: about {found:,.0f} of them should be wrong."


def _change(gain: Gain) -> str:
    name = measure_name(gain.corrected.measure)
    return f"{name} from {gain.plain.loss:.3f} to {gain.corrected.loss:.3f}"


def _listed(parts: object) -> str:
    *first, last = list(parts)  # type: ignore[call-overload]
    return f"{', '.join(first)} and {last}" if first else str(last)


# ``ncbench diagnose``: the page about a user's labels. It needs no package of an extra.

_SHOWN = 100
_FEWEST = 20  # labels to show, even if none is more probably wrong than right
_DEPTHS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
_WITH_INTERVALS = 6  # classes whose intervals have room in its cells
_LONG = 14  # letters of a name that a heat map has room for
_MOST_NAMED = 60  # columns to name before they are only counted
_WIDTH = 0.1  # of the interval that labels drawn at random should give
_ROWS = 300


def write_diagnosis(
    out: Path,
    data: OwnData,
    noise: NoiseEstimate,
    issues: pd.DataFrame,
    gains: Sequence[Gain],
    command: str,
    background: str | None = None,
) -> None:
    """Write the page, completely or not at all.

    Parameters
    ----------
    out : Path
    data : OwnData
    noise : NoiseEstimate
    issues : DataFrame
        As returned by ``labels_to_look_at``.
    gains : sequence of Gain
    command : str
        The command that made it.
    background : str, optional
        The class that Micro F1 leaves out; by default the first.
    """
    columns = {} if data.encoder is None else data.encoder.uses()
    at_random = plan(noise, data, _WIDTH)
    count = doubtful(issues)
    shown = issues.head(min(max(count, _FEWEST), _SHOWN))
    page = rendered(
        "ncbench.own_labels",
        "diagnosis.html",
        name=data.name,
        command=command,
        summary=summary(noise, issues, gains),
        noise=noise,
        rows=len(data.y),
        percent=percent,
        examples=class_frequencies(noise, noise.counts) * noise.counts.sum(),
        columns={what: _named(names) for what, names in columns.items()},
        whole=noise.n <= WHOLE,
        heat=_heat(noise.matrix, noise.classes, noise.low, noise.high),
        reverse=_heat(noise.true_given_label, noise.classes),
        percents=_percents,
        mistakes=_mistakes(noise) if noise.n > WHOLE and noise.of_pairs else [],
        confusions=_confusions(noise) if noise.n > _WITH_INTERVALS else [],
        relies=noise.level == KNOWN,
        tells=noise.level != CANNOT_TELL,
        at_random=np.sort(at_random[:_ROWS]).tolist(),
        at_random_count=len(at_random),
        gains=gains,
        compared=gains[0].corrected.examples if gains else 0,
        worth=worth(noise, gains),
        measure_name=measure_name,
        background=background or data.classes[0],
        issues=shown.to_dict("records"),
        ranked=len(issues),
        unchecked=len(data.y) - noise.checked,
        lines=data.lines is not None,
        people=people(noise) if noise.annotators else None,
        doubtful=count,
        depths=_depths(issues, count),
        counted=counted,
    )
    write_output(out, page.encode())


def _heat(
    matrix: Array, classes: Sequence[str], low: Array | None = None, high: Array | None = None
) -> dict[str, Any]:
    """Return a matrix of classes as a table with colors, and the ends of its intervals."""
    names, n = short_names(classes), len(classes)
    room = n * max(map(len, names))
    # Headings are upright where they do not fit side by side; on a phone, numbers are small, or
    # have no room.
    style = "turned" if room > 90 else "turned-narrow" if room > 30 else ""
    style += " many" * (n > _WITH_INTERVALS) + " dense" * (n > 10)
    fit = low is not None and n <= _WITH_INTERVALS
    ends = {"low": low, "high": high, "intervals": fit}
    return {"matrix": matrix, "classes": classes, "names": names, "style": style, **ends}


def short_names(classes: Sequence[str]) -> list[str]:
    """Return names for a heat map: long ones are cut, and then all are numbered.

    Examples
    --------
    >>> short_names(["barolo", "barbera"])
    ['barolo', 'barbera']
    >>> short_names(["a very long name of a class", "b"])
    ['1 a very long…', '2 b']
    """
    if max(map(len, classes)) <= _LONG:
        return list(classes)
    return [
        f"{k} {name if len(name) <= _LONG else name[: _LONG - 2].rstrip() + '…'}"
        for k, name in enumerate(classes, 1)
    ]


def _percents(share: float) -> str:
    return "<1" if 0 < share < 0.005 else f"{100 * share:.0f}"


def _confusions(noise: NoiseEstimate) -> Sequence[tuple[str, ...]]:
    """Return, for each class, how often it is labeled right, and its most frequent wrong label."""
    rows = []
    for j, name in enumerate(noise.classes):
        i = int(np.where(np.arange(noise.n) == j, -1.0, noise.matrix[:, j]).argmax())
        other = (noise.classes[i], _with_interval(noise, i, j)) if noise.of_pairs else ("-", "-")
        rows.append((name, _with_interval(noise, j, j), *other))
    return rows


def _mistakes(noise: NoiseEstimate) -> Sequence[tuple[str, ...]]:
    """Return the most frequent mistakes, the largest first."""
    joint, given_label = noise.expected_pairs, noise.true_given_label
    rows = []
    for i, j in mistakes(joint):
        shares = _with_interval(noise, i, j), percent(given_label[i, j])
        rows.append((noise.classes[i], noise.classes[j], how_many(joint[i, j]), *shares))
    return rows


def _with_interval(noise: NoiseEstimate, i: int, j: int) -> str:
    said = percent(noise.matrix[i, j])
    if noise.low is None or noise.high is None:
        return said
    return f"{said} ({percent(noise.low[i, j])} to {percent(noise.high[i, j])})"


def _named(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _depths(issues: pd.DataFrame, count: int) -> list[dict[str, Any]]:
    """Return how many wrong labels to expect among the first ones.

    Not among all: the share of all wrong labels is that of T, which these probabilities understate.
    """
    last = len(issues)
    chosen = sorted({depth for depth in (*_DEPTHS, count) if 0 < depth < last})
    return [
        {
            "depth": depth,
            "wrong": issues["expected_issues"].iloc[depth - 1],
            "precision": issues["expected_precision"].iloc[depth - 1],
            "even": depth == count,
        }
        for depth in chosen
    ]
