"""Noise drawn from a matrix: the labels follow its columns, and it comes back with them."""

from __future__ import annotations

import numpy as np
import pytest

from ncbench import Dataset, MatrixNoise, NcbenchError

# Class 0 always becomes 1, class 1 stays, class 2 becomes either.
T = np.array([[0.0, 0.0, 0.5], [1.0, 1.0, 0.5], [0.0, 0.0, 0.0]])


class Fixed(MatrixNoise):
    def __init__(self, matrix: np.ndarray) -> None:
        self.fixed = matrix

    def matrix(self, n, sigma, rng):
        return self.fixed


def data(examples: int = 600) -> Dataset:
    return Dataset.from_labels(np.zeros((examples, 1)), np.arange(examples) % 3, name="toy")


def test_labels_are_drawn_from_the_column_of_the_clean_label() -> None:
    stochastic = 0.9 * T + 0.1 * np.eye(3)
    noisy = Fixed(stochastic).corrupt(data(30_000), 0.1, np.random.default_rng(0))
    np.testing.assert_array_equal(noisy.noise_matrix.matrix, stochastic)
    drawn = np.zeros((3, 3))
    np.add.at(drawn, (noisy.y, data(30_000).y), 1 / 10_000)
    # Four standard deviations of a share of 10,000 draws.
    np.testing.assert_allclose(drawn, stochastic, atol=4 * 0.5 / 100)
    assert not drawn[stochastic == 0].any()


def test_the_same_stream_gives_the_same_labels_and_no_noise_none() -> None:
    first, again = (
        Fixed(0.5 * T + 0.5 * np.eye(3)).corrupt(data(), 0.1, np.random.default_rng(3)).y
        for _ in range(2)
    )
    np.testing.assert_array_equal(first, again)
    clean = Fixed(np.eye(3)).corrupt(data(), 0.1, np.random.default_rng(3)).y
    np.testing.assert_array_equal(clean, data().y)


def test_a_matrix_whose_rows_sum_to_one_is_refused() -> None:
    rows = np.array([[0.9, 0.1, 0.0], [0.0, 0.8, 0.2], [0.3, 0.0, 0.7]])
    with pytest.raises(NcbenchError, match="column"):
        Fixed(rows).corrupt(data(), 0.1, np.random.default_rng(0))
