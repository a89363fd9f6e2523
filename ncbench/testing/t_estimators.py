"""Contract checks of estimators of the noise matrix.

The problem is easy: classes that do not overlap, a learner that suits them, noise that leaves
most labels right. Whatever an estimator assumes (anchor points, neighbours of one class, a few
trusted labels), it holds there.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from ncbench.noise_matrix import NoiseMatrix
from ncbench.t_estimation import NoisySample
from ncbench.testing.contract import Build, broken
from ncbench.testing.problems import noisy_blobs

T = np.array([[0.75, 0.1, 0.2], [0.2, 0.85, 0.05], [0.05, 0.05, 0.75]])
"""What is to be estimated."""

POISON = NoiseMatrix([[0.5, 0.1, 0.3], [0.3, 0.6, 0.1], [0.2, 0.3, 0.6]])
"""Put in the place of the truth, to see who looks."""

FEW, MANY = 90, 1800
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
    """Its matrix is column stochastic the right way round: nearer to T than to T transposed."""
    estimator = build()
    if not _learns(estimator):
        return
    estimate = estimator.estimate(easy_sample(MANY)).T
    right, wrong = np.abs(estimate - T).mean(), np.abs(estimate - T.T / T.sum(axis=1)).mean()
    if wrong < right:
        broken(
            f"the estimate {estimate.round(3).tolist()} is off by {right:.3f} from "
            f"{T.tolist()}, and by {wrong:.3f} from its transpose, rescaled",
            "T[i, j] = P(noisy = i | clean = j): most public code has it transposed",
        )


def check_improves(build: Build) -> None:
    """Its error falls as the sample grows, to less than half of assuming no noise."""
    estimator = build()
    if not _learns(estimator):
        return
    few, many = (
        float(np.mean([np.abs(build().estimate(easy_sample(m, s)).T - T).mean() for s in _SEEDS]))
        for m in (FEW, MANY)
    )
    without = np.abs(np.eye(len(T)) - T).mean()
    if not many < few and many > 0.01:
        broken(
            f"mean |T^ - T| is {few:.4f} with {FEW} examples and {many:.4f} with {MANY}, on "
            "classes that do not overlap",
            "use all of the sample; an estimator that is told T, or assumes it, sets "
            "learns_from_sample = False",
        )
    if many > without / 2:
        broken(
            f"mean |T^ - T| is {many:.4f} with {MANY} examples of classes that do not overlap; "
            f"without noise assumed it is {without:.4f}",
            "see that the columns belong to clean classes, in the order of their numbers",
        )


def check_does_not_look_at_the_truth(build: Build) -> None:
    """Its estimate does not depend on sample.noise_matrix, unless it says that it is told T."""
    sample = easy_sample(FEW)
    poisoned = dataclasses.replace(easy_sample(FEW), noise_matrix=POISON)
    first, second = build().estimate(sample).T, build().estimate(poisoned).T
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
    np.random.seed(0)  # noqa: NPY002  (whoever uses it is found out)
    first, again = (build().estimate(easy_sample(FEW)).T for _ in range(2))
    if not np.array_equal(first, again):
        broken(
            f"two estimates of one sample differ by up to {np.abs(first - again).max():.3g}",
            "draw from sample.rng alone, and give learners a random_state drawn from it",
        )


def check_inputs_unchanged(build: Build) -> None:
    """It leaves X, y and the learner as they are."""
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
        learnt = sorted(vars(sample.cpe).keys() - vars(fresh.cpe).keys())
        broken(
            f"sample.cpe was fitted: it has {', '.join(learnt)}",
            "fit a clone: sklearn.base.clone(sample.cpe).fit(...)",
        )


CHECKS = (
    check_noise_matrix,
    check_orientation,
    check_improves,
    check_does_not_look_at_the_truth,
    check_seeded,
    check_inputs_unchanged,
)


def easy_sample(m: int, seed: int = 0) -> NoisySample:
    """Draw a sample whose classes do not overlap, with noise T."""
    data, y = noisy_blobs(m, T, seed=seed)
    more: dict[str, Any] = {}
    return NoisySample(
        X=data.X,
        y=y,
        n_classes=len(T),
        cpe=LogisticRegression(),
        rng=np.random.default_rng(seed),
        noise_matrix=NoiseMatrix(T),
        **more,
    )


def _learns(estimator: Any) -> bool:
    return bool(getattr(estimator, "learns_from_sample", True))
