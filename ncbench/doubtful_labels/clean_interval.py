"""Intervals of a loss from the counts of a confusion matrix: wide where labels are few."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ncbench.core import Measure, stream
from ncbench.noise_estimation import LEVEL
from ncbench.types import Array

_DRAWS = 100, 400  # the fewest and the most
_NUMBERS = 10**7  # to draw, if that takes no fewer than the fewest
_ENDS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)


def clean_interval(counts: Array, psi: Measure) -> tuple[float, float]:
    """Return the ends of a 90% interval of the loss of a classifier on clean labels.

    The interval of Clopper and Pearson (1934) for a rate, k of m, ends at quantiles of
    Beta(k, m - k + 1) and Beta(k + 1, m - k): it allows for one more label against the rate, or
    for it. Here each class with labels has one more, for the upper end a wrong prediction, for the
    lower end a right one, and the loss of confusion matrices drawn from these Dirichlet
    distributions has the ends as its quantiles. This is melding (Fay, Proschan and Brittain 2015),
    which covers at least as often as it promises. A loss that is convex in the recalls, such as
    Q-mean, is too high in a sample. So the lower end allows for an error as large as draws without
    any more label show above the loss (the basic bootstrap of Davison and Hinkley 1997, 5.2).

    Classes without a label are left out: nothing is known of them.

    Parameters
    ----------
    counts : array of shape (n, n)
        How many examples of class i were predicted to be j. Need not be whole numbers.
    psi : Measure
        For these classes. If it is not defined for any matrix, the ends are NaN.

    Examples
    --------
    Three labels without a mistake have a chance of 5% if 63% of all predictions are wrong:

    >>> from ncbench import load
    >>> low, high = clean_interval(np.diag([3.0, 0.0]), load("measure", "zero_one")())
    >>> low, round(high, 1)
    (0.0, 0.6)
    """
    labeled, occurs = counts.sum(axis=1) > 0, (counts.sum(axis=1) + counts.sum(axis=0)) > 0
    if occurs.sum() == 1:
        occurs = np.ones_like(occurs)  # a wrong prediction may be any class
    right = np.diag(labeled.astype(float))
    wrong = np.outer(labeled, occurs) * (1 - np.eye(len(counts)))
    wrong /= np.maximum(wrong.sum(axis=1, keepdims=True), 1)
    own = float(_losses((counts / counts.sum(),), psi)[0])
    plain, lower, upper = (
        _quantiles(_losses(_drawn(counts + more), psi)) for more in (0.0, right, wrong)
    )
    low = min(own, lower[0], 2 * own - plain[1])
    return float(max(low, 0.0)), float(min(max(own, upper[1]), psi.largest))


def _drawn(weights: Array) -> Iterator[Array]:
    """Yield confusion matrices from a Dirichlet distribution; entries of weight 0 are 0."""
    rng = stream(0, "clean interval", len(weights))
    cells = weights > 0
    fewest, most = _DRAWS
    for _ in range(max(fewest, min(most, _NUMBERS // weights.size))):
        C = np.zeros(weights.shape)
        C[cells] = rng.standard_gamma(weights[cells])
        yield C / C.sum()


def _losses(matrices: Iterable[Array], psi: Measure) -> Array:
    found = []
    for C in matrices:
        try:
            found.append(float(psi(C)))
        except Exception:  # a measure that this matrix does not allow has no interval
            found.append(np.nan)
    return np.array(found)


def _quantiles(losses: Array) -> Array:
    known = losses[np.isfinite(losses)]
    return np.quantile(known, _ENDS) if len(known) else np.full(2, np.nan)
