"""Judge predictions by noisy labels, where nobody knows the clean ones.

The confusion matrix of noisy labels is corrected, ``C = T^-1 C~`` (OP1), with the T of the noise if
it is known. If it is not, T is estimated from the training part, always by the same estimator, so
that all algorithms are judged alike. An interval says how much the loss depends on which examples
are in the test part; it does not include the error of an estimated T.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncbench.core import Measure, NoiseMatrix, expected_confusion, project_to_joint, stream
from ncbench.data import NoisyLabels, positions
from ncbench.noise_estimation import LEVEL, NoisySample
from ncbench.plugin import get_registry
from ncbench.types import Array, Labels

JUDGE = "cautious_map"
"""The estimator of T for judging."""

_RESAMPLES = 200


@dataclass(frozen=True)
class HeldOut:
    """Predictions for examples with noisy labels.

    Parameters
    ----------
    noise : NoiseMatrix
    known : bool
        Whether ``noise`` is the matrix of the noise, and not an estimate.
    y : array of shape (k,)
        Noisy labels.
    rows : array of shape (k,)
        The example of each label, a row of ``predicted``.
    predicted : array of shape (m, n)
    """

    noise: NoiseMatrix
    known: bool
    y: Labels
    rows: NDArray[np.intp]
    predicted: Array

    @property
    def confusion(self) -> Array:
        """The corrected confusion matrix."""
        return self._corrected(expected_confusion(self.y, self.predicted[self.rows]))

    def _corrected(self, noisy: Array) -> Array:
        return project_to_joint(self.noise.correct_confusion(noisy)).confusion

    def intervals(self, measures: Mapping[str, Measure]) -> dict[str, list[float]]:
        """Return an interval for each measure: its loss +- 1.64 standard errors, by resampling.

        Quantiles of the resamples would cover less. Noise makes some entries of a corrected matrix
        negative, moving them to 0 raises the loss, and resampling does so once more.
        """
        rng = stream(0, "judge", len(self.y))
        said = np.eye(self.noise.n)[self.y]
        m = len(self.predicted)
        losses: dict[str, list[float]] = {name: [] for name in measures}
        for _ in range(_RESAMPLES):
            weight = rng.multinomial(m, np.full(m, 1 / m))[self.rows]
            C = (said * weight[:, None]).T @ self.predicted[self.rows] / max(weight.sum(), 1)
            C = self._corrected(C)
            for name, psi in measures.items():
                losses[name].append(_loss(psi, C))
        z = NormalDist().inv_cdf((1 + LEVEL) / 2)
        C = self.confusion
        loss = {name: _loss(psi, C) for name, psi in measures.items()}
        half = {name: z * float(np.std(values)) for name, values in losses.items()}
        ends = {name: [loss[name] - half[name], loss[name] + half[name]] for name in measures}
        return {name: both for name, both in ends.items() if np.isfinite(both).all()}

    def as_json(self, measures: Mapping[str, Measure]) -> dict[str, Any]:
        """Return what the record says about the judgment."""
        return {
            "by": "noise matrix of the noise" if self.known else JUDGE,
            "noise_matrix": self.noise.matrix.tolist(),
            "noisy_confusion": expected_confusion(self.y, self.predicted[self.rows]).tolist(),
            "level": LEVEL,
            "intervals": self.intervals(measures),
        }


def judge(
    noisy: NoisyLabels, sample: NoisySample, test: NDArray[np.intp], predicted: Array
) -> HeldOut:
    """Return the judgment of predictions for the test part by its noisy labels."""
    examples, y = noisy.of(test)
    rows = positions(examples, test)
    if noisy.noise_matrix is not None:
        return HeldOut(noisy.noise_matrix, True, y, rows, predicted)
    registry = get_registry()
    learner = registry.build("cpe", "logistic", random_state=0)
    estimator = registry.build("t_estimator", JUDGE)
    # A generator of its own: the estimate of the cell's own T estimator stays as it is.
    own = replace(sample, cpe=learner, rng=stream(0, "judge", "t_estimator"))
    estimate = estimator.estimate(own.for_estimator(estimator))
    return HeldOut(estimate, False, y, rows, predicted)


def _loss(psi: Measure, C: Array) -> float:
    try:
        return float(psi(C))
    except Exception:  # a measure that this matrix does not allow has no interval
        return np.nan
