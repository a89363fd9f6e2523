"""The learner that averages a forward model, its class frequencies held, with ``logistic``."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from linear_problem import T, sample
from scipy.optimize import approx_fprime

from ncbench.core import NoiseMatrix
from ncbench.errors import NcbenchError
from ncbench.types import Array, Labels
from ncbench_plugins.cpe.forward_models import (
    AnchoredCrossEntropy,
    AnchoredForward,
    ForwardLogistic,
    anchored,
)
from ncbench_plugins.cpe.logistic_regression import logistic


def with_a_rare_class(seed: int) -> tuple[Array, Labels, NoiseMatrix]:
    """Return a sample in which the likelihood prefers a model without the rare class."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], [300, 280, 20])
    X = rng.normal(size=(600, 6)) + 1.2 * np.eye(3, 6)[y]
    noise = NoiseMatrix([[0.7, 0.3, 0.2], [0.2, 0.6, 0.3], [0.1, 0.1, 0.5]])
    return X, noise.draw_labels(y, rng), noise


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), weight=st.sampled_from([0.0, 0.5, 0.75, 0.99]))
def test_a_class_keeps_its_share_of_what_logistic_gives_it(seed: int, weight: float) -> None:
    X, y, noise = with_a_rare_class(seed)
    model = AnchoredForward(weight, random_state=0).fit(X, y, noise_matrix=noise)
    corrected = noise.correct_posterior(model.predict_proba(X))
    plain = noise.correct_posterior(model.logistic_.predict_proba(X))
    assert (corrected >= (1 - weight) * plain - 1e-9).all()


def test_the_forward_model_keeps_the_mass_of_a_class_that_forward_loses() -> None:
    lost = 0
    for seed in range(3):
        X, y, noise = with_a_rare_class(seed)
        model = AnchoredForward(random_state=0).fit(X, y, noise_matrix=noise)
        frequency = AnchoredCrossEntropy(noise, y).frequencies[2]
        scaled = model.logistic_[0].transform(X)
        assert model.model_.posterior(scaled)[:, 2].mean() > frequency / 2
        free = ForwardLogistic(random_state=0).fit(X, y, noise_matrix=noise)
        lost += free.model_.posterior(scaled)[:, 2].mean() < frequency / 10
    assert lost  # without the frequencies, the class is lost


def test_the_gradient_is_the_derivative() -> None:
    rng = np.random.default_rng(1)
    loss = AnchoredCrossEntropy(T, rng.integers(0, 3, 5))
    log_g = np.log(rng.dirichlet(np.ones(3), 5))

    def value(flat: Array) -> float:
        return loss(flat.reshape(5, 3), np.exp(flat.reshape(5, 3))).value

    expected = approx_fprime(log_g.ravel(), value, 1e-7).reshape(5, 3)
    np.testing.assert_allclose(loss(log_g, np.exp(log_g)).gradient, expected, atol=1e-5)


def test_frequencies_are_corrected_and_positive() -> None:
    noise = NoiseMatrix([[0.9, 0.4], [0.1, 0.6]])
    loss = AnchoredCrossEntropy(noise, np.zeros(10, dtype=np.int64))  # T^-1 p~ = (1.2, -0.2)
    np.testing.assert_allclose(loss.frequencies, [1.2 / 1.3, 0.1 / 1.3])


def test_without_t_labels_may_have_names_and_it_is_near_logistic() -> None:
    X, _, y = sample(400)
    names = np.array(["ant", "bee", "cat"])[y]
    model = AnchoredForward(random_state=0).fit(X, names)
    expected = logistic().fit(X, names).predict_proba(X)
    assert np.abs(model.predict_proba(X) - expected).mean() < 0.05
    assert set(model.predict(X)) <= {"ant", "bee", "cat"}


def test_a_large_sample_chooses_its_penalty_on_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    X, eta, y = sample()
    monkeypatch.setattr("ncbench_plugins.cpe.forward_models.SEARCH", 250)
    model = anchored(random_state=0).fit(X, y, noise_matrix=T)
    assert model.penalty_ in [mu / 4 for mu in (0.1, 0.01, 1e-3, 1e-4, 1e-5)]
    assert np.abs(model.predict_proba(X) - eta).mean() < 0.05
    with pytest.raises(NcbenchError, match=r"cpe\.weight.*1.*below 1"):
        anchored(weight=1.0)
