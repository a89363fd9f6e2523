"""The base classes of measures: the chain rule over recalls, and what a family lacks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

import ncbench
from ncbench import Measure, RecallMeasure
from ncbench.errors import NcbenchError, NotApplicable
from ncbench.plugin import get_registry


class SquaredMisses(RecallMeasure):
    """sum_i (1 - r_i)^2."""

    def value(self, recall):
        return float(((1 - recall) ** 2).sum())

    def slope(self, recall):
        return -2 * (1 - recall)


class Constant(Measure):
    def __call__(self, C):
        return 0.5


def test_the_gradient_is_that_of_finite_differences() -> None:
    C = np.random.default_rng(0).dirichlet(np.ones(9)).reshape(3, 3)
    psi = SquaredMisses()
    numeric = approx_fprime(C.ravel(), lambda c: psi(c.reshape(3, 3)), 1e-7)
    np.testing.assert_allclose(psi.gradient(C).ravel(), numeric, atol=1e-5)


def test_a_class_without_mass_is_ignored() -> None:
    # Recalls 0.75 and 0.5, and class 2 has none: (1/4)^2 + (1/2)^2.
    C = np.array([[0.3, 0.1, 0.0], [0.2, 0.3, 0.1], [0.0, 0.0, 0.0]])
    psi = SquaredMisses()
    assert psi(C) == pytest.approx(0.25**2 + 0.5**2)
    gradient = psi.gradient(C)
    assert not gradient[2].any()
    numeric = approx_fprime(C[:2].ravel(), lambda c: psi(np.vstack([c.reshape(2, 3), C[2]])), 1e-7)
    np.testing.assert_allclose(gradient[:2].ravel(), numeric, atol=1e-5)


def test_what_a_family_does_not_have_is_refused_by_name() -> None:
    with pytest.raises(NotApplicable, match="Constant has no gradient"):
        Constant().gradient(np.eye(2) / 2)
    with pytest.raises(NotApplicable, match="Constant is not a ratio"):
        Constant().ratio(2)
    psi = SquaredMisses()
    assert psi.for_classes(["a", "b"]) is psi
    assert psi.largest == 1


class Weighted(RecallMeasure):
    """Misses with a weight for each class; forgets that a class may have no examples."""

    weights = np.array([0.5, 0.3, 0.2])

    def value(self, recall):
        return float(self.weights[: len(recall)] @ (1 - recall))

    def slope(self, recall):
        return -self.weights[: len(recall)]


class WeightedPerClass(Weighted):
    """The same, with the position of each class."""

    per_class = True

    def value(self, recall):
        seen = ~np.isnan(recall)
        return float(self.weights[seen] @ (1 - recall[seen]) / self.weights[seen].sum())

    def slope(self, recall):
        return -self.weights / self.weights[~np.isnan(recall)].sum()


WITHOUT_FIRST = np.array([[0.0, 0.0, 0.0], [0.1, 0.2, 0.1], [0.0, 0.06, 0.54]])


def test_a_class_without_examples_does_not_shift_the_others() -> None:
    with pytest.raises(NcbenchError, match=r"class 0 has no examples.* set per_class = True"):
        Weighted()(WITHOUT_FIRST)
    psi = WeightedPerClass()
    assert psi(WITHOUT_FIRST) == pytest.approx((0.3 * 0.5 + 0.2 * 0.1) / 0.5)
    gradient = psi.gradient(WITHOUT_FIRST)
    # Entries of the class without examples do not count.
    rest = WITHOUT_FIRST[1:].ravel()
    expected = approx_fprime(rest, lambda c: psi(np.vstack([np.zeros(3), c.reshape(2, 3)])), 1e-7)
    np.testing.assert_allclose(gradient[1:].ravel(), expected, atol=1e-5)
    assert not gradient[0].any()
    assert SquaredMisses()(WITHOUT_FIRST) == pytest.approx(0.26)  # treats all classes alike


def test_any_order_of_the_classes_is_tried() -> None:
    class Cyclic(RecallMeasure):
        """Turning the order changes nothing, reversing it does."""

        def value(self, recall):
            return float(recall @ np.roll(recall, 1) ** 2)

    C = np.diag([0.0, 0.1, 0.2, 0.3])
    C[1:, 0] = [0.1, 0.1, 0.2]
    with pytest.raises(NcbenchError, match="class 0 has no examples"):
        Cyclic()(C)


def test_mass_that_cannot_be_divided_by_is_none() -> None:
    for mass in (0.0, 1e-310):
        C = np.array([[mass, 0.0], [0.0, 1.0]])
        assert np.isfinite(SquaredMisses().gradient(C)).all()
        assert SquaredMisses()(C) == 0
        with pytest.raises(NcbenchError, match="entries sum to"):
            SquaredMisses()(C * mass)


def test_losses_of_labels() -> None:
    y_true, y_pred = ["a", "a", "b", "b", "b", "c"], ["a", "b", "b", "b", "c", "c"]
    recall = np.array([1 / 2, 2 / 3, 1])
    assert ncbench.g_mean(y_true, y_pred) == pytest.approx(1 - recall.prod() ** (1 / 3))
    assert ncbench.zero_one(y_true, y_pred) == pytest.approx(2 / 6)
    assert ncbench.zero_one(y_true, y_pred, [1, 1, 1, 1, 0, 2]) == pytest.approx(1 / 6)
    # A class that is only predicted has no recall.
    assert ncbench.g_mean([0, 1], [0, 7]) == 1.0
    assert ncbench.h_mean([0, 0], [0, 7]) == pytest.approx(0.5)


def test_each_measure_without_parameters_is_a_function_of_labels() -> None:
    free = set(get_registry().names("measure")) - {"cost"}  # which needs a matrix
    assert free == set(ncbench._MEASURES) <= set(dir(ncbench))
    for name in free:
        assert getattr(ncbench, name)([0, 1, 1], [0, 1, 1]) == 0


def test_labels_that_cannot_be_compared_are_refused() -> None:
    for y_true, y_pred, message in (
        ([0, 1], [0], r"y_true has shape \(2,\), y_pred \(1,\)"),
        ([], [], "at least 1"),
        ([0, 1], ["0", "1"], "labels such as .*0.*, y_pred such as .*'0'.* same type"),
    ):
        with pytest.raises(NcbenchError, match=message):
            ncbench.g_mean(y_true, y_pred)
