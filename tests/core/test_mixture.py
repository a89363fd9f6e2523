"""Randomized classifiers: a mixture's distribution is the weighted vote of its components."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ncbench.core.argmin import Mixture, _dependency, reduce_support

seeds = st.integers(0, 2**32 - 1)


def random_mixture(seed: int, n: int, components: int) -> tuple[Mixture, np.ndarray]:
    rng = np.random.default_rng(seed)
    mixture = Mixture(rng.normal(size=(components, n, n)), rng.dirichlet(np.ones(components)))
    return mixture, rng.dirichlet(np.ones(n), size=15)


def weighted_vote(mixture: Mixture, posterior: np.ndarray) -> np.ndarray:
    votes = np.zeros_like(posterior)
    for loss, weight in zip(mixture.losses, mixture.weights, strict=True):
        for x, eta in enumerate(posterior):
            votes[x, np.argmin([eta @ loss[:, k] for k in range(len(loss))])] += weight
    return votes


@given(seeds, st.integers(2, 5), st.integers(1, 8))
def test_distribution_is_the_weighted_vote(seed: int, n: int, components: int) -> None:
    mixture, posterior = random_mixture(seed, n, components)
    np.testing.assert_allclose(
        mixture.distribution(posterior), weighted_vote(mixture, posterior), atol=1e-14
    )


@given(seeds, st.integers(2, 4), st.integers(1, 5), st.integers(1, 12))
def test_merged_is_the_same_classifier_with_distinct_components(
    seed: int, n: int, distinct: int, components: int
) -> None:
    base, posterior = random_mixture(seed, n, distinct)
    rng = np.random.default_rng(seed + 1)
    chosen = rng.integers(distinct, size=components)
    mixture = Mixture(base.losses[chosen], rng.dirichlet(np.ones(components)))
    merged = mixture.merged()

    order = list(dict.fromkeys(chosen.tolist()))  # of first appearance
    np.testing.assert_array_equal(merged.losses, base.losses[order])
    weights = [mixture.weights[chosen == k].sum() for k in order]
    np.testing.assert_allclose(merged.weights, weights, atol=1e-15)
    np.testing.assert_allclose(
        merged.distribution(posterior), mixture.distribution(posterior), atol=1e-14
    )


def test_constant_losses_merge_into_one() -> None:
    losses = np.stack([np.zeros((2, 2)), np.ones((2, 2)), 1 - np.eye(2), np.full((2, 2), -7.0)])
    merged = Mixture(losses, np.array([0.1, 0.2, 0.3, 0.4])).merged()
    np.testing.assert_array_equal(merged.losses, losses[[0, 2]])
    np.testing.assert_allclose(merged.weights, [0.7, 0.3])


@pytest.mark.parametrize(("difference", "components"), [(2e-13, 1), (2e-12, 2)])
def test_losses_are_compared_to_twelve_digits(difference: float, components: int) -> None:
    a = np.array([[1.0, -1.0, 0.0], [0.3, -0.3, 0.0], [0.0, 0.0, 0.0]])
    b = np.array([[1.0, -1.0, -0.0], [0.3 + difference, -0.3 - difference, 0.0], [0.0, -0.0, 0.0]])
    merged = Mixture(np.stack([a, b]), np.array([0.5, 0.5])).merged()
    assert len(merged.weights) == components


def test_single_is_deterministic() -> None:
    cost = np.array([[0.0, 1.0], [3.0, 0.0]])  # predict 1 where 3 eta_1 > eta_0
    posterior = np.array([[0.9, 0.1], [0.75, 0.25], [0.7, 0.3]])
    distribution = Mixture.single(cost).distribution(posterior)
    np.testing.assert_array_equal(distribution, [[1, 0], [1, 0], [0, 1]])  # a tie goes to 0


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    K=st.integers(1, 60),
    d=st.integers(1, 8),
    rank=st.integers(1, 8),
    grid=st.booleans(),
)
def test_same_mean_few_points(seed: int, K: int, d: int, rank: int, grid: bool) -> None:
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 3, (K, min(rank, d))) if grid else rng.normal(size=(K, min(rank, d)))
    points = low @ rng.normal(size=(min(rank, d), d))
    weights = rng.dirichlet(np.full(K, 0.3)) + 1e-9
    weights /= weights.sum()
    index, reduced = reduce_support(points, weights)
    assert len(index) <= min(rank, d) + 1
    assert len(set(index.tolist())) == len(index)
    assert reduced.min() > 0
    assert reduced.sum() == pytest.approx(1)
    np.testing.assert_allclose(reduced @ points[index], weights @ points, atol=1e-9)


def test_equal_points_become_one() -> None:
    index, weights = reduce_support(np.ones((50, 4)), np.full(50, 0.02))
    assert (len(index), weights.tolist()) == (1, [1.0])


def test_large_points_on_a_line_become_two() -> None:
    rng = np.random.default_rng(0)
    points = 1e6 * rng.random((40, 1)) * rng.random(3) + 1e6  # on a line but for rounding
    index, weights = reduce_support(points, np.full(40, 1 / 40))
    assert len(index) == 2
    np.testing.assert_allclose(weights @ points[index], points.mean(axis=0))


@pytest.mark.parametrize("kind", ["regular", "singular", "nearly singular"])
def test_a_dependency_sums_to_zero(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = np.vstack([np.random.default_rng(0).random((4, 6)), np.ones(6)])
    if kind == "regular":  # one solve, which is much faster than a decomposition
        monkeypatch.delattr(np.linalg, "svd")
    else:
        columns[:, 0] = columns[:, 1]
        columns[0, 0] += 1e-13 if kind == "nearly singular" else 0
    dependency = _dependency(columns)
    np.testing.assert_allclose(columns @ dependency, 0, atol=1e-12)
    assert 1e-3 < dependency.max() < 1e3


def test_merging_takes_little_memory_beside_the_losses() -> None:
    losses = np.random.default_rng(0).normal(size=(400, 60, 60))
    losses[1] = 3 * losses[0] + 1
    mixture = Mixture(losses, np.full(400, 1 / 400))
    tracemalloc.start()
    try:
        merged = mixture.merged()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(merged.weights) == 399
    assert peak < 1.3 * losses.nbytes  # the losses that are kept are a copy


def test_losses_that_all_differ_are_not_copied() -> None:
    losses = np.random.default_rng(0).normal(size=(50, 4, 4))
    assert Mixture(losses, np.full(50, 0.02)).merged().losses is losses
