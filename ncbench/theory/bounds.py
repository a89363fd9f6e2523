"""The terms of the paper's regret bounds, computed for one fitted algorithm.

Where the distribution is known, both sides of the bounds can be computed: the true confusion
matrix, which gives the regret, the errors of the noise-corrected operations OP1 and OP2, and the
right-hand sides of their lemmas. Expectations are means over the points of the population.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ncbench.core import NoiseMatrix
from ncbench.data import Dataset
from ncbench.learning import class_probabilities, prediction
from ncbench.types import Array

SIZE = 20_000
"""Number of points in the population that runs use."""


@dataclass(frozen=True)
class Population:
    """A known distribution: equally weighted points and eta at each of them."""

    X: Array
    posterior: Array

    @classmethod
    def of(cls, dataset: Dataset, size: int = SIZE) -> Self | None:
        """Return the population of a data set; None if its distribution is unknown."""
        if dataset.population is None or dataset.true_posterior is None:
            return None
        X = dataset.population(size)
        return cls(X, dataset.true_posterior(X))

    def terms(self, algorithm: Any, noise: NoiseMatrix) -> dict[str, Any]:
        """Return the terms of the regret bounds for a fitted algorithm, for any measure.

        Parameters
        ----------
        algorithm : fitted classifier
            An algorithm that only predicts yields the first two terms.
        noise : NoiseMatrix
            The true T. The algorithm corrected for T^, its ``noise_matrix_``. Lemmas 18 and 19 are
            Lemmas 22 and 23 with T^ = T.

        Returns
        -------
        dict
            ============== ==============================================================
            confusion      ``C[h]``, which determines the regret for any measure
            inverse_norm   ``||T^-1||_1``
            inverse_error  ``||T^^-1 - T^-1||_1``
            cpe_error      ``E ||eta~^(X) - eta~(X)||_1``
            op1            ``E ||T^^-1 eta~^(X) - eta(X)||_1``
            op1_bound      right-hand side of Lemma 22
            op2_error      ``||C~[h] - C^[h]||_vec,inf``, C^ on the sample of OP2
            op2            ``||C[h] - T^^-1 C^[h]||_vec,inf``
            op2_bound      right-hand side of Lemma 23
            ============== ==============================================================
        """
        C = self.posterior.T @ prediction(algorithm, self.X, np.arange(noise.n)) / len(self.X)
        terms: dict[str, Any] = {"confusion": C.tolist(), "inverse_norm": noise.inverse_norm}
        if hasattr(algorithm, "cpe_"):
            corrected_for: NoiseMatrix = algorithm.noise_matrix_
            terms["inverse_error"] = noise.inverse_error(corrected_for)
            noisy = class_probabilities.posterior(algorithm.cpe_, self.X, noise.n)
            terms |= op1_terms(noisy, self.posterior, noise, corrected_for)
            if hasattr(algorithm, "confusion_"):
                terms |= op2_terms(algorithm.confusion_, C, noise, corrected_for)
        return terms


def op1_terms(
    noisy: Array, posterior: Array, noise: NoiseMatrix, corrected_for: NoiseMatrix
) -> dict[str, float]:
    """Return both sides of Lemma 18, or of Lemma 22 if ``corrected_for`` is not T.

    Parameters
    ----------
    noisy : array of shape (k, n)
        Estimated noisy class probabilities eta~^.
    posterior : array of shape (k, n)
        True clean class probabilities.
    noise, corrected_for : NoiseMatrix
        T and T^.

    Examples
    --------
    >>> noise = NoiseMatrix([[0.9, 0.2], [0.1, 0.8]])
    >>> terms = op1_terms(np.array([[0.6, 0.4]]), np.array([[0.5, 0.5]]), noise, noise)
    >>> {name: round(value, 4) for name, value in terms.items()}
    {'cpe_error': 0.1, 'op1': 0.1429, 'op1_bound': 0.1571}
    """
    error = _mean_norm(noisy - noise.corrupt_posterior(posterior))
    return {
        "cpe_error": error,
        "op1": _mean_norm(corrected_for.correct_posterior(noisy) - posterior),
        "op1_bound": noise.inverse_norm * error + noise.inverse_error(corrected_for),
    }


def op2_terms(
    estimate: Array, C: Array, noise: NoiseMatrix, corrected_for: NoiseMatrix
) -> dict[str, float]:
    """Return both sides of Lemma 19, or of Lemma 23 if ``corrected_for`` is not T.

    Parameters
    ----------
    estimate : array of shape (n, n)
        Noisy confusion matrix C^ of a classifier on a sample.
    C : array of shape (n, n)
        Its true clean confusion matrix.
    noise, corrected_for : NoiseMatrix
        T and T^.

    Examples
    --------
    >>> noise = NoiseMatrix([[0.9, 0.2], [0.1, 0.8]])
    >>> C = np.array([[0.4, 0.1], [0.2, 0.3]])
    >>> estimate = noise.corrupt_confusion(C) + np.array([[0.01, -0.01], [0.0, 0.0]])
    >>> terms = op2_terms(estimate, C, noise, noise)
    >>> {name: round(value, 4) for name, value in terms.items()}
    {'op2_error': 0.01, 'op2': 0.0114, 'op2_bound': 0.0314}
    """
    error = float(np.abs(noise.corrupt_confusion(C) - estimate).max())
    return {
        "op2_error": error,
        "op2": float(np.abs(C - corrected_for.correct_confusion(estimate)).max()),
        "op2_bound": noise.n * noise.inverse_norm * error + noise.inverse_error(corrected_for),
    }


def _mean_norm(rows: Array) -> float:
    return float(np.abs(rows).sum(axis=1).mean())
