"""Shares of wrong labels: with an interval, by T, by counting, and in words."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ncbench.core import NoiseMatrix
from ncbench.types import Array, Labels

LEVEL = 0.9
"""Confidence level of the intervals."""

_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)

KNOWN = "known"
BETWEEN = "between"
CANNOT_TELL = "labels alone cannot tell"
"""Levels of what labels say about a number; a verdict starts with one of them."""


def level_of(verdict: str) -> str:
    """Return the level of a verdict.

    Examples
    --------
    >>> level_of("between 4% and 19%: check 85 rows drawn at random to know")
    'between'
    """
    return next(level for level in (CANNOT_TELL, BETWEEN, KNOWN) if verdict.startswith(level))


@dataclass(frozen=True)
class Share:
    """An estimate and its interval; the ends are None if there is no interval."""

    estimate: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.estimate:.1%}"
        return f"{self.estimate:.1%} [{self.low:.1%}, {self.high:.1%}]"

    @property
    def ends(self) -> tuple[float, float]:
        """The interval; all shares if there is none."""
        return self.low or 0.0, 1.0 if self.high is None else self.high


def counted_share(wrong: int, checked: int) -> Share:
    """Return the share of wrong labels among checked ones, with Wilson's interval.

    Examples
    --------
    >>> print(counted_share(20, 100))
    20.0% [14.3%, 27.3%]
    """
    share = wrong / checked
    center = (wrong + _Z**2 / 2) / (checked + _Z**2)
    half = _Z / (checked + _Z**2) * np.sqrt(wrong * (1 - share) + _Z**2 / 4)
    return Share(share, float(center - half), float(center + half))


def class_frequencies(noise: NoiseMatrix, counts: Labels) -> Array:
    """Return the class frequencies that T and the frequencies of labels imply: ``T^-1 p~``.

    Examples
    --------
    >>> class_frequencies(NoiseMatrix([[0.9, 0.2], [0.1, 0.8]]), np.array([55, 45])).round(9)
    array([0.5, 0.5])
    """
    p = np.clip(noise.correct_posterior(counts / counts.sum()), 0.0, None)
    return np.asarray(p / p.sum())


def share_of_wrong(noise: NoiseMatrix, counts: Labels) -> float:
    """Return the share of wrong labels that T and the frequencies of labels imply.

    Examples
    --------
    >>> round(share_of_wrong(NoiseMatrix([[0.9, 0.2], [0.1, 0.8]]), np.array([55, 45])), 9)
    0.15
    """
    return float((1 - np.diagonal(noise.matrix)) @ class_frequencies(noise, counts))
