"""What do labels say of the noise? Estimates on different assumptions, side by side.

Noise and overlap of classes look alike in the labels: only an assumption tells them apart.
``held_out_map`` assumes that its learners describe the clean classes up to their sharpness. The
rivals assume more. What every assumption allows is bounded: a learner that predicts held-out labels
correctly with probability A shows that at most ``1 - A`` of them are wrong, because a wrong label
cannot be predicted better than by its class.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ncbench.core import NoiseMatrix
from ncbench.errors import NcbenchError, counted as counted_text, notice_once
from ncbench.noise_estimation.posterior import NoisePosterior, Prediction, prediction
from ncbench.noise_estimation.repair import repair_estimate
from ncbench.noise_estimation.sample import NoisySample
from ncbench.noise_estimation.share import (
    BETWEEN,
    CANNOT_TELL,
    KNOWN,
    LEVEL,
    Share,
    class_frequencies,
    share_of_wrong,
)
from ncbench.own_labels.data import shown_names
from ncbench.own_labels.noise_estimate import Rival
from ncbench.plugin import get_registry
from ncbench.types import Array, Labels

RIVALS = {
    "hoc": "an example and its nearest neighbors have the same class",
    "confident_joint": "classes do not overlap where a learner is sure",
}

_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
_Z = NormalDist().inv_cdf(_TAILS[1])
_CLOSE = 0.05  # estimates of the share that differ by less agree,
_CLOSE_RATIO = 0.3  # or by less than this part of the estimate
_NARROW = 0.03  # a share is known whose interval is not wider,
_NARROW_RATIO = 0.5  # or not wider than this part of the share
COUNTED = 40
"""Checked labels, from which counting says enough."""

_RARE = 30
_GONE = 0.5  # true examples of a class: fewer are none
_WIDE = 0.25
_SMALL_SINGULAR_VALUE = 0.2
_POINTS = (1_000, 20_000)  # fewest and most rows whose neighbors hoc looks up
_COMPARED = 2e10  # entries of X that they are compared with, in all


class Uncertainty(NamedTuple):
    """Intervals of T, if there are any, and the share of wrong labels."""

    low: Array | None
    high: Array | None
    share: Share


def uncertainty(noise: NoiseMatrix, counts: Labels, halves: Sequence[Array] = ()) -> Uncertainty:
    """Return what is known of the errors of an estimate.

    Parameters
    ----------
    noise : NoiseMatrix
        Its ``draws`` and its ``posterior`` are used, if it has them.
    counts : array of shape (n,)
        Number of labels of each class.
    halves : sequence of arrays of shape (n, n)
        Estimates from halves of the rows, for one that has no draws.
    """
    draws: Array | None = getattr(noise, "draws", None)
    low, high = interval(noise.matrix, draws, halves)
    posterior: NoisePosterior | None = getattr(noise, "posterior", None)
    if posterior is not None:
        return Uncertainty(low, high, posterior.share)
    estimate = share_of_wrong(noise, counts)

    def shares(matrices: Sequence[Array] | Array) -> Array:
        return np.array([share_of_wrong(repair_estimate(T), counts) for T in matrices])

    of_draws = None
    if draws is not None:
        # Draws of an entry that is known to be small are skewed. The share adds up n (n - 1) of
        # them, so the draws of the share are too high; that of the median of each entry is not.
        of_draws = shares(draws)
        shift = shares([np.median(draws, axis=0)])[0] - np.median(of_draws)
        of_draws = np.clip(of_draws + shift, 0, 1)
    ends = interval(np.array(estimate), of_draws, shares(halves))
    return Uncertainty(low, high, Share(estimate, *(None if e is None else float(e) for e in ends)))


def interval(
    estimate: Array, draws: Array | None, halves: Sequence[Array] | Array
) -> tuple[Array | None, Array | None]:
    """Return the ends of intervals that contain the estimate.

    Draws are from the distribution of T given the data. Estimates from halves of the rows deviate
    from the estimate as it does from T (delete-half jackknife), so the interval is centered at it.
    """
    if draws is not None:
        low, high = np.quantile(draws, _TAILS, axis=0)
        return np.minimum(low, estimate), np.maximum(high, estimate)
    if not len(halves):
        return None, None
    error = _Z * np.sqrt(np.mean((np.array(halves) - estimate) ** 2, axis=0))
    return np.clip(estimate - error, 0, 1), np.clip(estimate + error, 0, 1)


@dataclass(frozen=True)
class Verdict:
    """What the labels say of the share of wrong ones, and what to know of T."""

    name: str
    doubts: tuple[str, ...]
    rivals: tuple[Rival, ...]
    at_most: float
    """The largest share of wrong labels by any of the assumptions, or of the interval."""


class Findings(NamedTuple):
    """What an estimate says of itself, without rivals and a learner."""

    share: Share
    low: Array | None
    high: Array | None
    verdict: str | None
    """None if the estimator leaves it to rivals."""
    doubts: list[str]


def findings(noise: NoiseMatrix, counts: Labels, classes: Sequence[str]) -> Findings:
    """Return what a noise matrix says of labels: how many are wrong, and whether to rely on it.

    Parameters
    ----------
    noise : NoiseMatrix
    counts : array of shape (n,)
        Number of labels of each class.
    classes : sequence of str
    """
    low, high, share = known = uncertainty(noise, counts)
    posterior: NoisePosterior | None = getattr(noise, "posterior", None)
    verdict = None
    if posterior is not None:
        verdict = said(share, int(counts.sum()), posterior.prediction)
    return Findings(share, low, high, verdict, cheap_doubts(noise, counts, classes, known))


def judge(
    noise: NoiseMatrix, sample: NoisySample, known: Uncertainty, counted: Share | None, checked: int
) -> Verdict:
    """Compare an estimate with its rivals and with what can be predicted.

    Parameters
    ----------
    noise : NoiseMatrix
    sample : NoisySample
    known : Uncertainty
    counted : Share or None
        The share of wrong labels among checked ones.
    checked : int
        Their number.
    """
    rivals = tuple(_rivals(sample))
    posterior: NoisePosterior | None = getattr(noise, "posterior", None)
    if posterior is None:
        predicted = prediction([sample.out_of_fold_posterior()], sample.y)
    else:
        predicted = posterior.prediction
    rows = len(sample.y) if sample.rows is None else len(np.unique(sample.rows))
    share = known.share
    compared = predicted.accuracy, rows, share, rivals
    lowest, *_, at_most = _shares(*compared)
    open_question = _disagreement(*compared, counted)
    ends = share
    if posterior is None and (open_question or share.low is None):  # only others show the range
        ends = Share(
            share.estimate, lowest if share.low is None else min(lowest, share.low), at_most
        )
    if counted is not None and checked >= COUNTED:
        ends, predicted = with_counted(ends, counted), predicted._replace(real=True)
    if sample.annotations is not None:  # people's labels speak without features
        predicted = predicted._replace(real=True)
    verdict = said(ends, rows, predicted)
    if verdict.startswith(CANNOT_TELL):
        return Verdict(verdict, tuple(getattr(noise, "warnings", ())), (), at_most)
    doubts = cheap_doubts(noise, sample.counts, sample.classes, known)
    if not verdict.startswith(KNOWN):
        width = _width_to_check(ends)
        doubts += [*open_question, f"estimate-noise --plan {width:.2f} lists the rows to check"]
    elif counted is not None:
        doubts += open_question
    return Verdict(verdict, tuple(doubts), rivals, at_most)


def said(share: Share, rows: int, predicted: Prediction) -> str:
    """Return what the labels say of the share of wrong ones, in one of three levels.

    Parameters
    ----------
    share : Share
    rows : int
    predicted : Prediction
        Whether the features predict the labels.

    Examples
    --------
    >>> real = Prediction(0.8, 0.5, real=True)
    >>> said(Share(0.2, 0.18, 0.22), 900, real)
    'known'
    >>> said(Share(0.1, 0.04, 0.24), 900, real)
    'between 4.0% and 24%: check 162 rows drawn at random to know'
    >>> said(Share(0.1, 0.04, 0.24), 900, Prediction(0.5, 0.5, real=False))
    'labels alone cannot tell: the features do not predict them (held-out accuracy 50%, the most \
frequent label 50%)'
    """
    if not predicted.real:
        return f"{CANNOT_TELL}: the features do not predict them ({predicted})"
    low, high = share.ends
    if high - low <= max(_NARROW, _NARROW_RATIO * share.estimate):
        return KNOWN
    count = labels_to_check(high, _width_to_check(share), rows)
    return (
        f"{BETWEEN} {_percent(low)} and {_percent(high)}: check {counted_text(count, 'row')} drawn "
        "at random to know"
    )


def _percent(share: float) -> str:
    return "0%" if share == 0 else f"{share:.0%}" if share >= 0.0995 else f"{share:.1%}"


def _width_to_check(share: Share) -> float:
    low, high = share.ends
    return max(round((high - low) / 2, 2), 0.02)


def with_counted(share: Share, counted: Share) -> Share:
    """Return what an estimate and counting leave; if they contradict each other, counting."""
    low, high = max(share.ends[0], counted.ends[0]), min(share.ends[1], counted.ends[1])
    return counted if low > high else Share(share.estimate, low, high)


def cheap_doubts(
    noise: NoiseMatrix, counts: Labels, classes: Sequence[str], known: Uncertainty
) -> list[str]:
    """Return the reasons for doubt that need neither rivals nor a learner.

    Examples
    --------
    >>> T = NoiseMatrix([[0.9, 0.45], [0.1, 0.55]])
    >>> cheap_doubts(T, np.array([900, 100]), ["ant", "bee"], Uncertainty(None, None, Share(0.1)))
    ['by this estimate, hardly any label of bee is right; check some, and if so, merge bee with \
another class, or drop its rows']
    """
    doubts = list(getattr(noise, "warnings", ()))
    if known.share.estimate >= _NARROW or doubts:
        doubts += _weak_points(noise, counts, classes, known)
    return doubts


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
    accuracy: float, rows: int, share: Share, rivals: Sequence[Rival]
) -> tuple[float, float, float, float]:
    """Return the least and the largest estimate, the bound on any, and ``Verdict.at_most``."""
    bound = float(1 - accuracy + _Z * np.sqrt(accuracy * (1 - accuracy) / rows))
    shares = [share.estimate, *(rival.share for rival in rivals)]
    highest = min(max(shares), max(bound, share.estimate))
    return min(shares), highest, bound, max(highest, share.high or 0.0)


def _disagreement(
    accuracy: float,
    rows: int,
    share: Share,
    rivals: Sequence[Rival],
    counted: Share | None,
) -> list[str]:
    """Return a reason for doubt if what the assumptions allow is too far apart."""
    lowest, highest, bound, _ = _shares(accuracy, rows, share, rivals)
    if counted is not None and counted.low is not None and counted.high is not None:
        if not counted.low <= share.estimate <= counted.high:
            return [
                f"the estimate, {share.estimate:.0%}, is not in the interval of the checked "
                f"labels, {counted}. If these were drawn at random, rely on them: mistakes may "
                "depend on more than the class, which no noise matrix describes"
            ]
        lowest, highest = max(lowest, counted.low), min(highest, counted.high)
    if highest - lowest <= max(_CLOSE, _CLOSE_RATIO * share.estimate):
        return []
    others = "; ".join(f"{min(r.share, highest):.0%} if {r.assumption}" for r in rivals)
    if any(rival.share > highest for rival in rivals) and highest == bound:
        others += f"; more is impossible, because {accuracy:.0%} of held-out labels are predicted"
    return [f"classes may overlap: this estimate is {share.estimate:.0%}; it would be {others}"]


def classes_gone(noise: NoiseMatrix, counts: Labels, classes: Sequence[str]) -> list[str]:
    """Return the classes that have labels, but about no true example."""
    true = class_frequencies(noise, counts) * counts.sum()
    gone = (counts > 0) & (true < _GONE)
    return [name for name, no in zip(classes, gone, strict=True) if no]


def _weak_points(
    noise: NoiseMatrix, counts: Labels, classes: Sequence[str], known: Uncertainty
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
    if known.low is not None and known.high is not None:
        width = known.high - known.low
        i, j = map(int, np.unravel_index(width.argmax(), width.shape))
        if width[i, j] > _WIDE:
            yield (
                f"wide intervals: P(labeled {classes[i]} | truly {classes[j]}) "
                f"is between {known.low[i, j]:.2f} and {known.high[i, j]:.2f}"
            )
