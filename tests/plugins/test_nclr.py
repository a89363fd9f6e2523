from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from ncbench import NcbenchError, NoiseMatrix
from ncbench.learning import CrossEntropy, LinearSoftmax
from ncbench_plugins.algorithms.nclr import NCLRBackward, NCLRForward

BOTH = pytest.mark.parametrize("algorithm", [NCLRForward, NCLRBackward])


def sample(seed, m, n, sigma, d=4, scale=2.0):
    """Draw a linear softmax problem with random noise: X, clean posterior, noisy labels, T."""
    rng = np.random.default_rng(seed)
    T = rng.random((n, n)) * (1 - np.eye(n))
    noise = NoiseMatrix(sigma * T / T.sum(axis=0) + (1 - sigma) * np.eye(n))
    X = rng.normal(size=(m, d))
    posterior = LinearSoftmax(scale * rng.normal(size=(d, n)), np.zeros(n)).posterior(X)
    clean = (rng.random(m)[:, None] >= posterior.cumsum(axis=1)[:, :-1]).sum(axis=1)
    # Of any scale and origin: the algorithms standardise.
    return X * [1e3, 1.0, 1e-3, 10.0] + 7.0, posterior, noise.draw_labels(clean, rng), noise


@BOTH
@pytest.mark.parametrize("n", [2, 4])
def test_recovers_the_clean_posterior(algorithm, n):
    X, posterior, y, noise = sample(n, 4000, n, sigma=0.3)
    corrected = algorithm(random_state=0).fit(X, y, noise_matrix=noise)
    uncorrected = algorithm(random_state=0).fit(X, y)
    error, without = (
        np.abs(fitted.predict_proba(X) - posterior).mean() for fitted in (corrected, uncorrected)
    )
    assert error < 0.6 * without
    best = posterior.argmax(axis=1)
    assert (corrected.predict(X) == best).mean() > 0.8
    np.testing.assert_allclose(corrected.predict_proba(X).sum(axis=1), 1)


@BOTH
def test_classes_absent_from_folds(algorithm):
    X, _, y, noise = sample(0, 60, 4, sigma=0.2)
    y = np.where(y == 3, 0, y)
    y[0] = 3  # one example: training parts without it, and held-out parts
    fitted = algorithm(random_state=0).fit(X, y, noise)
    assert fitted.predict_proba(X).shape == (60, 4)
    assert np.isfinite(fitted.predict_proba(X)).all()
    algorithm(folds=50).fit(X[:3], [0, 1, 1])


def test_backward_lifts_impossible_priors_and_says_so():
    # T expects 30% of noisy labels in class 1 even if every clean label were 0.
    T = [[0.7, 0.2], [0.3, 0.8]]
    X = np.random.default_rng(0).normal(size=(100, 2))
    y = np.arange(100) % 10 == 0
    fitted = NCLRBackward(random_state=0).fit(X, y, T)
    assert fitted.prior_moved_ > 0.3
    assert fitted.model_.converged
    assert NCLRBackward(random_state=0).fit(X, y).prior_moved_ == pytest.approx(0)


def test_backward_survives_a_noise_matrix_that_overstates_the_noise():
    """The held-out backward loss then falls without end as the penalty vanishes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 2))
    clean = (X[:, 0] + 0.5 * rng.normal(size=900) > 0).astype(np.int64)
    y = NoiseMatrix([[0.8, 0.2], [0.2, 0.8]]).draw_labels(clean, rng)
    T = NoiseMatrix([[0.65, 0.35], [0.35, 0.65]])
    fitted = NCLRBackward(random_state=0).fit(X[:600], y[:600], T)
    weak = NCLRBackward(penalties=[1e-5]).fit(X[:600], y[:600], T)

    def loss(model, of):
        return model.model_.loss(model._scaler.transform(X[600:]), of)

    backward = CrossEntropy.backward(T, y[600:])
    truth = CrossEntropy.of_labels(clean[600:], 2)
    assert loss(weak, backward) < loss(fitted, backward)  # what would have been chosen
    assert loss(weak, truth) > 10 * loss(fitted, truth)  # and what it is worth
    assert fitted.penalty_ > 1e-3


@BOTH
def test_one_penalty_is_used_as_it_is(algorithm):
    X, _, y, noise = sample(0, 200, 3, sigma=0.2)
    assert algorithm(penalties=[0.03]).fit(X, y, noise).penalty_ == 0.03
    several = algorithm(penalties=[1e-3, 0.1, 1e-2], random_state=0).fit(X, y, noise)
    assert several.penalty_ in (1e-3, 0.1, 1e-2)


@BOTH
def test_bad_parameters_are_refused(algorithm):
    for parameters, message in (
        ({"penalties": []}, r"penalties=\[\]"),
        ({"penalties": [0.1, 0.0]}, "positive"),
        ({"penalties": [float("nan")]}, "positive"),
        ({"folds": 1}, "folds=1"),
    ):
        with pytest.raises(NcbenchError, match=message):
            algorithm(**parameters).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])


@BOTH
def test_too_few_iterations_warn(algorithm):
    X, _, y, noise = sample(0, 200, 3, sigma=0.2)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        algorithm(penalties=[1e-3], max_iter=1).fit(X, y, noise)


@BOTH
def test_the_defaults(algorithm):
    """They are part of what a cell of the published tables stands for."""
    numbers = {"folds": 3, "max_iter": 500, "tol": 1e-5}
    assert algorithm().get_params() == {"penalties": None, "random_state": None, **numbers}
