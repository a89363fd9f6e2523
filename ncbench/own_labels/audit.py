"""Audit of a user's labels: the estimated noise, its uncertainty, and whether to rely on it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets

from ncbench.core import NoiseMatrix, stream
from ncbench.data import UNKNOWN, positions
from ncbench.errors import NcbenchError, require
from ncbench.learning import deal_folds, learner_of
from ncbench.noise_estimation.dawid_skene import Crowd, dawid_skene
from ncbench.noise_estimation.posterior import NoisePosterior
from ncbench.noise_estimation.repair import repair_estimate
from ncbench.noise_estimation.sample import CleanLabels, NoisySample, Trusted
from ncbench.noise_estimation.share import LEVEL, Interval, counted_share, share_of_wrong
from ncbench.own_labels.data import OwnData, classes_with, given_labels, label_codes
from ncbench.own_labels.estimate import Annotator, NoiseEstimate, only_checked
from ncbench.own_labels.verdict import COUNTED, judge, labels_to_check, with_counted
from ncbench.plugin import get_registry
from ncbench.types import Array, Labels

DEFAULT_T_ESTIMATOR = "held_out_map"
"""The T estimator for people who have only noisy labels."""

PEOPLE_T_ESTIMATOR = "dawid_skene"
"""The T estimator for the labels of several people."""

_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
_Z = NormalDist().inv_cdf(_TAILS[1])
_MAX_JUDGED = 10_000  # rows that rivals and the bound are computed on


def estimate_noise(
    X: ArrayLike,
    y: ArrayLike,
    estimator: Any = DEFAULT_T_ESTIMATOR,
    cpe: Any = None,
    random_state: int | None = None,
    clean: ArrayLike | None = None,
    bootstrap: int = 0,
) -> NoiseEstimate:
    """Estimate how many labels are wrong, and how.

    ``python -m ncbench estimate-noise`` prints the same estimate for a file.

    Parameters
    ----------
    X : array of shape (m, d)
    y : array of shape (m,)
        Noisy labels of any type.
    estimator : str or T estimator
        A name, such as ``"forward_map"``, or an object: ``load("t_estimator", name)(...)``. An
        estimator that needs more than noisy labels raises an error.
    cpe : scikit-learn classifier or str, optional
        Class probability learner, if the estimator uses one, and for the verdict; by default
        ``logistic``.
    random_state : int, optional
        Seed for random choices, such as folds.
    clean : array of shape (m,), optional
        Checked labels; None, NaN or, beside whole numbers, -1 where a label was not checked. They
        should be a random sample.
    bootstrap : int
        Number of resamples for intervals, if the estimator has none of its own, as
        ``held_out_map`` has; 0 for none.

    Returns
    -------
    NoiseEstimate
        A noise matrix as ``fit`` takes it, with the names of the classes, intervals and a verdict.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=400)
    >>> X = rng.normal(size=(400, 1)) + 5 * truth[:, None]
    >>> wrong = rng.random(400) < 0.1
    >>> y = np.array(["ant", "bee"])[np.where(wrong, 1 - truth, truth)]
    >>> noise = estimate_noise(X, y, random_state=0)
    >>> noise.verdict, noise.classes
    ('known', ('ant', 'bee'))
    >>> noise.matrix.round(1)
    array([[0.9, 0.1],
           [0.1, 0.9]])
    """
    if issparse(X):
        raise NcbenchError(
            "X is sparse, from which noise cannot be estimated; use "
            "estimate_noise(TruncatedSVD(50).fit_transform(X), y), or X.toarray()"
        )
    features, labels = check_X_y(X, y, dtype=np.float64)
    check_classification_targets(labels)
    whole = random_state is None or isinstance(random_state, int | np.integer)
    require(whole, "random_state", repr(random_state), "a whole number, or None")
    checked = None if clean is None else given_labels(clean, labels, "clean")
    values = classes_with(labels, checked)
    noisy = [str(value) for value in np.unique(labels)]
    for name in sorted({str(value) for value in values} - {*noisy}):
        warnings.warn(f"clean: {only_checked(name, noisy)}", stacklevel=2)
    data = OwnData(
        "y",
        features,
        np.searchsorted(values, labels).astype(np.int64),
        tuple(str(value) for value in values),
        None if checked is None else label_codes(checked, values),
    )
    if isinstance(estimator, str):
        name, estimator = estimator, get_registry().build("t_estimator", estimator)
    else:
        name = type(estimator).__name__
    learner = learner_of(cpe, "logistic", 0)
    return examine(data, estimator, learner, name=name, bootstrap=bootstrap, seed=random_state)


def plan(noise: NoiseEstimate, data: OwnData, width: float, seed: int = 0) -> Labels:
    """Return the rows to check, from 1, for an interval of the share of wrong labels this wide.

    They are drawn at random from the rows without a checked label, and in the order of the draw, so
    that the first of them are a random part, too. They are enough if no more labels are wrong than
    ``noise.at_most``; the interval of the estimate with them is usually narrower.
    """
    rows = np.arange(len(data.y)) if data.examples is None else data.examples
    count = labels_to_check(noise.at_most, width, len(np.unique(rows)))
    if data.clean is not None:
        checked = data.clean != UNKNOWN
        count -= len(np.unique(rows[checked]))
        rows = rows[~checked]
    drawn = stream(seed, "estimate-noise", "plan").permutation(np.unique(rows))[: max(count, 0)]
    return np.asarray(drawn + 1 if data.table_rows is None else data.table_rows[drawn])


def examine(
    data: OwnData,
    estimator: Any,
    cpe: Any,
    *,
    name: str,
    bootstrap: int = 0,
    seed: int | None = 0,
) -> NoiseEstimate:
    """Estimate the noise of a user's labels, its intervals, and whether to rely on them.

    Parameters
    ----------
    data : OwnData
    estimator : T estimator
    cpe : scikit-learn classifier
    name : str
        The estimator's name.
    bootstrap : int
        Number of resamples, each of half of the rows, if the estimator has no draws of its own.
    seed : int or None
    """
    _require_rows(data, 0)
    sample = _sample(data, cpe, seed)
    noise = estimator.estimate(sample)
    draws = getattr(noise, "draws", None)
    resamples = bootstrap if draws is None else 0
    skills: list[Array] = []
    halves: list[Array] = []
    if resamples:
        _require_rows(data, resamples)
        base = int(np.random.default_rng().integers(2**31)) if seed is None else seed
        for k in range(resamples):
            again = _half(sample, stream(base, "estimate-noise", "bootstrap", k))
            halves.append(estimator.estimate(again).matrix)
            if again.annotations is not None:
                skills.append(_crowd(again).accuracy(again.annotations))
    low, high = _ends(noise.matrix, draws, halves)
    share = _share(noise, sample.counts, draws, halves)
    pairs = found = unchecked = None
    if data.clean is not None:
        both = data.clean != UNKNOWN
        pairs = _pairs(data)
        found = counted_share(int((data.y != data.clean)[both].sum()), int(both.sum()))
        without = estimator.estimate(replace(_sample(data, cpe, seed), checked=None))
        if without != noise:  # else the estimator does not use them
            unchecked = _share(without, sample.counts, getattr(without, "draws", None), ())
    checked = 0 if pairs is None else int(pairs.sum())
    if found is not None and checked >= COUNTED:
        share = with_counted(share, found)
    verdict = judge(noise, _judged(data, cpe, seed), share, low, high, found, checked)
    return NoiseEstimate(
        noise,
        data=data.name,
        estimator=name,
        classes=data.classes,
        counts=sample.counts,
        features=data.X.shape[1],
        low=low,
        high=high,
        share=share,
        resamples=resamples,
        rivals=verdict.rivals,
        doubts=verdict.doubts,
        verdict=verdict.name,
        at_most=verdict.at_most,
        pairs=pairs,
        unchecked=unchecked,
        annotators=_annotators(sample, skills),
        examples=None if sample.rows is None else len(np.unique(sample.rows)),
    )


def uncertainty(noise: NoiseMatrix, counts: Labels) -> tuple[Array | None, Array | None, Interval]:
    """Return the ends of the intervals of T, if it knows its own, and the share of wrong labels."""
    draws = getattr(noise, "draws", None)
    return *_ends(noise.matrix, draws, ()), _share(noise, counts, draws, ())


def _ends(
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


def _share(
    noise: NoiseMatrix, counts: Labels, draws: Array | None, halves: Sequence[Array]
) -> Interval:
    posterior: NoisePosterior | None = getattr(noise, "posterior", None)
    if posterior is not None:
        return posterior.share
    estimate = share_of_wrong(noise, counts)

    def shares(matrices: Iterable[Array]) -> Array:
        return np.array([share_of_wrong(repair_estimate(T), counts) for T in matrices])

    of_draws = None
    if draws is not None:
        # Draws of an entry that is known to be small are skewed. The share adds up n (n - 1) of
        # them, so the draws of the share are too high; that of the median of each entry is not.
        of_draws = shares(draws)
        shift = shares([np.median(draws, axis=0)])[0] - np.median(of_draws)
        of_draws = np.clip(of_draws + shift, 0, 1)
    low, high = _ends(np.array(estimate), of_draws, shares(halves))
    if low is None or high is None:
        return Interval(estimate)
    return Interval(estimate, float(low), float(high))


def _half(sample: NoisySample, rng: np.random.Generator) -> NoisySample:
    """Draw half of the rows without replacement.

    Estimates then vary as in a bootstrap, but no repeated row is its own neighbor or on both sides
    of a fold. If several people gave labels, half of the examples are drawn, with all their labels.
    """
    if sample.annotations is None or sample.rows is None:
        kept = deal_folds(sample.y, 2, rng.permutation(len(sample.y))) == 0
        checked = None if sample.checked is None else sample.checked[kept]
        return replace(sample, X=sample.X[kept], y=sample.y[kept], checked=checked, rng=rng)
    examples = np.unique(sample.rows)
    half = np.sort(rng.permutation(examples)[: (len(examples) + 1) // 2])
    kept = np.isin(sample.rows, half)
    given = sample.annotations.of(half)
    return replace(
        sample,
        X=sample.X[kept],
        y=sample.y[kept],
        rows=positions(sample.rows[kept], half),
        annotations=given,
        checked=None if sample.checked is None else sample.checked[kept],
        rng=rng,
    )


def _crowd(sample: NoisySample) -> Crowd:
    assert sample.annotations is not None
    m = int(sample.annotations.rows.max()) + 1
    known = sample.checked_examples(m)
    return dawid_skene(sample.annotations, m, sample.n_classes, checked=known)


def _annotators(sample: NoisySample, skills: Sequence[Array]) -> tuple[Annotator, ...]:
    """Return the annotators, the best first: those that are right in the most cases for certain."""
    given = sample.annotations
    if given is None:
        return ()
    crowd = _crowd(sample)
    accuracy = crowd.accuracy(given)
    n_people = len(given.names)
    by_class = np.zeros((n_people, sample.n_classes), dtype=np.int64)
    np.add.at(by_class, (given.annotators, given.labels), 1)
    people = []
    for k in range(n_people):
        count = int(by_class[k].sum())
        # Resamples of a few labels may agree by chance.
        by_count = counted_share(round(accuracy[k] * count), count)
        halves = [skill[k] for skill in skills if np.isfinite(skill[k])]
        low, high = _ends(accuracy[k], None, halves)
        interval = Interval(float(accuracy[k]))
        if low is not None and high is not None:
            ends = min(float(low), by_count.low or 0.0), max(float(high), by_count.high or 1.0)
            interval = Interval(float(accuracy[k]), *ends)
        about = count, interval, crowd.matrices[k], tuple(by_class[k].tolist())
        people.append((-(by_count.low or 0.0), Annotator(given.names[k], *about)))
    return tuple(person for _, person in sorted(people, key=lambda each: each[0]))


def _judged(data: OwnData, cpe: Any, seed: int | None) -> NoisySample:
    """Return the sample for rivals and the bound; of a large one, a part."""
    sample = _sample(data, cpe, seed)
    if len(data.y) <= _MAX_JUDGED:
        return sample
    rows = np.sort(sample.rng.choice(len(data.y), _MAX_JUDGED, replace=False))
    examples = None if data.examples is None else data.examples[rows]
    return replace(sample, X=data.X[rows], y=data.y[rows], rows=examples, checked=None)


def _sample(data: OwnData, cpe: Any, seed: int | None) -> NoisySample:
    """Return a user's data as the input of estimators."""
    return NoisySample(
        X=data.X,
        y=data.y,
        n_classes=len(data.classes),
        cpe=cpe,
        rng=np.random.default_rng() if seed is None else stream(seed, "estimate-noise"),
        clean=None if data.clean is None else _CountedAlready(),
        classes=data.classes,
        rows=data.examples,
        annotations=data.annotations,
        checked=data.clean,
        seed=seed,
    )


def _require_rows(data: OwnData, bootstrap: int) -> None:
    """Raise NcbenchError if a learner might get a part of the data with a single class."""
    second, most = np.sort(np.bincount(data.y, minlength=2))[-2:]
    # Two rows of a class are in different folds, so training always sees one. A resample is half.
    needed = 4 if bootstrap else 2
    if second < needed:
        hint = "" if not bootstrap or second < 2 else "; without intervals (bootstrap 0), only 2"
        raise NcbenchError(
            f"{data.name}: {len(data.y)} rows are too few to estimate noise: the two most frequent "
            f"labels have {most} and {second} rows; expected at least {needed} each{hint}"
        )


class _CountedAlready(CleanLabels):
    """The clean labels of a user's file, which estimates are compared with."""

    def __init__(self) -> None:
        pass

    def of_share(self, fraction: float) -> Trusted:
        raise NcbenchError(
            "checked labels are counted and printed with every estimate, and "
            f"{DEFAULT_T_ESTIMATOR} uses them: leave out --t-estimator, or name one that "
            "does not need clean labels"
        )


def _pairs(data: OwnData) -> Labels:
    """Count the pairs of a label, in the rows, and a checked one, in the columns."""
    assert data.clean is not None
    both = data.clean != UNKNOWN
    counts = np.zeros((len(data.classes),) * 2, dtype=np.int64)
    np.add.at(counts, (data.y[both], data.clean[both]), 1)
    return counts
