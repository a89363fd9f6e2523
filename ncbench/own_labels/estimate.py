"""Estimate the noise of a user's labels, and plan which rows to check."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.metrics import confusion_matrix
from sklearn.utils import check_X_y

from ncbench.core import stream
from ncbench.data import UNKNOWN, Classes, positions
from ncbench.errors import NcbenchError, require
from ncbench.learning import deal_folds, learner_of
from ncbench.noise_estimation import CleanLabels, Crowd, NoisySample, dawid_skene
from ncbench.noise_estimation.sample import Trusted
from ncbench.noise_estimation.share import Share, counted_share
from ncbench.own_labels.arguments import DEFAULT_T_ESTIMATOR, number_labels
from ncbench.own_labels.data import OwnData, only_checked
from ncbench.own_labels.noise_estimate import Annotator, NoiseEstimate, share_of_pairs
from ncbench.own_labels.verdict import (
    COUNTED,
    interval,
    judge,
    labels_to_check,
    uncertainty,
    with_counted,
)
from ncbench.plugin import get_registry
from ncbench.types import Array, Labels

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
    whole = random_state is None or isinstance(random_state, int | np.integer)
    require(whole, "random_state", repr(random_state), "a whole number, or None")
    found, noisy = number_labels(labels, None, estimator, clean), Classes.of(labels).names
    for name in sorted({*found.names} - {*noisy}):
        warnings.warn(f"clean: {only_checked(name, noisy)}", stacklevel=2)
    data = OwnData("y", features, found.y, found.names, found.clean)
    if isinstance(estimator, str):
        name, estimator = estimator, get_registry().build("t_estimator", estimator)
    else:
        name = type(estimator).__name__
    learner = learner_of(cpe, "logistic", 0)
    return estimate_own_noise(
        data, estimator, learner, name=name, bootstrap=bootstrap, seed=random_state
    )


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


def estimate_own_noise(
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
    resamples = bootstrap if getattr(noise, "draws", None) is None else 0
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
    known = uncertainty(noise, sample.counts, halves)
    pairs = counted = unchecked = None
    checked = 0
    if data.clean is not None:
        both, names = data.clean != UNKNOWN, range(len(data.classes))
        pairs = confusion_matrix(data.y[both], data.clean[both], labels=names)
        counted, checked = share_of_pairs(pairs), int(pairs.sum())
        without = estimator.estimate(replace(_sample(data, cpe, seed), checked=None))
        if without != noise:  # else the estimator does not use them
            unchecked = uncertainty(without, sample.counts).share
        if checked >= COUNTED:
            known = known._replace(share=with_counted(known.share, counted))
    verdict = judge(noise, _judged(data, cpe, seed), known, counted, checked)
    return NoiseEstimate(
        noise,
        data=data.name,
        estimator=name,
        classes=data.classes,
        counts=sample.counts,
        features=data.X.shape[1],
        low=known.low,
        high=known.high,
        share=known.share,
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


def _half(sample: NoisySample, rng: np.random.Generator) -> NoisySample:
    """Draw half of the rows without replacement.

    Estimates then vary as in a bootstrap, but no repeated row is its own neighbor or on both sides
    of a fold. If several people gave labels, half of the examples are drawn, with all their labels.
    """
    people: dict[str, Any] = {}
    if sample.annotations is None or sample.rows is None:
        kept = deal_folds(sample.y, 2, rng.permutation(len(sample.y))) == 0
    else:
        examples = np.unique(sample.rows)
        half = np.sort(rng.permutation(examples)[: (len(examples) + 1) // 2])
        kept = np.isin(sample.rows, half)
        people = {
            "rows": positions(sample.rows[kept], half),
            "annotations": sample.annotations.of(half),
        }
    checked = None if sample.checked is None else sample.checked[kept]
    return replace(sample, X=sample.X[kept], y=sample.y[kept], checked=checked, rng=rng, **people)


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
    by_class = np.zeros((len(given.names), sample.n_classes), dtype=np.int64)
    np.add.at(by_class, (given.annotators, given.labels), 1)
    people = []
    for k, name in enumerate(given.names):
        count = int(by_class[k].sum())
        # Resamples of a few labels may agree by chance.
        by_count = counted_share(round(accuracy[k] * count), count)
        low, high = interval(accuracy[k], None, [s[k] for s in skills if np.isfinite(s[k])])
        right = Share(float(accuracy[k]))
        if low is not None and high is not None:
            least, most = by_count.ends
            right = Share(right.estimate, min(float(low), least), max(float(high), most))
        about = count, right, crowd.matrices[k], tuple(by_class[k].tolist())
        people.append((-(by_count.low or 0.0), Annotator(name, *about)))
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
    return data.sample(cpe, seed, None if data.clean is None else _CountedAlready())


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
