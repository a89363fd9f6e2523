"""A diagnosis of labels in plain words, for the page and the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from ncbench.errors import counted
from ncbench.noise_estimation import classes_gone
from ncbench.noise_estimation.estimate import BETWEEN, CANNOT_TELL, KNOWN, LEVEL, NoiseEstimate

if TYPE_CHECKING:
    from ncbench.doubtful_labels import Gain

_NONE = 0.02  # a smaller share is next to nothing
_NAMES = {"g_mean": "G-mean", "h_mean": "H-mean", "q_mean": "Q-mean", "micro_f1": "Micro F1"}


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
    return _NAMES.get(name, "zero-one loss" if name == "zero_one" else name)


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
    sure = "check some labels drawn at random to make sure of the number"
    if gone:
        sure = (
            f"check some labels of {_listed(gone)}, of which hardly any is right by this estimate"
        )
    listed = "Next, look at"
    if noise.level != KNOWN or gone:
        listed = f"Next, {sure}, and look at"
    if not count:
        if noise.level != KNOWN or gone:
            return f"Next, {sure}."
        return "No single label is more probably wrong than right."
    found = issues["expected_issues"].iloc[count - 1]
    if count == 1:
        return f"{listed} the label that is more probably wrong than right."
    if noise.level == BETWEEN:
        return f"{listed} the {count:,} labels that are more probably wrong than right."
    return (
        f"{listed} the {count:,} labels that are more probably wrong than right: about "
        f"{found:,.0f} of them should be wrong."
    )


def _change(gain: Gain) -> str:
    name = measure_name(gain.corrected.measure)
    return f"{name} from {gain.plain.loss:.3f} to {gain.corrected.loss:.3f}"


def _listed(parts: object) -> str:
    *first, last = list(parts)  # type: ignore[call-overload]
    return f"{', '.join(first)} and {last}" if first else str(last)
