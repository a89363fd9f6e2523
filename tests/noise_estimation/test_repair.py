"""The finaliser: what it repairs, what it says, and what reaches the record."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from ncbench import NcbenchError, NoiseMatrix
from ncbench.noise_estimation.repair import diagnostics, project_columns, repair_estimate


def test_a_usable_estimate_is_left_alone():
    T = [[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]]
    noise = repair_estimate(T)
    np.testing.assert_allclose(noise.matrix, T, atol=1e-15)
    assert (noise.a, noise.warnings) == (0.0, ())


def test_no_numbers_and_negative_entries_become_zero_and_columns_are_normalised():
    noise = repair_estimate([[4.0, -1.0, np.nan], [np.inf, 3.0, 0.0], [1.0, 1.0, -0.5]])
    np.testing.assert_allclose(noise.matrix, [[0.8, 0, 0], [0, 0.75, 0], [0.2, 0.25, 1]])
    assert noise.warnings == ("class 2: no estimate, taken to be free of noise",)


def test_the_smallest_share_of_the_identity_that_makes_it_invertible():
    # (1 - a) T + a I has singular values of 1 and of (1 - a) s + a for symmetric T.
    for s, a in [(0.05, 0.0), (0.049, 0.05), (0.0, 0.05), (-0.049, 0.1), (-0.6, 0.45)]:
        noise = repair_estimate([[(1 + s) / 2, (1 - s) / 2], [(1 - s) / 2, (1 + s) / 2]])
        if s == -0.6:  # its own inverse's sign is wrong, but it is invertible: only a warning
            assert noise.a == 0
            assert len(noise.warnings) == 2
            continue
        assert noise.a == pytest.approx(a), s
        assert noise.smallest_singular_value >= 0.05 - 1e-9
        assert len(noise.warnings) == (a > 0)


def test_a_class_labelled_as_another_more_often_than_as_itself_is_named():
    noise = repair_estimate([[0.3, 0.1], [0.7, 0.9]], classes=["cat", "dog"])
    assert noise.warnings == ("class cat: labelled dog more often (0.70) than cat (0.30)",)
    assert repair_estimate([[0.5, 0.0], [0.5, 1.0]]).warnings == ()  # a tie is no reason


def test_what_is_no_square_matrix_is_refused():
    with pytest.raises(NcbenchError, match=r"shape .*expected \(n, n\)"):
        repair_estimate(np.ones((2, 3)))


@settings(max_examples=60, deadline=None)
@given(arrays(float, (4, 4), elements=st.floats(allow_nan=True, allow_infinity=True)))
def test_whatever_comes_in_a_noise_matrix_comes_out(T):
    noise = repair_estimate(T)
    assert noise.smallest_singular_value >= 0.05 - 1e-9
    assert 0 <= noise.a <= 1
    NoiseMatrix(noise.matrix)  # stochastic, invertible


@settings(max_examples=30, deadline=None)
@given(arrays(float, (3, 2), elements=st.floats(-3, 3)))
def test_projection_is_the_nearest_distribution(T):
    projected = project_columns(T)
    np.testing.assert_allclose(projected.sum(axis=0), 1)
    assert projected.min() >= 0
    for j in range(2):
        best = minimize(
            lambda x, j=j: ((x - T[:, j]) ** 2).sum(),
            np.full(3, 1 / 3),
            bounds=[(0, 1)] * 3,
            constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        )
        assert ((projected[:, j] - T[:, j]) ** 2).sum() <= best.fun + 1e-6


def test_diagnostics_without_truth_have_no_errors():
    found = diagnostics(repair_estimate([[0.9, 0.2], [0.1, 0.8]]), None)
    assert found["T_error"] is None
    assert found["inverse_error"] is None
    # T^-1 = [[8, -2], [-1, 9]] / 7
    assert found["inverse_norm"] == pytest.approx(11 / 7)


def test_diagnostics_are_in_the_record_of_every_trial(ncbench, tmp_path: Path):
    more = ("dataset=iris", "algo=cpe_argmax", "trials=2", "noise=symmetric", "sigma=0.2")
    assert ncbench("t_estimator=identity", *more).code == 0
    (path,) = tmp_path.glob("outputs/cells/*/record.json")
    for trial in json.loads(path.read_text())["trials"]:
        found = trial["noise_matrix_diagnostics"]
        # |T - I|: 3 entries of 0.2, 6 of 0.1; T^-1 of 0.7 I + 0.1: I / 0.7 - 1/7.
        assert found["T_error"] == pytest.approx(1.2 / 9)
        assert found["inverse_error"] == pytest.approx((1 / 0.7 - 1 / 7 - 1) + 2 / 7)
        assert found["smallest_singular_value"] == 1.0
        assert found["inverse_norm"] == 1.0
        assert (found["a"], found["warnings"]) == (0.0, [])
        assert trial["seconds"]["t_estimate"] >= 0
