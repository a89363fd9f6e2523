"""The loss on clean labels, estimated from noisy held-out ones, with an interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ncbench.core import Measure, NoiseMatrix
from ncbench.data import Classes
from ncbench.errors import NcbenchError
from ncbench.learning import aligned_noise, prediction
from ncbench.learning.classifier import comparable, measure_of
from ncbench.noise_estimation.held_out import HeldOut, Performance


def estimate_performance(
    model: Any,
    X: ArrayLike,
    y_noisy: ArrayLike,
    noise_matrix: NoiseMatrix | ArrayLike | None,
    measure: str | Measure | None = None,
) -> Performance:
    """Estimate the loss of a fitted classifier on clean labels from noisy held-out ones.

    The confusion matrix of the noisy labels is corrected for noise, ``C = T^-1 C~``. The interval
    says how much the loss depends on which examples were held out, and, if the noise matrix is an
    estimate that knows its own uncertainty, as ``estimate_noise`` returns it, on that too.

    Parameters
    ----------
    model : fitted scikit-learn classifier
    X : array of shape (m, d)
        Examples that the model was not fitted to.
    y_noisy : array of shape (m,)
    noise_matrix : NoiseMatrix, DataFrame, array of shape (n, n), or None
        T of these labels, such as ``model.noise_matrix_``; None means that they are clean.
    measure : str or Measure, optional
        By default, the measure that the model minimizes.

    Examples
    --------
    One of four people is labeled ill, and the classifier predicts that all are well. If a quarter
    of the ill are labeled well, then a third of the people are ill:

    >>> from sklearn.dummy import DummyClassifier
    >>> X, noisy = np.zeros((400, 1)), np.repeat(["ill", "well", "well", "well"], 100)
    >>> always_well = DummyClassifier(strategy="most_frequent").fit(X, noisy)
    >>> print(estimate_performance(always_well, X, noisy, [[0.75, 0.0], [0.25, 1.0]], "zero_one"))
    zero_one: loss 0.333, 90% interval 0.282 to 0.385, from 400 noisy labels; the noise matrix is \
taken as known
    """
    check_is_fitted(model)
    psi, name = _measure(model, measure)
    held_out, classes = hold_out(model, X, y_noisy, noise_matrix)
    return held_out.performance(name, psi.for_classes(classes), classes)


def hold_out(
    model: Any, X: ArrayLike, y_noisy: ArrayLike, noise_matrix: NoiseMatrix | ArrayLike | None
) -> tuple[HeldOut, list[str]]:
    """Return the predictions for held-out examples, and the names of the classes.

    Parameters are those of :func:`estimate_performance`.
    """
    labels = np.asarray(y_noisy)
    known = np.asarray(model.classes_)
    if labels.ndim != 1 or not len(labels) or np.shape(X)[0] != len(labels):
        raise NcbenchError(
            f"X has {np.shape(X)[0]} rows, y_noisy has shape {labels.shape}; expected a label for "
            "each row, and at least one"
        )
    values, noise = aligned_noise(noise_matrix, np.union1d(known, comparable(labels, known)))
    classes = Classes(values)
    predicted = prediction(model, X, values)
    held_out = HeldOut(noise, classes.numbers(labels), np.arange(len(labels)), predicted)
    return held_out, list(classes.names)


def _measure(model: Any, measure: str | Measure | None) -> tuple[Measure, str]:
    while measure is None and isinstance(model, Pipeline):
        model = model[-1]
    measure = getattr(model, "measure", None) if measure is None else measure
    psi = measure_of(measure, hint=f": {type(model).__name__} does not say which it minimizes")
    return psi, measure if isinstance(measure, str) else type(psi).__name__
