"""Model selection with noisy labels: a noise-corrected scikit-learn scorer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ncbench.core import Measure, NoiseMatrix, expected_confusion, with_possible_recalls
from ncbench.errors import NcbenchError
from ncbench.learning.class_names import aligned_noise
from ncbench.learning.classifier import prediction
from ncbench.plugin import get_registry


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
    if not isinstance(measure, str | Measure):
        raise NcbenchError(f"scorer: measure={measure!r}; expected the name of a measure, or one")
    psi: Measure = get_registry().build("measure", measure) if isinstance(measure, str) else measure
    noise = noise_matrix
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
        labels = _checked(np.asarray(y), np.asarray(estimator.classes_))
        # The training part or the scored part of a fold may lack a rare class.
        seen = np.union1d(estimator.classes_, labels)
        classes, noise = aligned_noise(self.noise_matrix, seen)
        codes = np.searchsorted(classes, labels).astype(np.int64)
        C = expected_confusion(codes, prediction(estimator, X, classes))
        psi = self.measure.for_classes([str(name) for name in classes])
        return -psi(with_possible_recalls(noise.correct_confusion(C)))


def _checked(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Refuse labels that would be counted as classes of their own, and as wrong every time."""
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise NcbenchError(f"scorer: label {labels[row]} in row {row}; expected classes")
    if (labels.dtype.kind in "biuf") != (classes.dtype.kind in "biuf"):
        raise NcbenchError(
            f"scorer: labels such as {labels.flat[0]!r}, but the classifier was fitted to labels "
            f"such as {classes[0]!r}; expected labels of the same type"
        )
    return labels
