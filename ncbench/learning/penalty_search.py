"""Choose the penalty of a linear softmax model by the likelihood of held-out noisy labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ncbench.core import NoiseMatrix
from ncbench.errors import require
from ncbench.learning.class_probabilities import deal_folds
from ncbench.learning.linear_softmax import LinearSoftmax, fit_linear_softmax
from ncbench.learning.noisy_losses import ForwardCrossEntropy, Loss
from ncbench.types import Array, Labels

PENALTIES = tuple(float(mu) for mu in np.logspace(0, -6, 13))
"""Default penalties mu, two per decade. In scikit-learn's terms, ``C = 1 / (mu m)``."""

SEARCH_SIZE = 20_000
"""Largest number of examples used to choose the penalty and to find the start of the fit."""

_PATIENCE = 2


class PathFit(NamedTuple):
    """The model at the chosen penalty."""

    model: LinearSoftmax
    penalty: float
    n_iter: int


def fit_penalty_path(
    X: Array,
    y: Labels,
    noise: NoiseMatrix,
    training_loss: Callable[[NoiseMatrix, Labels], Loss],
    *,
    penalties: Sequence[float] | None = None,
    folds: int = 3,
    max_iter: int = 500,
    tol: float = 1e-5,
    search_size: int = SEARCH_SIZE,
    random_state: int | None = None,
) -> PathFit:
    """Fit from strong to weak penalties and stop at the best held-out likelihood.

    Each fit starts at the previous solution. So if the loss is not convex, the folds and the final
    fit follow the same path to the same kind of minimum. For a large sample, a subsample follows
    the path and only the last fit uses all examples.

    Parameters
    ----------
    X : array of shape (m, d)
        Standardized.
    y : array of shape (m,)
        Noisy labels, 0..n-1.
    noise : NoiseMatrix
    training_loss : callable
        Returns the loss to minimize, given the noise and the labels. The penalty is chosen by the
        forward loss, the negative log likelihood of held-out noisy labels.
    penalties : sequence of float, optional
        Candidates for mu in ``mu/2 ||W||^2``; ``PENALTIES`` by default.
    folds : int
        Folds of the cross-validation, stratified by noisy label.
    max_iter, tol
        Parameters of each fit; see ``fit_linear_softmax``.
    search_size : int
        Size of the subsample that chooses the penalty if the sample is larger. The chosen penalty
        is multiplied by the subsample's share of the sample, so that it has the same weight
        relative to the likelihood of the whole sample.
    random_state : int, optional
        Seed of the folds and of the subsample.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> y = (X[:, 0] > 0).astype(np.int64)
    >>> path = fit_penalty_path(X, y, NoiseMatrix.identity(2), ForwardCrossEntropy, random_state=0)
    >>> path.model.posterior(np.array([[-0.5], [0.5]])).argmax(axis=1)
    array([0, 1])
    """
    candidates = check_path(penalties, folds, max_iter, tol)

    def solve(X: Array, loss: Loss, start: LinearSoftmax, penalty: float) -> LinearSoftmax:
        return fit_linear_softmax(X, loss, start, penalty=penalty, max_iter=max_iter, tol=tol)

    few, few_y = X, y
    if len(y) > search_size:
        chosen = check_random_state(random_state).permutation(len(y))[:search_size]
        few, few_y = X[chosen], y[chosen]
    loss = training_loss(noise, few_y)
    model, n_iter = LinearSoftmax.zero(X.shape[1], noise.n), 0
    best = 0
    if len(candidates) > 1:
        order = check_random_state(random_state).permutation(len(few_y))
        fold = deal_folds(few_y, folds, order)
        masks = [fold == k for k in range(fold.max() + 1)]
        training = [(few[~mask], training_loss(noise, few_y[~mask])) for mask in masks]
        held_out = [(few[mask], ForwardCrossEntropy(noise, few_y[mask])) for mask in masks]
        best = _best_on_held_out(candidates, training, held_out, model, solve)
    for penalty in candidates[: best + 1]:
        model = solve(few, loss, model, penalty)
        n_iter += model.n_iter
    penalty = candidates[best]
    if len(y) > search_size:
        if len(candidates) > 1:
            penalty *= search_size / len(y)
        model = solve(X, training_loss(noise, y), model, penalty)
        n_iter += model.n_iter
    if not model.converged:
        warnings.warn(
            f"linear softmax model: did not converge in max_iter={max_iter} iterations at penalty "
            f"{penalty:g}",
            ConvergenceWarning,
            stacklevel=3,
        )
    return PathFit(model, penalty, max(n_iter, 1))


def _best_on_held_out(
    candidates: Sequence[float],
    training: Sequence[tuple[Array, Loss]],
    held_out: Sequence[tuple[Array, Loss]],
    start: LinearSoftmax,
    solve: Callable[[Array, Loss, LinearSoftmax, float], LinearSoftmax],
) -> int:
    """Return the index of the penalty, from strong to weak, with the smallest held-out loss."""
    models = [start] * len(training)
    losses: list[float] = []
    for penalty in candidates:
        models = [
            solve(X, loss, model, penalty)
            for (X, loss), model in zip(training, models, strict=True)
        ]
        losses.append(
            sum(
                len(X) * model.loss(X, loss)
                for (X, loss), model in zip(held_out, models, strict=True)
            )
        )
        # Weak penalties are slow, and beyond the minimum they only overfit more.
        if len(losses) - 1 - int(np.argmin(losses)) >= _PATIENCE:
            break
    return int(np.argmin(losses))


def check_path(
    penalties: Sequence[float] | None, folds: int, max_iter: int, tol: float
) -> list[float]:
    """Validate parameters of ``fit_penalty_path``; return the penalties from strong to weak.

    Examples
    --------
    >>> check_path([0.01, 0.1], folds=3, max_iter=500, tol=1e-5)
    [0.1, 0.01]
    """
    given = list(PENALTIES if penalties is None else penalties)
    positive = len(given) > 0 and all(0 < penalty < np.inf for penalty in given)
    require(positive, "penalties", given, "one or more positive numbers")
    require(folds >= 2, "folds", folds, "at least 2")
    require(max_iter >= 1, "max_iter", max_iter, "at least 1")
    require(tol >= 0, "tol", tol, "at least 0")
    return sorted({float(penalty) for penalty in given}, reverse=True)
