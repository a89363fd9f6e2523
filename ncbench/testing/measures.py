"""Contract checks of measures."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, get_args

import numpy as np

from ncbench.core import Family, Measure, RecallMeasure
from ncbench.data import read_only
from ncbench.errors import NcbenchError
from ncbench.testing.contract import Build, DoesNotApply, broken
from ncbench.testing.shared import accepted_classes, unpickled
from ncbench.testing.state import Answers, Steps
from ncbench.types import Array

_DRAWS = 40
_ROUNDING = 1e-9


def check_is_a_loss(build: Build) -> None:
    """Its value is finite, between 0 and its largest loss, and smallest without errors."""
    for psi, n, rng in _measures(build):
        for _ in range(_DRAWS):
            prior = _prior(n, rng)
            C, perfect = _feasible(prior, rng), np.diag(prior)
            value = _value(psi, C)
            if not -_ROUNDING <= value <= psi.largest + _ROUNDING:
                low = "if it is minus a score, return 1 - score; " if value < 0 else ""
                broken(
                    f"psi(C) = {value:g} for C = {C.tolist()}, but losses lie in "
                    f"[0, {psi.largest:g}]",
                    f"{low}scale it, or set the attribute `largest` to its largest value "
                    "(math.inf if it is unbounded)",
                )
            if _value(psi, perfect) > value + _ROUNDING:
                broken(
                    f"psi = {_value(psi, perfect):g} where every prediction is right and "
                    f"{value:g} for C = {C.tolist()}, so errors lower it",
                    "a measure is a loss; if this one is a score, return 1 - score",
                )


def check_inputs_unchanged(build: Build) -> None:
    """It does not modify the confusion matrix."""
    for psi, n, rng in _measures(build):
        C = _feasible(_prior(n, rng), rng)
        before = C.copy()
        psi(C)
        if psi.family in ("linear", "monotonic_convex"):
            psi.gradient(C)
        if not np.array_equal(C, before):
            broken(
                f"C was {before.tolist()} before the call and is {C.tolist()} after it",
                "work on a copy: C = C.copy()",
            )


def check_family(build: Build) -> None:
    """Its family is known, and it has the methods of that family."""
    for psi, n, rng in _measures(build):
        known = (*get_args(Family), None)
        if psi.family not in known:
            broken(
                f"family is {psi.family!r}; known: {', '.join(map(repr, known))}",
                "set `family` to one of them; None for a measure that is only reported",
            )
        needed = {"ratio_of_linear": "ratio", None: None}.get(psi.family, "gradient")
        C = _feasible(_prior(n, rng), rng)
        try:
            given = psi.ratio(n) if needed == "ratio" else psi.gradient(C) if needed else ()
        except NcbenchError as error:
            write = "slope" if isinstance(psi, RecallMeasure) else needed
            broken(
                f"family is {psi.family!r}, but {error}",
                f"write the method {write}, or set family = None for a measure that is only "
                "reported",
            )
        shapes = [np.shape(g) for g in (given if needed == "ratio" else [given] if needed else [])]
        if any(shape != (n, n) for shape in shapes):
            broken(
                f"{needed} gives shape {shapes[0]} for {n} classes",
                f"return {'two matrices' if needed == 'ratio' else 'a matrix'} of shape ({n}, {n})",
            )


def check_gradient(build: Build) -> None:
    """Its gradient agrees with finite differences."""
    for psi, n, rng in _measures(build, "linear", "monotonic_convex"):
        for _ in range(5):
            C = _interior(n, rng)
            given, measured = np.asarray(psi.gradient(C)), _differences(psi, C)
            off = np.abs(given - measured) - 1e-5 * np.abs(measured)
            i, j = np.unravel_index(off.argmax(), off.shape)
            if not off[i, j] <= 1e-6:
                broken(
                    f"gradient[{i}, {j}] is {given[i, j]:.6g}, but a small change of C[{i}, {j}] "
                    f"gives {measured[i, j]:.6g}, at C = {C.round(4).tolist()}",
                    "derive psi with all entries of C free: sum_j C[i, j] is not fixed",
                )


def check_linear(build: Build) -> None:
    """If its family is linear, it is <L, C> everywhere, with L its gradient."""
    for psi, n, rng in _measures(build, "linear"):
        L = np.asarray(psi.gradient(_interior(n, rng)))
        for _ in range(_DRAWS):
            C = _interior(n, rng)
            value, product = _value(psi, C), float(np.sum(L * C))
            if abs(value - product) > _ROUNDING * max(1.0, abs(product)):
                broken(
                    f"psi(C) = {value:.6g} but <L, C> = {product:.6g}, at C = {C.tolist()}",
                    "a measure that is not <L, C> is not linear: choose another family, or None",
                )


def check_convex(build: Build) -> None:
    """If its family is monotonic_convex, it is convex for fixed class priors."""
    for psi, n, rng in _measures(build, "monotonic_convex"):
        for _ in range(_DRAWS):
            prior = _prior(n, rng)
            C0, C1 = _feasible(prior, rng), _feasible(prior, rng)
            weight = rng.random()
            mixed = _value(psi, (1 - weight) * C0 + weight * C1)
            chord = (1 - weight) * _value(psi, C0) + weight * _value(psi, C1)
            if mixed > chord + _ROUNDING:
                broken(
                    f"psi is {mixed:.6g} at a mixture of two classifiers and only {chord:.6g} on "
                    f"average, at C0 = {C0.round(4).tolist()}, C1 = {C1.round(4).tolist()}",
                    "Frank-Wolfe cannot optimize a measure that is not convex: choose "
                    "another family, or None",
                )


def check_smooth(build: Build) -> None:
    """If its family is monotonic_convex, its gradient does not jump where recalls are equal."""
    for psi, n, rng in _measures(build, "monotonic_convex"):
        prior = _prior(n, rng)
        for recall in (0.3, 0.6, 0.9):
            C = np.repeat((prior * (1 - recall) / (n - 1))[:, None], n, axis=1)
            np.fill_diagonal(C, prior * recall)
            for i in range(n):
                above, below = C.copy(), C.copy()
                above[i, i] *= 1 + 1e-7
                below[i, i] *= 1 - 1e-7
                one, other = np.asarray(psi.gradient(below)), np.asarray(psi.gradient(above))
                if np.abs(one - other).max() > 1e-3 * np.abs(one).max():
                    broken(
                        f"gradient[{i}, {i}] jumps from {one[i, i]:.4g} to {other[i, i]:.4g} where "
                        f"all recalls are {recall:g}",
                        "Frank-Wolfe does not converge if a gradient jumps, as that of a minimum "
                        "does: smooth the measure, or set family = None to report it only",
                    )


def check_monotonic(build: Build) -> None:
    """If its family is monotonic_convex, it does not rise when errors become hits."""
    for psi, n, rng in _measures(build, "monotonic_convex"):
        fell = False
        for _ in range(_DRAWS):
            C = _interior(n, rng)
            i, j = rng.choice(n, size=2, replace=False)
            better = C.copy()
            moved = rng.uniform(0.1, 1) * C[i, j]
            better[i, j] -= moved
            better[i, i] += moved
            before, after = _value(psi, C), _value(psi, better)
            fell = fell or after < before
            if after > before + _ROUNDING:
                broken(
                    f"psi rises from {before:.6g} to {after:.6g} when {moved:.4g} moves from "
                    f"C[{i}, {j}] to C[{i}, {i}], at C = {C.round(4).tolist()}",
                    "more hits must not raise psi; if they should, set another family, or None",
                )
        if not fell:
            broken(
                f"psi stayed at {before:.6g} whichever errors became hits",
                "a loss must decrease in C[i, i]",
            )


def check_ratio(build: Build) -> None:
    """If its family is ratio_of_linear, it is <A, C> / <B, C> in [0, 1], with <B, C> > 0."""
    for psi, n, rng in _measures(build, "ratio_of_linear"):
        A, B = (np.asarray(matrix) for matrix in psi.ratio(n))
        for _ in range(_DRAWS):
            C = _interior(n, rng)
            value, numerator, denominator = _value(psi, C), np.sum(A * C), np.sum(B * C)
            if not denominator > 0:
                broken(
                    f"<B, C> = {denominator:.6g} at C = {C.tolist()}",
                    "choose the signs of A and B so that <B, C> is positive",
                )
            if abs(value - numerator / denominator) > _ROUNDING:
                broken(
                    f"psi(C) = {value:.6g} but <A, C> / <B, C> = {numerator / denominator:.6g}, "
                    f"at C = {C.tolist()}",
                    "make ratio(n) and the value agree; A belongs to the loss, not to the score",
                )
            if not -_ROUNDING <= value <= 1 + _ROUNDING:
                broken(
                    f"psi(C) = {value:.6g}, and bisection looks for losses in [0, 1] only",
                    "scale it to [0, 1]",
                )


def check_limits(build: Build) -> None:
    """Its value and gradient are finite where recalls are 0 or 1 or a class is absent."""
    for psi, n, _ in _measures(build):
        for what, C in _corners(n):
            with np.errstate(all="ignore"):
                value = psi(C)
            if not np.isfinite(value):
                broken(
                    f"psi(C) = {value} where {what}: C = {C.tolist()}",
                    "return the limit explicitly, such as 1.0 where a recall is 0",
                )
            if psi.family not in ("linear", "monotonic_convex"):
                continue
            with np.errstate(all="ignore"):
                gradient = np.asarray(psi.gradient(C))
            if not np.isfinite(gradient).all():
                broken(
                    f"the gradient has {gradient[~np.isfinite(gradient)][0]} where {what}: "
                    f"C = {C.tolist()}",
                    "return its limit, or the limit of its direction",
                )


def check_pickling(build: Build) -> None:
    """It can be pickled, as part of a stored algorithm."""
    for psi, n, rng in _measures(build):
        C = _interior(n, rng)
        again = unpickled(psi)
        if again(C) != psi(C):
            broken(
                f"psi(C) is {psi(C)} before pickling and {again(C)} after",
                "keep everything psi needs in attributes set by __init__",
            )


def accepted(build: Build) -> int:
    """Return a number of classes that it accepts."""
    return next(_measures(build))[1]


def steps(build: Build, n: int) -> Steps:
    """Return values and gradients for three confusion matrices, by one measure, as in a run."""
    psi, rng = build(), np.random.default_rng(n)

    def value(C: Array) -> Answers:
        derived: Any = ()
        if psi.family == "ratio_of_linear":
            derived = psi.ratio(n)
        elif psi.family:
            derived = psi.gradient(C)
        return {"value": psi(C), "gradient": derived}

    drawn = [read_only(_interior(n, rng)) for _ in range(3)]
    return {f"confusion matrix {k}": partial(value, C) for k, C in zip("ABC", drawn, strict=True)}


def _measures(build: Build, *families: str) -> Iterator[tuple[Measure, int, np.random.Generator]]:
    """Yield the measure with each number of classes it accepts, if its family is one of these."""
    psi = build()
    if not isinstance(psi, Measure):
        broken(
            f"{build} returns {psi!r}, which is not a Measure",
            "make it a subclass of ncbench.Measure",
        )
    for n in accepted_classes(build, lambda n: psi(np.full((n, n), 1 / n**2))):
        if not families or psi.family in families:
            yield psi, n, np.random.default_rng(n)
    if families and psi.family not in families:
        raise DoesNotApply(f"its family is {psi.family}")


def _value(psi: Measure, C: Array) -> float:
    value = psi(C)
    if not isinstance(value, float) or not np.isfinite(value):
        broken(f"psi(C) is {value!r} at C = {C.tolist()}", "return a finite float")
    return float(value)


def _prior(n: int, rng: np.random.Generator) -> Array:
    return np.asarray(0.9 * rng.dirichlet(np.ones(n)) + 0.1 / n)


def _feasible(prior: Array, rng: np.random.Generator) -> Array:
    """Draw the confusion matrix of a random classifier with these class priors."""
    return np.asarray(prior[:, None] * rng.dirichlet(np.ones(len(prior)), size=len(prior)))


def _interior(n: int, rng: np.random.Generator) -> Array:
    """Draw a confusion matrix without zeros."""
    return np.asarray(0.9 * rng.dirichlet(np.ones(n * n)).reshape(n, n) + 0.1 / n**2)


def _differences(psi: Measure, C: Array, step: float = 1e-6) -> Array:
    gradient = np.empty_like(C)
    for index in np.ndindex(C.shape):
        up, down = C.copy(), C.copy()
        up[index] += step
        down[index] -= step
        gradient[index] = (psi(up) - psi(down)) / (2 * step)
    return gradient


def _corners(n: int) -> Iterator[tuple[str, Array]]:
    """Yield confusion matrices at the boundary, such as all combinations of recalls 0 and 1."""
    prior = np.arange(n, 0, -1) / np.arange(n, 0, -1).sum()
    for hits in np.ndindex(*[2] * n):
        recall = np.array(hits, dtype=np.float64)
        C = np.repeat((prior * (1 - recall) / (n - 1))[:, None], n, axis=1)
        np.fill_diagonal(C, prior * recall)
        yield f"the recalls are {list(hits)}", C
    for i in range(n):
        alone = np.zeros((n, n))
        alone[:, i] = prior
        yield f"everything is predicted as class {i}", alone
        absent = np.full((n, n), 1.0)
        absent[i] = 0
        yield f"class {i} is absent", absent / absent.sum()
        single = np.zeros((n, n))
        single[i, i] = 1.0
        yield f"class {i} is the only class", single
