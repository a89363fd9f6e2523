"""Contract checks of estimators of the noise matrix.

Estimators make different assumptions: points that certainly belong to a class, posteriors of a
known form, or neighbors of the same class. There are two easy problems. Every method we tried does
well on at least one of them, and an estimator is judged by the one it does better on.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from sklearn.linear_model import LogisticRegression

from ncbench.core import NoiseMatrix
from ncbench.noise_estimation import CleanLabels, NoisySample
from ncbench.testing.contract import Build, DoesNotApply, broken
from ncbench.testing.problems import noisy_blobs
from ncbench.testing.trial import check_trial
from ncbench.types import Array

T = np.array([[0.75, 0.1, 0.2], [0.2, 0.85, 0.05], [0.05, 0.05, 0.75]])
"""The noise matrix to estimate."""

POISON = NoiseMatrix([[0.5, 0.1, 0.3], [0.3, 0.6, 0.1], [0.2, 0.3, 0.6]])
"""Replaces the truth, to detect estimators that look at it."""

SPREADS = {"far apart": 0.05, "touching": 0.8}
"""Spreads of the two problems: tight clouds show columns of T, wide ones overlap a little."""

FEW, MANY = 30, 1800
_SEEDS = range(4)


def check_noise_matrix(build: Build) -> None:
    """It returns a NoiseMatrix for the sample's classes."""
    estimate = build().estimate(easy_sample(FEW))
    if not isinstance(estimate, NoiseMatrix):
        broken(
            f"estimate returned {estimate!r:.200}, a {type(estimate).__name__}",
            "wrap it: NoiseMatrix(T), which also checks that columns sum to one",
        )
    if estimate.n != len(T):
        broken(
            f"the estimate is {estimate.n} x {estimate.n} for {len(T)} classes",
            "make it for sample.n_classes classes",
        )


def check_orientation(build: Build) -> None:
    """Its matrix is not transposed: it is closer to T than to its transpose."""
    _require_learning(build)
    estimates = [build().estimate(easy_sample(MANY, spread=s)).matrix for s in SPREADS.values()]
    estimate = min(estimates, key=lambda E: min(_error(E), _error(E, _TRANSPOSED)))
    if _error(estimate, _TRANSPOSED) < _error(estimate):
        broken(
            f"the estimate {estimate.round(3).tolist()} is off by {_error(estimate):.3f} from T = "
            f"{T.tolist()}, and by {_error(estimate, _TRANSPOSED):.3f} from its transpose",
            "T[i, j] = P(noisy = i | clean = j): most public code has it transposed",
        )


def check_improves(build: Build) -> None:
    """Its error falls as the sample grows, far below the error of assuming no noise."""
    _require_learning(build)
    errors = {
        problem: [
            float(np.mean([_error(build().estimate(easy_sample(m, k, s)).matrix) for k in _SEEDS]))
            for m in (FEW, MANY)
        ]
        for problem, s in SPREADS.items()
    }
    without = _error(np.eye(len(T)))
    if any(many <= 0.6 * few and many <= without / 3 for few, many in errors.values()):
        return
    said = "; ".join(
        f"classes {problem}: {few:.3f} with {FEW} examples, {many:.3f} with {MANY}"
        for problem, (few, many) in errors.items()
    )
    broken(
        f"mean |T^ - T| is, for {said}; it is {without:.3f} without any correction",
        "use the whole sample, and make sure that columns are clean classes in the order of their "
        "numbers; an estimator that is told T, or assumes it, sets learns_from_sample = False",
    )


def check_does_not_look_at_the_truth(build: Build) -> None:
    """Its estimate does not depend on sample.noise_matrix, unless told_noise_matrix is True."""
    sample = easy_sample(FEW)
    poisoned = dataclasses.replace(easy_sample(FEW), noise_matrix=POISON)
    first, second = build().estimate(sample).matrix, build().estimate(poisoned).matrix
    told, looked = getattr(build(), "told_noise_matrix", False), not np.array_equal(first, second)
    difference = np.abs(first - second).max()
    if looked and not told:
        broken(
            f"with another sample.noise_matrix the estimate changes by up to {difference:.3g}",
            "estimate from X, y and cpe; an oracle says so with told_noise_matrix = True",
        )
    if told and not looked:
        broken(
            "told_noise_matrix is True, but the estimate is the same with another "
            f"sample.noise_matrix: {first.round(3).tolist()}",
            "set it to False",
        )


def check_seeded(build: Build) -> None:
    """The same sample and generator give the same estimate."""
    np.random.seed(0)  # noqa: NPY002  (detects plug-ins that use it)
    first, again = (build().estimate(easy_sample(FEW)).matrix for _ in range(2))
    if not np.array_equal(first, again):
        broken(
            f"two estimates of one sample differ by up to {np.abs(first - again).max():.3g}",
            "draw only from sample.rng, and give learners a random_state drawn from it",
        )


def check_inputs_unchanged(build: Build) -> None:
    """It does not modify X, y or the learner."""
    sample, fresh = easy_sample(FEW), easy_sample(FEW)
    build().estimate(sample)
    for name in ("X", "y"):
        now, then = getattr(sample, name), getattr(fresh, name)
        if not np.array_equal(now, then):
            broken(
                f"{np.sum(now != then)} entries of sample.{name} changed",
                f"work on a copy: sample.{name}.copy()",
            )
    if vars(sample.cpe).keys() != vars(fresh.cpe).keys():
        fitted = sorted(vars(sample.cpe).keys() - vars(fresh.cpe).keys())
        broken(
            f"sample.cpe was fitted: it has {', '.join(fitted)}",
            "fit a clone: sklearn.base.clone(sample.cpe).fit(...)",
        )


CHECKS = (
    check_noise_matrix,
    check_orientation,
    check_improves,
    check_does_not_look_at_the_truth,
    check_seeded,
    check_inputs_unchanged,
    check_trial,
)


def easy_sample(m: int, seed: int = 0, spread: float = SPREADS["far apart"]) -> NoisySample:
    """Draw a sample of three round clouds with noise T."""
    data, y = noisy_blobs(m, T, spread=spread, seed=seed)
    return NoisySample(
        X=data.X,
        y=y,
        n_classes=len(T),
        cpe=LogisticRegression(),
        rng=np.random.default_rng(seed),
        noise_matrix=NoiseMatrix(T),
        clean=CleanLabels(data.y, np.random.default_rng([seed, m, 2])),
    )


def _require_learning(build: Build) -> None:
    if not getattr(build(), "learns_from_sample", True):
        raise DoesNotApply("learns_from_sample is False")


_TRANSPOSED = T.T / T.sum(axis=1)


def _error(estimate: Array, truth: Array = T) -> float:
    return float(np.abs(estimate - truth).mean())
