"""Contract checks of CPE learners (class probability estimation)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ncbench.core import NoiseMatrix
from ncbench.testing.contract import Build, DoesNotApply, broken
from ncbench.testing.shared import (
    FLOAT32,
    require_classes,
    require_same,
    twice,
    unchanged,
    unpickled,
)  # fmt: skip
from ncbench.testing.state import Answers, Steps
from ncbench.testing.trial import STRONG_T, asked, blobs, noisy_blobs, trials
from ncbench.types import Array, Labels


def check_probabilities(build: Build) -> None:
    """predict_proba has a row per example and a column per class; rows sum to one."""
    X, y = blobs(150)
    P = np.asarray(build(random_state=0).fit(X, y).predict_proba(X))
    if P.shape != (150, 3):
        broken(
            f"predict_proba has shape {P.shape} for 150 examples of 3 classes",
            "return a column for each entry of classes_",
        )
    if not np.isfinite(P).all() or P.min() < 0 or P.max() > 1 + FLOAT32:
        bad = P[~(np.isfinite(P) & (P >= 0) & (P <= 1 + FLOAT32))][0]
        broken(f"predict_proba has the entry {bad:g}", "probabilities lie in [0, 1]")
    sums = P.sum(axis=1)
    worst = int(np.abs(sums - 1).argmax())
    if abs(sums[worst] - 1) > FLOAT32:
        broken(f"row {worst} of predict_proba sums to {sums[worst]:g}", "normalize the rows")


def check_classes(build: Build) -> None:
    """classes_ holds the sorted labels, such as strings or numbers with gaps."""
    X, y = blobs(150)
    for labels in (np.array([0, 2, 5])[y], np.array(["ant", "bee", "cat"])[y]):
        fitted = build(random_state=0).fit(X, labels)
        require_classes(fitted, labels)
        classes = np.unique(labels)
        right = np.mean(classes[fitted.predict_proba(X).argmax(axis=1)] == labels)
        if right < 0.8:
            broken(
                f"the most probable column names the right one of {classes.tolist()} for only "
                f"{right:.2f} of the examples",
                "order the columns of predict_proba as classes_",
            )


def check_learns(build: Build) -> None:
    """If classes do not overlap, the most probable class is right."""
    X, y = blobs(150, spread=0.3)
    right = np.mean(build(random_state=0).fit(X, y).predict_proba(X).argmax(axis=1) == y)
    if right < 0.9:
        broken(
            f"the most probable class is right for {right:.2f} of its own training examples, "
            "whose classes do not overlap",
            "make sure that fit uses X and y, and that the defaults suit 150 examples",
        )


def check_clone(build: Build) -> None:
    """A clone of a fitted learner is unfitted and learns the same."""
    X, y = blobs(150)
    learner = build(random_state=0)
    before = repr(learner.get_params())
    P = learner.fit(X, y).predict_proba(X)
    if repr(learner.get_params()) != before:
        broken(
            f"fit changed the parameters from {before:.300} to {learner.get_params()!r:.300}",
            "store fitted values in attributes that end in _",
        )
    again = clone(learner)
    if hasattr(again, "classes_"):
        broken(
            f"a clone has classes_ = {again.classes_!r} before it is fitted",
            "set classes_ in fit, not in __init__",
        )
    _require_equal(P, again.fit(X, y).predict_proba(X), "of a learner and its clone")


def check_noise_matrix(build: Build) -> None:
    """If its fit takes noise_matrix, it still returns probabilities of noisy labels."""
    learner = build(random_state=0)
    if not has_fit_parameter(learner, "noise_matrix"):
        raise DoesNotApply("its fit does not take noise_matrix")
    data, noisy = noisy_blobs(900, STRONG_T)
    P = learner.fit(data.X, noisy, noise_matrix=NoiseMatrix(STRONG_T)).predict_proba(data.X)
    mean = np.column_stack([P[data.y == j].mean(axis=0) for j in range(len(STRONG_T))])
    i, j = np.unravel_index(np.abs(mean - STRONG_T).argmax(), mean.shape)
    if abs(mean[i, j] - STRONG_T[i, j]) > 0.1:
        broken(
            f"examples of class {j} have label {i} with probability {STRONG_T[i, j]:g}, but "
            f"predict_proba says {mean[i, j]:.2f} on average",
            "if P are clean probabilities, return noise.corrupt_posterior(P): algorithms correct "
            "the learner's output",
        )


def check_seeded(build: Build) -> None:
    """The same random_state gives the same probabilities."""
    X, y = blobs(150)
    fits = twice(lambda: build(random_state=0).fit(X, y).predict_proba(X))
    _require_equal(*fits, "of two fits, one seed")


def check_inputs_unchanged(build: Build) -> None:
    """It does not modify X or y."""
    X, y = blobs(150)
    with unchanged(X=X, y=y):
        build(random_state=0).fit(X, y).predict_proba(X)


def check_pickling(build: Build) -> None:
    """It can be pickled after fit."""
    X, y = blobs(150)
    fitted = build(random_state=0).fit(X, y)
    again = unpickled(fitted)
    _require_equal(fitted.predict_proba(X), again.predict_proba(X), "before and after pickling")


def steps(build: Build, n: int) -> Steps:
    """Return fits of two trials of one problem, and of another problem."""

    def fit(X: Array, y: Labels) -> Answers:
        return {"predict_proba": build(random_state=0).fit(X, y).predict_proba(asked())}

    return {name: partial(fit, X, y) for name, (X, y) in trials().items()}


def _require_equal(first: Any, second: Any, whose: str) -> None:
    fix = "draw all random numbers from random_state, and learn only in fit"
    require_same(first, second, f"probabilities {whose} differ", fix)
