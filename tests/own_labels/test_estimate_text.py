"""The text of estimate-noise."""

from __future__ import annotations

import numpy as np
import pytest
from made_up_diagnosis import made_up_noise

from ncbench.noise_estimation import repair_estimate
from ncbench.own_labels.estimate_text import _mixed, estimate_text


def test_counts_that_were_changed_to_be_invertible_are_not_called_counts_alone() -> None:
    assert _mixed(repair_estimate([[0.9, 0.2], [0.1, 0.8]])) == ""
    singular = repair_estimate([[0.5, 0.5], [0.5, 0.5]])
    assert (
        _mixed(singular)
        == f", and {singular.a:.2f} of the identity, without which T has no inverse"
    )


def test_a_class_that_nobody_checked_has_no_counted_column() -> None:
    T = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    noise = made_up_noise(["ant", "bee", "cow"], pairs=np.array([[9, 1, 0], [1, 4, 0], [0, 0, 0]]))
    noise.matrix = np.array(T)
    printed = estimate_text(noise).splitlines()
    start = printed.index("Counted in 15 rows with a checked label:")
    rows = [line.split() for line in printed[start + 3 : start + 6]]
    assert rows == [
        ["ant", "0.90", "0.20", "-"],
        ["bee", "0.10", "0.80", "-"],
        ["cow", "0.00", "0.00", "-"],
    ]
    # The first two columns, entry by entry; the third is not compared.
    assert noise.counted_error == pytest.approx(np.mean([0.1, 0, 0.1, 0.1, 0, 0.1]))
