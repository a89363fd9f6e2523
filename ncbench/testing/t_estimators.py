"""Contract checks of estimators of the noise matrix.

Estimators make different assumptions: points that certainly belong to a class, posteriors of a
known form, or neighbors of the same class. There are two easy problems. Every method we tried does
well on at least one of them, and an estimator is judged by the one it does better on.
"""

from __future__ import annotations

import dataclasses
from functools import partial

import numpy as np
from sklearn.linear_model import LogisticRegression

from ncbench.core import NoiseMatrix
from ncbench.data import Annotations, read_only
from ncbench.noise_estimation import CleanLabels, NoisySample
from ncbench.plugin import needs_of
from ncbench.testing.contract import Build, DoesNotApply, broken
from ncbench.testing.shared import require_noise_matrix, require_same, twice, unchanged
from ncbench.testing.state import Answers, Steps
from ncbench.testing.trial import labels_by_people, noisy_blobs
from ncbench.types import Array, Labels

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
    estimate = _estimate(build, easy_sample(FEW))
    require_noise_matrix(estimate, len(T), "estimate returned", "sample")


def check_orientation(build: Build) -> None:
    """Its matrix is not transposed: it is closer to T than to its transpose."""
    _require_learning(build)
    estimates = [_estimate(build, easy_sample(MANY, spread=s)).matrix for s in SPREADS.values()]
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
    without = _error(np.eye(len(T)))
    said = []
    for problem, s in SPREADS.items():  # one that the estimator is made for is enough
        few, many = (
            float(np.mean([_error(_estimate(build, easy_sample(m, k, s)).matrix) for k in _SEEDS]))
            for m in (FEW, MANY)
        )
        if many <= 0.6 * few and many <= without / 3:
            return
        said.append(f"classes {problem}: {few:.3f} with {FEW} examples, {many:.3f} with {MANY}")
    broken(
        f"mean |T^ - T| is, for {'; '.join(said)}; it is {without:.3f} without any correction",
        "use the whole sample, and make sure that columns are clean classes in the order of their "
        "numbers; an estimator that is told T, or assumes it, sets learns_from_sample = False",
    )


def check_does_not_look_at_the_truth(build: Build) -> None:
    """It uses the true T and clean labels if its ``needs`` name them, and only then."""
    sample, needs = easy_sample(FEW), needs_of(build())
    estimate = _estimate(build, sample).matrix  # raises for what is used and not declared
    if "noise_matrix" in needs:
        poisoned = dataclasses.replace(easy_sample(FEW), noise_matrix=POISON)
        if np.array_equal(estimate, _estimate(build, poisoned).matrix):
            broken(
                "needs names noise_matrix, but the estimate is the same with another "
                f"sample.noise_matrix: {estimate.round(3).tolist()}",
                "remove it from needs",
            )
    assert sample.clean is not None
    if "clean_labels" in needs and not sample.clean.handed_out:
        broken(
            "needs names clean_labels, but the estimator requests none from sample.trusted",
            "remove it from needs",
        )


def check_seeded(build: Build) -> None:
    """The same sample and generator give the same estimate."""
    estimates = twice(lambda: _estimate(build, easy_sample(FEW)).matrix)
    fix = "draw only from sample.rng, and give learners a random_state drawn from it"
    require_same(*estimates, "two estimates of one sample differ", fix, most=0)


def check_inputs_unchanged(build: Build) -> None:
    """It does not modify X, y or the learner."""
    sample = easy_sample(FEW)
    with unchanged("sample.", X=sample.X, y=sample.y):
        _estimate(build, sample)
    fitted = sorted(vars(sample.cpe).keys() - vars(easy_sample(FEW).cpe).keys())
    if fitted:
        broken(
            f"sample.cpe was fitted: it has {', '.join(fitted)}",
            "fit a clone: sklearn.base.clone(sample.cpe).fit(...)",
        )


def steps(build: Build, n: int) -> Steps:
    """Return estimates for two samples; some estimators take seconds for one."""

    def estimate(seed: int, spread: float) -> Answers:
        sample = easy_sample(FEW, seed, spread)
        frozen = dataclasses.replace(sample, X=read_only(sample.X), y=read_only(sample.y))
        return {"estimate": _estimate(build, frozen).matrix}

    near, far = SPREADS["touching"], SPREADS["far apart"]
    return {"sample A": partial(estimate, 0, near), "sample B": partial(estimate, 1, far)}


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
        rows=np.arange(m),
        annotations=_with_others(data.y, y, seed),
    )


def _with_others(truth: Labels, y: Labels, seed: int) -> Annotations:
    """Return the noisy labels as those of one annotator, beside those of two others."""
    others = labels_by_people(truth, T, people=2, seed=seed)
    return Annotations(
        np.append(np.arange(len(y)), others.rows),
        np.append(np.zeros_like(y), others.annotators + 1),
        np.append(y, others.labels),
        ("you", *others.names),
    )


def _estimate(build: Build, sample: NoisySample) -> NoiseMatrix:
    """Return the estimate from what a run would give to the estimator."""
    estimator = build()
    estimate: NoiseMatrix = estimator.estimate(sample.for_estimator(estimator))
    return estimate


def _require_learning(build: Build) -> None:
    if not getattr(build(), "learns_from_sample", True):
        raise DoesNotApply("learns_from_sample is False")


_TRANSPOSED = T.T / T.sum(axis=1)


def _error(estimate: Array, truth: Array = T) -> float:
    return float(np.abs(estimate - truth).mean())
