"""Audit of a user's labels: the estimated noise, its uncertainty, and reasons to doubt it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets

from ncbench.core import NoiseMatrix, stream
from ncbench.data import Annotations, Dataset, features_and_labels, label_array, read_table
from ncbench.errors import NcbenchError, require
from ncbench.learning import deal_folds
from ncbench.noise_estimation.dawid_skene import Crowd, dawid_skene
from ncbench.noise_estimation.repair import diagnostics, repair_estimate
from ncbench.noise_estimation.sample import CleanLabels, NoisySample, Trusted
from ncbench.plugin import get_registry
from ncbench.types import Array, Labels

DEFAULT_T_ESTIMATOR = "cautious_map"
"""The T estimator for people who have only noisy labels."""

LEVEL = 0.9
"""Confidence level of the bootstrap intervals."""

_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
_RARE = 30
_WIDE = 0.25
_SMALL_SINGULAR_VALUE = 0.2


@dataclass(frozen=True)
class OwnData:
    """A user's noisy labels, and the clean labels that are known."""

    name: str
    X: Array
    y: Labels
    classes: tuple[str, ...]
    clean: Labels | None = None
    """-1 if unknown."""
    annotations: Annotations | None = None
    """If several people gave labels; ``X``, ``y`` and ``clean`` then have a row for each label."""


@dataclass(frozen=True)
class Annotator:
    """What the labels of all people say about one of them."""

    name: str
    labels: int
    accuracy: float
    """Expected share of right labels."""
    low: float | None
    high: float | None
    confusion: Array
    """P(label | true label), column stochastic."""


@dataclass(frozen=True)
class Finding:
    """Estimated noise of a user's labels."""

    data: OwnData
    estimator: str
    noise: NoiseMatrix
    low: Array | None
    high: Array | None
    resamples: int
    counted: NoiseMatrix | None
    """T counted on the rows with both labels."""
    doubts: tuple[str, ...]
    annotators: tuple[Annotator, ...] = ()
    """The best first."""

    def as_json(self) -> dict[str, Any]:
        """Return all results as plain data."""
        classes = list(self.data.classes)
        found = diagnostics(self.noise, self.counted)
        pairs = None
        if self.counted is not None and self.data.clean is not None:
            pairs = {
                "rows": int((self.data.clean >= 0).sum()),
                "T": self.counted.matrix.tolist(),
                "T_error": found["T_error"],
                "inverse_error": found["inverse_error"],
            }
        return {
            "data": self.data.name,
            "rows": len(self.data.y),
            "features": self.data.X.shape[1],
            "classes": classes,
            "label_counts": np.bincount(self.data.y, minlength=len(classes)).tolist(),
            "t_estimator": self.estimator,
            "T": self.noise.matrix.tolist(),
            "interval": None
            if self.low is None or self.high is None
            else {"level": LEVEL, "low": self.low.tolist(), "high": self.high.tolist()},
            "resamples": self.resamples,
            "smallest_singular_value": found["smallest_singular_value"],
            "inverse_norm": found["inverse_norm"],
            "a": found["a"],
            "pairs": pairs,
            "trust": not self.doubts,
            "doubts": list(self.doubts),
            "annotators": [{**vars(a), "confusion": a.confusion.tolist()} for a in self.annotators],
        }


def read_own_data(
    path: str, target: str, clean_column: str | None, **columns: Sequence[str] | None
) -> OwnData:
    """Read a file; the clean column is not a feature and may have empty rows.

    ``columns`` are ``drop``, ``keep`` and ``categorical`` of ``TableEncoder``.
    """
    if clean_column is None:
        build = get_registry().build
        dataset: Dataset = build("dataset", "file", path=path, target=target, **columns)
        return OwnData(dataset.name, dataset.X, dataset.y, dataset.classes)
    table = read_table(Path(path).expanduser())
    where = f"file {path!r}"
    names = [str(name) for name in table.columns]
    if clean_column not in names or clean_column == target:
        raise NcbenchError(
            f"{where}: --clean-column {clean_column!r} is not one of the other columns: "
            f"{', '.join(name for name in names if name != target)}"
        )
    position = names.index(clean_column)
    column = table.iloc[:, position]
    rest = table.drop(columns=table.columns[position])
    X, labels = features_and_labels(rest, target, where=where, **columns)
    dataset = Dataset.from_labels(X, labels, name=Path(path).name, source=path)
    present = column.notna().to_numpy()
    if not present.any():
        raise NcbenchError(f"{where}: column {clean_column!r} has no clean label in any row")
    named = label_array(column[present].to_numpy(), where=f"{where}, column {clean_column!r}")
    # Compare clean labels by name; a class may occur only among them.
    known = [str(name) for name in named]
    classes = (*dataset.classes, *sorted(set(known) - set(dataset.classes)))
    clean = np.full(len(labels), -1, dtype=np.int64)
    clean[present] = [classes.index(name) for name in known]
    return OwnData(dataset.name, dataset.X, dataset.y, classes, clean)


def read_annotations(
    path: str,
    people: Sequence[str],
    long: str | None,
    clean_column: str | None,
    **columns: Sequence[str] | None,
) -> OwnData:
    """Read a file with the labels of several people, as ``dataset=file`` does."""
    data: Dataset = get_registry().build(
        "dataset",
        "file",
        path=path,
        target=clean_column,
        annotators=list(people) or None,
        annotations=long,
        **columns,
    )
    given = data.annotations
    assert given is not None
    if not given.overlap:
        raise NcbenchError(
            f"file {path!r}: no example has more than one label, so people cannot be compared; "
            "put all labels into one column and name it with --target"
        )
    clean = data.y[given.rows] if clean_column else None
    return OwnData(data.name, data.X[given.rows], given.labels, data.classes, clean, given)


def estimate_noise(
    X: ArrayLike,
    y: ArrayLike,
    estimator: Any = DEFAULT_T_ESTIMATOR,
    cpe: Any = None,
    random_state: int | None = None,
) -> NoiseMatrix:
    """Estimate the noise matrix of noisy labels.

    ``python -m ncbench estimate-noise`` prints the same estimate for a file, with reasons to doubt
    it.

    Parameters
    ----------
    X : array of shape (m, d)
    y : array of shape (m,)
        Noisy labels of any type.
    estimator : str or T estimator
        A name, such as ``"forward_map"``, or an object: ``load("t_estimator", name)(...)``. An
        estimator that needs more than noisy labels raises an error.
    cpe : scikit-learn classifier, optional
        Class probability learner, if the estimator uses one; by default ``logistic``.
    random_state : int, optional
        Seed for random choices of the estimator, such as folds.

    Returns
    -------
    NoiseMatrix
        ``T[i, j] = P(noisy = i | clean = j)``, classes in sorted order, as ``fit`` takes it. Its
        ``warnings`` list problems with the estimate.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=2000)
    >>> X = rng.normal(size=(2000, 1)) + 5 * truth[:, None]
    >>> wrong = rng.random(2000) < 0.1
    >>> y = np.array(["ant", "bee"])[np.where(wrong, 1 - truth, truth)]
    >>> np.round(estimate_noise(X, y, random_state=0), 1)
    array([[0.9, 0.1],
           [0.1, 0.9]])
    """
    features, labels = check_X_y(X, y, dtype=np.float64)
    check_classification_targets(labels)
    whole = random_state is None or isinstance(random_state, int | np.integer)
    require(whole, "random_state", repr(random_state), "a whole number, or None")
    values, codes = np.unique(labels, return_inverse=True)
    data = OwnData("y", features, codes.astype(np.int64), tuple(str(value) for value in values))
    _require_rows(data, bootstrap=0)
    registry = get_registry()
    if isinstance(estimator, str):
        estimator = registry.build("t_estimator", estimator)
    learner = registry.build("cpe", "logistic", random_state=0) if cpe is None else cpe
    noise: NoiseMatrix = estimator.estimate(_sample(data, learner, random_state))
    return noise


def examine(
    data: OwnData,
    *,
    t_estimator: str,
    cpe: str,
    bootstrap: int,
    seed: int = 0,
    progress: Callable[[range], Iterable[int]] = iter,
) -> Finding:
    """Estimate the noise matrix, its intervals by resampling, and reasons to doubt it.

    Parameters
    ----------
    data : OwnData
    t_estimator, cpe : str
        Names of plug-ins; they use their default parameters.
    bootstrap : int
        Number of resamples, each of half of the rows; 0 for no intervals.
    seed : int
    progress : callable
        Wraps the range of resamples to show progress.
    """
    _require_rows(data, bootstrap)
    registry = get_registry()
    estimator = registry.build("t_estimator", t_estimator)
    sample = _sample(data, registry.build("cpe", cpe, random_state=0), seed)
    noise = estimator.estimate(sample)
    low = high = None
    skills: list[Array] = []
    if bootstrap:
        resampled = []
        for k in progress(range(bootstrap)):
            again = _half(sample, stream(seed, "estimate-noise", "bootstrap", k))
            resampled.append(estimator.estimate(again).matrix)
            if again.annotations is not None:
                skills.append(_crowd(again).accuracy(again.annotations))
        low, high = np.quantile(resampled, _TAILS, axis=0)
    counted = None if data.clean is None else _count(data)
    doubts = (*getattr(noise, "warnings", ()), *_doubts(sample, noise, low, high))
    annotators = _annotators(sample, skills)
    return Finding(data, t_estimator, noise, low, high, bootstrap, counted, doubts, annotators)


def _half(sample: NoisySample, rng: np.random.Generator) -> NoisySample:
    """Draw half of the rows without replacement.

    Estimates then vary as in a bootstrap, but no repeated row is its own neighbor or on both sides
    of a fold. If several people gave labels, half of the examples are drawn, with all their labels.
    """
    if sample.annotations is None or sample.rows is None:
        kept = deal_folds(sample.y, 2, rng.permutation(len(sample.y))) == 0
        return replace(sample, X=sample.X[kept], y=sample.y[kept], rng=rng)
    examples = np.unique(sample.rows)
    half = np.sort(rng.permutation(examples)[: (len(examples) + 1) // 2])
    kept = np.isin(sample.rows, half)
    given = sample.annotations.of(half)
    return replace(
        sample, X=sample.X[kept], y=sample.y[kept], rows=given.rows, annotations=given, rng=rng
    )


def _crowd(sample: NoisySample) -> Crowd:
    assert sample.annotations is not None
    return dawid_skene(sample.annotations, sample.annotations.rows.max() + 1, sample.n_classes)


def _annotators(sample: NoisySample, skills: Sequence[Array]) -> tuple[Annotator, ...]:
    """Return the annotators, the best first."""
    given = sample.annotations
    if given is None:
        return ()
    crowd = _crowd(sample)
    accuracy = crowd.accuracy(given)
    count = np.bincount(given.annotators, minlength=len(given.names))
    low, high = np.nanquantile(skills, _TAILS, axis=0) if skills else (None, None)
    return tuple(
        Annotator(
            name=given.names[k],
            labels=int(count[k]),
            accuracy=float(accuracy[k]),
            low=None if low is None else float(low[k]),
            high=None if high is None else float(high[k]),
            confusion=crowd.matrices[k],
        )
        for k in np.argsort(-accuracy, kind="stable")
    )


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
        rows=None if data.annotations is None else data.annotations.rows,
        annotations=data.annotations,
    )


def _require_rows(data: OwnData, bootstrap: int) -> None:
    """Raise NcbenchError if a learner might get a part of the data with a single class."""
    second, most = np.sort(np.bincount(data.y, minlength=2))[-2:]
    # Two rows of a class are in different folds, so training always sees one. A resample is half.
    needed = 4 if bootstrap else 2
    if second < needed:
        hint = "" if not bootstrap or second < 2 else "; --bootstrap 0 needs only 2"
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
            "the rows with a clean label are always counted and printed below the estimate: leave "
            "out --t-estimator, or name one that does not need clean labels"
        )


def _count(data: OwnData) -> NoiseMatrix:
    assert data.clean is not None
    both = data.clean >= 0
    counts = np.zeros((len(data.classes),) * 2)
    np.add.at(counts, (data.y[both], data.clean[both]), 1.0)
    return repair_estimate(counts, data.classes)


def _doubts(
    sample: NoisySample, noise: NoiseMatrix, low: Array | None, high: Array | None
) -> list[str]:
    """Return reasons to doubt an estimate, in addition to the estimator's warnings."""
    doubts = []
    if noise.smallest_singular_value < _SMALL_SINGULAR_VALUE:
        doubts.append(
            f"smallest singular value {noise.smallest_singular_value:.2f}: close to singular; "
            f"a correction magnifies errors up to {noise.inverse_norm:.1f} times"
        )
    # Most labels of a rare class may be wrong labels of other classes.
    true = np.clip(noise.correct_posterior(sample.counts.astype(float)), 0.0, None)
    rare = [f"{sample.classes[j]} (about {true[j]:.0f})" for j in np.flatnonzero(true < _RARE)]
    if rare:
        doubts.append(f"classes with fewer than {_RARE} true examples: {', '.join(rare)}")
    if low is not None and high is not None:
        width = high - low
        i, j = np.unravel_index(width.argmax(), width.shape)
        if width[i, j] > _WIDE:
            doubts.append(
                f"wide intervals: P(labeled {sample.classes[i]} | truly {sample.classes[j]}) "
                f"is between {low[i, j]:.2f} and {high[i, j]:.2f}"
            )
    # If classes did not overlap, noisy labels could be predicted as often as they are right.
    guess = sample.out_of_fold_posterior().argmax(axis=1)
    accuracy = float((guess == sample.y).mean())
    reachable = float(np.diagonal(noise.matrix) @ true / true.sum())
    if accuracy < 0.8 * reachable:
        doubts.append(
            f"classes overlap: {accuracy:.0%} of the held-out labels are predicted correctly, but "
            f"the noise alone would allow {reachable:.0%}; overlap may be mistaken for noise"
        )
    return doubts
