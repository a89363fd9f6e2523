"""Do the features predict the labels at all? Where they do not, labels alone say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ncbench.types import Array, Labels

_LEVEL = 0.95  # one-sided, as the ends of a 90 % interval are


class Prediction(NamedTuple):
    """What held-out predictions of labels are worth beside the frequencies of the classes."""

    accuracy: float
    """Share of labels that the best learner predicts."""
    frequent: float
    """Share of the most frequent label, which needs no features."""
    real: bool
    """Whether a learner is better than the frequencies beyond chance."""

    def __str__(self) -> str:
        return f"held-out accuracy {self.accuracy:.0%}, the most frequent label {self.frequent:.0%}"


def prediction(noisy: Sequence[Array], y: Labels) -> Prediction:
    """Compare held-out predictions of labels with the frequencies of the classes.

    In log loss and in accuracy, by the paired difference for each label. One learner must be better
    in one of them beyond the end of a 90 % interval, which is wider for more comparisons
    (Bonferroni).

    Parameters
    ----------
    noisy : sequence of arrays of shape (m, n)
        Held-out probabilities of the labels, by each learner.
    y : array of shape (m,)

    Examples
    --------
    >>> y = np.tile([0, 1], 50)
    >>> prediction([np.where(np.eye(2)[y] == 1, 0.8, 0.2)], y).real
    True
    >>> found = prediction([np.full((100, 2), [0.6, 0.4])], y)
    >>> print(found, found.real)
    held-out accuracy 50%, the most frequent label 50% False
    """
    m, n = noisy[0].shape
    rows, counts = np.arange(m), np.bincount(y, minlength=n)
    # Not without the own label: folds are stratified, so learners know the frequencies that well.
    others = counts[y] / m
    usual = y == counts.argmax()
    differences = []
    for P in noisy:
        differences.append(np.log(np.maximum(P[rows, y], 1e-4) / others))
        differences.append((P.argmax(axis=1) == y) - usual.astype(float))
    z = NormalDist().inv_cdf(1 - (1 - _LEVEL) / len(differences))
    real = any(d.mean() > z * d.std() / np.sqrt(m) for d in differences)
    accuracy = max(float((P.argmax(axis=1) == y).mean()) for P in noisy)
    return Prediction(accuracy, float(usual.mean()), real)
