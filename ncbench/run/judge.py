"""Judge predictions by noisy labels, where nobody knows the clean ones.

The confusion matrix of noisy labels is corrected, ``C = T^-1 C~`` (OP2), with the T of the noise if
it is known. If it is not, T is estimated from the training part, always by the same estimator, so
that all algorithms are judged alike. An interval says how much the loss depends on which examples
are in the test part; it does not include the error of an estimated T.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncbench.core import Measure, stream
from ncbench.data import NoisyLabels, positions
from ncbench.doubtful_labels import HeldOut
from ncbench.noise_estimation import LEVEL, NoisySample
from ncbench.plugin import get_registry
from ncbench.types import Array

JUDGE = "cautious_map"
"""The estimator of T for judging."""


@dataclass(frozen=True)
class Judgment(HeldOut):
    """Predictions for the test part, judged by its noisy labels.

    Parameters
    ----------
    known : bool
        Whether ``noise`` is the matrix of the noise, and not an estimate.
    """

    known: bool = True

    def as_json(self, measures: Mapping[str, Measure]) -> dict[str, Any]:
        """Return what the record says about the judgment."""
        return {
            "by": "noise matrix of the noise" if self.known else JUDGE,
            "noise_matrix": self.noise.matrix.tolist(),
            "noisy_confusion": self.noisy_confusion.tolist(),
            "level": LEVEL,
            "intervals": self.intervals(measures),
        }


def judge(
    noisy: NoisyLabels, sample: NoisySample, test: NDArray[np.intp], predicted: Array
) -> Judgment:
    """Return the judgment of predictions for the test part by its noisy labels."""
    examples, y = noisy.of(test)
    rows = positions(examples, test)
    if noisy.noise_matrix is not None:
        return Judgment(noisy.noise_matrix, y, rows, predicted)
    registry = get_registry()
    learner = registry.build("cpe", "logistic", random_state=0)
    estimator = registry.build("t_estimator", JUDGE)
    # A generator of its own: the estimate of the cell's own T estimator stays as it is.
    own = replace(sample, cpe=learner, rng=stream(0, "judge", "t_estimator"))
    estimate = estimator.estimate(own.for_estimator(estimator))
    return Judgment(estimate, y, rows, predicted, known=False)
