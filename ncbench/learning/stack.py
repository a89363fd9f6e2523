"""The stack: what a few different learners predict for labels that they have not seen.

A linear model, a kernel, trees and boosting are wrong in different places. The estimate of T, the
ranking of doubtful labels and ``cpe=blend`` combine them, each in its own way, and ask here for
what they need: each learner is fitted once for a sample and a seed, when it is first asked for.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from ncbench.core import NoiseMatrix
from ncbench.data import UNKNOWN
from ncbench.learning.class_probabilities import (
    ArgmaxClassifier,
    cpe_learner,
    deal_folds,
    fit_cpe,
    posterior,
)
from ncbench.learning.linear_softmax import CrossEntropy, LinearSoftmax, fit_linear_softmax
from ncbench.learning.plain_trees import PlainTrees
from ncbench.types import Array, Labels

# Logistic regression on a Gaussian kernel.

_LANDMARKS = 300
_DISTANCES = 1000  # examples whose distances set the width of the kernel
_PART = 4096  # examples to predict at a time


class KernelLogistic(ArgmaxClassifier):
    """Logistic regression on Nystroem features of a Gaussian kernel.

    The kernel's gamma is 2 by the median squared distance of standardized examples.

    Parameters
    ----------
    C : float
        Inverse strength of the penalty, as in scikit-learn.
    random_state : int, optional
        Seed of the landmarks.

    Attributes
    ----------
    scaler_ : StandardScaler
    landmarks_ : array of shape (k, d)
        Standardized examples.
    gamma_ : float
    model_ : LinearSoftmax
        Of the kernel's values at the landmarks.

    Examples
    --------
    >>> X = np.linspace(-3, 3, 90)[:, None]
    >>> y = (np.abs(X[:, 0]) < 1).astype(int)  # not linear
    >>> KernelLogistic(10.0, random_state=0).fit(X, y).predict([[-2.0], [0.0], [2.0]])
    array([0, 1, 0])
    """

    def __init__(self, C: float = 1.0, random_state: int | None = None) -> None:
        self.C = C
        self.random_state = random_state

    def fit(self, X: Array, y: NDArray[Any]) -> Self:
        """Fit to labels of any type."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        n = len(self.classes_)
        self.scaler_ = StandardScaler().fit(X)
        Z = self.scaler_.transform(X)
        self.gamma_ = _gamma(Z, self.random_state)
        kernel = Nystroem(
            gamma=self.gamma_,
            n_components=min(_LANDMARKS, len(Z)),
            random_state=self.random_state,
        ).fit(Z)
        self.landmarks_ = kernel.components_
        features = self._kernel(Z) @ kernel.normalization_.T
        loss, zero = CrossEntropy.of_labels(codes, n), LinearSoftmax.zero(features.shape[1], n)
        penalty = 1 / (self.C * len(codes))
        model = fit_linear_softmax(features, loss, zero, penalty=penalty, max_iter=300, tol=1e-4)
        # Of values of the kernel, so that the roots are not needed to predict.
        self.model_ = LinearSoftmax(kernel.normalization_.T @ model.coef, model.intercept)
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return class probabilities."""
        Z = self.scaler_.transform(X)
        parts = (Z[start : start + _PART] for start in range(0, len(Z), _PART))
        return np.concatenate([self.model_.posterior(self._kernel(part)) for part in parts])

    def _kernel(self, Z: Array) -> Array:
        squares = pairwise_distances(Z, self.landmarks_, metric="sqeuclidean")
        return np.asarray(np.exp(-self.gamma_ * squares))


def _gamma(Z: Array, seed: int | None) -> float:
    some = Z
    if len(Z) > _DISTANCES:
        some = Z[np.random.default_rng(seed).choice(len(Z), _DISTANCES, replace=False)]
    squares = pairwise_distances(some, metric="sqeuclidean")
    median = float(np.median(squares[np.triu_indices(len(some), 1)]))
    return 2 / median if median > 0 else 1.0


FOLDS = 5

_SMALLEST = 1e-4  # the likelihood of one label that chooses a setting
_HELD_OUT = 10_000  # examples to predict
_MOST = 20_000  # examples of a kernel or of a tree: more cost memory, and gain little
_LEAST = 1000
_NUMBERS = 2_000_000  # that a tree sees; of a wide table, fewer examples
_MANY_CLASSES = 50  # of which trees are fitted in parts
_KEPT = 32  # results that are kept for the next question, such as those of three folds


class HeldOut(NamedTuple):
    """What one learner predicts for examples whose labels it has not seen."""

    probabilities: Array
    """Of the noisy labels, m x n."""
    setting: Any
    """The setting of the learner under which the labels are likeliest."""


@dataclass(frozen=True)
class Base:
    """A learner of the stack.

    Parameters
    ----------
    learner : function of a setting, a seed and the shape of X
        Returns a classifier to fit.
    settings : sequence
        Tried in this order, as long as held-out labels become likelier.
    most : int, optional
        Examples to fit to; drawn if there are more.
    told : bool
        Whether the learner takes T.
    parts : tuple, optional
        Settings whose predictions are averaged where there are many classes.
    """

    learner: Callable[[Any, int, tuple[int, int]], Any]
    settings: Sequence[Any] = (None,)
    most: int | None = None
    told: bool = False
    parts: tuple[Any, ...] = ()


def _linear(C: float, seed: int, shape: tuple[int, int]) -> Pipeline:
    return make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=300, tol=1e-3))


def _kernel(C: float, seed: int, shape: tuple[int, int]) -> KernelLogistic:
    return KernelLogistic(C, random_state=seed)


def _trees(count: int | None, seed: int, shape: tuple[int, int]) -> ExtraTreesClassifier:
    m, d = shape
    most = min(_MOST, max(_LEAST, _NUMBERS // d))
    part = {"bootstrap": True, "max_samples": most} if m > most else {}
    return ExtraTreesClassifier(count or 100, min_samples_leaf=3, random_state=seed, **part)


def _boosting(_: None, seed: int, shape: tuple[int, int]) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=100, learning_rate=0.07, max_leaf_nodes=8, min_samples_leaf=5,
        l2_regularization=1.0, early_stopping=False, random_state=seed,
    )  # fmt: skip


def _anchored(_: None, seed: int, shape: tuple[int, int]) -> Any:
    return cpe_learner("anchored", seed)


BASES = {
    "linear": Base(_linear, settings=(0.003, 0.03, 0.3, 3.0)),
    "anchored": Base(_anchored, told=True),
    "kernel": Base(_kernel, settings=(0.1, 1.0, 10.0), most=_MOST),
    "trees": Base(_trees, parts=(20,) * 5),
    "boosting": Base(_boosting),
}
"""The learners by name; each is a line that can be changed."""


def held_out_rows(m: int, seed: int, checked: Labels | None = None) -> Labels:
    """Return the examples whose labels are predicted: all, or of many a part drawn at random.

    Examples with a checked label come first.
    """
    if m <= _HELD_OUT:
        return np.arange(m)
    order = np.random.default_rng(seed).permutation(m)
    if checked is not None:
        order = order[np.argsort(checked[order] == UNKNOWN, kind="stable")]
    return np.sort(order[:_HELD_OUT])


def held_out(
    name: str, X: Array, y: Labels, n: int, seed: int, noise: NoiseMatrix | None = None
) -> HeldOut:
    """Return what a learner predicts for each label when it has not seen it.

    There are five folds, the same for all learners, stratified by label.

    Parameters
    ----------
    name : str
        One of ``BASES``.
    X : array of shape (m, d)
    y : array of shape (m,)
        Noisy labels, 0..n-1.
    n : int
        Number of classes.
    seed : int
        Of the folds and the learners.
    noise : NoiseMatrix, optional
        For a learner that is told T.

    Examples
    --------
    >>> X = np.repeat([[0.0], [1.0]], 20, axis=0)
    >>> y = np.repeat([0, 1], 20)
    >>> y[0] = 1
    >>> held_out("trees", X, y, 2, seed=0).probabilities[0].round(2)
    array([1., 0.])
    """
    base = BASES[name]
    noise = noise if base.told else None
    key = _key("held out", name, X, y, n, seed, noise)
    found: HeldOut = _remembered(key, lambda: _held_out(base, X, y, n, seed, noise))
    return found


def fitted(
    name: str,
    X: Array,
    y: Labels,
    seed: int,
    setting: Any = None,
    noise: NoiseMatrix | None = None,
) -> Any:
    """Return a learner that is fitted to all examples, in the setting that :func:`held_out` found.

    Trees are plain: see :class:`PlainTrees`.

    Parameters
    ----------
    name, X, y, seed, noise
        As in :func:`held_out`.
    setting
        Of the learner.
    """
    base = BASES[name]
    noise = noise if base.told else None
    key = _key("fitted", name, X, y, seed, setting, noise)
    return _remembered(key, lambda: _plain(_fit(base, X, y, setting, seed, noise)))


def _held_out(
    base: Base, X: Array, y: Labels, n: int, seed: int, noise: NoiseMatrix | None
) -> HeldOut:
    fold = deal_folds(y, FOLDS, np.random.default_rng(seed).permutation(len(y)))
    rows = np.arange(len(y))
    best, most = HeldOut(np.empty((0, n)), None), -np.inf
    for setting in base.settings:
        P = np.empty((len(y), n))
        for k in range(int(fold.max()) + 1):
            out = fold == k
            P[out] = _predicted(base, X[~out], y[~out], X[out], n, setting, seed, noise)
        likelihood = float(np.log(np.maximum(P[rows, y], _SMALLEST)).sum())
        if likelihood <= most:
            break
        best, most = HeldOut(P, setting), likelihood
    return best


def _predicted(
    base: Base, X: Array, y: Labels, unseen: Array, n: int, setting: Any, seed: int,
    noise: NoiseMatrix | None,
) -> Array:  # fmt: skip
    if n <= _MANY_CLASSES or not base.parts:
        return posterior(_fit(base, X, y, setting, seed, noise), unseen, n)
    # A leaf of a tree holds n numbers: a part of the trees at a time.
    total = np.zeros((len(unseen), n))
    for k, part in enumerate(base.parts):
        own = int(np.random.default_rng([seed, k]).integers(2**31))
        total += posterior(_fit(base, X, y, part, own, noise), unseen, n)
    return total / len(base.parts)


def _fit(
    base: Base, X: Array, y: Labels, setting: Any, seed: int, noise: NoiseMatrix | None
) -> Any:
    if base.most is not None and len(y) > base.most:
        part = np.sort(np.random.default_rng(seed).choice(len(y), base.most, replace=False))
        X, y = X[part], y[part]
    with threadpool_limits(1):  # threads that wait for each other take most of the time
        return fit_cpe(base.learner(setting, seed, X.shape), X, y, noise)


def _plain(learner: Any) -> Any:
    trees = isinstance(learner, ExtraTreesClassifier | HistGradientBoostingClassifier)
    return PlainTrees.of(learner) if trees else learner


_memory: OrderedDict[bytes, Any] = OrderedDict()


def _key(*parts: Any) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        if isinstance(part, NoiseMatrix):
            part = part.matrix
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype}{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(repr(part).encode())
    return digest.digest()


def _remembered(key: bytes, compute: Callable[[], Any]) -> Any:
    if key not in _memory:
        _memory[key] = compute()
        while len(_memory) > _KEPT:
            _memory.popitem(last=False)
    _memory.move_to_end(key)
    return _memory[key]
