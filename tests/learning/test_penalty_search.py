"""The penalty of a linear softmax model, chosen on the sample or on a part of it."""

from __future__ import annotations

import numpy as np
import pytest

from ncbench.core.noise_matrix import NoiseMatrix
from ncbench.learning import ForwardCrossEntropy, LinearSoftmax, fit_linear_softmax
from ncbench.learning.linear_softmax import PathFit, fit_penalty_path

T = NoiseMatrix([[0.7, 0.1, 0.2], [0.2, 0.8, 0.1], [0.1, 0.1, 0.7]])


def sample(m: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, 3))
    posterior = LinearSoftmax(rng.normal(size=(3, 3)), np.zeros(3)).posterior(X)
    clean = (rng.random(m)[:, None] >= posterior.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return X, T.draw_labels(clean, rng)


def fit(m: int, search_size: int, penalties: list[float] | None = None) -> PathFit:
    X, y = sample(m)
    return fit_penalty_path(
        *(X, y, T, ForwardCrossEntropy),
        penalties=penalties,
        tol=1e-8,
        search_size=search_size,
        random_state=0,
    )


def test_the_choice_of_a_part_weighs_as_much_against_all() -> None:
    path = fit(4000, search_size=1000, penalties=[0.1, 0.01, 1e-4])
    assert path.penalty in (0.1 / 4, 0.01 / 4, 1e-4 / 4)
    # What is fitted is all of the sample, at that penalty.
    X, y = sample(4000)
    zero = LinearSoftmax.zero(3, 3)
    whole = fit_linear_softmax(
        X, ForwardCrossEntropy(T, y), zero, penalty=path.penalty, tol=1e-8, max_iter=2000
    )
    np.testing.assert_allclose(path.model.posterior(X), whole.posterior(X), atol=1e-4)


def test_a_single_penalty_is_taken_as_it_is() -> None:
    part, whole = (fit(2000, size, penalties=[0.02]) for size in (500, 2000))
    assert part.penalty == whole.penalty == 0.02
    assert part.model.objective == pytest.approx(whole.model.objective, abs=1e-8)


def test_a_sample_of_the_search_size_is_not_divided() -> None:
    np.testing.assert_array_equal(fit(600, 600).model.coef, fit(600, 10**6).model.coef)
