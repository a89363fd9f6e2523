"""Optimal losses: by two methods, by every classifier, and by a grid of randomized ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from known_problem import by_thresholds, masses, measure, random_noise, seeds

from ncbench.errors import NotApplicable
from ncbench.theory import bayes_optimal
from ncbench_plugins.datasets import synthetic

OPTIMISABLE = ["h_mean", "q_mean", "g_mean", "balanced_error", "micro_f1", "zero_one"]


@pytest.mark.parametrize("name", OPTIMISABLE)
def test_optimal_losses_on_synthetic_by_two_methods(name: str) -> None:
    psi = measure(name)
    coarse, fine = (
        bayes_optimal(psi, synthetic.posterior(synthetic.population(k))) for k in (20_000, 80_000)
    )
    assert fine.gap <= 1e-6
    assert abs(fine.value - coarse.value) < 1e-5
    assert fine.value == pytest.approx(by_thresholds(psi), abs=1e-5)
    published = {"q_mean": 0.526, "micro_f1": 0.783}  # with the fitted constants
    if name in published:
        assert fine.value == pytest.approx(published[name], abs=0.002)


@given(seeds, st.sampled_from(["micro_f1", "zero_one"]), st.integers(2, 3), st.integers(1, 5))
def test_optimum_against_every_classifier(seed: int, name: str, n: int, points: int) -> None:
    # A ratio of linear functions has a deterministic optimum.
    eta = np.random.default_rng(seed).dirichlet(np.ones(n), size=points)
    psi = measure(name)
    everyone = (eta.T @ np.eye(n)[list(h)] / points for h in product(range(n), repeat=points))
    optimum = bayes_optimal(psi, eta)
    assert optimum.value == pytest.approx(min(psi(C) for C in everyone), abs=1e-6)
    assert psi(eta.T @ optimum.classifier.distribution(eta) / points) == optimum.value


@settings(max_examples=6, deadline=None)
@given(seeds, st.sampled_from(["h_mean", "q_mean", "g_mean"]))
def test_optimum_against_a_grid_of_randomized_classifiers(seed: int, name: str) -> None:
    # Two kinds of points, two classes: h is a pair of probabilities.
    eta = np.random.default_rng(seed).dirichlet(np.ones(2), size=2)
    psi = measure(name)
    grid = np.linspace(0, 1, 41)
    losses = [psi(eta.T @ np.array([[a, 1 - a], [b, 1 - b]]) / 2) for a, b in product(grid, grid)]
    optimum = bayes_optimal(psi, eta)
    assert optimum.value <= min(losses) + 1e-6
    assert optimum.value - optimum.gap >= min(losses) - 0.05  # the step of the grid
    reached = psi(eta.T @ optimum.classifier.distribution(eta) / 2)
    assert reached == pytest.approx(optimum.value, abs=1e-9)


def test_a_measure_that_is_only_reported_has_no_optimum() -> None:
    with pytest.raises(NotApplicable, match="MacroF1"):
        bayes_optimal(measure("macro_f1"), np.full((2, 2), 0.5))


def test_the_population_is_the_distribution() -> None:
    X = synthetic.population(20_000)
    # Of the mixture: the mean of the centres, and VARIANCE plus the centres' own spread.
    np.testing.assert_allclose(X.mean(axis=0), [0.8, 0.8], atol=1e-3)
    covariance = synthetic.VARIANCE * np.eye(2) + 1.12**2
    np.testing.assert_allclose(np.cov(X.T), covariance, atol=0.01)
    np.testing.assert_allclose(synthetic.posterior(X).mean(axis=0), masses()(45.0), atol=1e-5)


@given(seeds, st.integers(2, 3), st.integers(1, 5))
def test_theorem_11_the_optimum_of_corrected_psi_is_optimal_on_clean_data(
    seed: int, n: int, points: int
) -> None:
    rng = np.random.default_rng(seed)
    noise = random_noise(n, rng)
    joint = rng.dirichlet(np.ones(points * n)).reshape(points, n)
    A, B = rng.random((n, n)), 0.1 + rng.random((n, n))
    corrected_A, corrected_B = noise.correct_loss(A), noise.correct_loss(B)
    clean, corrected = [], []
    for h in product(range(n), repeat=points):
        C = joint.T @ np.eye(n)[list(h)]
        noisy = noise.matrix @ C
        assert np.sum(corrected_B * noisy) > 0
        clean.append(np.sum(A * C) / np.sum(B * C))
        corrected.append(np.sum(corrected_A * noisy) / np.sum(corrected_B * noisy))
    # psi~ = psi o T^-1 as a function, and so the same classifiers are optimal.
    np.testing.assert_allclose(corrected, clean, rtol=1e-9)
    assert clean[int(np.argmin(corrected))] == pytest.approx(min(clean), rel=1e-9)


def test_bayes_prints_every_optimisable_measure(ncbench: Callable) -> None:
    lines = ncbench("bayes", "--size", "20000").out.split("\n")
    assert sorted(line.split()[0] for line in lines[1:] if line) == sorted(OPTIMISABLE)
    assert any(line.split()[:2] == ["q_mean", "0.52564"] for line in lines)
