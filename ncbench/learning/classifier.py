"""Base class of algorithms: scikit-learn classifiers whose ``fit`` takes a noise matrix."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ncbench.core import Family, Measure, NoiseMatrix, expected_confusion, with_possible_recalls
from ncbench.errors import NcbenchError, NotApplicable
from ncbench.plugin import get_registry
from ncbench.types import Array, Labels

# Classes of a noise matrix and of labels: which are which, also if the labels lack one.

_NUMBERED = (
    ". If the labels were numbered, as cross_val_predict does for predict_proba, give a matrix "
    "without names, in the sorted order of the classes: noise_matrix=T.matrix"
)


def aligned_noise(
    noise_matrix: NoiseMatrix | ArrayLike | None, seen: NDArray[Any]
) -> tuple[NDArray[Any], NoiseMatrix]:
    """Return the classes, sorted, and T in their order.

    Parameters
    ----------
    noise_matrix : NoiseMatrix, DataFrame, array of shape (n, n), or None
        A DataFrame, or a NoiseMatrix with ``classes``, is aligned by the names of the classes.
        Other matrices follow the sorted order of the classes. None means no noise.
    seen : array
        The labels that occur, sorted. They may lack a class of a matrix with names.

    Examples
    --------
    >>> import pandas as pd
    >>> T = pd.DataFrame([[0.8, 0.0], [0.2, 1.0]], index=["well", "ill"], columns=["well", "ill"])
    >>> classes, noise = aligned_noise(T, np.array(["ill"]))
    >>> classes, noise.matrix
    (array(['ill', 'well'], dtype='<U4'), array([[1. , 0.2],
           [0. , 0.8]]))
    """
    names, columns = _names(noise_matrix)
    if names is None:
        classes = numbered(seen, noise_matrix)
        return classes, _of_size(noise_matrix, len(classes))
    if sorted(names) != sorted(columns) or len(set(names)) < len(names):
        raise NcbenchError(
            f"noise matrix: rows {', '.join(names)} and columns {', '.join(columns)}; expected "
            "each class once in the rows and once in the columns"
        )
    known = {str(value): value for value in seen}
    unknown = [name for name in known if name not in names]
    if unknown:
        raise NcbenchError(
            f"noise matrix: label {unknown[0]!r} is none of its classes, {', '.join(names)}; "
            "expected the classes of the labels"
            + (_NUMBERED if np.asarray(seen).dtype.kind in "iu" else "")
        )
    values = np.array([known.get(name, _like(name, seen)) for name in names])
    rows = np.argsort(values)
    if list(names) == list(columns) and (rows == np.arange(len(rows))).all():
        return values, NoiseMatrix.of(noise_matrix, len(rows))
    order = [columns.index(names[k]) for k in rows]
    return values[rows], NoiseMatrix(np.asarray(noise_matrix)[rows][:, order])


def _names(noise_matrix: Any) -> tuple[list[str] | None, list[str]]:
    """Return the names of the rows and of the columns, if the matrix has any."""
    if hasattr(noise_matrix, "columns"):
        index, columns = noise_matrix.index, noise_matrix.columns
        return [str(name) for name in index], [str(name) for name in columns]
    classes = getattr(noise_matrix, "classes", None)
    names = [str(name) for name in classes or ()]
    return names or None, names


def _like(name: str, seen: NDArray[Any]) -> Any:
    """Return the name of a class as a label of the same type as the labels that occur."""
    try:
        return seen.dtype.type(name) if seen.dtype.kind in "iuf" else name
    except ValueError as error:
        raise NcbenchError(
            f"noise matrix: class {name!r}, but labels are numbers such as {seen[0]!r}"
        ) from error


def _of_size(noise_matrix: Any, n: int) -> NoiseMatrix:
    try:
        return NoiseMatrix.of(noise_matrix, n)
    except NcbenchError as error:
        if noise_matrix is not None and len(np.atleast_1d(np.asarray(noise_matrix))) > n:
            hint = "if the labels lack a class, give a DataFrame with the names of the classes"
            raise NcbenchError(f"{error}; {hint}") from error
        raise


def numbered(seen: NDArray[Any], noise_matrix: NoiseMatrix | ArrayLike | None) -> NDArray[Any]:
    """Return the classes: 0..n-1 if the labels are such integers and T has n classes."""
    if noise_matrix is None or not np.issubdtype(seen.dtype, np.integer):
        return seen
    n = (
        noise_matrix.n
        if isinstance(noise_matrix, NoiseMatrix)
        else len(np.atleast_1d(noise_matrix))
    )
    return np.arange(n) if seen[0] >= 0 and len(seen) < n and seen[-1] < n else seen


class NoisyLabelClassifier(ClassifierMixin, BaseEstimator):
    """Base class that validates input, encodes labels as 0..n-1, and converts noise matrices.

    Subclasses implement ``_fit(X, y, noise)`` and ``_predict_proba(X)`` for labels 0..n-1, and
    ``check_parameters()`` if a parameter can be invalid.

    Attributes
    ----------
    measure_families : frozenset or None
        Families of measures the algorithm can optimize. None for an algorithm that ignores the
        measure, such as a baseline; it can be evaluated on all measures.
    uses_noise_matrix : bool
        False for algorithms that do not correct for noise and ignore ``noise_matrix``.
    randomized : bool
        True for a randomized classifier, whose prediction is drawn from ``predict_proba``. Other
        classifiers predict the most probable class.
    """

    measure_families: ClassVar[frozenset[Family] | None] = None
    uses_noise_matrix: ClassVar[bool] = True
    randomized: ClassVar[bool] = False

    def fit(
        self, X: ArrayLike, y: ArrayLike, noise_matrix: NoiseMatrix | ArrayLike | None = None
    ) -> Self:
        """Fit to noisy labels.

        Parameters
        ----------
        X : array of shape (m, d)
        y : array of shape (m,)
            Noisy labels of any type.
        noise_matrix : NoiseMatrix, DataFrame or array of shape (n, n), optional
            ``T[i, j] = P(noisy = i | clean = j)``, classes in sorted order. None means no noise.
            A DataFrame is aligned by the names of the classes. Not every class needs to occur if
            they have names or labels are integers 0..n-1: a small sample may lack a rare class.
        """
        _check_supplied(self)
        self.check_parameters()
        features, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        seen = np.unique(labels)
        if len(seen) < 2:
            raise ValueError(f"y has only one class, {seen[0]!r}; expected at least 2 classes")
        self.classes_, noise = aligned_noise(noise_matrix, seen)
        if not self.uses_noise_matrix:
            noise = NoiseMatrix.identity(noise.n)
        self._fit(features, np.searchsorted(self.classes_, labels).astype(np.int64), noise)
        return self

    def check_parameters(self) -> None:
        """Raise NcbenchError for parameters that are invalid for any data.

        ``fit`` calls it first, and a run calls it before it writes anything. scikit-learn requires
        that constructors check nothing.
        """

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return class probabilities for each row of X; see ``randomized``."""
        check_is_fitted(self)
        features = validate_data(self, X, reset=False, dtype=np.float64)
        rows = self._predict_proba(features)
        # Those of a rule that is not randomized need not sum to 1: only the largest counts.
        _require_numbers(rows, (len(features), len(self.classes_)), self)
        return rows

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the most probable class for each row of X; ties go to the lowest class."""
        most_probable = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[most_probable])

    @abstractmethod
    def _fit(self, X: Array, y: Labels, noise: NoiseMatrix) -> None:
        raise not_written(self, "_fit(self, X, y, noise)")

    @abstractmethod
    def _predict_proba(self, X: Array) -> Array:
        raise not_written(self, "_predict_proba(self, X)")


def not_written(algorithm: object, method: str) -> NotImplementedError:
    """Return the error of an abstract method; scikit-learn's classes do not enforce them."""
    return NotImplementedError(f"{type(algorithm).__name__} does not define {method}")


def _check_supplied(algorithm: NoisyLabelClassifier) -> None:
    """Raise NcbenchError, with the name of the parameter, for what a run would supply."""
    seed, cpe = getattr(algorithm, "random_state", None), getattr(algorithm, "cpe", None)
    try:
        check_random_state(seed)
    except ValueError as error:
        raise NcbenchError(f"random_state={seed!r}; expected a whole number or None") from error
    if cpe is not None and not (hasattr(cpe, "fit") and hasattr(cpe, "get_params")):
        raise NcbenchError(f"cpe={cpe!r}; expected a scikit-learn classifier, or None")


def prediction(algorithm: Any, X: ArrayLike, classes: NDArray[Any]) -> Array:
    """Return the distribution of a fitted algorithm's prediction, one column per class.

    For a randomized classifier, also as the last step of a pipeline, this is its
    ``prediction_distribution``, or ``predict_proba`` if it has none. Any other classifier predicts
    a single class.

    Parameters
    ----------
    algorithm : scikit-learn classifier
        Fitted to labels of some or all of these classes.
    X : array of shape (m, d)
    classes : array of shape (n,)
        Sorted.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> nb = GaussianNB().fit(X, ["ant", "ant", "cow", "cow"])
    >>> prediction(nb, X[:1], np.array(["ant", "bee", "cow"]))
    array([[1., 0., 0.]])
    """
    last = algorithm
    while isinstance(last, Pipeline):
        last = last.steps[-1][1]
    m = np.shape(X)[0]
    distribution = np.zeros((m, len(classes)))
    if not getattr(last, "randomized", False):
        labels = _checked_labels(np.asarray(algorithm.predict(X)), classes, m, last)
        distribution[np.arange(m), np.searchsorted(classes, labels)] = 1.0
        return distribution
    transformed, step = X, algorithm
    while isinstance(step, Pipeline):
        transformed = step[:-1].transform(transformed) if len(step) > 1 else transformed
        step = step[-1]
    method = getattr(last, "prediction_distribution", last.predict_proba)
    rows = method(transformed)
    known = classes if np.shape(rows)[-1:] == (len(classes),) else algorithm.classes_
    rows = _require_numbers(rows, (m, len(known)), last)
    right = (np.abs(rows.sum(axis=1) - 1) <= _ROW_SUM) & (rows >= -_ROW_SUM).all(axis=1)
    _refuse_rows(rows, right, last)
    distribution[:, np.searchsorted(classes, known)] = rows
    return distribution


_ROW_SUM = 1e-4
"""Largest deviation of a row of probabilities from a sum of 1; float32 networks have 1e-6."""


def _checked_labels(
    labels: NDArray[Any], classes: NDArray[Any], m: int, algorithm: Any
) -> NDArray[Any]:
    """Refuse predictions that are not labels, with the first offending row."""
    name = type(algorithm).__name__
    if labels.shape != (m,):
        raise NcbenchError(f"{name}: predict returned shape {labels.shape}; expected ({m},)")
    wrong = np.flatnonzero(~np.isin(labels, classes))
    if len(wrong):
        raise NcbenchError(
            f"{name}: predict returned {str(labels[wrong[0]])!r} for row {wrong[0]} ({len(wrong)} "
            f"of {m} rows are wrong); expected one of {', '.join(map(str, classes))}"
        )
    return labels


def _require_numbers(given: Any, shape: tuple[int, int], algorithm: Any) -> Array:
    """Return what predict_proba returned; refuse another shape, and what is not finite."""
    rows, who = np.asarray(given), f"{type(algorithm).__name__}: predict_proba returned"
    if rows.shape != shape:
        raise NcbenchError(f"{who} shape {rows.shape}; expected {shape}")
    if rows.dtype.kind not in "biuf":
        raise NcbenchError(f"{who} values of type {rows.dtype}; expected numbers")
    _refuse_rows(rows, np.isfinite(rows).all(axis=1), algorithm)
    return rows.astype(np.float64, copy=False)


def _refuse_rows(rows: Array, right: NDArray[np.bool_], algorithm: Any) -> None:
    """Refuse predictions that are not distributions, with the first offending row."""
    wrong = np.flatnonzero(~right)
    if len(wrong):
        raise NcbenchError(
            f"{type(algorithm).__name__}: predict_proba returned {rows[wrong[0]].tolist()} for row "
            f"{wrong[0]} ({len(wrong)} of {len(rows)} rows are wrong); expected probabilities that "
            "sum to 1"
        )


def measure_of(measure: Any, where: str = "", hint: str = "") -> Measure:
    """Return a measure that is given by name or as an object."""
    if isinstance(measure, str):
        measure = get_registry().build("measure", measure)
    if not isinstance(measure, Measure):
        raise NcbenchError(
            f"{where}measure={measure!r}; expected the name of a measure, or one{hint}"
        )
    return measure


def resolve_measure(measure: Any, algorithm: Any) -> Any:
    """Return an algorithm's measure as an object; raise NotApplicable if it cannot optimize it.

    Parameters
    ----------
    measure : str or Measure
        A parameter of the measure may name a class.
    algorithm : classifier
        ``measure_families`` lists what it can optimize; ``classes_``, if set, names its classes.
    """
    if isinstance(measure, str):
        measure = get_registry().build("measure", measure)
    require_family(measure, algorithm, type(measure).__name__, type(algorithm).__name__)
    classes = getattr(algorithm, "classes_", None)
    return measure if classes is None else measure.for_classes([str(name) for name in classes])


def require_family(measure: Any, algorithm: Any, measure_name: str, algorithm_name: str) -> None:
    """Raise NotApplicable, with both names, if the algorithm cannot optimize the measure."""
    families = getattr(algorithm, "measure_families", None)
    if families is not None and measure.family not in families:
        use = f"; use algo={algorithm_for(measure)}" if measure.family else ""
        raise NotApplicable(
            f"{algorithm_name} optimizes {' and '.join(sorted(families))} measures; "
            f"{measure_name} is {measure.family or 'reported only, not optimized'}{use}"
        )


_ALGORITHM = {"linear": "ncfw", "monotonic_convex": "ncfw", "ratio_of_linear": "ncbs"}


def algorithm_for(measure: Measure) -> str:
    """Return the name of the algorithm that optimizes a measure under noise.

    For a linear measure, the first step of Frank-Wolfe is the optimal rule.

    Examples
    --------
    >>> from ncbench import load
    >>> algorithm_for(load("measure", "g_mean")()), algorithm_for(load("measure", "micro_f1")())
    ('ncfw', 'ncbs')
    """
    if measure.family is None:
        raise NotApplicable(
            f"measure {type(measure).__name__} is reported, not optimized; choose one that can be "
            "optimized, such as g_mean, h_mean, q_mean, balanced_error, micro_f1 or zero_one"
        )
    return _ALGORITHM[measure.family]


# Model selection with noisy labels: a noise-corrected scikit-learn scorer.


def scorer(
    measure: str | Measure, noise_matrix: NoiseMatrix | ArrayLike | None = None
) -> NoiseCorrectedScorer:
    """Return a scorer for ``GridSearchCV(scoring=...)``, ``cross_val_score`` and so on.

    Parameters
    ----------
    measure : str or Measure
        The loss. The score is *minus* the loss, because in scikit-learn greater is better.
    noise_matrix : NoiseMatrix, DataFrame or array of shape (n, n), optional
        Noise of the labels used for scoring, ``T[i, j] = P(noisy = i | clean = j)``. A DataFrame,
        or an estimate with the names of the classes, is aligned by them; other matrices follow the
        sorted order of the classes. None means no noise.

    Examples
    --------
    One of four people is labeled ill, and the classifier predicts that all are well. If a quarter
    of the ill are labeled well, then a third of the people are ill:

    >>> from sklearn.dummy import DummyClassifier
    >>> X, noisy = np.zeros((4, 1)), ["ill", "well", "well", "well"]
    >>> always_well = DummyClassifier(strategy="most_frequent").fit(X, noisy)
    >>> scorer("zero_one")(always_well, X, noisy)
    -0.25
    >>> T = [[0.75, 0.0], [0.25, 1.0]]
    >>> round(scorer("zero_one", T)(always_well, X, noisy), 6)
    -0.333333
    """
    psi, noise = measure_of(measure, "scorer: "), noise_matrix
    if noise is not None and not isinstance(noise, NoiseMatrix):
        checked = NoiseMatrix(np.asarray(noise))  # before anything is fitted
        noise = noise if isinstance(noise, pd.DataFrame) else checked
    return NoiseCorrectedScorer(psi, noise)


@dataclass(frozen=True)
class NoiseCorrectedScorer:
    """Minus the loss of a classifier, estimated from noisy labels: ``-psi(T^-1 C~)``.

    Use :func:`scorer` to build one.
    """

    measure: Measure
    noise_matrix: NoiseMatrix | pd.DataFrame | None

    def __call__(self, estimator: Any, X: ArrayLike, y: ArrayLike) -> float:
        """Return the score of a fitted classifier on noisy labels."""
        check_is_fitted(estimator)
        labels = comparable(np.asarray(y), np.asarray(estimator.classes_), "scorer: ")
        # The training part or the scored part of a fold may lack a rare class.
        seen = np.union1d(estimator.classes_, labels)
        classes, noise = aligned_noise(self.noise_matrix, seen)
        codes = np.searchsorted(classes, labels).astype(np.int64)
        C = expected_confusion(codes, prediction(estimator, X, classes))
        psi = self.measure.for_classes([str(name) for name in classes])
        return -psi(with_possible_recalls(noise.correct_confusion(C)))


def comparable(labels: NDArray[Any], classes: NDArray[Any], where: str = "") -> NDArray[Any]:
    """Refuse labels that would be counted as classes of their own, and as wrong every time."""
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise NcbenchError(f"{where}label {labels[row]} in row {row}; expected classes")
    if (labels.dtype.kind in "biuf") != (classes.dtype.kind in "biuf"):
        raise NcbenchError(
            f"{where}labels such as {labels.flat[0]!r}, but the classifier was fitted to labels "
            f"such as {classes[0]!r}; expected labels of the same type"
        )
    return labels
