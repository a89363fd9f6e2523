"""Plain trees predict as scikit-learn does, and made-up ones are refused."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_classification
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from skops import io as skops

from ncbench.errors import NcbenchError
from ncbench.learning import PlainTrees, plain_trees

LEARNERS: dict[str, Callable[[], Any]] = {
    "extra trees": lambda: ExtraTreesClassifier(20, min_samples_leaf=3, random_state=0),
    "extra trees of three leaves": lambda: ExtraTreesClassifier(
        5, max_leaf_nodes=3, random_state=0
    ),
    "a forest": lambda: RandomForestClassifier(10, random_state=0),
    "stumps without a split": lambda: ExtraTreesClassifier(
        3, min_samples_leaf=1000, random_state=0
    ),
    "boosting": lambda: HistGradientBoostingClassifier(
        max_iter=10, max_leaf_nodes=8, random_state=0
    ),
    "boosting without a round that helps": lambda: HistGradientBoostingClassifier(
        max_iter=3, min_samples_leaf=1000, random_state=0
    ),
}


@cache
def problem(name: str) -> tuple[Any, Any]:
    if name == "eight classes":
        return make_classification(
            400, 12, n_informative=8, n_classes=8, flip_y=0.2, random_state=0
        )
    if name == "integers":  # digits: many equal values, some columns constant
        X, y = load_digits(return_X_y=True)
        return X[:400], y[:400]
    X, y = {"two classes": load_breast_cancer, "three classes": load_iris}[name](return_X_y=True)
    return X, y


PROBLEMS = ["two classes", "three classes", "eight classes", "integers"]


def gaps(X: Any, seed: int) -> Any:
    """Return features of which a tenth is missing."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(X.shape) < 0.1, np.nan, X)


@pytest.mark.parametrize(
    ("learner", "name"), [*zip(LEARNERS, PROBLEMS * 2, strict=False), ("boosting", "two classes")]
)
def test_predictions_are_those_of_scikit_learn(learner: str, name: str) -> None:
    X, y = problem(name)
    other = np.random.default_rng(0).normal(X.mean(axis=0), 2 * X.std(axis=0), X.shape)
    for train in (X, gaps(X, 0)):
        fitted = LEARNERS[learner]().fit(train, y)
        trees = PlainTrees.of(fitted)
        for table in (X, other, gaps(X, 1), X[:1], X[:0], np.where(other > 1, np.inf, other)):
            if (
                not np.isfinite(table).all()
                and not np.isnan(table).any()
                and "boost" not in learner
            ):
                continue  # forests of scikit-learn refuse infinity
            if not len(table):  # scikit-learn refuses no rows
                assert trees.predict_proba(table).shape == (0, len(np.unique(y)))
                continue
            np.testing.assert_allclose(
                trees.predict_proba(table), fitted.predict_proba(table), rtol=0, atol=1e-12
            )


@pytest.mark.parametrize("learner", ["extra trees", "boosting"])
def test_values_at_a_threshold_take_the_side_of_scikit_learn(learner: str) -> None:
    X, y = problem("eight classes")
    fitted = LEARNERS[learner]().fit(X, y)
    trees = PlainTrees.of(fitted)
    inner = trees.node >= 0
    at = trees.threshold.astype(np.float64)
    single = np.nextafter(trees.threshold, np.float32(np.inf), dtype=trees.threshold.dtype)
    for value in (at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf), single):
        table = np.repeat(X[:1], len(at), axis=0)
        table[np.arange(len(at)), trees.node[inner]] = value
        np.testing.assert_allclose(
            trees.predict_proba(table), fitted.predict_proba(table), rtol=0, atol=1e-12
        )


def test_a_number_beyond_float32_is_larger_than_any_threshold() -> None:
    X, y = problem("two classes")
    trees = PlainTrees.of(LEARNERS["extra trees"]().fit(X, y))
    huge, large = np.full((1, X.shape[1]), 1e300), np.full((1, X.shape[1]), 3e38)
    np.testing.assert_array_equal(trees.predict_proba(huge), trees.predict_proba(large))
    np.testing.assert_array_equal(trees.predict_proba(-huge), trees.predict_proba(-large))


def test_the_size_of_a_part_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = problem("eight classes")
    trees = PlainTrees.of(LEARNERS["boosting"]().fit(X, y))
    whole = trees.predict_proba(X)
    monkeypatch.setattr(plain_trees, "_PART", 7 * trees.n_trees)
    np.testing.assert_array_equal(trees.predict_proba(X), whole)


def test_many_rows_take_little_memory() -> None:
    X, y = problem("eight classes")
    trees = PlainTrees.of(LEARNERS["extra trees"]().fit(X, y))
    many = np.tile(X, (100, 1))
    tracemalloc.start()
    found = trees.predict_proba(many)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * found.nbytes + 10e6  # the walk in one part would take .8 MB a tree and array


def test_names_of_classes_and_weights_do_not_matter() -> None:
    X, y = problem("three classes")
    weights = np.random.default_rng(0).random(len(y))
    for name in ("extra trees", "boosting"):
        fitted = LEARNERS[name]().fit(X, np.array(["c", "a", "b"])[y], weights)
        np.testing.assert_allclose(
            PlainTrees.of(fitted).predict_proba(X), fitted.predict_proba(X), rtol=0, atol=1e-12
        )


def test_what_cannot_be_stored_is_said() -> None:
    X, y = problem("two classes")
    with pytest.raises(NcbenchError, match="GradientBoostingClassifier cannot be stored"):
        PlainTrees.of(GradientBoostingClassifier(n_estimators=2).fit(X, y))
    codes = np.column_stack([np.arange(len(y)) % 5, y])
    learner = HistGradientBoostingClassifier(max_iter=2, categorical_features=[0])
    with pytest.raises(NcbenchError, match="splits by category"):
        PlainTrees.of(learner.fit(codes, y))
    with pytest.raises(NcbenchError, match="several outputs"):
        PlainTrees.of(RandomForestClassifier(2).fit(X, np.column_stack([y, y])))


def test_other_features_are_refused() -> None:
    X, y = problem("three classes")
    trees = PlainTrees.of(LEARNERS["extra trees"]().fit(X, y))
    with pytest.raises(ValueError, match=r"X has shape \(150, 3\), .* fitted to 4 features"):
        trees.predict_proba(X[:, :3])


@pytest.mark.parametrize("learner", ["extra trees", "boosting"])
def test_they_are_the_same_after_pickling_and_in_another_process(
    learner: str, tmp_path: Path
) -> None:
    X, y = problem("eight classes")
    trees = PlainTrees.of(LEARNERS[learner]().fit(gaps(X, 0), y))
    expected = trees.predict_proba(X)
    again = pickle.loads(pickle.dumps(trees))
    np.testing.assert_array_equal(again.predict_proba(X), expected)
    name = "ncbench.learning.plain_trees.PlainTrees"
    content = skops.dumps(trees)
    assert set(skops.get_untrusted_types(data=content)) == {name}
    (tmp_path / "trees.skops").write_bytes(content)
    np.save(tmp_path / "X.npy", X)
    code = (
        "import numpy as np; from skops import io; "
        f"trees = io.load('trees.skops', trusted=['{name}']); "
        "np.save('p.npy', trees.predict_proba(np.load('X.npy')))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), expected)


# Made-up trees


def forest(**changes: Any) -> PlainTrees:
    """Return a tree of three levels and one of a leaf, with changes.

    The first compares feature 0 with 1.0, and on its right, feature 1 with 2.0.
    """
    parts = {
        "n_features": 2,
        "n_trees": 2,
        # roots; children of the first root; children of its right child
        "node": np.array([0, -1, -2, 1, -1, -2], dtype=np.int32),
        "threshold": np.array([1.0, 2.0], dtype=np.float32),
        "missing_left": np.array([True, False]),
        "value": np.eye(2),
        "baseline": None,
    }
    return PlainTrees(**{**parts, **changes})


def test_trees_are_read_as_documented() -> None:
    X = [[1.0, 9.0], [1.5, 2.0], [1.5, 2.5], [np.nan, 0.0], [2.0, np.nan]]
    first = [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
    np.testing.assert_array_equal(forest().predict_proba(X), np.add(first, [1.0, 0.0]) / 2)
    scores = {"value": np.array([[3.0], [-1.0]]), "baseline": np.array([0.5])}
    np.testing.assert_array_equal(
        forest(**scores).scores(X).ravel(), 3.5 + np.where(np.array(first)[:, 0], 3.0, -1.0)
    )


def chain(depth: int) -> dict[str, Any]:
    """Return a tree of which each right child has children."""
    node = np.full(2 * depth + 1, -1, dtype=np.int32)
    node[0] = 0
    node[2:-1:2] = 0
    return {
        "n_trees": 1, "node": node, "threshold": np.zeros(depth, dtype=np.float32),
        "missing_left": np.zeros(depth, dtype=bool), "value": np.full((1, 2), 0.5),
    }  # fmt: skip


def leaves_beside(depth: int, leaves: int) -> dict[str, Any]:
    """Return a deep tree and many of one leaf."""
    deep = chain(depth)
    node = np.concatenate([deep["node"][:1], np.full(leaves, -1, np.int32), deep["node"][1:]])
    return {**deep, "n_trees": leaves + 1, "node": node}


def nodes(*numbers: int) -> dict[str, Any]:
    return {"node": np.array(numbers, dtype=np.int32)}


MADE_UP: dict[str, tuple[str, dict[str, Any]]] = {
    "a feature out of range": ("compares feature 2 of 2", nodes(0, -1, -2, 2, -1, -2)),
    "a huge feature": ("compares feature 2147483647 of 2", nodes(2**31 - 1, -1, -2, 1, -1, -2)),
    "a value out of range": ("has value 2 of 2", nodes(0, -1, -3, 1, -1, -2)),
    "the smallest number": ("has value 2147483647 of 2", nodes(0, -1, -(2**31), 1, -1, -2)),
    # The second inner node is among its own children, the nodes 4 and 5.
    "a cycle": ("4 nodes are not in a tree", nodes(-1, -1, 0, -1, 1, -1)),
    "nodes of no tree": ("4 nodes are not in a tree", nodes(-1, -1, 0, 1, -1, -1)),
    "a node too many": ("7 nodes, of which 2", nodes(0, -1, -2, 1, -1, -2, -1)),
    "a node too few": ("5 nodes, of which 2", nodes(0, -1, -2, 1, -1)),
    "leaves with children": ("6 nodes, of which 0", nodes(-1, -1, -2, -1, -1, -2)),
    "no nodes": ("0 nodes", nodes()),
    "too deep": ("deeper than 1000", chain(1001)),
    "too many for their depth": ("10001 trees, too many", leaves_beside(1000, 10_000)),
    "objects": ("node is not an array", {"node": np.array([0, -1, -2, 1, -1, None])}),
    "fractions": ("node is not an array", {"node": np.array([0, -1, -2, 1, -1, -2.0])}),
    "int64": ("node is not an array", {"node": np.array([0, -1, -2, 1, -1, -2])}),
    "another order of bytes": (
        "node is not an array", {"node": np.array([0, -1, -2, 1, -1, -2], dtype=">i4")}
    ),
    "two dimensions": ("node is not an array", {"node": np.zeros((6, 1), dtype=np.int32)}),
    "a list": ("node is not an array", {"node": [0, -1, -2, 1, -1, -2]}),
    "no threshold": ("there are 0 thresholds", {"threshold": np.zeros(0, dtype=np.float32)}),
    "a threshold too many": ("there are 3 thr", {"threshold": np.zeros(3, dtype=np.float32)}),
    "a threshold of text": ("threshold is not an array", {"threshold": np.array(["1", "2"])}),
    "a threshold that is NaN": (
        "a threshold is not a number", {"threshold": np.array([1.0, np.nan], dtype=np.float32)}
    ),
    "sides of another number": ("1 sides of missing", {"missing_left": np.array([True])}),
    "sides that are numbers": ("missing_left is not an array", {"missing_left": np.ones(2)}),
    "values that are NaN": ("a value is not finite", {"value": np.eye(2) * np.nan}),
    "values that are infinite": ("a value is not finite", {"value": np.array([[0, np.inf]] * 2)}),
    "values without a class": ("not a distribution", {"value": np.zeros((2, 0))}),
    "no values": ("has value 1 of 0", {"value": np.zeros((0, 2))}),
    "values that are no probabilities": ("not a distribution", {"value": np.eye(2) * 2 - 1}),
    "scores of a class too many": ("cannot add to 1 scores", {"baseline": np.zeros(1)}),
    "two scores": ("cannot add to 2", {"value": np.ones((2, 1)), "baseline": np.zeros(2)}),
    "scores for more classes than trees": (
        "cannot add to 3", {"value": np.ones((2, 1)), "baseline": np.zeros(3)}
    ),
    "no scores": ("cannot add to 0", {"value": np.ones((2, 1)), "baseline": np.zeros(0)}),
    "huge scores": ("larger than", {"value": np.full((2, 1), 1e308), "baseline": np.zeros(1)}),
    "a baseline that is NaN": (
        "not a number", {"value": np.ones((2, 1)), "baseline": np.array([np.nan])}
    ),
    "no trees": ("n_trees is not", {"n_trees": 0}),
    "negative trees": ("n_trees is not", {"n_trees": -1}),
    "more trees than nodes": ("cannot be 1000000000000 trees", {"n_trees": 10**12}),
    "trees that are true": ("n_trees is not", {"n_trees": True}),
    "no features": ("n_features is not", {"n_features": 0}),
    "features that are a fraction": ("n_features is not", {"n_features": 2.0}),
    "fewer features than are compared": ("compares feature 1 of 1", {"n_features": 1}),
}  # fmt: skip


def test_made_up_trees_are_refused() -> None:
    good = forest()
    for says, changes in MADE_UP.values():
        again = PlainTrees.__new__(PlainTrees)
        for make in (
            lambda changes=changes: forest(**changes),
            lambda changes=changes, again=again: again.__setstate__({**vars(good), **changes}),
            lambda changes=changes: replace(good, **changes),
        ):
            with pytest.raises(ValueError, match=says):
                make()


def test_the_deepest_tree_is_walked() -> None:
    for deepest in (chain(1000), leaves_beside(1000, 9999)):
        assert forest(**deepest).predict_proba([[1.0, 0.0]]).tolist() == [[0.5, 0.5]]


def test_other_parts_are_refused() -> None:
    more = {**vars(forest()), "predict_proba": 1}
    for state in (None, [], {}, {"node": 1}, "n_trees", more):
        with pytest.raises(ValueError, match="other parts"):
            PlainTrees.__new__(PlainTrees).__setstate__(state)
    assert {field.name for field in fields(PlainTrees)} == set(vars(forest()))
