"""Losses on clean labels from predictions for noisy ones, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ncbench.core import Measure, NoiseMatrix, expected_confusion, stream, with_possible_recalls
from ncbench.noise_estimation.repair import repair_estimate
from ncbench.noise_estimation.share import LEVEL
from ncbench.types import Array, Labels

TOO_WIDE = 0.25
"""An interval that is wider, as a share of the range of losses, says little."""

UNCOUNTED = "nothing is said about how good the classifier is there"
"""What classes without a label mean for a loss."""

CONTRADICTED = (
    "the noise matrix is not that of these labels: by it, more than all or less than none of the "
    "predictions are right, or of the rows belong to a class"
)
"""What labels may say about a noise matrix."""

_RESAMPLES = 200
_CONTRADICTED = 1e-3  # the chance of labels that contradict their own noise matrix, at most
_IGNORED_BIAS = 0.25  # in standard errors
_ENDS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
_Z = NormalDist().inv_cdf(_ENDS[1])


@dataclass(frozen=True)
class HeldOut:
    """Predictions for examples with noisy labels.

    Parameters
    ----------
    noise : NoiseMatrix
        If it has ``draws``, an array of shape (k, n, n), intervals include its uncertainty.
    y : array of shape (k,)
        Noisy labels.
    rows : array of shape (k,)
        The example of each label, a row of ``predicted``.
    predicted : array of shape (m, n)
    """

    noise: NoiseMatrix
    y: Labels
    rows: NDArray[np.intp]
    predicted: Array

    @property
    def noisy_confusion(self) -> Array:
        """The confusion matrix with the noisy labels."""
        return expected_confusion(self.y, self.predicted[self.rows])

    @property
    def confusion(self) -> Array:
        """The corrected confusion matrix."""
        return _corrected(self.noisy_confusion, self.noise)

    @property
    def contradicted(self) -> bool:
        """Whether these labels show that T is not the matrix of their noise.

        The share of right predictions and that of each clean class are means of independent terms,
        one for each label, of known range. With the right T they are 0 to 1, up to an error that
        Hoeffding's inequality (1963) bounds for any number of labels. If T has draws, each of them
        must be contradicted.
        """
        return all(self._contradicts(T) for T in self._matrices)

    @property
    def uncertain(self) -> bool:
        """Whether intervals include the uncertainty of the noise matrix."""
        return getattr(self.noise, "draws", None) is not None

    @cached_property
    def _matrices(self) -> list[NoiseMatrix]:
        """T, or the draws of it."""
        draws = getattr(self.noise, "draws", None)
        return [self.noise] if draws is None else [*map(repair_estimate, draws[:_RESAMPLES])]

    def _contradicts(self, noise: NoiseMatrix) -> bool:
        inverse = noise.correct_confusion(np.eye(noise.n))
        right = float(np.trace(noise.correct_confusion(self.noisy_confusion)))
        shares = inverse @ (np.bincount(self.y, minlength=noise.n) / len(self.y))
        means = np.append(shares, right)
        ranges = np.append(np.ptp(inverse, axis=1), np.ptp(inverse))
        excess = np.maximum(np.maximum(means - 1, -means), 0) / ranges
        chance = 2 * len(means) * np.exp(-2 * len(self.y) * excess.max() ** 2)
        return bool(chance < _CONTRADICTED)

    def resampled(
        self, measures: Mapping[str, Measure], *, known: bool = False
    ) -> dict[str, Array]:
        """Return the losses of resamples of the examples.

        Each has a draw of T if there are any, unless T is taken as ``known``. Resamples depend on
        the number of labels only: losses of two classifiers are paired.
        """
        rng = stream(0, "judge", len(self.y))
        said = np.eye(self.noise.n)[self.y]
        m = len(self.predicted)
        matrices = [self.noise] if known else self._matrices
        losses: dict[str, list[float]] = {name: [] for name in measures}
        for k in range(_RESAMPLES):
            weight = rng.multinomial(m, np.full(m, 1 / m))[self.rows]
            C = (said * weight[:, None]).T @ self.predicted[self.rows] / max(int(weight.sum()), 1)
            C = _corrected(C, matrices[k % len(matrices)])
            for name, psi in measures.items():
                losses[name].append(_loss(psi, C))
        return {name: np.array(values) for name, values in losses.items()}

    def estimates(self, measures: Mapping[str, Measure]) -> dict[str, tuple[float, float]]:
        """Return the loss and the half width of its interval, by resampling, for each measure.

        A loss that is not linear, above all Q-mean, is biased, because errors of recalls are
        squared. The resamples have these errors once more; their median shows by how much. A
        quarter of a standard error may be ignored (Efron & Tibshirani 1993, 10.3). Measures that
        some resample does not allow are left out.
        """
        spread = self.resampled(measures)
        again = self.resampled(measures, known=True) if self.uncertain else spread
        C = self.confusion
        found = {}
        for name, psi in measures.items():
            loss = _loss(psi, C)
            bias = float(np.median(again[name])) - loss
            large = abs(bias) > _IGNORED_BIAS * standard_error(again[name])
            if large and 0 <= loss - bias <= psi.largest:
                loss -= bias
            found[name] = (loss, _Z * standard_error(spread[name]))
        return {name: both for name, both in found.items() if np.isfinite(both).all()}

    def intervals(self, measures: Mapping[str, Measure]) -> dict[str, list[float]]:
        """Return the ends of the interval of each measure, wide enough for the loss of C itself."""
        C, ends = self.confusion, {}
        for name, (loss, half) in self.estimates(measures).items():
            own = _loss(measures[name], C)
            ends[name] = [min(loss - half, own), max(loss + half, own)]
        return ends

    def performance(self, name: str, psi: Measure, classes: Sequence[str] = ()) -> Performance:
        """Return the estimated loss on clean labels, for a measure of these classes.

        Noisy labels tell less than clean ones: their interval is at least as wide as that of as
        many clean labels with the corrected confusion matrix.
        """
        C = self.confusion
        clean = not self.uncertain and self.noise == NoiseMatrix.identity(self.noise.n)
        loss = float(psi(C))
        low, high = clean_interval(np.maximum(C, 0.0) * len(self.y), psi)
        if not clean:
            loss, half = self.estimates({name: psi}).get(name, (loss, np.inf))
            right = np.trace(self.noise.correct_confusion(self.noisy_confusion))
            # Both are impossible, so nothing is known. The share of right predictions is so far
            # from 0 to 1 if T is almost singular; what is then made a possible matrix is arbitrary.
            if loss + half <= 0 or loss - half >= psi.largest or not -1 <= right <= 2:
                half = np.inf
            low, high = np.minimum(low, loss - half), np.maximum(high, loss + half)
        loss, low, high = (float(np.clip(end, 0.0, psi.largest)) for end in (loss, low, high))
        too_wide = high - low > TOO_WIDE * (psi.largest if np.isfinite(psi.largest) else loss)
        labeled = C.sum(axis=1) > 0
        absent = tuple(each for k, each in enumerate(classes) if not labeled[k])
        about = len(self.y), self.uncertain, bool(too_wide), clean, absent, self.contradicted
        return Performance(name, loss, low, high, *about)


@dataclass(frozen=True)
class Performance:
    """The estimated loss of a classifier on clean labels.

    Parameters
    ----------
    measure : str
    loss : float
    low, high : float
        The 90% interval.
    examples : int
        Number of labels.
    noise_included : bool
        Whether the interval includes the uncertainty of the noise matrix.
    too_wide : bool
        Whether it is wider than a quarter of the range of losses: of little use.
    clean : bool
        Whether the labels were taken as clean.
    absent : tuple of str
        Classes without a label. They do not count in the loss, nor in the interval.
    contradicted : bool
        Whether the labels show that the noise matrix is not theirs.
    """

    measure: str
    loss: float
    low: float
    high: float
    examples: int
    noise_included: bool
    too_wide: bool
    clean: bool = False
    absent: tuple[str, ...] = ()
    contradicted: bool = False

    def __str__(self) -> str:
        known = "noisy labels; the uncertainty of the noise matrix is included"
        if self.clean:
            known = "labels, taken as clean"
        elif not self.noise_included:
            known = "noisy labels; the noise matrix is taken as known"
        said = (
            f"{self.measure}: loss {self.loss:.3f}, {LEVEL:.0%} interval {self.low:.3f} to "
            f"{self.high:.3f}, from {self.examples} {known}"
        )
        if self.absent:
            said += f"; no label of {', '.join(self.absent)}: {UNCOUNTED}"
        if self.contradicted:
            said += f"; {CONTRADICTED}"
        if self.too_wide:
            more = "check more" if self.clean else "hold out more labels, or check some of them"
            said += f"; too wide to be of use: {more}"
        return said


def standard_error(resampled: Array) -> float:
    """Return the spread of resamples, by their 5% and 95% quantiles.

    A few draws of T that are almost singular would dominate a standard deviation.

    Examples
    --------
    >>> standard_error(np.append(np.linspace(-1, 1, 999), 1e6)) < 0.6
    True
    """
    low, high = np.quantile(resampled, _ENDS)
    return float(high - low) / (2 * _Z)


def _corrected(noisy: Array, noise: NoiseMatrix) -> Array:
    return with_possible_recalls(noise.correct_confusion(noisy))


def _loss(psi: Measure, C: Array) -> float:
    try:
        return float(psi(C))
    except Exception:  # a measure that this matrix does not allow has no interval
        return np.nan


_DRAWS = 100, 400  # the fewest and the most
_NUMBERS = 10**7  # to draw, if that takes no fewer than the fewest


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
    own = _loss(psi, counts / counts.sum())
    plain, lower, upper = (
        _quantiles(_loss(psi, C) for C in _drawn(counts + more)) for more in (0.0, right, wrong)
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


def _quantiles(losses: Iterable[float]) -> Array:
    found = np.array(list(losses))
    known = found[np.isfinite(found)]
    return np.quantile(known, _ENDS) if len(known) else np.full(2, np.nan)
