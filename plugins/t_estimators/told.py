"""Estimators that are told more than noisy labels: T, nothing, clean labels, or several labels.

Of these, ``identity`` assumes that there is no noise.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ncbench import NcbenchError, NoiseMatrix, NoisySample
from ncbench.noise_estimation import dawid_skene, project_columns, repair_estimate
from ncbench.types import Array, Labels


class Known:
    """The true noise matrix, as in the paper's experiments."""

    learns_from_sample = False
    needs = ("noise_matrix",)

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the true T."""
        if sample.noise_matrix is None:
            raise NcbenchError(
                "t_estimator=known: the T of this sample is not known; held_out_map and "
                "forward_map estimate it from noisy labels"
            )
        return sample.noise_matrix


class Identity:
    """The identity: no noise is assumed and nothing is corrected."""

    learns_from_sample = False

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the identity."""
        return NoiseMatrix.identity(sample.n_classes)


class DawidSkene:
    """Estimate from several labels for each example, by the method of Dawid and Skene (1979).

    EM finds the probability of each true label from the labels that people gave, and a confusion
    matrix for each of them, shrunk toward that of all. T then counts the labels that are trained on
    against these probabilities. So a drawn label, all labels, and a vote each have their own T.
    Checked labels are known. The features are not used. Noise that makes several people err alike
    is not seen.

    Parameters
    ----------
    strength : float
        Weight of all people in the matrix of each, in labels.
    """

    needs = ("annotations",)

    def __init__(self, strength: float = 10.0) -> None:
        self.strength = strength

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate."""
        given, rows, n = sample.annotations, sample.rows, sample.n_classes
        if given is None or rows is None:
            raise NcbenchError(
                "t_estimator=dawid_skene needs the labels of several people; held_out_map needs "
                "one label of each example"
            )
        m = int(max(given.rows.max(), rows.max()) + 1)
        checked = sample.checked_examples(m)
        posterior = dawid_skene(given, m, n, self.strength, checked).posterior
        T = np.eye(n)[sample.y].T @ posterior[rows]
        return repair_estimate(T, sample.classes)


class TrustedSet:
    """Estimate from clean labels of a part of the training set.

    Only this estimate uses them. The CPE learner and the algorithm get the noisy labels of these
    examples, as of all others.

    Parameters
    ----------
    variant : {"pairs", "glc", "two_sample"}
        ``pairs`` counts clean against noisy labels and adds 0.5/n to each count. ``glc`` (Hendrycks
        et al. 2018) averages the noisy posterior over the trusted examples of a class, which is
        biased if classes overlap. ``two_sample`` solves
        ``E[noisy label x h] = T E[clean label x h]`` for T, where h is the noisy posterior; it
        would also work if the trusted examples had no noisy labels.
    fraction : float
        Share of the training set that is trusted.
    """

    needs = ("clean_labels",)

    def __init__(
        self, variant: Literal["pairs", "glc", "two_sample"] = "pairs", fraction: float = 0.1
    ) -> None:
        if variant not in ("pairs", "glc", "two_sample"):
            raise NcbenchError(
                f"t_estimator=trusted: variant is {variant!r}; expected one of pairs, glc, "
                "two_sample"
            )
        if not 0 < fraction <= 1:
            raise NcbenchError(
                f"t_estimator=trusted: fraction is {fraction}; expected a number in (0, 1]"
            )
        self.variant = variant
        self.fraction = fraction

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate."""
        n = sample.n_classes
        trusted = sample.trusted(self.fraction)
        counts = np.bincount(trusted.y, minlength=n)
        warnings = [
            f"class {sample.classes[j]}: no trusted example" for j in np.flatnonzero(counts == 0)
        ]
        if self.variant == "pairs":
            T = count_pairs(sample.y[trusted.examples], trusted.y, n)
        else:
            P = sample.out_of_fold_posterior()
            if self.variant == "glc":
                T = average_posterior(P[trusted.examples], trusted.y, n)
            else:
                T = two_sample(P, sample.y, P[trusted.examples], trusted.y, n)
        return repair_estimate(T, sample.classes, warnings)


def count_pairs(noisy: Labels, clean: Labels, n: int) -> Array:
    """Return smoothed frequencies of noisy labels given clean ones; 0 for classes without pairs.

    Examples
    --------
    >>> count_pairs(np.array([0, 1, 1]), np.array([0, 0, 1]), n=2)  # columns (1.25, 1.25), ...
    array([[0.5       , 0.16666667],
           [0.5       , 0.83333333]])
    """
    counts = np.zeros((n, n))
    np.add.at(counts, (noisy, clean), 1.0)
    seen = counts.any(axis=0)
    counts[:, seen] += 0.5 / n
    return counts / np.where(seen, counts.sum(axis=0), 1.0)


def average_posterior(P: Array, clean: Labels, n: int) -> Array:
    """Return the mean noisy posterior of each class; 0 for classes without examples.

    Examples
    --------
    >>> average_posterior(np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]]), np.array([0, 0, 1]), 2)
    array([[0.8, 0.2],
           [0.2, 0.8]])
    """
    members = np.eye(n)[clean]
    return np.asarray(P.T @ members / np.maximum(members.sum(axis=0), 1.0))


def two_sample(P: Array, noisy: Labels, P_clean: Array, clean: Labels, n: int) -> Array:
    """Return the T that maps ``E[clean label x h]`` to ``E[noisy label x h]``, projected.

    Examples
    --------
    >>> P = np.array([[0.9, 0.1], [0.1, 0.9], [0.9, 0.1], [0.1, 0.9]])
    >>> clean = np.array([0, 1, 0, 1])
    >>> two_sample(P, np.array([0, 1, 1, 1]), P, clean, n=2).round(6)
    array([[0.5, 0. ],
           [0.5, 1. ]])
    """
    with_noisy = np.eye(n)[noisy].T @ P / len(P)
    with_clean = np.eye(n)[clean].T @ P_clean / len(P_clean)
    return project_columns(with_noisy @ np.linalg.pinv(with_clean))
