"""Bounds and closed forms."""

import numpy as np
import pytest
from ncbench import Dataset, NcbenchError

from ncbench_minimax.measure import SoftWorstClass
from ncbench_minimax.noise import ByFrequency


@pytest.mark.parametrize("sharpness", [0.1, 5.0, 1e4])
def test_the_measure_lies_between_mean_and_worst(sharpness):
    recall = np.array([0.9, 0.5, 0.2])
    value = SoftWorstClass(sharpness).value(recall)
    assert max(1 - recall.mean(), 0.8 - np.log(3) / sharpness) - 1e-12 <= value <= 0.8


def test_a_sharpness_of_0_is_refused():
    with pytest.raises(NcbenchError, match="sharpness=0"):
        SoftWorstClass(sharpness=0.0)


def test_errors_go_where_examples_are():
    data = Dataset.from_labels(np.zeros((10, 1)), [0] * 6 + [1] * 3 + [2], name="ten")
    T = ByFrequency().corrupt(data, 0.2, np.random.default_rng(0)).noise_matrix.matrix
    # Of class 2's errors, 6 of 9 go to class 0 and 3 of 9 to class 1.
    assert T[:, 2] == pytest.approx([0.2 * 6 / 9, 0.2 * 3 / 9, 0.8])
    assert T[:, 0] == pytest.approx([0.8, 0.2 * 3 / 4, 0.2 * 1 / 4])
