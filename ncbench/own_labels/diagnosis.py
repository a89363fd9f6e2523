"""A user's labels, diagnosed: which to look at again, and what correcting for the noise gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import has_fit_parameter

from ncbench.core import Measure, NoiseMatrix, stream
from ncbench.learning import fit_posterior, learner_of, out_of_fold_posterior, stratified_folds
from ncbench.noise_estimation import LEVEL, repair_estimate
from ncbench.noise_estimation.held_out import HeldOut, Performance, standard_error
from ncbench.own_labels.arguments import named_measure
from ncbench.own_labels.classifier import DEFAULT_LEARNER, rule_for
from ncbench.own_labels.data import OwnData
from ncbench.own_labels.issues import rank_own_labels
from ncbench.own_labels.noise_estimate import NoiseEstimate
from ncbench.types import Array, Labels

MEASURES = ("g_mean", "h_mean", "q_mean", "micro_f1", "zero_one")
"""The measures that classifiers are compared by."""

MAX_RANKED = 20_000
MAX_COMPARED = 10_000
_FOLDS = 3


@dataclass(frozen=True)
class Gain:
    """The estimated losses of a classifier with and without a correction for the noise.

    Parameters
    ----------
    corrected, plain : Performance
    difference : float
        How much lower the loss is with the correction.
    low, high : float
        The interval of the difference. Intervals of all measures that were compared hold at once,
        in 90% of the cases (Bonferroni).
    """

    corrected: Performance
    plain: Performance
    difference: float
    low: float
    high: float

    @property
    def real(self) -> bool:
        """Whether the difference is beyond chance."""
        return self.low > 0 or self.high < 0


def labels_to_look_at(
    data: OwnData, noise: NoiseEstimate | None = None, seed: int = 0
) -> tuple[pd.DataFrame, NoiseMatrix]:
    """Return the labels that nobody has checked, the most doubtful first, and their noise matrix.

    Of more than 20,000 rows, a random part is ranked.

    Parameters
    ----------
    data : OwnData
        With one label for each example.
    noise : NoiseEstimate, optional
        Of several people's labels, that of the chosen ones is estimated by the ranking.
    seed : int

    Returns
    -------
    found : DataFrame
        ``row``, counted from 1, ``line`` if it is known, ``label`` and ``likeliest`` by name,
        ``p_wrong``, and ``expected_issues`` and ``expected_precision`` up to this rank. If several
        people gave labels: ``labels``, their number, and ``agree``, how many gave this one.
    T : NoiseMatrix
    """
    given = "estimate" if data.annotations is not None else noise
    ranking = rank_own_labels(data, given, None, seed, _some(len(data.y), MAX_RANKED, seed))
    found = ranking.issues
    if data.clean is not None:
        found = found[~found["checked"]]
    found = found.sort_values("rank").reset_index(drop=True)
    found["expected_issues"] = found["p_wrong"].cumsum()
    found["expected_precision"] = found["expected_issues"] / (found.index + 1)
    # The rows that were ranked may lack some classes.
    T = np.eye(len(data.classes))
    here = [data.classes.index(name) for name in ranking.classes]
    T[np.ix_(here, here)] = ranking.noise.matrix
    named = found.astype({"label": str, "likeliest": str})
    return named.drop(columns="rank"), NoiseMatrix(T)


@dataclass(frozen=True)
class AsRanked:
    """A T estimator whose estimate is there already, with the ranking of labels."""

    noise: NoiseMatrix

    def estimate(self, _: Any) -> NoiseMatrix:
        """Return it."""
        return self.noise


def correction_gains(
    data: OwnData,
    noise: NoiseEstimate,
    measures: Sequence[str] = MEASURES,
    cpe: Any = None,
    seed: int = 0,
    background: str | None = None,
) -> list[Gain]:
    """Estimate what a correction for the noise gains, by cross-validation on the noisy labels.

    For each measure, a rule that is told T and one that takes the labels as they are predict
    examples that they were not fitted to, from probabilities that a learner gave before it saw
    their labels. Both use the same learner, by default that of :class:`NoiseCorrectedClassifier`;
    one that can be told T is. Losses on clean labels are estimated with T, which was estimated from
    the same labels: if it is wrong, so are they. Of more than 10,000 rows, a random part is used.
    Micro F1 leaves out the class ``background``, by default the first.
    """
    rows = _some(len(data.y), MAX_COMPARED, seed)
    X, y, n = data.X[rows], data.y[rows], len(data.classes)
    learner = learner_of(cpe, DEFAULT_LEARNER, seed)
    # Labels are numbers of classes here: T has no names.
    T = repair_estimate(noise.matrix, draws=noise.draws, posterior=noise.posterior)
    matrices: list[NoiseMatrix] = [T, NoiseMatrix.identity(n)]
    told = has_fit_parameter(learner, "noise_matrix")  # else the probabilities are the same
    noisy = [_held_out(learner, X, y, seed, T) for T in matrices[: 1 + told]]
    sides = [(T, T.correct_posterior(noisy[k * told])) for k, T in enumerate(matrices)]
    folds = stratified_folds(y, n, _FOLDS, seed)
    z = NormalDist().inv_cdf(1 - (1 - LEVEL) / 2 / len(measures))

    def held_out(psi: Measure, noise: NoiseMatrix, clean: Array) -> HeldOut:
        """Return the decisions of rules that were optimized on the other folds."""
        predicted = np.empty((len(y), n))
        for train, unseen in folds:
            _, algorithm = rule_for(psi, seed)
            rule = algorithm.fit_mixture(clean[train], y[train], noise)
            predicted[unseen] = np.eye(n)[rule.distribution(clean[unseen]).argmax(axis=1)]
        return HeldOut(T, y, np.arange(len(y)), predicted)

    gains = []
    for name in measures:
        psi: Measure = named_measure(name, background).for_classes(data.classes)
        corrected, plain = (held_out(psi, *side) for side in sides)
        ours, theirs = (found.performance(name, psi) for found in (corrected, plain))
        difference = theirs.loss - ours.loss
        resampled = plain.resampled({name: psi})[name] - corrected.resampled({name: psi})[name]
        half = z * standard_error(resampled)
        gains.append(Gain(ours, theirs, difference, difference - half, difference + half))
    return gains


def _held_out(learner: Any, X: Array, y: Labels, seed: int, noise: NoiseMatrix) -> Array:
    if hasattr(learner, "held_out_posterior"):
        return fit_posterior(learner, X, y, noise.n, "crossfit", seed, noise).posterior
    return out_of_fold_posterior(learner, X, y, noise.n, seed, noise)


def _some(rows: int, most: int, seed: int) -> Labels:
    if rows <= most:
        return np.arange(rows)
    return np.sort(stream(seed, "diagnose").choice(rows, most, replace=False))
