"""May an estimate of noise be relied on? Estimates on different assumptions, side by side.

Noise and overlap of classes look alike in the labels: only an assumption tells them apart.
``held_out_map`` assumes that its learners describe the clean classes up to their sharpness. The
rivals assume more. What every assumption allows is bounded: a learner that predicts held-out labels
correctly with probability A shows that at most ``1 - A`` of them are wrong, because a wrong label
cannot be predicted better than by its class.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ncbench.core import NoiseMatrix
from ncbench.errors import NcbenchError, counted as counted_text, notice_once
from ncbench.noise_estimation.estimate import (
    DO_NOT_RELY,
    LEVEL,
    NO_NOISE,
    RELY,
    Interval,
    Rival,
    class_frequencies,
    share_of_wrong,
)
from ncbench.noise_estimation.label_notices import shown_names
from ncbench.noise_estimation.sample import NoisySample
from ncbench.plugin import get_registry
from ncbench.types import Array, Labels

RIVALS = {
    "hoc": "an example and its nearest neighbors have the same class",
    "confident_joint": "classes do not overlap where a learner is sure",
}

_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
_CLOSE = 0.05  # estimates of the share that differ by less agree,
_CLOSE_RATIO = 0.3  # or by less than this part of the estimate
_NONE = 0.02  # a smaller share is no noise
_UNCERTAIN = 0.1  # a share whose interval is wider is uncertain,
_UNCERTAIN_RATIO = 0.6  # unless it is narrower than this part of the share
_RARE = 30
_GONE = 0.5  # true examples of a class: fewer are none
_WIDE = 0.25
_SMALL_SINGULAR_VALUE = 0.2
_POINTS = (1_000, 20_000)  # fewest and most rows whose neighbors hoc looks up
_COMPARED = 2e10  # entries of X that they are compared with, in all


@dataclass(frozen=True)
class Verdict:
    """Whether to rely on an estimate, and why not."""

    name: str
    doubts: tuple[str, ...]
    rivals: tuple[Rival, ...]
    at_most: float
    """The largest share of wrong labels by any of the assumptions, or of the interval."""


def judge(
    noise: NoiseMatrix,
    sample: NoisySample,
    share: Interval,
    low: Array | None,
    high: Array | None,
    counted: Interval | None,
) -> Verdict:
    """Compare an estimate with its rivals and with what can be predicted.

    Parameters
    ----------
    noise : NoiseMatrix
    sample : NoisySample
    share : Interval
        The estimated share of wrong labels.
    low, high : arrays of shape (n, n) or None
        Ends of the intervals of T.
    counted : Interval or None
        The share of wrong labels among checked ones.
    """
    rivals = tuple(_rivals(sample))
    warnings = list(getattr(noise, "warnings", ()))
    posterior = getattr(noise, "posterior", None)
    if posterior is not None:
        accuracy = posterior.accuracy
    else:
        accuracy = (sample.out_of_fold_posterior().argmax(axis=1) == sample.y).mean()
    rows = len(sample.y) if sample.rows is None else len(np.unique(sample.rows))
    known = float(accuracy), rows, share, rivals
    *_, at_most = _shares(*known)
    open_question = _disagreement(*known, counted)
    if share.estimate < _NONE and not warnings and not open_question:
        return Verdict(NO_NOISE, (), rivals, at_most)
    weak = _weak_points(noise, sample.counts, sample.classes, low, high)
    doubts = [*warnings, *weak, *open_question, *_wide(share)]
    return Verdict(DO_NOT_RELY if doubts else RELY, tuple(doubts), rivals, at_most)


def cheap_doubts(
    noise: NoiseMatrix,
    counts: Labels,
    classes: Sequence[str],
    share: Interval,
    low: Array | None,
    high: Array | None,
) -> list[str]:
    """Return the reasons for doubt that need neither rivals nor a learner.

    Parameters
    ----------
    noise : NoiseMatrix
    counts : array of shape (n,)
        Number of labels of each class.
    classes : sequence of str
    share : Interval
        The estimated share of wrong labels.
    low, high : arrays of shape (n, n) or None
        Ends of the intervals of T.

    Examples
    --------
    >>> T = NoiseMatrix([[0.9, 0.45], [0.1, 0.55]])
    >>> cheap_doubts(T, np.array([900, 100]), ["ant", "bee"], Interval(0.1), None, None)
    ['by this estimate, hardly any label of bee is right; check some, and if so, merge bee with \
another class, or drop its rows']
    """
    warnings = list(getattr(noise, "warnings", ()))
    if share.estimate < _NONE and not warnings:
        return []
    return [*warnings, *_weak_points(noise, counts, classes, low, high), *_wide(share)]


def labels_to_check(share: float, width: float, rows: int) -> int:
    """Return how many labels, drawn at random, give a 90% interval of this width.

    Counted as a share of a finite number of rows, without a model. If the share is smaller than
    supposed, or larger than one half, the interval is narrower.

    Examples
    --------
    >>> labels_to_check(0.2, 0.1, rows=100_000)
    173
    >>> labels_to_check(0.2, 0.1, rows=200)
    93
    """
    share = min(max(share, 1 / rows), 0.5)
    wanted = share * (1 - share) * (2 * _Z / width) ** 2
    return int(np.ceil(wanted / (1 + wanted / rows)))


def counted_share(wrong: int, checked: int) -> Interval:
    """Return the share of wrong labels among checked ones, with Wilson's interval.

    Examples
    --------
    >>> print(counted_share(20, 100))
    20.0% [14.3%, 27.3%]
    """
    share = wrong / checked
    center = (wrong + _Z**2 / 2) / (checked + _Z**2)
    half = _Z / (checked + _Z**2) * np.sqrt(wrong * (1 - share) + _Z**2 / 4)
    return Interval(share, float(center - half), float(center + half))


def _rivals(sample: NoisySample) -> Iterator[Rival]:
    names = get_registry().names("t_estimator")
    for name, assumption in RIVALS.items():
        if name in names:
            try:
                estimator = get_registry().build("t_estimator", name, **_parameters(name, sample))
                noise = estimator.estimate(sample)
            except NcbenchError as error:
                notice_once(f"not compared with {name}: {error}")
                continue
            yield Rival(name, assumption, share_of_wrong(noise, sample.counts))


def _parameters(name: str, sample: NoisySample) -> dict[str, int]:
    """Return parameters that keep a rival cheap: hoc compares each of its points with all of X."""
    if name != "hoc":
        return {}
    return {"max_points": int(np.clip(_COMPARED / sample.X.size, *_POINTS))}


def _shares(
    accuracy: float, rows: int, share: Interval, rivals: Sequence[Rival]
) -> tuple[float, float, float, float]:
    """Return the least and the largest estimate, the bound on any, and ``Verdict.at_most``."""
    bound = float(1 - accuracy + _Z * np.sqrt(accuracy * (1 - accuracy) / rows))
    shares = [share.estimate, *(rival.share for rival in rivals)]
    highest = min(max(shares), max(bound, share.estimate))
    return min(shares), highest, bound, max(highest, share.high or 0.0)


def _disagreement(
    accuracy: float,
    rows: int,
    share: Interval,
    rivals: Sequence[Rival],
    counted: Interval | None,
) -> list[str]:
    """Return a reason for doubt if what the assumptions allow is too far apart."""
    lowest, highest, bound, at_most = _shares(accuracy, rows, share, rivals)
    if counted is not None and counted.low is not None and counted.high is not None:
        if not counted.low <= share.estimate <= counted.high:
            return [
                f"the estimate, {share.estimate:.0%}, is not in the interval of the checked "
                f"labels, {counted}. If these were drawn at random, rely on them: mistakes may "
                "depend on more than the class, which no noise matrix describes"
            ]
        lowest, highest = max(lowest, counted.low), min(highest, counted.high)
    apart = highest - lowest
    if apart <= max(_CLOSE, _CLOSE_RATIO * share.estimate):
        return []
    count = labels_to_check(at_most, round(apart / 2, 2), rows)  # as --plan
    others = "; ".join(f"{min(r.share, highest):.0%} if {r.assumption}" for r in rivals)
    if any(rival.share > highest for rival in rivals) and highest == bound:
        others += f"; more is impossible, because {accuracy:.0%} of held-out labels are predicted"
    return [
        f"classes may overlap: depending on the assumption, {lowest:.0%} to {highest:.0%} of the "
        f"labels are wrong. This estimate is {share.estimate:.0%}; it would be {others}. To settle "
        f"it, check about {counted_text(count, 'label')} drawn at random "
        f"(estimate-noise --plan {apart / 2:.2f} lists them)"
    ]


def _wide(share: Interval) -> Iterator[str]:
    if share.low is None or share.high is None:
        return
    if share.width > max(_UNCERTAIN, _UNCERTAIN_RATIO * share.estimate):
        said = f"the share of wrong labels is uncertain: {share.low:.1%} to {share.high:.1%}"
        if share.estimate - share.low < 0.1 * share.width:
            said += "; the estimate is at the lower end, so that rather more are wrong than fewer"
        yield said


def classes_gone(noise: NoiseMatrix, counts: Labels, classes: Sequence[str]) -> list[str]:
    """Return the classes that have labels, but about no true example."""
    true = class_frequencies(noise, counts) * counts.sum()
    gone = (counts > 0) & (true < _GONE)
    return [name for name, no in zip(classes, gone, strict=True) if no]


def _weak_points(
    noise: NoiseMatrix,
    counts: Labels,
    classes: Sequence[str],
    low: Array | None,
    high: Array | None,
) -> Iterator[str]:
    if noise.smallest_singular_value < _SMALL_SINGULAR_VALUE:
        yield (
            f"smallest singular value {noise.smallest_singular_value:.2f}: close to singular; "
            f"a correction magnifies errors up to {noise.inverse_norm:.1f} times"
        )
    # Most labels of a rare class may be wrong labels of other classes.
    true = class_frequencies(noise, counts) * counts.sum()
    classes = shown_names(classes)
    gone = classes_gone(noise, counts, classes)
    for name in gone:
        yield (
            f"by this estimate, hardly any label of {name} is right; check some, and if so, merge "
            f"{name} with another class, or drop its rows"
        )
    few = [(name, k) for name, k in zip(classes, true, strict=True) if k < _RARE]
    rare = [f"{name} (about {count:.0f})" for name, count in few if name not in gone]
    if rare:
        yield f"classes with fewer than {_RARE} true examples: {', '.join(rare)}"
    if low is not None and high is not None:
        width = high - low
        i, j = map(int, np.unravel_index(width.argmax(), width.shape))
        if width[i, j] > _WIDE:
            yield (
                f"wide intervals: P(labeled {classes[i]} | truly {classes[j]}) "
                f"is between {low[i, j]:.2f} and {high[i, j]:.2f}"
            )
