"""What users say: a measure by name, and what is known about the noise of their labels."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets

from ncbench.core import Measure, NoiseMatrix
from ncbench.data import UNKNOWN, Annotations, Classes, given_labels
from ncbench.errors import NcbenchError, notice_once
from ncbench.files import has_no_end, reads
from ncbench.learning import aligned_noise
from ncbench.noise_estimation import CleanLabels
from ncbench.noise_estimation.sample import Trusted
from ncbench.own_labels.data import OwnData
from ncbench.plugin import get_registry, needs_of
from ncbench.types import Array, Labels

DEFAULT_T_ESTIMATOR = "held_out_map"
"""The T estimator for people who have only noisy labels."""

PEOPLE_T_ESTIMATOR = "dawid_skene"
"""The T estimator for the labels of several people."""


def named_measure(name: str, background: str | None = None) -> Measure:
    """Return a measure, with its background class if it has one.

    Parameters
    ----------
    name : str
    background : str, optional
        The class that Micro F1 leaves out; by default the first. Other measures ignore it.

    Examples
    --------
    >>> named_measure("micro_f1", "well").for_classes(["ill", "well"]).background
    1
    """
    given = {} if background is None or not has_background(name) else {"background": background}
    measure: Measure = get_registry().build("measure", name, **given)
    return measure


def has_background(name: str) -> bool:
    """Whether a measure leaves out a class.

    Examples
    --------
    >>> has_background("micro_f1"), has_background("g_mean")
    (True, False)
    """
    return get_registry().takes("measure", name, "background")


# What users say about the noise of their labels: a matrix, an estimator, checked labels, people.

_PARTS = {"clean_labels": "clean", "annotations": "annotations"}


def require_features(X: Any, learner: Any, noise_matrix: Any) -> None:
    """Raise NcbenchError if sparse features do not suit the learner or the estimate of T."""
    if not issparse(X):
        return
    if not get_tags(learner).input_tags.sparse:
        raise NcbenchError(
            f"X is sparse, which the learner {type(learner).__name__} does not take; use one that "
            "does, such as cpe=LogisticRegression(), or X.toarray()"
        )
    if isinstance(noise_matrix, str) and noise_matrix == "estimate":
        raise NcbenchError(
            'X is sparse, from which noise_matrix="estimate" cannot estimate; use '
            "noise_matrix=estimate_noise(TruncatedSVD(50).fit_transform(X), y), "
            'noise_matrix="confident_joint", or X.toarray()'
        )


def require_no_gap(y: ArrayLike) -> None:
    """Raise NcbenchError with the first row, counted from 0, that has no label.

    Examples
    --------
    >>> require_no_gap(["a", None])
    Traceback (most recent call last):
    ...
    ncbench.errors.NcbenchError: y[1] is None; leave out the rows without a label
    """
    labels = np.asarray(y)
    missing = np.asarray(pd.isna(labels))
    if missing.ndim == 1 and missing.any():
        row = int(np.argmax(missing))
        raise NcbenchError(f"y[{row}] is {labels[row]}; leave out the rows without a label")


def t_estimator(noise_matrix: Any, clean: Any, annotations: Any) -> Any:
    """Return the T estimator that the argument ``noise_matrix`` asks for, or None for a matrix.

    Raises NcbenchError if it needs what is not there, or if what is there would not be used.

    Examples
    --------
    >>> type(t_estimator("estimate", clean=["a", None], annotations=None)).__name__
    'HeldOutMAP'
    >>> t_estimator([[0.9, 0.1], [0.1, 0.9]], clean=None, annotations=None) is None
    True
    """
    given = {"clean": clean, "annotations": annotations}
    here = [name for name, value in given.items() if value is not None]
    estimator = noise_matrix
    if isinstance(noise_matrix, str):
        name = noise_matrix
        if name == "estimate":
            name = PEOPLE_T_ESTIMATOR if "annotations" in here else DEFAULT_T_ESTIMATOR
        estimator = get_registry().build("t_estimator", name)
    elif not hasattr(noise_matrix, "estimate"):
        if here:
            raise NcbenchError(
                f"{here[0]} is for an estimate of the noise, but noise_matrix is a matrix or None; "
                'set noise_matrix="estimate", or leave it out'
            )
        return None
    needs = needs_of(estimator)
    who = f"noise_matrix={noise_matrix!r}"
    if needs - _PARTS.keys():
        missing = ", ".join(sorted(needs - _PARTS.keys()))
        raise NcbenchError(
            f'{who} needs {missing}; give the matrix itself, or noise_matrix="estimate"'
        )
    for need in sorted(needs):
        if _PARTS[need] not in here:
            raise NcbenchError(
                f"{who} needs {_PARTS[need]}; give fit(..., {_PARTS[need]}=...), or use "
                f'noise_matrix="{DEFAULT_T_ESTIMATOR}", which needs labels alone'
            )
    return estimator


@dataclass(frozen=True)
class NumberedLabels:
    """Labels as numbers of their classes, 0..n-1.

    Parameters
    ----------
    classes : array of shape (n,)
        Sorted.
    y : array of shape (m,)
        Noisy labels.
    noise : NoiseMatrix or None
        None if it is to be estimated.
    clean : array of shape (m,), optional
        Checked labels, or ``UNKNOWN``.
    annotations : Annotations, optional
    """

    classes: NDArray[Any]
    y: Labels
    noise: NoiseMatrix | None
    clean: Labels | None
    annotations: Annotations | None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the classes."""
        return Classes(self.classes).names

    def matrix(self, estimator: Any, X: Array, cpe: Any, seed: int | None) -> NoiseMatrix:
        """Return T, given or estimated; medians take the place of missing values."""
        if self.noise is not None:
            return self.noise
        if not issparse(X) and np.isnan(X).any():
            from sklearn.impute import SimpleImputer  # a tenth of a second, for every process

            X = SimpleImputer(strategy="median", keep_empty_features=True).fit_transform(X)
        if cpe is None:
            cpe = get_registry().build("cpe", "logistic", random_state=0)
        clean = None if self.clean is None else _AllChecked(self.clean)
        given = self.clean, self.annotations, np.arange(len(self.y))
        sample = OwnData("y", X, self.y, self.names, *given).sample(cpe, seed, clean)
        noise: NoiseMatrix = estimator.estimate(sample.for_estimator(estimator))
        return noise


def number_labels(
    y: ArrayLike, noise_matrix: Any, estimator: Any, clean: Any = None, annotations: Any = None
) -> NumberedLabels:
    """Return labels as numbers, and the noise matrix aligned with them.

    Parameters
    ----------
    y : array of shape (m,)
        Noisy labels of any type.
    noise_matrix : NoiseMatrix, DataFrame, array of shape (n, n), or None
        Ignored if there is an estimator.
    estimator : T estimator or None
    clean : array of shape (m,), optional
    annotations : array of shape (m, k), optional

    Examples
    --------
    >>> labels = number_labels(["b", "a", "b"], None, None, clean=["c", None, "b"])
    >>> labels.names, labels.y, labels.clean
    (('a', 'b', 'c'), array([1, 0, 1]), array([ 2, -1,  1]))
    """
    labels = np.asarray(y)
    check_classification_targets(labels)
    checked = None if clean is None else given_labels(clean, labels, "clean")
    people = None if annotations is None else given_labels(annotations, labels, "annotations", 2)
    if people is not None:
        said = [label for label in people.ravel().tolist() if label is not None]
        if {*said}.isdisjoint(labels.tolist()):
            raise NcbenchError(
                f"annotations have labels such as {said[0]!r}, y such as {labels.tolist()[0]!r}, "
                "and none in common; expected the same classes, written alike"
            )
    if len(np.unique(labels)) < 2:
        raise ValueError(f"y has only one class, {labels[0]!r}; expected at least 2 classes")
    classes, noise = Classes.of(labels, checked, people), None
    if estimator is None:
        values, noise = aligned_noise(noise_matrix, classes.values)
        classes = Classes(values)
    return NumberedLabels(
        classes.values,
        classes.numbers(labels),
        noise,
        classes.numbers(checked),
        None if people is None else _annotations(classes.numbers(people), annotations),
    )


def _annotations(codes: Labels, given: Any) -> Annotations:
    rows, annotators = np.nonzero(codes != UNKNOWN)
    names = tuple(str(name) for name in getattr(given, "columns", range(codes.shape[1])))
    found = Annotations(rows, annotators, codes[rows, annotators], names)
    if not found.overlap:
        raise NcbenchError(
            "annotations: no example has more than one label, so people cannot be compared; "
            "expected a column for each person"
        )
    return found


class _AllChecked(CleanLabels):
    """Checked labels of a user, all of which may be used."""

    def __init__(self, y: Labels) -> None:
        super().__init__(y, np.random.default_rng(0))

    def of_share(self, fraction: float) -> Trusted:
        return super().of_share(1.0)


def read_noise_matrix(path: str) -> pd.DataFrame | None:
    """Read a noise matrix with the names of its classes; None for the word ``none``.

    Parameters
    ----------
    path : str
        A CSV file with the names of the classes in its first line and first column: labeled in the
        rows, true in the columns. Or a JSON file that ``estimate-noise --json`` wrote.
    """
    if path == "none":
        return None
    what = f"--noise-matrix {path}"
    reads(path)
    if has_no_end(path):
        raise NcbenchError(f"{what}: not a regular file")
    try:
        if Path(path).suffix.lower() == ".json":
            found = json.loads(Path(path).read_text(encoding="utf-8"))
            names = [str(name) for name in found["classes"]]
            if found.get("annotators"):
                notice_once(
                    f"{what}: this is the noise of all labels of {len(found['annotators'])} people;"
                    " that of one of them, or of one label for each row, is another"
                )
            T = np.array(found["T"], dtype=float)  # numbers only: a table would fill or repeat them
            return pd.DataFrame(T, index=names, columns=names)
        frame = pd.read_csv(path, index_col=0, skipinitialspace=True)
        if frame.empty:
            raise ValueError("it names no classes")
        frame.index = frame.index.map(str)
        return frame.astype(float)
    except OSError as error:
        raise NcbenchError(f"{what}: {error.strerror} (looked in {Path.cwd()})") from error
    except RecursionError as error:
        raise NcbenchError(f"{what}: nested too deeply") from error
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise NcbenchError(
            f"{what}: cannot be read ({error}); expected a CSV file with the names of the classes "
            "in its first line and first column, a JSON file of estimate-noise, or none"
        ) from error
