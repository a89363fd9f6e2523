"""The paper's synthetic problem: three classes in the plane, with known class probabilities.

The paper (Section 6 and Appendix B) does not give the constants. These were fitted to its published
sample, to two digits.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, softmax

from ncbench import Dataset, NcbenchError
from ncbench.types import Array

MEANS = np.array([[-0.32, -0.32], [1.92, 1.92]])
"""Means of the two equally likely normal components of x."""

VARIANCE = 4.0
"""Variance of each coordinate in each component; coordinates are independent."""

WEIGHTS = np.array([[0.33, 0.33], [0.16, 0.16], [0.0, 0.0]])
BIASES = np.array([2.81, 0.82, 0.0])

CLASSES = ("0", "1", "2")


def posterior(X: Array) -> Array:
    """Return the class probabilities ``eta(x) = softmax(W x + b)`` of each row.

    Examples
    --------
    >>> posterior(np.zeros((1, 2))).round(3)
    array([[0.835, 0.114, 0.05 ]])
    """
    return np.asarray(softmax(X @ WEIGHTS.T + BIASES, axis=1))


def population(size: int) -> Array:
    """Return about ``size`` equally weighted points that represent the distribution of x.

    In each component ``x1 + x2`` and ``x1 - x2`` are independent and normal. Their quantiles form a
    lattice: equal steps in the sum, the only variable eta depends on, and golden-ratio steps in the
    difference, which are evenly spread for any number of points. A mean over the points converges
    much faster than a mean over a sample.

    Examples
    --------
    >>> posterior(population(20_000)).mean(axis=0).round(4)
    array([0.8508, 0.0987, 0.0505])
    """
    k = np.arange(max(size // len(MEANS), 1))
    golden = (np.sqrt(5) - 1) / 2
    total = np.sqrt(2 * VARIANCE) * ndtri((k + 0.5) / len(k))
    difference = np.sqrt(2 * VARIANCE) * ndtri((0.5 + k * golden) % 1)
    offset = np.stack([total + difference, total - difference], axis=1) / 2
    return np.concatenate([mean + offset for mean in MEANS])


def synthetic(rng: np.random.Generator, train: int = 10_000, test: int = 20_000) -> Dataset:
    """Three classes in the plane with priors 0.851, 0.099, 0.050: the paper's synthetic problem.

    Parameters
    ----------
    rng : Generator
        Draws the examples.
    train : int
        Size of the training part.
    test : int
        Size of the test part.

    Returns
    -------
    Dataset
        ``train + test`` examples with the true class probabilities.

    Examples
    --------
    >>> data = synthetic(np.random.default_rng(0), train=100, test=900)
    >>> data.X.shape, data.test_size, data.n_classes
    ((1000, 2), 900, 3)
    """
    if train < 1 or test < 1:
        raise NcbenchError(f"data set 'synthetic': train={train}, test={test}; both must be >= 1")
    m = train + test
    component = rng.integers(len(MEANS), size=m)
    X = MEANS[component] + np.sqrt(VARIANCE) * rng.standard_normal((m, 2))
    cumulated = np.cumsum(posterior(X)[:, :-1], axis=1)
    y = (rng.random(m)[:, None] >= cumulated).sum(axis=1).astype(np.int64)
    absent = sorted(set(range(len(CLASSES))) - set(np.unique(y).tolist()))
    if absent:
        raise NcbenchError(
            f"data set 'synthetic': no example of class {absent[0]} among train={train} + "
            f"test={test}; its rarest class has prior 0.05, so draw 200 or more"
        )
    return Dataset(
        X=X,
        y=y,
        classes=CLASSES,
        name="synthetic",
        test_size=test,
        true_posterior=posterior,
        population=population,
        source="drawn",
    )
