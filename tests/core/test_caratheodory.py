"""A mean of many points as a mean of a few of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ncbench.core.mixture import reduce_support


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
