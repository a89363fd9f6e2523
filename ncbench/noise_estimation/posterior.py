"""What held-out labels say of their noise: whether features predict them, and a posterior of T."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, ndtri

from ncbench.learning.held_out_noise import (
    LEVEL_SD,
    Fit,
    HeldOutNoise,
    NoisePrior,
    RatesAndShape,
    combined,
)
from ncbench.learning.joint_noise import OffDiagonal
from ncbench.learning.stack import held_out
from ncbench.noise_estimation.share import Share
from ncbench.types import Array, Labels

_LEVEL = 0.95  # one-sided, as the ends of a 90 % interval are


class Prediction(NamedTuple):
    """What held-out predictions of labels are worth beside the frequencies of the classes."""

    accuracy: float
    """Share of labels that the best learner predicts."""
    frequent: float
    """Share of the most frequent label, which needs no features."""
    real: bool
    """Whether a learner is better than the frequencies beyond chance."""

    def __str__(self) -> str:
        return f"held-out accuracy {self.accuracy:.0%}, the most frequent label {self.frequent:.0%}"


def prediction(noisy: Sequence[Array], y: Labels) -> Prediction:
    """Compare held-out predictions of labels with the frequencies of the classes.

    In log loss and in accuracy, by the paired difference for each label. One learner must be better
    in one of them beyond the end of a 90 % interval, which is wider for more comparisons
    (Bonferroni).

    Parameters
    ----------
    noisy : sequence of arrays of shape (m, n)
        Held-out probabilities of the labels, by each learner.
    y : array of shape (m,)

    Examples
    --------
    >>> y = np.tile([0, 1], 50)
    >>> prediction([np.where(np.eye(2)[y] == 1, 0.8, 0.2)], y).real
    True
    >>> found = prediction([np.full((100, 2), [0.6, 0.4])], y)
    >>> print(found, found.real)
    held-out accuracy 50%, the most frequent label 50% False
    """
    m, n = noisy[0].shape
    rows, counts = np.arange(m), np.bincount(y, minlength=n)
    # Not without the own label: folds are stratified, so learners know the frequencies that well.
    others = counts[y] / m
    usual = y == counts.argmax()
    differences = []
    for P in noisy:
        differences.append(np.log(np.maximum(P[rows, y], 1e-4) / others))
        differences.append((P.argmax(axis=1) == y) - usual.astype(float))
    z = NormalDist().inv_cdf(1 - (1 - _LEVEL) / len(differences))
    real = any(d.mean() > z * d.std() / np.sqrt(m) for d in differences)
    accuracy = max(float((P.argmax(axis=1) == y).mean()) for P in noisy)
    return Prediction(accuracy, float(usual.mean()), real)


# The posterior of the noise: what held-out labels leave open, as a mixture of fits.

LEARNERS = ("linear", "trees")
"""Of the stack."""
TAUS = (0.3, 1.0, 3.0)
LEVELS = 6
"""Levels of noise, from .003 to .46 of the labels."""

_SMALLEST = 1e-4  # a learner is never surer than this that an example is not of a class
_LEVEL_SD = 0.3
_AMBIGUOUS = 3.0  # examples that halve what the evidence counts
_DRAWS = 40  # of each node
_NEGLIGIBLE = 1e-3  # weight of a node that is left out
_EXAMPLES = 1000  # that show how the share of a draw differs from that of its node
_TAILS = (0.05, 0.95)
_NONE = 0.01  # a smaller share is not told from none: the levels end there


@dataclass(frozen=True)
class NoisePosterior:
    """Nodes of the posterior of T and of the clean posterior g, with their weights.

    Attributes
    ----------
    rows : array of shape (m,)
        The examples of the sample that it is about.
    y : array of shape (m,)
        Their labels.
    parameters : array of shape (nodes, k + n)
        The weights a of the learners, and the offsets b, of g.
    matrices : array of shape (nodes, n, n)
        T at each node.
    weights : array of shape (nodes,)
        They sum to 1.
    draws : array of shape (nodes, d, entries)
        Parameters V of T, drawn around each node.
    noise : OffDiagonal or RatesAndShape
        Maps V to T.
    shares : array of shape (nodes, d)
        Quantiles of the share of wrong labels, given the node.
    rates : array of shape (nodes, n)
        The share of wrong labels among those of each class.
    prediction : Prediction
        Whether the features predict the labels at all.
    """

    rows: Labels
    y: Labels
    parameters: Array
    matrices: Array
    weights: Array
    draws: Array
    noise: OffDiagonal | RatesAndShape
    shares: Array
    rates: Array
    prediction: Prediction

    @property
    def share(self) -> Share:
        """The share of wrong labels: the median, and an interval from 5 to 95 %.

        It reaches up to what held-out predictions contradict, and 1.645 standard errors: a wrong
        label is not predicted better than by its class.
        """
        middle, low, high = self._quantiles((0.5, *_TAILS))
        low = low if low > _NONE else 0.0
        return Share(middle, low, max(high, self.contradicted))

    @property
    def of_pairs(self) -> bool:
        """Whether each entry of T was estimated, not just a rate for each class."""
        return not isinstance(self.noise, RatesAndShape)

    @property
    def contradicted(self) -> float:
        """Share of labels that held-out predictions contradict, and 1.645 standard errors."""
        accuracy = self.prediction.accuracy
        return float(1 - accuracy + 1.645 * np.sqrt(accuracy * (1 - accuracy) / len(self.y)))

    def is_about(self, y: Labels) -> bool:
        """Return whether these are the labels of the sample that it comes from."""
        return bool(self.rows[-1] < len(y) and np.array_equal(y[self.rows], self.y))

    def wrong_by_label(self) -> Array:
        """Return the expected share of wrong labels among those of each class."""
        return np.asarray(self.weights @ self.rates)

    def true_labels(self, F: Array, y: Labels) -> Array:
        """Return the probability of each true label, m x n, averaged over the nodes.

        Parameters
        ----------
        F : array of shape (k, m, n)
            Logarithms of held-out probabilities of the same learners.
        y : array of shape (m,)
            Noisy labels.
        """
        total = np.zeros(F.shape[1:])
        for weight, T, theta in zip(self.weights, self.matrices, self.parameters, strict=True):
            joint = T[y] * np.exp(combined(F, theta))
            total += weight * joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def range_of_wrong(self, F: Array, y: Labels) -> tuple[Array, Array]:
        """Return the ends, from 5 to 95 % of the nodes, of the probability that a label is wrong.

        Parameters
        ----------
        F, y
            As in :meth:`true_labels`.
        """
        each = np.array([
            _wrong(F, y, theta, T)
            for theta, T in zip(self.parameters, self.matrices, strict=True)
        ])  # fmt: skip
        order = np.argsort(each, axis=0)
        weights = np.cumsum(self.weights[order], axis=0)
        low, high = (np.argmax(weights >= tail - 1e-9, axis=0)[None] for tail in _TAILS)
        ranked = np.take_along_axis(each, order, axis=0)
        return tuple(np.take_along_axis(ranked, end, axis=0)[0] for end in (low, high))

    def least_noise(self) -> Array:
        """Return the mean T of the lowest tenth of the posterior, by share of wrong labels."""
        order = np.argsort(self.shares.mean(axis=1))
        lowest = np.diff(np.minimum(np.cumsum(self.weights[order]), 0.1), prepend=0.0)
        return np.asarray(np.tensordot(lowest / lowest.sum(), self.matrices[order], 1))

    def sample(self, count: int, rng: np.random.Generator) -> Array:
        """Return draws of T, count x n x n."""
        nodes, each = self.shares.shape
        node = rng.choice(nodes, count, p=self.weights)
        drawn = self.draws[node, rng.integers(each, size=count)]
        return np.array([self.noise.matrix(V) for V in drawn])

    def _quantiles(self, levels: tuple[float, ...]) -> list[float]:
        order = np.argsort(self.shares, axis=None)
        weights = np.repeat(self.weights, self.shares.shape[1])[order] / self.shares.shape[1]
        middle = np.cumsum(weights) - weights / 2
        return [float(q) for q in np.interp(levels, middle, self.shares.ravel()[order])]


def held_out_logs(X: Array, y: Labels, n: int, seed: int) -> Array:
    """Return the logarithms of held-out probabilities of the learners, k x m x n.

    Parameters
    ----------
    X : array of shape (m, d)
    y : array of shape (m,)
        Noisy labels, 0..n-1.
    n : int
        Number of classes.
    seed : int
        Of the folds and the learners.
    """
    found = [held_out(name, X, y, n, seed).probabilities for name in LEARNERS]
    return np.log(np.maximum(found, _SMALLEST))


def fit_noise_posterior(
    model: HeldOutNoise, y: Labels, rng: np.random.Generator
) -> tuple[NoisePosterior, dict[float, Fit]]:
    """Return the posterior, and the best fit for each tau.

    The fits climb from a flat clean posterior and little noise to more, and from a sharp one and
    much noise to less; each starts at the last. Where the two differ, both are nodes. The evidence
    (marginal likelihood, by Laplace's method) is overconfident where classes overlap, because there
    the model of g is wrong. So it counts the less, the more examples g leaves ambiguous.
    """
    center = NoisePrior(1.0).center(model.n)
    wrong = np.geomspace(0.003 / 0.997, 0.46 / 0.54, LEVELS)
    fits: list[tuple[Fit, NoisePrior, float]] = []
    for tau in TAUS:
        priors = [NoisePrior(tau, level, _LEVEL_SD) for level in wrong]
        spacing = np.gradient([prior.center(model.n) for prior in priors])
        up = _path(model, model.from_little_noise(), priors)
        down = _path(model, model.from_predictions(), priors[::-1])[::-1]
        for prior, space, low, high in zip(priors, spacing, up, down, strict=True):
            log_prior = np.log(space) - ((prior.center(model.n) - center) / LEVEL_SD) ** 2 / 2
            fits.append((low, prior, log_prior))
            if abs(low.log_evidence - high.log_evidence) > 0.05:
                fits.append((high, prior, log_prior))
    evidence = np.array([fit.log_evidence + log_prior for fit, _, log_prior in fits])
    best = dict.fromkeys(TAUS, fits[0][0])
    for k in np.argsort(evidence):
        best[fits[k][1].tau] = fits[k][0]
    ambiguous = fits[int(evidence.argmax())][0].ambiguous
    kappa = 1 / (1 + ambiguous / _AMBIGUOUS)
    logs = np.array([
        kappa * (fit.log_evidence - fit.log_checked) + fit.log_checked + log_prior
        for fit, _, log_prior in fits
    ])  # fmt: skip
    weights = np.exp(logs - logsumexp(logs))
    kept = np.flatnonzero(weights > _NEGLIGIBLE)
    weights = weights[kept] / weights[kept].sum()
    size = model.learners + model.n
    nodes = [fits[k] for k in kept]
    rows = np.arange(len(y))
    if len(y) > _EXAMPLES:
        rows = np.sort(rng.choice(len(y), _EXAMPLES, replace=False))
    normal = ndtri((np.arange(_DRAWS) + 0.5) / _DRAWS)
    counts = np.maximum(np.bincount(y, minlength=model.n), 1)
    draws, shares, rates = [], [], []
    for fit, prior, _ in nodes:
        thetas = model.draw(fit, prior, _DRAWS, rng)
        p = _wrong(model.F, y, fit.theta, fit.T)
        # Of T alone: where classes are apart, how sharp g is stays open, but says nothing.
        some = model.F[:, rows], y[rows], fit.theta
        differ = [_wrong(*some, model.matrix(theta)).mean() for theta in thetas]
        # A small entry of T has skewed draws, which would add up: a robust spread does not.
        spread = float(np.subtract(*np.quantile(differ, (0.75, 0.25)))) / 1.349
        chance = float((p * (1 - p)).sum()) / len(y) ** 2
        rates.append(np.bincount(y, p, minlength=model.n) / counts)
        draws.append(thetas[:, size:])
        shares.append(np.clip(p.mean() + np.sqrt(spread**2 + chance) * normal, 0, 1))
    posterior = NoisePosterior(
        noise=model.noise,
        rows=np.arange(len(y)),
        y=y,
        parameters=np.array([fit.theta[:size] for fit, *_ in nodes]),
        matrices=np.array([fit.T for fit, *_ in nodes]),
        weights=weights,
        draws=np.array(draws),
        shares=np.array(shares),
        rates=np.array(rates),
        prediction=prediction([*np.exp(model.F)], y),
    )
    return posterior, best


def _path(model: HeldOutNoise, start: Array, priors: list[NoisePrior]) -> list[Fit]:
    """Return a fit for each prior in turn, each from the last."""
    fits, before = [], None
    for prior in priors:
        if before is not None:
            start = model.at_level(start, prior.center(model.n) - before)
        fits.append(model.fit(start, prior))
        start, before = fits[-1].theta, prior.center(model.n)
    return fits


def _wrong(F: Array, y: Labels, theta: Array, T: Array) -> Array:
    """Return the probability that each label is wrong."""
    g = np.exp(combined(F, theta))
    joint = T[y] * g
    return np.asarray(1 - joint[np.arange(len(y)), y] / np.maximum(joint.sum(axis=1), 1e-300))
