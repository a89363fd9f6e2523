"""A combination of a linear model, a kernel, trees and boosting, fitted through T."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax

from ncbench.core import NoiseMatrix
from ncbench.learning import (
    ArgmaxClassifier,
    fit_weights,
    fitted,
    held_out,
    held_out_rows,
    log_clean,
    numbered_labels,
)
from ncbench.types import Array

LEARNERS = ("anchored", "kernel", "trees", "boosting")
"""Of the stack; each adds a weight to fit."""


class Blend(ArgmaxClassifier):
    r"""Log-linear combination of different learners, fitted to held-out labels through T.

    With :math:`f_k(x)`, the logarithms of the clean class probabilities of learner k,

    .. math:: g(x) = \operatorname{softmax}\Big(\sum_k a_k f_k(x) + b\Big), \qquad a \geq 0,

    where a and b maximize the likelihood :math:`(T g)_y` of labels that no learner has seen, times
    a prior. As in ``anchored``, ``KL(pi || mean g)`` holds the frequencies of the classes. The
    learners are those of :mod:`ncbench.learning.stack`. Probabilities of the training examples are
    the held-out ones, so a rule that is optimized on them is not misled by how well they are known.

    Parameters
    ----------
    random_state : int, optional
        Seed of the folds and the learners.

    Attributes
    ----------
    learners_ : dict of fitted classifiers
        By name; fitted to all examples.
    seen_ : array
        The classes that have labels.
    weights_ : array of shape (4,)
        a.
    offsets_ : array of shape (n,)
        b.
    held_out_ : array of shape (m, n)
        Probabilities of the noisy labels, by learners that have not seen them; NaN for examples
        that were left out because there are more than 10,000.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (300, 2))
    >>> truth = (np.hypot(*X.T) < 0.7).astype(int)  # no linear rule finds it
    >>> y = np.where(rng.random(300) < 0.2, 0, truth)
    >>> model = Blend(random_state=0).fit(X, y, noise_matrix=[[1.0, 0.2], [0.0, 0.8]])
    >>> model.predict([[0.0, 0.0], [0.9, 0.9]])
    array([1, 0])
    """

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(
        self, X: Array, y: NDArray[Any], noise_matrix: NoiseMatrix | ArrayLike | None = None
    ) -> Self:
        """Fit to noisy labels: 0..n-1 with T, of any type without."""
        self.classes_, codes, self.noise_matrix_ = numbered_labels(y, noise_matrix)
        noise, seed = self.noise_matrix_, self.random_state
        if seed is None:
            seed = int(np.random.default_rng().integers(2**31))
        rows = held_out_rows(len(codes), seed)
        unseen = [held_out(name, X[rows], codes[rows], noise.n, seed, noise) for name in LEARNERS]
        F = log_clean([each.probabilities for each in unseen], noise)
        self.weights_, self.offsets_ = fit_weights(F, codes[rows], noise)
        self.held_out_ = np.full((len(codes), noise.n), np.nan)
        self.held_out_[rows] = self._combined(F)
        self.seen_ = np.unique(codes)
        self.learners_ = {
            name: fitted(name, X, codes, seed, each.setting, noise)
            for name, each in zip(LEARNERS, unseen, strict=True)
        }
        return self

    def held_out_posterior(self) -> Array:
        """Return the held-out probabilities of the training examples, as ``held_out_``."""
        return self.held_out_

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the held-out probabilities, which only an algorithm that is fitted needs."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "held_out_"}

    def predict_proba(self, X: Array) -> Array:
        """Return noisy class probabilities."""
        noisy = [self._of_all_classes(each.predict_proba(X)) for each in self.learners_.values()]
        return self._combined(log_clean(noisy, self.noise_matrix_))

    def _of_all_classes(self, noisy: Array) -> Array:
        """Give classes of T that have no label, which most learners do not know, probability 0."""
        n = self.noise_matrix_.n
        if noisy.shape[1] == n:
            return noisy
        widened = np.zeros((len(noisy), n))
        widened[:, self.seen_] = noisy
        return widened

    def _combined(self, F: Array) -> Array:
        g = np.exp(log_softmax(np.tensordot(self.weights_, F, 1) + self.offsets_, axis=1))
        return self.noise_matrix_.corrupt_posterior(g)


def blend(random_state: int | None = None) -> Blend:
    """Combination of ``anchored``, a kernel, trees and boosting, fitted to held-out labels.

    Parameters
    ----------
    random_state : int, optional
        Seed of the folds and the learners.
    """
    return Blend(random_state)
