"""Contract checks of algorithms."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any, get_args

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from ncbench.core import Family, NoiseMatrix
from ncbench.data import read_only
from ncbench.errors import NotApplicable, counted
from ncbench.testing.contract import Build, DoesNotApply, broken, raised
from ncbench.testing.shared import (
    FLOAT32,
    require_classes,
    require_same,
    twice,
    unchanged,
    unpickled,
)  # fmt: skip
from ncbench.testing.state import Answers, Steps
from ncbench.testing.trial import STRONG_T, asked, blobs, family_of, measures, noisy_blobs, trials
from ncbench.types import Array, Labels

T = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])


def check_fit_takes_noise_matrix(build: Build) -> None:
    """Its fit takes noise_matrix, as a list, an array or a NoiseMatrix, and None for no noise."""
    if "noise_matrix" not in inspect.signature(_algorithm(build).fit).parameters:
        broken(
            f"fit{inspect.signature(_algorithm(build).fit)} has no argument noise_matrix",
            "write fit(self, X, y, noise_matrix=None); NoisyLabelClassifier has it",
        )
    X, y = blobs(120)
    P = [_proba(build, X, y, form) for form in (T, T.tolist(), NoiseMatrix(T))]
    for form, other in zip(("a list", "a NoiseMatrix"), P[1:], strict=True):
        _require_equal(P[0], other, f"with T as an array and as {form}")
    without, identity = _proba(build, X, y, None), _proba(build, X, y, np.eye(3))
    _require_equal(without, identity, "with T = None and with T = I")


def check_respects_noise_matrix(build: Build) -> None:
    """Given T, it finds the clean classes; if it does not correct, T changes nothing."""
    data, noisy = noisy_blobs(900, STRONG_T)

    def fitted(noise_matrix: Array | None) -> Any:
        return _algorithm(build, cpe=LogisticRegression()).fit(
            data.X, noisy, noise_matrix=noise_matrix
        )

    told, not_told = fitted(STRONG_T), fitted(None)
    if not _corrects(build):
        _require_equal(
            _prediction(told, data.X),
            _prediction(not_told, data.X),
            "with a noise matrix and without (uses_noise_matrix is False)",
        )
        return
    error, without = (float(np.mean(a.predict(data.X) != data.y)) for a in (told, not_told))
    if error > 0.1 or error >= without:
        broken(
            f"of classes that do not overlap, with noise T = {STRONG_T.tolist()}, it mistakes "
            f"{error:.2f} when told T and {without:.2f} when not",
            "correct by noise.correct_posterior, correct_loss or correct_confusion; an algorithm "
            "that does not correct sets uses_noise_matrix = False",
        )


def check_refuses_bad_noise_matrix(build: Build) -> None:
    """It rejects a noise matrix that is transposed or has the wrong size."""
    if not _corrects(build):
        raise DoesNotApply("uses_noise_matrix is False")
    X, y = blobs(120)
    transposed = np.array([[0.7, 0.2, 0.1], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    for bad, what in ((np.eye(2), "2 x 2 for 3 classes"), (transposed, "row stochastic")):
        try:
            _algorithm(build).fit(X, y, noise_matrix=bad)
        except ValueError:  # NcbenchError is one
            continue
        broken(
            f"fit accepted noise_matrix = {bad.tolist()}, which is {what}",
            "pass it through ncbench.NoiseMatrix.of(noise_matrix, n); NoisyLabelClassifier does",
        )


def check_measure_families(build: Build) -> None:
    """It fits measures of its declared families and rejects others, or ignores the measure."""
    X, y = blobs(120, spread=1.5)
    # The core looks at the registered object before it builds anything.
    declared = getattr(build.target, "measure_families", None)
    for known in (build.target, _algorithm(build)):
        if getattr(known, "measure_families", None) != declared:
            broken(
                f"{build} and what it builds declare {declared} and "
                f"{getattr(known, 'measure_families', None)}",
                "register the class, or give the function an attribute measure_families too",
            )
    if declared is None:
        P = {
            f: _prediction(_algorithm(build, measure=psi).fit(X, y), X)
            for f, psi in measures().items()
        }
        for family, other in P.items():
            _require_equal(
                P["linear"],
                other,
                f"for a linear measure and for a {family} one (measure_families is None)",
            )
        return
    unknown = set(declared) - set(get_args(Family))
    if unknown or not declared:
        broken(
            f"measure_families is {declared!r}; known: {', '.join(get_args(Family))}",
            "declare a frozenset of these, or None for an algorithm that ignores the measure",
        )
    for family, psi in measures().items():
        try:
            _algorithm(build, measure=psi).fit(X, y)
        except NotApplicable as refusal:
            if family in declared:
                broken(
                    f"measure_families has {family!r}, but fit says: {refusal}",
                    "take it out of measure_families",
                )
        else:
            if family not in declared:
                broken(
                    f"measure_families is {sorted(declared)}, but fit accepts a {family} measure",
                    "in fit, use ncbench.learning.resolve_measure(self.measure, self)",
                )


def check_seeded(build: Build) -> None:
    """The same random_state gives the same classifier."""
    X, y = blobs(120, spread=1.5)
    _require_equal(*twice(lambda: _proba(build, X, y)), "of two fits with one random_state")


def check_inputs_unchanged(build: Build) -> None:
    """It does not modify X, y, the noise matrix or the CPE learner."""
    X, y = blobs(120, spread=1.5)
    noise_matrix, cpe = T.copy(), GaussianNB()
    with unchanged(X=X, y=y, noise_matrix=noise_matrix):
        fitted = _algorithm(build, cpe=cpe).fit(X, y, noise_matrix=noise_matrix)
        fitted.predict(X)
        _prediction(fitted, X)
    if hasattr(cpe, "classes_"):
        broken(
            f"the learner it was given is fitted: classes_ = {cpe.classes_.tolist()}",
            "fit a clone: sklearn.base.clone(self.cpe).fit(...)",
        )


def steps(build: Build, n: int) -> Steps:
    """Return fits of two trials of one problem, and of another problem with other noise."""
    noise = {"data B": np.array([[0.6, 0.1, 0.1], [0.2, 0.8, 0.3], [0.2, 0.1, 0.6]])}

    def fit(name: str, X: Array, y: Labels) -> Answers:
        fitted = _algorithm(build).fit(X, y, noise_matrix=read_only(noise.get(name, T)))
        return {"prediction": _prediction(fitted, asked())}

    return {name: partial(fit, name, X, y) for name, (X, y) in trials().items()}


def check_labels(build: Build) -> None:
    """Labels may be strings, booleans, or numbers that do not start at 0."""
    for n, kinds in ((3, ([3, 7, 8], [-1, 0, 1], ["ant", "bee", "cat"])), (2, ([False, True],))):
        X, y = blobs(120, n, spread=1.5)
        noise = T if n == 3 else np.array([[0.9, 0.2], [0.1, 0.8]])
        plain = _algorithm(build).fit(X, y, noise_matrix=noise)
        for values in kinds:
            names = np.array(values)
            fitted = _algorithm(build).fit(X, names[y], noise_matrix=noise)
            require_classes(fitted, names)
            predicted, expected = fitted.predict(X), names[plain.predict(X)]
            if not np.array_equal(predicted, expected):
                i = int(np.flatnonzero(np.asarray(predicted) != expected)[0])
                broken(
                    f"with labels {values} it predicts {predicted[i]!r} for row {i}, with labels "
                    f"0..{n - 1} the counterpart of {expected[i]!r}",
                    "map labels to 0..n-1 in fit and back in predict",
                )


def check_probabilities(build: Build) -> None:
    """Rows of predict_proba sum to one, and predict returns the most probable class."""
    X, y = blobs(120, spread=1.5)
    fitted = _algorithm(build).fit(X, y, noise_matrix=T)
    if not hasattr(fitted, "predict_proba"):
        if getattr(fitted, "randomized", False):
            broken(
                "randomized is True, but it has no predict_proba", "write it, or set it to False"
            )
        raise DoesNotApply("it has predict only")
    P = np.asarray(fitted.predict_proba(X))
    if P.shape != (120, 3):
        broken(
            f"predict_proba has shape {P.shape} for 120 examples of 3 classes",
            "return a row for each example and a column for each class",
        )
    if not np.isfinite(P).all() or P.min() < -FLOAT32 or np.abs(P.sum(axis=1) - 1).max() > FLOAT32:
        i = int(np.where(np.isfinite(P).all(axis=1), np.abs(P.sum(axis=1) - 1), np.inf).argmax())
        i = int(P.min(axis=1).argmin()) if P.min() < -FLOAT32 else i
        broken(
            f"row {i} of predict_proba is {P[i].tolist()}",
            "return a distribution; T^-1 eta~ is not one, its argmax or projection is",
        )
    predicted, expected = fitted.predict(X), fitted.classes_[P.argmax(axis=1)]
    if not np.array_equal(predicted, expected):
        i = int(np.flatnonzero(predicted != expected)[0])
        broken(
            f"predict gives {predicted[i]} for row {i}, whose predict_proba is {P[i].tolist()}",
            "predict the most probable class; ties go to the lowest",
        )


def check_batches(build: Build) -> None:
    """The prediction of an example does not depend on the other examples of the batch."""
    X, y = blobs(60, spread=1.5)
    fitted = _algorithm(build).fit(X, y, noise_matrix=T)
    P = _prediction(fitted, X)
    classes = [np.flatnonzero(P.argmax(axis=1) == k) for k in range(3)]
    for rows in [*classes, *(np.array([i]) for i in range(0, 60, 7))]:
        if len(rows):
            what = f"of {counted(len(rows), 'example')} in a separate batch and among all"
            _require_equal(_prediction(fitted, X[rows]), P[rows], what)


def check_pickling(build: Build) -> None:
    """It can be pickled after fit."""
    X, y = blobs(60, spread=1.5)
    fitted = _algorithm(build).fit(X, y, noise_matrix=T)
    before, after = (_prediction(each, X) for each in (fitted, unpickled(fitted)))
    _require_equal(before, after, "before and after pickling")


def check_scikit_learn(build: Build) -> None:
    """It passes scikit-learn's own checks of estimators."""
    from sklearn.utils.estimator_checks import check_estimator  # takes half a second

    algorithm = _algorithm(build)
    allowed = (
        {"check_parameters_default_constructible": "a default may be a list, as in a configuration"}
        if any(
            isinstance(p.default, list | dict)
            for p in inspect.signature(build.target).parameters.values()
        )
        else {}
    )
    outcomes = check_estimator(
        algorithm, on_fail=None, on_skip=None, expected_failed_checks=allowed
    )
    failed = [outcome for outcome in outcomes if outcome["status"] == "failed"]
    if failed:
        said = "; ".join(
            f"{o['check_name']}: {raised(o['exception'], build.target)}" for o in failed
        )
        broken(
            f"{len(failed)} of scikit-learn's {len(outcomes)} checks fail: {said}",
            "derive from ncbench.NoisyLabelClassifier, which validates input as they require",
        )


def _algorithm(build: Build, **supplied: Any) -> Any:
    """Build the algorithm with a fast learner and a measure of a declared family."""
    psi = measures()[family_of(build.target)]
    return build(**{"measure": psi, "cpe": GaussianNB(), "random_state": 0, **supplied})


def _corrects(build: Build) -> bool:
    return bool(getattr(_algorithm(build), "uses_noise_matrix", True))


def _proba(build: Build, X: Array, y: Any, noise_matrix: Any = T) -> Array:
    fitted = _algorithm(build).fit(X, y, noise_matrix=noise_matrix)
    return _prediction(fitted, X)


def _prediction(fitted: Any, X: Array) -> Array:
    """Return predict_proba, or, of a classifier that has predict only, the class it predicts."""
    if hasattr(fitted, "predict_proba"):
        return np.asarray(fitted.predict_proba(X))
    return np.asarray(fitted.predict(X)[:, None] == np.unique(fitted.classes_), dtype=np.float64)


def _require_equal(first: Array, second: Array, whose: str) -> None:
    require_same(
        first,
        second,
        f"its prediction {whose} differs",
        "draw all random numbers from random_state, learn only in fit, predict each row from "
        "that row alone, and do not let rounding break ties",
    )
