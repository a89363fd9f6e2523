"""Measures: closed forms and limits. What every measure promises is in ``test_contract.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    confusion_matrix,
    f1_score,
    recall_score,
)

from ncbench import load
from ncbench.core.measure import Measure
from ncbench.errors import NcbenchError
from ncbench.plugin import get_registry
from ncbench_plugins.measures.f1 import MicroF1
from ncbench_plugins.measures.linear import Cost
from ncbench_plugins.measures.recall_means import BalancedError, GMean, HMean, QMean, WorstClass

REGISTRY = get_registry()
NAMES = REGISTRY.names("measure")
FAMILIES = {name: REGISTRY.target("measure", name).family for name in NAMES}
CONVEX = [name for name in NAMES if FAMILIES[name] == "monotonic_convex"]


def make(name: str, n: int, rng: np.random.Generator) -> Measure:
    if name == "cost":
        return Cost(matrix=rng.random((n, n)).tolist())
    missing = [p.name for p in REGISTRY.plugin("measure", name).parameters if p.required]
    if missing:
        pytest.skip(f"{name} needs {', '.join(missing)}")
    return REGISTRY.build("measure", name)


def interior(n: int, rng: np.random.Generator) -> np.ndarray:
    """A confusion matrix without zeros."""
    return 0.9 * rng.dirichlet(np.ones(n * n)).reshape(n, n) + 0.1 / n**2


def from_recalls(recall: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """A confusion matrix with these recalls; errors are spread evenly."""
    n = len(recall)
    C = np.repeat((prior * (1 - recall) / (n - 1))[:, None], n, axis=1)
    np.fill_diagonal(C, prior * recall)
    return C


# Families


def test_convex_measures_see_recalls_only_and_have_a_slope_at_every_vertex() -> None:
    for name in CONVEX:
        # Of C[i, j] and C[i, k] with j, k != i neither is a hit: the sum alone counts.
        psi = make(name, 3, np.random.default_rng(0))
        C = interior(3, np.random.default_rng(1))
        swapped = C.copy()
        swapped[0, 1], swapped[0, 2] = C[0, 2], C[0, 1]
        assert psi(swapped) == pytest.approx(psi(C), rel=1e-14)
        # Deterministic classifiers on separable data: recalls of 0 and 1 in all combinations.
        for hits in np.ndindex(2, 2, 2):
            C = from_recalls(np.array(hits, dtype=float), np.array([0.6, 0.3, 0.1]))
            assert np.abs(psi.gradient(C)).max() > 0  # a null gradient leaves Frank-Wolfe no choice


# Closed forms

C2 = np.array([[0.4, 0.2], [0.1, 0.3]])  # recalls 2/3, 3/4
C3 = np.array([[0.20, 0.10, 0.10], [0.05, 0.20, 0.15], [0.02, 0.08, 0.10]])  # 1/2, 1/2, 1/2
C3u = np.array([[0.40, 0.05, 0.05], [0.06, 0.18, 0.06], [0.10, 0.06, 0.04]])  # 4/5, 3/5, 1/5


def test_values_in_closed_form() -> None:
    values = {
        "h_mean": (1 - 2 / (3 / 2 + 4 / 3), 1 - 3 / (5 / 4 + 5 / 3 + 5)),
        "g_mean": (1 - np.sqrt(1 / 2), 1 - (12 / 125) ** (1 / 3)),
        "q_mean": (np.sqrt((1 / 9 + 1 / 16) / 2), np.sqrt((1 + 4 + 16) / 75)),
        "balanced_error": (1 - (2 / 3 + 3 / 4) / 2, 1 - 8 / 15),
        "worst_class": (1 / 3, 4 / 5),
        "zero_one": (0.3, 0.38),
        # 1 - 2 * 0.3 / (2 - 0.6 - 0.5): 0.4 in truth, 0.5 in prediction, 0.3 found
        "micro_f1": (1 - 0.6 / 0.9, 1 - 2 * 0.22 / (0.5 + 0.44)),
        "macro_f1": (
            1 - (0.8 / 1.1 + 0.6 / 0.9) / 2,
            1 - (0.8 / 1.06 + 0.36 / 0.59 + 0.08 / 0.35) / 3,
        ),
    }
    for name, pair in values.items():
        for C, value in zip((C2, C3u), pair, strict=True):
            assert REGISTRY.build("measure", name)(C) == pytest.approx(value, rel=1e-12), name
    for name in ("h_mean", "g_mean", "q_mean"):
        assert REGISTRY.build("measure", name)(C3) == pytest.approx(1 / 2)


def test_against_scikit_learn_on_drawn_samples() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 3, 6) * 5:
        y = np.concatenate([np.arange(n), rng.integers(n, size=80)])
        predicted = np.where(rng.random(len(y)) < 0.6, y, rng.integers(n, size=len(y)))
        C = confusion_matrix(y, predicted, labels=range(n)) / len(y)
        expected = {
            "zero_one": 1 - accuracy_score(y, predicted),
            "balanced_error": 1 - balanced_accuracy_score(y, predicted),
            "macro_f1": 1 - f1_score(y, predicted, average="macro"),
            "micro_f1": 1 - f1_score(y, predicted, average="micro", labels=list(range(1, n))),
            "worst_class": 1 - recall_score(y, predicted, average=None).min(),
        }
        for name, value in expected.items():
            assert REGISTRY.build("measure", name)(C) == pytest.approx(value, abs=1e-12), name


# Limits of the recall means


def test_values_are_continuous_at_recall_zero() -> None:
    for psi in (HMean(), GMean(), QMean(), BalancedError(), WorstClass()):
        prior = np.array([0.5, 0.3, 0.2])
        at_zero = psi(from_recalls(np.array([0.0, 0.6, 0.3]), prior))
        near = psi(from_recalls(np.array([1e-12, 0.6, 0.3]), prior))
        assert near == pytest.approx(at_zero, abs=2e-4)  # G-mean: (1e-12 * 0.18)^(1/3) = 6e-5


def test_gradients_at_recall_zero_are_the_limits_along_equal_recalls() -> None:
    prior, recall = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.9, 0.6, 0.3, 0.7])
    for zeros in (1, 2, 4):
        small = np.where(np.arange(4) < zeros, 1e-9, recall)
        near, at_zero = from_recalls(small, prior), from_recalls(small * (small > 1e-6), prior)
        for psi in (HMean(), QMean(), BalancedError()):
            limit = psi.gradient(near)
            np.testing.assert_allclose(psi.gradient(at_zero), limit, rtol=1e-6, atol=1e-6)
        # Of the G-mean it is infinite, but has a direction.
        limit, direction = GMean().gradient(near), GMean().gradient(at_zero)
        limit, direction = limit / np.linalg.norm(limit), direction / np.linalg.norm(direction)
        np.testing.assert_allclose(direction, limit, atol=1e-7)


def test_q_mean_gradient_at_perfect_prediction_is_the_limit_along_equal_recalls() -> None:
    n = 3
    prior = np.random.default_rng(n).dirichlet(np.ones(n))
    at_one = QMean().gradient(np.diag(prior))
    near = QMean().gradient(from_recalls(np.full(n, 1 - 1e-9), prior))
    np.testing.assert_allclose(at_one, near, rtol=1e-6, atol=1e-6)
    # d r_i / d C[i, j] is -1/p_i off the diagonal where r_i = 1, and the slope -1/n.
    off_diagonal = np.repeat(1 / (n * prior)[:, None], n, axis=1) * (1 - np.eye(n))
    np.testing.assert_allclose(at_one, off_diagonal, rtol=1e-12, atol=1e-12)


# Absent classes


def test_absent_class_is_left_out_of_the_value() -> None:
    C = interior(3, np.random.default_rng(0))
    C[1] = 0
    C /= C.sum()
    # The same two recalls in a problem of two classes.
    recall = C[[0, 2], [0, 2]] / C[[0, 2]].sum(axis=1)
    for measure in (HMean, QMean, GMean, BalancedError, WorstClass):
        assert measure()(C) == pytest.approx(measure()(from_recalls(recall, np.array([0.5, 0.5]))))


def test_absent_class_is_left_out_of_the_gradient() -> None:
    for name in CONVEX:
        psi = make(name, 3, np.random.default_rng(0))
        C = interior(3, np.random.default_rng(1))
        C[1] = 0
        C /= C.sum()
        gradient = psi.gradient(C)
        np.testing.assert_array_equal(gradient[1], 0)
        for i, j in np.ndindex(3, 3):
            if i != 1:
                up, down = C.copy(), C.copy()
                up[i, j] += 1e-6
                down[i, j] -= 1e-6
                assert gradient[i, j] == pytest.approx((psi(up) - psi(down)) / 2e-6, rel=1e-5)


def test_macro_f1_leaves_out_a_class_neither_present_nor_predicted() -> None:
    C = np.zeros((3, 3))
    C[:2, :2] = C2
    assert REGISTRY.build("measure", "macro_f1")(C) == pytest.approx(
        REGISTRY.build("measure", "macro_f1")(C2)
    )
    C[0, 2], C[0, 0] = 0.1, 0.3  # predicted but not present: its F1 is 0
    assert REGISTRY.build("measure", "macro_f1")(C) == pytest.approx(
        1 - (0.6 / 1.0 + 0.6 / 0.9 + 0.0) / 3
    )


# Micro F1 and its background class


def test_micro_f1_only_cares_which_class_is_background() -> None:
    C = interior(3, np.random.default_rng(0))
    for background in (1, 2):
        order = [background, *(i for i in range(3) if i != background)]
        psi = MicroF1(background=background)
        assert psi(C) == pytest.approx(MicroF1()(C[np.ix_(order, order)]), rel=1e-14)
        for ours, usual in zip(psi.ratio(3), MicroF1().ratio(3), strict=True):
            np.testing.assert_array_equal(ours[np.ix_(order, order)], usual)
    assert MicroF1()(np.array([[0.5, 0.0], [0.5, 0.0]])) == 1.0
    assert MicroF1(background=1)(np.diag([0.0, 1.0])) == 0.0  # nothing but background


def test_micro_f1_takes_the_background_class_by_its_name() -> None:
    names = ["ant", "bee", "cow"]
    psi = MicroF1(background="bee").for_classes(names)
    C = np.random.default_rng(0).dirichlet(np.ones(9)).reshape(3, 3)
    assert psi(C) == MicroF1(background=1)(C) != MicroF1()(C)
    assert MicroF1(background=1).for_classes(names).background == 1
    with pytest.raises(NcbenchError, match=r"'cat' is not known; .*Known: ant, bee, cow"):
        MicroF1(background="cat").for_classes(names)
    with pytest.raises(
        NcbenchError, match=r"background='bee': class names .* 0\.\.2, or use for_cl"
    ):
        MicroF1(background="bee")(C)


def test_micro_f1_refuses_a_background_class_that_does_not_exist() -> None:
    for background in (-1, 3):
        psi = MicroF1(background=background)
        message = rf"measure\.background={background}; with 3 classes, expected 0\.\.2"
        for use in (lambda psi=psi: psi(np.full((3, 3), 1 / 9)), lambda psi=psi: psi.ratio(3)):
            with pytest.raises(NcbenchError, match=message):
                use()


# Costs


def test_cost_inline_is_the_expected_cost() -> None:
    L = np.array([[0.0, 1.0, 2.0], [5.0, 0.0, 3.0], [4.0, 7.0, 0.0]])
    expected = sum(L[y, k] * C3u[y, k] for y in range(3) for k in range(3))
    assert Cost(matrix=L.tolist())(C3u) == pytest.approx(expected, rel=1e-14)
    np.testing.assert_array_equal(Cost(matrix=L.tolist()).gradient(C3u), L)


def test_cost_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "costs.csv"
    for text in ("0,1.5\n10,0\n", "0, 1.5\n\n10, 0", "0,1.5\r\n10,0\r\n"):
        file.write_bytes(text.encode())
        np.testing.assert_array_equal(Cost(path=str(file)).gradient(C2), [[0, 1.5], [10, 0]])


def test_cost_refuses_bad_costs(tmp_path: Path) -> None:
    for matrix, message in (
        ([[0.0, 1.0]], r"measure\.matrix: expected n rows of n finite costs, got shape \(1, 2\)"),
        ([], r"got shape \(0,\)"),
        ([[0.0, 1.0], [1.0]], "not a table of numbers"),
        ([[0.0, "x"], [1.0, 0.0]], "not a table of numbers"),
        ([[0.0, np.nan], [1.0, 0.0]], "finite"),
        ([[0.0, -2.0], [1.0, 0.0]], "not be negative; found -2"),
        ([[0, 1e308], [1e308, 0]], r"cost 1e\+308; expected at most 1e\+100"),  # sums overflow
    ):
        with pytest.raises(NcbenchError, match=message):
            Cost(matrix=matrix)
    file = tmp_path / "costs.csv"
    for content, message in (
        (b"a,b\n0,1\n", "not a table of numbers"),
        (b"", r"got shape \(0,\)"),
        (b"\xff\xfe\x00", "not a text file"),
    ):
        file.write_bytes(content)
        with pytest.raises(NcbenchError, match=message) as caught:
            Cost(path=str(file))
        assert f"measure.path={file}" in str(caught.value)
    with pytest.raises(NcbenchError, match=r"nowhere\.csv: no such file \(looked in "):
        Cost(path=str(tmp_path / "nowhere.csv"))
    for arguments in ({}, {"matrix": [[0.0, 1.0], [1.0, 0.0]], "path": "a.csv"}):
        with pytest.raises(NcbenchError, match=r"either measure\.matrix=.* or measure\.path="):
            Cost(**arguments)


def test_cost_of_the_wrong_number_of_classes_names_both_shapes() -> None:
    cost = Cost(matrix=[[0.0, 1.0], [1.0, 0.0]])
    for use in (cost, cost.gradient):
        with pytest.raises(NcbenchError, match=r"shape \(2, 2\).*3 classes: expected \(3, 3\)"):
            use(C3)


def test_a_matrix_without_examples_is_refused() -> None:
    for name in ("macro_f1", "h_mean", "worst_class"):
        with pytest.raises(NcbenchError, match="entries sum to 0; expected 1"):
            load("measure", name)()(np.zeros((2, 2)))
