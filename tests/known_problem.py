"""The synthetic problem, whose optimum is known, and noise and measures to pose it with."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np
from hypothesis import strategies as st
from scipy.integrate import cumulative_simpson
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize
from scipy.stats import norm

from ncbench import NoiseMatrix
from ncbench.core.measure import Measure
from ncbench.plugin import get_registry
from ncbench.types import Array
from ncbench_plugins.datasets import synthetic

seeds = st.integers(0, 2**32 - 1)


def measure(name: str) -> Measure:
    psi: Measure = get_registry().build("measure", name)
    return psi


def random_noise(n: int, rng: np.random.Generator) -> NoiseMatrix:
    """Return a T that can be inverted well."""
    return NoiseMatrix(0.5 * np.eye(n) + 0.5 * rng.dirichlet(np.ones(n), size=n).T)


@lru_cache
def masses() -> CubicSpline:
    """Return t -> (P(Y = i, s <= t))_i, with s = x1 + x2, on which alone eta depends."""
    s = np.linspace(-40, 45, 20_001)
    centres, deviation = synthetic.MEANS.sum(axis=1), np.sqrt(2 * synthetic.VARIANCE)
    density = np.mean([norm.pdf(s, centre, deviation) for centre in centres], axis=0)
    eta = synthetic.posterior(np.column_stack([s / 2, s / 2]))
    return CubicSpline(s, cumulative_simpson(eta * density[:, None], x=s, axis=0, initial=0))


def loss_of_thresholds(psi: Measure, thresholds: Array) -> float:
    """Return psi of: class 2 below the first threshold, class 1 to the second, class 0 above.

    By decreasing weight of s in their logits: every cost-sensitive optimum has this form.
    """
    low, high = sorted(thresholds)
    below, upto, everything = masses()(low), masses()(max(high, low)), masses()(45.0)
    return psi(np.column_stack([everything - upto, upto - below, below]))


def by_thresholds(psi: Measure) -> float:
    """Search all threshold classifiers: a grid, then the simplex method."""
    grid = np.linspace(-12, 14, 40)
    pairs = [np.array(pair) for pair in product(grid, grid) if pair[0] <= pair[1]]
    best = min(pairs, key=lambda pair: loss_of_thresholds(psi, pair))
    options = {"xatol": 1e-7, "fatol": 1e-12}
    found = minimize(
        lambda pair: loss_of_thresholds(psi, pair), best, method="Nelder-Mead", options=options
    )
    return float(found.fun)
