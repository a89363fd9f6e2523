"""A diagnosis of labels in plain words, for the page and the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from ncbench.errors import counted
from ncbench.noise_estimation import classes_gone
from ncbench.noise_estimation.estimate import DO_NOT_RELY, LEVEL, NO_NOISE, NoiseEstimate

if TYPE_CHECKING:
    from ncbench.doubtful_labels import Gain

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
    if noise.verdict == DO_NOT_RELY:
        said += "; this, too, rests on the estimate"
    return f"{said}."


def _how_wrong(noise: NoiseEstimate) -> str:
    rows, share = int(noise.counts.sum()), noise.share
    number = f"{share.estimate * rows:,.0f}"
    said = f"About {percent(share.estimate)} of the {rows:,} labels are wrong, some {number}"
    if share.low is not None and share.high is not None:
        said += f" ({LEVEL * 100:.0f}% interval: {percent(share.low)} to {percent(share.high)})"
    return f"{said}."


def _reliance(noise: NoiseEstimate) -> str:
    if noise.verdict == NO_NOISE:
        return "That is next to nothing: you can use the labels as they are."
    if noise.verdict == DO_NOT_RELY:
        reasons = counted(len(noise.doubts), "reason speaks", "reasons speak")
        listed = "it" if len(noise.doubts) == 1 else "them"
        return f"Do not rely on this number yet: {reasons} against it. The page lists {listed}."
    if noise.checked:
        labels = counted(noise.checked, "checked label agrees", "checked labels agree")
        return f"You can rely on this number: {labels} with it."
    return "You can rely on this number: estimates that assume something else agree with it."


def _next(noise: NoiseEstimate, issues: pd.DataFrame) -> str:
    count = doubtful(issues)
    gone = classes_gone(noise, noise.counts, noise.classes)
    sure = "check some labels drawn at random to make sure of the number"
    if gone:
        sure = (
            f"check some labels of {_listed(gone)}, of which hardly any is right by this estimate"
        )
    listed = "Next, look at"
    if noise.verdict == DO_NOT_RELY:
        listed = f"Next, {sure}, and look at"
    if not count:
        if noise.verdict == DO_NOT_RELY:
            return f"Next, {sure}."
        return "No single label is more probably wrong than right."
    found = issues["expected_issues"].iloc[count - 1]
    if count == 1:
        return f"{listed} the label that is more probably wrong than right."
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
