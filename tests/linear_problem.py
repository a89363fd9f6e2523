"""A problem whose clean log odds are linear, for learners that are told T."""

from __future__ import annotations

import numpy as np

from ncbench.core.noise_matrix import NoiseMatrix
from ncbench.learning.linear_softmax import LinearSoftmax
from ncbench.types import Array, Labels

T = NoiseMatrix([[0.6, 0.0, 0.3], [0.4, 0.7, 0.0], [0.0, 0.3, 0.7]])


def sample(m: int = 1000) -> tuple[Array, Array, Labels]:
    """Return X, the true noisy posterior of a linear softmax problem, and noisy labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, 2))
    coef = np.array([[6.0, -6.0, 0.0], [2.0, 2.0, -8.0]])
    eta = LinearSoftmax(coef, np.zeros(3)).posterior(X)
    y = (rng.random(m)[:, None] > eta.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return X, T.corrupt_posterior(eta), T.draw_labels(y, rng)
