"""Linear models of the clean class probabilities, fitted through the noise matrix."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.preprocessing import PowerTransformer, StandardScaler

from ncbench import load
from ncbench.core import NoiseMatrix
from ncbench.errors import require
from ncbench.learning import (
    ArgmaxClassifier,
    ForwardCrossEntropy,
    LinearSoftmax,
    LossValue,
    deal_folds,
    fit_linear_softmax,
    fit_penalty_path,
    numbered_labels,
    posterior,
)
from ncbench.types import Array, Labels


class ForwardLogistic(ArgmaxClassifier):
    """Noisy probabilities ``T softmax(W x + b)``, fitted by maximum likelihood.

    ``logistic`` assumes that the *noisy* log odds are linear in x, which is false under noise even
    if the clean log odds are linear. This learner assumes linear clean log odds and uses T. Without
    T it is multinomial logistic regression whose penalty is chosen by log loss.

    Parameters
    ----------
    transform : {"standardise", "power"}
        Transform of each feature; ``power`` is the Yeo-Johnson transform.
    folds : int
        Folds of the cross-validation that chooses the penalty, by likelihood.
    max_iter : int
        Iterations of L-BFGS for each penalty.
    random_state : int, optional
        Seed of the folds.

    Attributes
    ----------
    penalty_ : float
        The chosen penalty.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> y = (X[:, 0] > 0).astype(int)
    >>> y[::10] = 1  # a few 0 were written down as 1
    >>> T = [[0.8, 0.0], [0.2, 1.0]]
    >>> ForwardLogistic(random_state=0).fit(X, y, noise_matrix=T).predict_proba([[-1.0]]).round(1)
    array([[0.8, 0.2]])
    """

    def __init__(
        self,
        transform: Literal["standardise", "power"] = "standardise",
        folds: int = 3,
        max_iter: int = 500,
        random_state: int | None = None,
    ) -> None:
        self.transform = transform
        self.folds = folds
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(
        self, X: Array, y: NDArray, noise_matrix: NoiseMatrix | ArrayLike | None = None
    ) -> Self:
        """Fit to noisy labels: 0..n-1 with T, of any type without."""
        self.classes_, codes, self.noise_matrix_ = numbered_labels(y, noise_matrix)
        scaler = PowerTransformer() if self.transform == "power" else StandardScaler()
        self._scaler = scaler.fit(X)
        self.model_, self.penalty_, self.n_iter_ = fit_penalty_path(
            self._scaler.transform(X),
            codes,
            self.noise_matrix_,
            ForwardCrossEntropy,
            folds=self.folds,
            max_iter=self.max_iter,
            random_state=self.random_state,
        )
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return noisy class probabilities."""
        clean = self.model_.posterior(self._scaler.transform(X))
        return self.noise_matrix_.corrupt_posterior(clean)


def forward(
    folds: int = 3, max_iter: int = 500, random_state: int | None = None
) -> ForwardLogistic:
    """Logistic model of the clean probabilities on standardized features, fitted through T.

    Parameters
    ----------
    folds, max_iter, random_state
        See ``ForwardLogistic``.
    """
    return _learner("standardise", folds, max_iter, random_state)


def power_forward(
    folds: int = 3, max_iter: int = 500, random_state: int | None = None
) -> ForwardLogistic:
    """Logistic model of the clean probabilities on power-transformed features, through T.

    Parameters
    ----------
    folds, max_iter, random_state
        See ``ForwardLogistic``.
    """
    return _learner("power", folds, max_iter, random_state)


def _learner(
    transform: Literal["standardise", "power"], folds: int, max_iter: int, random_state: int | None
) -> ForwardLogistic:
    require(folds >= 2, "cpe.folds", folds, "at least 2")
    require(max_iter >= 1, "cpe.max_iter", max_iter, "at least 1")
    return ForwardLogistic(transform, folds, max_iter, random_state)


PENALTIES = tuple(float(mu) for mu in np.logspace(-1, -5, 5))
"""Penalties of the forward model, from strong to weak."""

SEARCH = 20_000
"""Largest number of examples that choose the penalty."""

# An average of two models needs no more digits.
_solve = partial(fit_linear_softmax, max_iter=200, tol=1e-3)


class AnchoredCrossEntropy(ForwardCrossEntropy):
    """The forward loss, plus ``KL(pi || mean_i g(x_i))`` for the class frequencies pi.

    The counts of noisy labels tell how frequent each clean class is, ``pi = T^-1 p~``, whatever
    the features are. A model may reach a high likelihood by giving a rare class no probability
    anywhere; the second term then is infinite (expectation regularization, Mann & McCallum 2007).

    Parameters
    ----------
    noise : NoiseMatrix
    y : array of shape (m,)
        Noisy labels, 0..n-1.

    Attributes
    ----------
    frequencies : array of shape (n,)
        pi; entries below 1/m, as noise can make them, are raised to it.

    Examples
    --------
    >>> noise = NoiseMatrix([[0.8, 0.0], [0.2, 1.0]])
    >>> loss = AnchoredCrossEntropy(noise, np.array([0, 0, 1, 1, 1]))
    >>> loss.frequencies
    array([0.5, 0.5])
    """

    def __init__(self, noise: NoiseMatrix, y: Labels) -> None:
        super().__init__(noise, y)
        noisy = np.bincount(y, minlength=noise.n) / len(y)
        clean = np.maximum(noise.correct_posterior(noisy[None])[0], 1 / len(y))
        self.frequencies = clean / clean.sum()

    def __call__(
        self, log_posterior: Array, posterior: Array, extra: Array | None = None
    ) -> LossValue:
        """Return the loss at this posterior."""
        forward = super().__call__(log_posterior, posterior)
        mean = np.maximum(posterior.mean(axis=0), np.finfo(float).tiny)
        ratio = self.frequencies / mean
        return LossValue(
            forward.value + float(self.frequencies @ np.log(ratio)),
            forward.gradient - posterior * ratio / len(posterior),
        )


class AnchoredForward(ArgmaxClassifier):
    """Average of a forward model, whose class frequencies are held, and a logistic regression.

    The forward model ``T softmax(W x + b)`` is right about bounded noisy log odds, which a linear
    function of x cannot be, but can lose a class. The logistic regression is the other way round.
    Of the corrected probabilities, the share ``1 - weight`` is that of the logistic regression, at
    every x: no class has less than this share of what the regression gives it.

    Parameters
    ----------
    weight : float
        Weight of the forward model, below 1.
    random_state : int, optional
        Seed of the two folds that choose the forward model's penalty, by likelihood.

    Attributes
    ----------
    logistic_ : scikit-learn classifier
        The fitted ``logistic``.
    model_ : LinearSoftmax
        The forward model of standardized features.
    penalty_ : float
        Its penalty.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> y = (X[:, 0] > 0).astype(int)
    >>> y[::10] = 1  # a few 0 were written down as 1
    >>> T = [[0.8, 0.0], [0.2, 1.0]]
    >>> AnchoredForward(random_state=0).fit(X, y, noise_matrix=T).predict_proba([[-1.0]]).round(1)
    array([[0.8, 0.2]])
    """

    def __init__(self, weight: float = 0.8, random_state: int | None = None) -> None:
        self.weight = weight
        self.random_state = random_state

    def fit(
        self, X: Array, y: NDArray, noise_matrix: NoiseMatrix | ArrayLike | None = None
    ) -> Self:
        """Fit to noisy labels: 0..n-1 with T, of any type without."""
        self.classes_, codes, self.noise_matrix_ = numbered_labels(y, noise_matrix)
        self.logistic_: Any = load("cpe", "logistic")().fit(X, codes)
        self.model_, self.penalty_ = self._forward(self.logistic_[0].transform(X), codes)
        return self

    def _forward(self, X: Array, y: Labels) -> tuple[LinearSoftmax, float]:
        """Fit from strong to weak penalties in two folds; start from the best two in all."""
        noise = self.noise_matrix_
        order = np.random.default_rng(self.random_state).permutation(len(y))[:SEARCH]
        fold = deal_folds(y[order], 2, np.arange(len(order)))
        halves = [(X[part], y[part]) for part in (order[fold == 0], order[fold == 1])]
        losses = [AnchoredCrossEntropy(noise, labels) for _, labels in halves]
        models = [LinearSoftmax.zero(X.shape[1], noise.n)] * 2
        best, smallest, chosen = models, np.inf, PENALTIES[0]
        for penalty in PENALTIES:
            models = [
                _solve(half, loss, model, penalty=penalty)
                for (half, _), loss, model in zip(halves, losses, models, strict=True)
            ]
            held_out = sum(
                len(labels) * model.loss(half, ForwardCrossEntropy(noise, labels))
                for (half, labels), model in zip(halves, reversed(models), strict=True)
            )
            if held_out >= smallest:
                break
            best, smallest, chosen = models, held_out, penalty
        # The same weight relative to the likelihood of the whole sample.
        chosen *= len(order) / len(y)
        start = LinearSoftmax(
            np.mean([model.coef for model in best], axis=0),
            np.mean([model.intercept for model in best], axis=0),
        )
        loss = AnchoredCrossEntropy(noise, y)
        return _solve(X, loss, start, penalty=chosen), chosen

    def predict_proba(self, X: Array) -> Array:
        """Return noisy class probabilities."""
        noise = self.noise_matrix_
        scaler, regression = self.logistic_
        Z = scaler.transform(X)
        forward = noise.corrupt_posterior(self.model_.posterior(Z))
        logistic = posterior(regression, Z, noise.n)
        return self.weight * forward + (1 - self.weight) * logistic


def anchored(weight: float = 0.8, random_state: int | None = None) -> AnchoredForward:
    """Average of ``logistic`` and a model fitted through T whose class frequencies are held.

    Parameters
    ----------
    weight : float
        Weight of the model fitted through T; at least 0, below 1.
    random_state : int, optional
        Seed of the folds that choose its penalty.
    """
    require(0 <= weight < 1, "cpe.weight", weight, "at least 0 and below 1")
    return AnchoredForward(weight, random_state)
