"""Samples of a linear softmax model with noisy labels, and the losses fitted to them."""

from __future__ import annotations

from functools import partial

import numpy as np

from ncbench import NoiseMatrix
from ncbench.learning.linear_softmax import CrossEntropy, ForwardCrossEntropy, LinearSoftmax

LOSSES = {
    "cross_entropy": lambda noise, y: CrossEntropy.of_labels(y, noise.n),
    "forward": ForwardCrossEntropy,
    "backward": CrossEntropy.backward,
    "backward_bounded": partial(CrossEntropy.backward, bounded=True),
}


def random_noise(rng, n, sigma=0.3):
    T = rng.random((n, n)) * (1 - np.eye(n))
    return NoiseMatrix(sigma * T / T.sum(axis=0) + (1 - sigma) * np.eye(n))


def softmax_sample(rng, m, noise, d=3, scale=2.0):
    """Draw features, clean posterior and noisy labels of a linear softmax model."""
    n = noise.n
    X = rng.normal(size=(m, d))
    truth = LinearSoftmax(scale * rng.normal(size=(d, n)), 0.5 * rng.normal(size=n))
    posterior = truth.posterior(X)
    clean = (rng.random(m)[:, None] >= posterior.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return X, posterior, noise.draw_labels(clean, rng)
