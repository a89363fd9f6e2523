"""How uncertain an estimated noise matrix is, and the share of wrong labels that it implies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ncbench.core import NoiseMatrix
from ncbench.noise_estimation import NoisePosterior, repair_estimate
from ncbench.noise_estimation.share import LEVEL, Share, share_of_wrong
from ncbench.types import Array, Labels

_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
_Z = NormalDist().inv_cdf(_TAILS[1])


class Uncertainty(NamedTuple):
    """Intervals of T, if there are any, and the share of wrong labels."""

    low: Array | None
    high: Array | None
    share: Share


def uncertainty(noise: NoiseMatrix, counts: Labels, halves: Sequence[Array] = ()) -> Uncertainty:
    """Return what is known of the errors of an estimate.

    Parameters
    ----------
    noise : NoiseMatrix
        Its ``draws`` and its ``posterior`` are used, if it has them.
    counts : array of shape (n,)
        Number of labels of each class.
    halves : sequence of arrays of shape (n, n)
        Estimates from halves of the rows, for one that has no draws.
    """
    draws: Array | None = getattr(noise, "draws", None)
    low, high = interval(noise.matrix, draws, halves)
    posterior: NoisePosterior | None = getattr(noise, "posterior", None)
    if posterior is not None:
        return Uncertainty(low, high, posterior.share)
    estimate = share_of_wrong(noise, counts)

    def shares(matrices: Iterable[Array]) -> Array:
        return np.array([share_of_wrong(repair_estimate(T), counts) for T in matrices])

    of_draws = None
    if draws is not None:
        # Draws of an entry that is known to be small are skewed. The share adds up n (n - 1) of
        # them, so the draws of the share are too high; that of the median of each entry is not.
        of_draws = shares(draws)
        shift = shares([np.median(draws, axis=0)])[0] - np.median(of_draws)
        of_draws = np.clip(of_draws + shift, 0, 1)
    ends = interval(np.array(estimate), of_draws, shares(halves))
    return Uncertainty(low, high, Share(estimate, *(None if e is None else float(e) for e in ends)))


def interval(
    estimate: Array, draws: Array | None, halves: Sequence[Array] | Array
) -> tuple[Array | None, Array | None]:
    """Return the ends of intervals that contain the estimate.

    Draws are from the distribution of T given the data. Estimates from halves of the rows deviate
    from the estimate as it does from T (delete-half jackknife), so the interval is centered at it.
    """
    if draws is not None:
        low, high = np.quantile(draws, _TAILS, axis=0)
        return np.minimum(low, estimate), np.maximum(high, estimate)
    if not len(halves):
        return None, None
    error = _Z * np.sqrt(np.mean((np.array(halves) - estimate) ** 2, axis=0))
    return np.clip(estimate - error, 0, 1), np.clip(estimate + error, 0, 1)
