"""Argmin rules over corrected probabilities: OP1, and what a subclass is given."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from ncbench import Mixture, NoiseMatrix, PosteriorClassifier

T = NoiseMatrix([[0.8, 0.1, 0.2], [0.1, 0.7, 0.1], [0.1, 0.2, 0.7]])
LOSS = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]])


class OneRule(PosteriorClassifier):
    def __init__(self, cpe=None, random_state=None, sample_split="none"):
        self.cpe = cpe
        self.random_state = random_state
        self.sample_split = sample_split

    def fit_mixture(self, posterior, y, noise):
        self.given_ = (posterior, y, noise)
        return Mixture.single(LOSS)


@pytest.fixture
def sample() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=300)
    return rng.normal(size=(300, 2)) + 2 * np.eye(3)[y][:, :2], T.draw_labels(y, rng)


def test_it_predicts_the_argmin_of_the_loss_corrected_either_way(sample: tuple) -> None:
    X, y = sample
    model = OneRule(LogisticRegression()).fit(X, y, noise_matrix=T)
    noisy = LogisticRegression().fit(X, y).predict_proba(X)
    # OP1: correcting the posterior is correcting the loss matrix, L' = T^-T L.
    inverse = np.linalg.inv(T.matrix)
    for scores in ((noisy @ inverse.T) @ LOSS, noisy @ (inverse.T @ LOSS)):
        np.testing.assert_array_equal(model.predict(X), scores.argmin(axis=1))
    np.testing.assert_array_equal(model.predict_proba(X).max(axis=1), 1)


def test_fit_mixture_is_given_corrected_rows_of_the_chosen_examples(sample: tuple) -> None:
    X, y = sample
    model = OneRule(LogisticRegression(), sample_split="none").fit(X, y, noise_matrix=T)
    posterior, labels, noise = model.given_
    noisy = LogisticRegression().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(posterior @ T.matrix.T, noisy, atol=1e-12)
    np.testing.assert_array_equal(labels, y)
    np.testing.assert_array_equal(noise.matrix, T.matrix)
    assert set(model.seconds_) == {"cpe", "optimise"}
    half = OneRule(LogisticRegression(), 0, "half").fit(X, y, noise_matrix=T)
    assert len(half.given_[1]) == len(half.given_[0]) == 150
