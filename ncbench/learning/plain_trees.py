"""Fitted trees as plain arrays, which can be checked and stored.

scikit-learn follows the indices in its trees without checking them, so a made-up tree can lead to
any place in memory. Here, nodes are stored by level and no index is stored: the children of the
j-th inner node are the nodes ``n_trees + 2 j`` and the one after it. A cycle cannot be written.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)

from ncbench.errors import NcbenchError
from ncbench.types import Array, Labels

MAX_DEPTH = 1000
"""Largest number of steps from a root to a leaf."""

_LARGEST = 1e100  # score of a leaf: sums of them are finite
_STEPS = 10**7  # of a row through all trees: a made-up file could ask for hours
_PART = 2**16  # pairs of a row and a tree to walk at a time: they stay in the cache
_NUMBERS = 2**21  # values of leaves to add at a time

_ARRAYS = {
    "node": (1, ("int32",)),
    "threshold": (1, ("float32", "float64")),
    "missing_left": (1, ("bool",)),
    "value": (2, ("float64",)),
    "baseline": (1, ("float64",)),
}
"""Dimensions and types of the arrays."""


@dataclass(frozen=True, eq=False)
class PlainTrees:
    """A forest or a boosted classifier whose predictions are those of scikit-learn.

    Trees are walked together, level by level. All roots come first, then all nodes of the second
    level, and so on; the two children of a node stand side by side. Arrays are checked when an
    object is made, copied, unpickled or read from a file.

    Parameters
    ----------
    n_features : int
    n_trees : int
        Trees of a boosted classifier are ordered by round, then by class.
    node : array of shape (nodes,), int32
        The feature that an inner node compares, or ``-1 - v`` for a leaf with the value ``v``.
    threshold : array of shape (inner nodes,), float32 or float64
        A row goes left if its feature is not larger. Features are compared in this type.
    missing_left : array of shape (inner nodes,), bool
        Whether a missing feature (NaN) goes left.
    value : array of shape (values, n) or (values, 1)
        Class probabilities of the leaves of a forest, or scores of boosting.
    baseline : array of shape (n,) or (1,), or None
        Scores of boosting without trees, one if there are two classes. None for a forest.

    Examples
    --------
    >>> X, y = np.arange(20.0)[:, None], np.arange(20) // 10
    >>> forest = ExtraTreesClassifier(5, random_state=0).fit(X, y)
    >>> PlainTrees.of(forest).predict_proba([[3.0], [16.0]])
    array([[1., 0.],
           [0., 1.]])
    """

    n_features: int
    n_trees: int
    node: NDArray[np.int32]
    threshold: NDArray[np.floating]
    missing_left: NDArray[np.bool_]
    value: Array
    baseline: Array | None

    @classmethod
    def of(cls, fitted: Any) -> Self:
        """Return the trees of a fitted classifier.

        Parameters
        ----------
        fitted : ExtraTreesClassifier, RandomForestClassifier or HistGradientBoostingClassifier
        """
        if isinstance(fitted, (ExtraTreesClassifier, RandomForestClassifier)):
            return cls._of_forest(fitted)
        if isinstance(fitted, HistGradientBoostingClassifier):
            return cls._of_boosting(fitted)
        raise NcbenchError(
            f"{type(fitted).__name__} cannot be stored as plain trees; expected an "
            "ExtraTreesClassifier, a RandomForestClassifier or a HistGradientBoostingClassifier"
        )

    @classmethod
    def _of_forest(cls, fitted: Any) -> Self:
        if fitted.n_outputs_ > 1:
            raise NcbenchError("a forest of several outputs cannot be stored as plain trees")
        trees = [tree.tree_ for tree in fitted.estimators_]
        exact = np.concatenate([tree.threshold for tree in trees])
        with np.errstate(over="ignore"):
            threshold = exact.astype(np.float32)
        # Features are float32. Of these, the same are below a threshold and its float32 below.
        below = np.nextafter(threshold, np.float32(-np.inf))
        return cls._by_level(
            fitted.n_features_in_,
            [tree.node_count for tree in trees],
            np.concatenate([tree.children_left for tree in trees]),
            np.concatenate([tree.children_right for tree in trees]),
            np.concatenate([tree.feature for tree in trees]),
            np.where(threshold > exact, below, threshold),
            np.concatenate([tree.missing_go_to_left for tree in trees]),
            np.concatenate([tree.value[:, 0] for tree in trees]),
            None,
        )

    @classmethod
    def _of_boosting(cls, fitted: Any) -> Self:
        trees = [tree.nodes for each_round in fitted._predictors for tree in each_round]
        nodes = np.concatenate(trees)
        if nodes["is_categorical"].any() or fitted.is_categorical_ is not None:
            raise NcbenchError(
                "splits by category cannot be stored as plain trees; use 0/1 columns for "
                "categories (OneHotEncoder), and no categorical_features"
            )
        leaf = nodes["is_leaf"] > 0
        return cls._by_level(
            fitted.n_features_in_,
            [len(tree) for tree in trees],
            np.where(leaf, -1, nodes["left"].astype(np.int64)),
            np.where(leaf, -1, nodes["right"].astype(np.int64)),
            nodes["feature_idx"],
            nodes["num_threshold"],
            nodes["missing_go_to_left"],
            nodes["value"][:, None],
            np.array(fitted._baseline_prediction, dtype=np.float64).ravel(),
        )

    @classmethod
    def _by_level(
        cls,
        n_features: int,
        counts: list[int],
        left: Labels,
        right: Labels,
        feature: Labels,
        threshold: NDArray[np.floating],
        missing_left: NDArray[Any],
        value: Array,
        baseline: Array | None,
    ) -> Self:
        """Return trees whose nodes are given tree by tree; leaves have no child, -1."""
        roots = np.cumsum([0, *counts[:-1]])
        first = np.repeat(roots, counts)
        level, levels = roots, [roots]
        while len(level):
            parents = level[left[level] >= 0]
            children = np.stack([left[parents], right[parents]], axis=1) + first[parents][:, None]
            level = children.ravel()
            levels.append(level)
        order = np.concatenate(levels)
        leaf = left[order] < 0
        values, number = np.unique(value[order[leaf]], axis=0, return_inverse=True)
        node = feature[order].astype(np.int32)
        node[leaf] = -1 - number.ravel()
        inner = order[~leaf]
        return cls(
            int(n_features),
            len(counts),
            node,
            threshold[inner],
            missing_left[inner].astype(bool),
            np.ascontiguousarray(values, dtype=np.float64),
            baseline,
        )

    def __post_init__(self) -> None:
        self.check()

    def __setstate__(self, state: dict[str, Any]) -> None:
        if not isinstance(state, dict) or set(state) != {field.name for field in fields(self)}:
            raise ValueError("trees: other parts than those of trees")
        self.__dict__.update(state)
        self.check()

    def check(self) -> None:
        """Raise ValueError if these are not trees that can be walked to finite predictions."""
        for name, (ndim, types) in _ARRAYS.items():
            array = getattr(self, name)
            if name == "baseline" and array is None:
                continue
            if not (type(array) is np.ndarray and array.ndim == ndim and str(array.dtype) in types):
                raise ValueError(f"trees: {name} is not an array of {types[0]} as it should be")
        for name in ("n_features", "n_trees"):
            number = getattr(self, name)
            if type(number) is not int or number < 1:
                raise ValueError(f"trees: {name} is not a number of at least 1")
        self._check_nodes()
        self._check_values()

    def _check_nodes(self) -> None:
        inner = self.node >= 0
        splits = int(inner.sum())
        if not len(self.node) == self.n_trees + 2 * splits:
            raise ValueError(
                f"trees: {len(self.node)} nodes, of which {splits} have children, cannot be "
                f"{self.n_trees} trees"
            )
        if not len(self.threshold) == len(self.missing_left) == splits:
            raise ValueError(
                f"trees: {splits} nodes have children, but there are {len(self.threshold)} "
                f"thresholds and {len(self.missing_left)} sides of missing values"
            )
        if self.node.max() >= self.n_features:
            raise ValueError(
                f"trees: a node compares feature {self.node.max()} of {self.n_features}"
            )
        if self.node.min() < -len(self.value):
            raise ValueError(
                f"trees: a leaf has value {-1 - int(self.node.min())} of {len(self.value)}"
            )
        if np.isnan(self.threshold).any():
            raise ValueError("trees: a threshold is not a number")
        if self._depth() * self.n_trees > _STEPS:
            raise ValueError(f"trees: {self.n_trees} trees, too many for their depth")

    def _check_values(self) -> None:
        if not np.isfinite(self.value).all():
            raise ValueError("trees: a value is not finite")
        if self.baseline is None:
            if (self.value < 0).any() or not np.allclose(self.value.sum(axis=1), 1.0):
                raise ValueError("trees: class probabilities of a leaf are not a distribution")
            return
        n = len(self.baseline)
        if self.value.shape[1] != 1 or n in (0, 2) or self.n_trees % n:
            raise ValueError(
                f"trees: {self.n_trees} trees with values of shape {self.value.shape} cannot add "
                f"to {n} scores"
            )
        if not (np.abs(self.baseline) <= _LARGEST).all() or np.abs(self.value).max() > _LARGEST:
            raise ValueError(f"trees: a score is larger than {_LARGEST:g}, or not a number")

    def _depth(self) -> int:
        """Return the steps from a root to the deepest leaf."""
        before = np.concatenate([[0], np.cumsum(self.node >= 0)])
        depth, end = 0, self.n_trees
        while (next_end := self.n_trees + 2 * int(before[end])) > end:
            depth, end = depth + 1, next_end
            if depth > MAX_DEPTH:
                raise ValueError(f"trees: deeper than {MAX_DEPTH} levels")
        if end < len(self.node):
            raise ValueError(f"trees: {len(self.node) - end} nodes are not in a tree")
        return depth

    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities.

        Parameters
        ----------
        X : array of shape (m, n_features)
            NaN is missing.
        """
        scores = self.scores(X)
        if self.baseline is None:
            return scores
        if len(self.baseline) == 1:
            second = expit(scores)
            return np.hstack([1.0 - second, second])
        return np.asarray(softmax(scores, axis=1))

    def scores(self, X: Any) -> Array:
        """Return the mean class probabilities of a forest, or the sums of boosting.

        Parameters
        ----------
        X : array of shape (m, n_features)

        Returns
        -------
        array of shape (m, n), or (m, 1) for boosting with two classes
        """
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(
                f"X has shape {X.shape}, but the trees were fitted to {self.n_features} features"
            )
        n = self.value.shape[1] if self.baseline is None else len(self.baseline)
        scores = np.empty((len(X), n))
        walk = _Walk(self, self._depth())
        numbers = self.n_trees * self.value.shape[1]
        part = max(1, min(_PART // max(self.n_trees, self.n_features), _NUMBERS // numbers))
        for start in range(0, len(X), part):
            rows = slice(start, start + part)
            each = self.value.take(walk.values(X[rows]), axis=0)
            if self.baseline is None:
                scores[rows] = each.sum(axis=0) / self.n_trees
            else:
                rounds = each.reshape(-1, n, each.shape[1])
                rounds[0] += self.baseline[:, None]  # first, as scikit-learn does
                scores[rows] = rounds.sum(axis=0).T
        return scores


class _Walk:
    """The nodes of trees such that each step is the same: a leaf leads to itself."""

    def __init__(self, trees: PlainTrees, depth: int) -> None:
        self.trees, self.depth = trees, depth
        nodes = len(trees.node)
        inner = trees.node >= 0
        self.feature = np.where(inner, trees.node, 0).astype(np.intp)
        self.threshold = np.full(nodes, np.inf, dtype=trees.threshold.dtype)
        self.threshold[inner] = trees.threshold
        self.missing_left = np.ones(nodes, dtype=bool)
        self.missing_left[inner] = trees.missing_left
        self.left = np.arange(nodes)
        self.left[inner] = trees.n_trees + 2 * np.arange(len(trees.threshold))

    def values(self, X: NDArray[Any]) -> NDArray[np.intp]:
        """Return the number of the value of each row of X in each tree, (n_trees, m)."""
        with np.errstate(over="ignore"):  # beyond float32 is infinite: larger than any threshold
            flat = X.astype(self.threshold.dtype).ravel()
        missing = np.isnan(flat)
        any_missing = missing.any()
        row = np.arange(len(X)) * X.shape[1]
        at = np.repeat(np.arange(self.trees.n_trees)[:, None], len(X), axis=1)
        for _ in range(self.depth):
            place = self.feature.take(at) + row
            right = flat.take(place) > self.threshold.take(at)
            if any_missing:
                right |= missing.take(place) & ~self.missing_left.take(at)
            at = self.left.take(at) + right
        return (-1 - self.trees.node.take(at)).astype(np.intp)
