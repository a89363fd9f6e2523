"""Estimates from the labels of several people."""

import numpy as np

from ncbench import NcbenchError, NoiseMatrix, NoisySample
from ncbench.noise_estimation import dawid_skene, repair_estimate


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
