"""HOC's sum of squares: derivatives, the same minimum as with a dense Jacobian, many classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, least_squares

from ncbench_plugins.t_estimators.hoc import (
    DIRECTIONS,
    _Squares,
    gauss_newton,
    label_moments,
    solve_moments,
)


def exact_moments(T, p):
    """Return frequencies of labels, pairs and triples, by their definition."""
    columns = T.T
    triples = sum(w * np.einsum("a,b,c", t, t, t) for w, t in zip(p, columns, strict=True))
    return T @ p, (T * p) @ T.T, triples


def counted_moments(n, m=4000, wrong=0.3, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(n, size=m)
    labels = np.where(rng.random((3, m)) < wrong, rng.integers(n, size=(3, m)), truth).ravel()
    return label_moments(np.arange(3 * m).reshape(3, m).T, labels, n)


def residuals(squares, theta):
    """Return all residuals, one by one, as the sum of squares is defined."""
    model = exact_moments(*squares.unpack(theta))
    target = (squares.first, squares.second, squares.third.reshape((squares.n,) * 3))
    parts = [(a - b).ravel() for a, b in zip(model, target, strict=True)]
    return np.concatenate([*parts, np.sqrt(squares.prior) * (theta - squares.start)])


def test_value_gradient_and_curvature_are_those_of_the_residuals():
    n = 5
    squares = _Squares(counted_moments(n), prior=0.01)
    rng = np.random.default_rng(1)
    theta, direction = squares.start + rng.normal(size=(2, n * n + n))
    found = residuals(squares, theta)
    J = np.array(approx_fprime(theta, lambda at: residuals(squares, at), 1e-7))
    value, gradient = squares.objective(theta)
    assert value == pytest.approx(found @ found / 2)
    np.testing.assert_allclose(gradient, J.T @ found, atol=1e-6)
    np.testing.assert_allclose(
        squares.curvature(theta)(direction), J.T @ (J @ direction), atol=1e-6
    )


@pytest.mark.parametrize("n", [2, 8])
def test_steps_are_those_of_scipy_with_a_dense_jacobian(n):
    squares = _Squares(counted_moments(n, m=500), prior=1e-5)
    tolerances = {"xtol": 1e-12, "ftol": 1e-14, "gtol": 1e-14}
    expected = least_squares(
        lambda at: residuals(squares, at), squares.start, "3-point", max_nfev=100, **tolerances
    )
    T, _ = squares.unpack(gauss_newton(squares.objective, squares.curvature, squares.start))
    np.testing.assert_allclose(T, squares.unpack(expected.x)[0], atol=1e-6)


def test_many_classes_take_a_bounded_number_of_products():
    n, wrong = 40, 0.3
    assert n * n > DIRECTIONS  # the steps are chosen in a part of the space
    T = wrong / n + (1 - wrong) * np.eye(n)
    found = solve_moments(exact_moments(T, np.full(n, 1 / n)), prior=1e-9)
    np.testing.assert_allclose(found, T, atol=1e-4)
    squares, products = _Squares(counted_moments(n), prior=1e-6), []

    def counted(theta):
        product = squares.curvature(theta)
        return lambda direction: products.append(1) or product(direction)

    gauss_newton(squares.objective, counted, squares.start, evaluations=5)
    assert 0 < len(products) <= 4 * DIRECTIONS
