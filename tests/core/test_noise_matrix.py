"""The noise matrix: what it refuses, and the paper's two propositions from first principles."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import chisquare

from ncbench.core.noise_matrix import NoiseMatrix
from ncbench.errors import NcbenchError

seeds = st.integers(0, 2**32 - 1)


def random_noise(n: int, rng: np.random.Generator) -> NoiseMatrix:
    """Any column-stochastic matrix that is safely invertible, diagonally dominant or not."""
    while True:
        T = rng.dirichlet(np.ones(n), size=n).T
        if rng.random() < 0.5:
            T = 0.6 * np.eye(n) + 0.4 * T
        if np.linalg.cond(T) < 100:
            return NoiseMatrix(T)


def random_joint(points: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """``P(X = x, Y = y)`` for a finite X."""
    return rng.dirichlet(np.ones(points * n)).reshape(points, n)


def noisy_joint(joint: np.ndarray, T: np.ndarray) -> np.ndarray:
    """``P(X = x, Y~ = i) = sum_j P(Y~ = i | Y = j) P(X = x, Y = j)``, term by term."""
    noisy = np.zeros_like(joint)
    for x, i, j in product(range(len(joint)), range(len(T)), range(len(T))):
        noisy[x, i] += T[i, j] * joint[x, j]
    return noisy


def confusion_of(joint: np.ndarray, h: np.ndarray) -> np.ndarray:
    """``P(Y = i, h(X) = j)`` of the randomized classifier with rows ``h[x]``, term by term."""
    n = joint.shape[1]
    C = np.zeros((n, n))
    for x, i, j in product(range(len(joint)), range(n), range(n)):
        C[i, j] += joint[x, i] * h[x, j]
    return C


def test_refuses_what_is_no_noise_matrix() -> None:
    for T, message in (
        ([[0.9, 0.1, 0.0], [0.1, 0.9, 1.0]], r"shape \(2, 3\); expected \(n, n\)"),
        ([0.5, 0.5], r"shape \(2,\); expected \(n, n\)"),
        ([[1.0]], r"shape \(1, 1\); expected \(n, n\) with n >= 2"),
        ([], r"shape \(0,\)"),
        ([[1.2, 0.0], [-0.2, 1.0]], r"entry \[0, 0\] is 1\.2; probabilities lie in \[0, 1\]"),
        ([[1.0, 0.3], [0.0, -0.3]], r"entry \[1, 1\] is -0\.3"),
        ([[1.0, np.nan], [0.0, 1.0]], r"entry \[0, 1\] is nan"),
        ([[1.0, 0.0], [np.inf, 1.0]], r"entry \[1, 0\] is inf"),
        ([[0.9, 0.1], [0.2, 0.8]], r"column 0 sums to 1\.1, not 1 .*rows that do: transpose it"),
        ([[0.5, 0.1], [0.5, 0.8]], r"column 1 sums to 0\.9, not 1"),
        (
            [[0.5, 0.5], [0.5, 0.5]],
            r"number .* exceeds 1e\+06.*T = \[\[0.5, 0.5\], \[0.5, 0.5\]\]$",
        ),
        ([[10**400, 0], [0, 1]], "not a matrix of numbers"),
        (np.eye(2) * 1j + np.eye(2), "not a matrix of numbers"),
        (np.eye(2).astype(str), "not a matrix of numbers"),
        ([[1.0, "a"], [0.0, 1.0]], "not a matrix of numbers"),
        ([[1.0, 0.0], [1.0]], "not a matrix of numbers"),
        ("symmetric", "not a matrix of numbers"),
    ):
        with pytest.raises(NcbenchError, match=message):
            NoiseMatrix(T)


def test_transpose_is_only_proposed_where_it_would_help() -> None:
    with pytest.raises(NcbenchError) as caught:
        NoiseMatrix([[0.5, 0.1], [0.5, 0.8]])
    assert "transpose" not in str(caught.value)


def test_max_condition_can_be_lowered() -> None:
    # Symmetric noise has eigenvalues 1 and 1 - 2 sigma: condition number 1 / 0.2 = 5.
    T = [[0.6, 0.4], [0.4, 0.6]]
    assert NoiseMatrix(T).condition == pytest.approx(5)
    with pytest.raises(NcbenchError, match="condition number 5 exceeds 4"):
        NoiseMatrix(T, max_condition=4)
    assert NoiseMatrix(np.eye(2), max_condition=1).condition == 1


def test_of_names_both_shapes_where_they_do_not_fit() -> None:
    for T in (np.eye(3).tolist(), np.eye(3), NoiseMatrix.identity(3)):
        with pytest.raises(NcbenchError, match=r"shape \(3, 3\) does not fit 4 classes.*\(4, 4\)"):
            NoiseMatrix.of(T, 4)


def test_of_accepts_none_a_list_an_array_and_a_noise_matrix() -> None:
    T = [[0.9, 0.2], [0.1, 0.8]]
    noise = NoiseMatrix(T)
    assert NoiseMatrix.of(None, 2) == NoiseMatrix.identity(2)
    assert NoiseMatrix.of(noise, 2) is noise
    assert NoiseMatrix.of(T, 2) == NoiseMatrix.of(np.array(T), 2) == noise


def test_of_refuses_what_is_not_numbers_with_a_message_of_its_own() -> None:
    for T in ([[1.0, 0.0], [1.0]], [["a", "b"], ["c", "d"]], "symmetric"):
        with pytest.raises(NcbenchError, match="not a matrix of numbers"):
            NoiseMatrix.of(T, 2)


def test_rounded_decimals_become_exactly_stochastic() -> None:
    T = np.array([[0.3333333, 0.1], [0.6666666, 0.9]])
    np.testing.assert_allclose(NoiseMatrix(T).matrix.sum(axis=0), 1, rtol=0, atol=1e-15)


def test_entries_may_be_off_by_the_tolerance() -> None:
    T = NoiseMatrix([[1 + 1e-6, 0.0], [-1e-6, 1.0]])
    np.testing.assert_allclose(T.matrix, np.eye(2), rtol=0, atol=1e-15)


def test_a_label_of_probability_0_is_never_drawn() -> None:
    class Lowest:
        def random(self, size: int) -> np.ndarray:
            return np.zeros(size)

    T = NoiseMatrix([[0.0, 0.0, 1.0], [0.5, 1.0, 0.0], [0.5, 0.0, 0.0]])
    assert T.draw_labels(np.array([0, 1, 2]), Lowest()).tolist() == [1, 1, 0]


def test_norms_of_inverses_are_largest_column_sums() -> None:
    rng = np.random.default_rng(0)
    T, other = random_noise(3, rng), random_noise(3, rng)
    inverses = np.linalg.inv(T.matrix), np.linalg.inv(other.matrix)
    assert T.inverse_norm == pytest.approx(np.linalg.norm(inverses[0], 1))
    assert T.inverse_error(other) == pytest.approx(np.linalg.norm(inverses[0] - inverses[1], 1))
    assert T.inverse_error(other) != pytest.approx(
        np.linalg.norm(inverses[0] - inverses[1], np.inf)
    )


def test_is_a_value() -> None:
    T = np.array([[0.9, 0.2], [0.1, 0.8]])
    noise = NoiseMatrix(T)
    T[0, 0] = 0.0  # the caller's array is not the matrix
    assert noise.matrix[0, 0] == 0.9
    with pytest.raises(ValueError, match="read-only"):
        noise.matrix[0, 0] = 0.5
    same = NoiseMatrix([[0.9, 0.2], [0.1, 0.8]])
    assert noise == same
    assert hash(noise) == hash(same)
    assert noise != NoiseMatrix.identity(2)
    np.testing.assert_array_equal(np.asarray(noise), noise.matrix)
    assert eval(repr(noise)) == noise


@given(seeds, st.integers(2, 5), st.integers(1, 6))
def test_proposition_9_noisy_confusion_is_T_times_clean(seed: int, n: int, points: int) -> None:
    rng = np.random.default_rng(seed)
    noise = random_noise(n, rng)
    joint = random_joint(points, n, rng)
    h = rng.dirichlet(np.ones(n), size=points)
    clean = confusion_of(joint, h)
    noisy = confusion_of(noisy_joint(joint, noise.matrix), h)
    np.testing.assert_allclose(noise.corrupt_confusion(clean), noisy, rtol=0, atol=1e-14)
    np.testing.assert_allclose(noise.correct_confusion(noisy), clean, rtol=0, atol=1e-12)


@given(seeds, st.integers(2, 5), st.integers(1, 6))
def test_noisy_posterior_is_T_times_clean(seed: int, n: int, points: int) -> None:
    rng = np.random.default_rng(seed)
    noise = random_noise(n, rng)
    joint = random_joint(points, n, rng)
    marginal = joint.sum(axis=1, keepdims=True)
    eta = joint / marginal
    eta_noisy = noisy_joint(joint, noise.matrix) / marginal
    np.testing.assert_allclose(noise.corrupt_posterior(eta), eta_noisy, rtol=0, atol=1e-13)
    np.testing.assert_allclose(noise.correct_posterior(eta_noisy), eta, rtol=0, atol=1e-12)


@given(seeds, st.integers(2, 3), st.integers(1, 5))
def test_proposition_8_bayes_of_corrected_loss_is_optimal_on_clean_data(
    seed: int, n: int, points: int
) -> None:
    rng = np.random.default_rng(seed)
    noise = random_noise(n, rng)
    joint = random_joint(points, n, rng)
    L = rng.random((n, n))

    def clean_loss(h: tuple[int, ...]) -> float:
        return sum(joint[x, y] * L[y, h[x]] for x in range(points) for y in range(n))

    optimum = min(clean_loss(h) for h in product(range(n), repeat=points))
    bayes_noisy = (noisy_joint(joint, noise.matrix) @ noise.correct_loss(L)).argmin(axis=1)
    assert clean_loss(tuple(bayes_noisy)) == pytest.approx(optimum, abs=1e-11)


@given(seeds, st.integers(2, 6))
def test_correcting_the_posterior_is_correcting_the_loss(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    noise = random_noise(n, rng)
    eta_noisy = rng.dirichlet(np.ones(n), size=7)
    L = rng.normal(size=(n, n))
    np.testing.assert_allclose(
        noise.correct_posterior(eta_noisy) @ L, eta_noisy @ noise.correct_loss(L), atol=1e-11
    )


@given(seeds, st.integers(2, 6))
def test_corrected_loss_keeps_the_expected_loss(seed: int, n: int) -> None:
    # <L', C~> = <T^-T L, T C> = <L, C>: the transposed inverse, and no other, does that.
    rng = np.random.default_rng(seed)
    noise = random_noise(n, rng)
    C = rng.dirichlet(np.ones(n * n)).reshape(n, n)
    L = rng.normal(size=(n, n))
    corrected = np.sum(noise.correct_loss(L) * (noise.matrix @ C))
    assert corrected == pytest.approx(np.sum(L * C), abs=1e-11)


@given(seeds, st.integers(2, 12))
def test_identity_changes_no_bit(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    identity = NoiseMatrix.identity(n)
    posterior = rng.dirichlet(np.ones(n), size=9)
    square = rng.normal(size=(n, n)) * 10.0 ** rng.integers(-8, 8, size=(n, n))
    for corrected, given_ in (
        (identity.correct_posterior(posterior), posterior),
        (identity.corrupt_posterior(posterior), posterior),
        (identity.correct_loss(square), square),
        (identity.correct_confusion(square), square),
        (identity.corrupt_confusion(square), square),
    ):
        assert corrected.tobytes() == given_.tobytes()


def test_draw_labels_follows_the_columns_of_T() -> None:
    T = np.array([[0.7, 0.05, 0.1], [0.3, 0.9, 0.3], [0.0, 0.05, 0.6]])
    y = np.repeat([0, 1, 2], 20_000)
    noisy = NoiseMatrix(T).draw_labels(y, np.random.default_rng(0))
    for j in range(3):
        counts = np.bincount(noisy[y == j], minlength=3)
        possible = T[:, j] > 0
        assert counts[~possible].sum() == 0
        assert chisquare(counts[possible], 20_000 * T[possible, j]).pvalue > 1e-3


def test_draw_labels_depends_on_the_generator_alone() -> None:
    noise = NoiseMatrix([[0.6, 0.3], [0.4, 0.7]])
    y = np.arange(500) % 2
    first = noise.draw_labels(y, np.random.default_rng(5))
    np.testing.assert_array_equal(first, noise.draw_labels(y, np.random.default_rng(5)))
    assert (first != noise.draw_labels(y, np.random.default_rng(6))).any()


@given(seeds, st.integers(2, 8))
def test_drawn_labels_are_classes(seed: int, n: int) -> None:
    class AlmostOne:
        def random(self, size: int) -> np.ndarray:
            return np.full(size, np.nextafter(1.0, 0.0))

    noise = random_noise(n, np.random.default_rng(seed))
    y = np.arange(n)
    for rng in (np.random.default_rng(seed), AlmostOne()):
        labels = noise.draw_labels(y, rng)
        assert labels.dtype == np.int64
        assert ((labels >= 0) & (labels < n)).all()


@given(st.integers(2, 7), st.floats(0.01, 0.45))
def test_norms_of_symmetric_noise_in_closed_form(n: int, sigma: float) -> None:
    # T = a I + b J with b = sigma / (n - 1), a = 1 - sigma - b, a + n b = 1: eigenvalues 1 and
    # a, and T^-1 = (I - b J) / a.
    b = sigma / (n - 1)
    a = 1 - sigma - b
    noise = NoiseMatrix(a * np.eye(n) + b)
    assert noise.smallest_singular_value == pytest.approx(a)
    assert noise.condition == pytest.approx(1 / a)
    assert noise.inverse_norm == pytest.approx((1 - b + (n - 1) * b) / a)
    inverse = (np.eye(n) - b) / a
    assert noise.inverse_error(NoiseMatrix.identity(n)) == pytest.approx(
        np.abs(inverse - np.eye(n)).sum(axis=0).max()
    )
