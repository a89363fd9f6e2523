"""HOC: the noise matrix from labels of nearest neighbors, without a posterior model."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import softmax
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from ncbench import NoiseMatrix, NoisySample
from ncbench.errors import require
from ncbench.noise_estimation import repair_estimate
from ncbench.types import Array, Labels

DIRECTIONS = 80
"""Largest dimension of the space in which a step is chosen."""

_TOLERANCES = {"value": 1e-14, "step": 1e-12, "gradient": 1e-14}
_SMALLEST = float(np.finfo(np.float64).eps)


class HOC:
    """High-order consensuses among nearest neighbors (Zhu et al. 2021).

    Assumes that an example and its two nearest neighbors have the same class, and that their noisy
    labels are independent given the class. The frequencies of labels, pairs and triples then
    determine T and the class priors. If neighbors often differ in class, this counts as noise.

    Parameters
    ----------
    max_points : int
        Largest number of examples whose neighbors are looked up; drawn if there are more.
    prior : float
        Weight of a penalty on the distance from the start, divided by the number of points. It
        keeps columns of rare classes at the start unless the frequencies say otherwise.
    """

    def __init__(self, max_points: int = 20_000, prior: float = 0.01) -> None:
        require(max_points >= 1, "t_estimator.max_points", max_points, "at least 1")
        require(prior >= 0, "t_estimator.prior", prior, "at least 0")
        self.max_points = max_points
        self.prior = prior

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate; the CPE learner is not used."""
        m = len(sample.y)
        if m < 3:
            return repair_estimate(
                np.eye(sample.n_classes), sample.classes, ["fewer than 3 examples"]
            )
        X = StandardScaler().fit_transform(sample.X)
        points = np.arange(m)
        if m > self.max_points:
            points = np.sort(sample.rng.choice(m, self.max_points, replace=False))
        near = NearestNeighbors(n_neighbors=3).fit(X).kneighbors(X[points], return_distance=False)
        moments = label_moments(_with_itself_first(near, points), sample.y, sample.n_classes)
        return repair_estimate(solve_moments(moments, self.prior / len(points)), sample.classes)


Moments = tuple[Array, Array, Array]
"""Frequencies of the labels of single examples, pairs and triples of the same class."""


def label_moments(triples: Labels, y: Labels, n: int) -> Moments:
    """Count the labels of triples: rows of three indices, an example and its neighbors.

    Examples
    --------
    >>> c1, c2, _ = label_moments(np.array([[0, 1, 2]]), np.array([1, 1, 0]), n=2)
    >>> c1, c2
    (array([0., 1.]), array([[0., 0.],
           [0., 1.]]))
    """
    third = np.zeros((n, n, n))
    np.add.at(third, tuple(y[triples].T), 1 / len(triples))
    return third.sum(axis=(1, 2)), third.sum(axis=2), third


def solve_moments(moments: Moments, prior: float = 0.0) -> Array:
    """Return the T that best explains the frequencies of labels, pairs and triples.

    Minimizes ``||T p - c1||^2 + ||T diag(p) T^T - c2||^2 + ||sum_j p_j t_j x t_j x t_j - c3||^2``
    over ``T = column-softmax(U)`` and ``p = softmax(v)``, starting at ``U = 5 I - 1``, v = 0. A
    permutation of the columns is an equally good solution; we choose the largest diagonal.

    Parameters
    ----------
    moments : arrays c1, c2, c3
    prior : float
        Weight of ``||(U, v) - start||^2``. Frequencies say almost nothing about the column of a
        rare class; without a prior it is arbitrary.
    """
    squares = _Squares(moments, prior)
    T, _ = squares.unpack(gauss_newton(squares.objective, squares.curvature, squares.start))
    _, order = linear_sum_assignment(T, maximize=True)
    return T[:, order]


class _Squares:
    """Half the sum of squares that ``solve_moments`` minimizes, as a function of ``(U, v)``.

    Inner products of tensors ``t_j x t_j x t_j`` are cubes of those of columns, ``G = T^T T``. So a
    product with ``J^T J`` takes ``n^3`` operations, although J has ``n^5`` entries.
    """

    def __init__(self, moments: Moments, prior: float) -> None:
        self.n, self.prior = len(moments[0]), prior
        # The model is symmetric, so only the symmetric part of a moment matters.
        self.first, self.second, third = map(_symmetric_part, moments)
        self.third = third.reshape(-1, self.n)
        self.start = np.append((5 * np.eye(self.n) - 1).ravel(), np.zeros(self.n))

    def unpack(self, theta: Array) -> tuple[Array, Array]:
        """Return T and p."""
        U, v = self._parts(theta)
        return softmax(U, axis=0), softmax(v)

    def objective(self, theta: Array) -> tuple[float, Array]:
        """Return the value and its gradient."""
        T, p = self.unpack(theta)
        pairs = (T[:, None] * T).reshape(-1, self.n)
        first = T @ p - self.first
        second = (T * p) @ T.T - self.second
        third = (pairs * p) @ T.T - self.third
        deviation = theta - self.start
        squares = sum(float((r**2).sum()) for r in (first, second, third))
        once, twice, thrice = first[:, None], second @ T, third.T @ pairs
        dT = once + 2 * twice + 3 * thrice
        dp = (T * (once + twice + thrice)).sum(axis=0)
        value = (squares + self.prior * float(deviation @ deviation)) / 2
        return value, self._chain(T, p, p * dT, dp) + self.prior * deviation

    def curvature(self, theta: Array) -> Callable[[Array], Array]:
        """Return the product with ``J^T J``, J the derivative of all residuals."""
        T, p = self.unpack(theta)
        G = T.T @ T
        once = 1 + 2 * G + 3 * G**2
        none, twice = G + G**2 + G**3, p * (2 + 6 * G)

        def product(direction: Array) -> Array:
            U, v = self._parts(direction)
            T_, p_ = T * (U - (T * U).sum(axis=0)), p * (v - p @ v)  # derivatives
            H = T.T @ T_
            dT = T @ (p_ * once + twice * H).T + T_ @ (p * once).T
            dp = none @ p_ + (H * once) @ p
            return self._chain(T, p, p * dT, dp) + self.prior * direction

        return product

    def _parts(self, theta: Array) -> tuple[Array, Array]:
        return theta[: self.n**2].reshape(self.n, self.n), theta[self.n**2 :]

    def _chain(self, T: Array, p: Array, dT: Array, dp: Array) -> Array:
        """Return the derivatives in (U, v), computed from those in (T, p)."""
        # Softmax: dU = T * (dT - colsum(T * dT)), dv likewise.
        return np.append(T * (dT - (T * dT).sum(axis=0)), p * (dp - p @ dp))


def gauss_newton(
    objective: Callable[[Array], tuple[float, Array]],
    curvature: Callable[[Array], Callable[[Array], Array]],
    start: Array,
    evaluations: int = 100,
) -> Array:
    """Return a minimum of half a sum of squares.

    A step minimizes the model ``g d + d J^T J d / 2`` over ``|d| <= radius``, in the space that
    ``g, J^T J g, (J^T J)^2 g, ...`` span. For at most ``DIRECTIONS`` parameters it contains the
    best step of all; with more, what is left out is tiny. Radius, damping and tolerances are those
    of ``scipy.optimize.least_squares``, which needs J itself and takes the same steps.

    Parameters
    ----------
    objective : function
        Maps parameters to half the sum of squares and its gradient g.
    curvature : function
        Maps parameters to the function that multiplies a vector by ``J^T J``.
    start : array
    evaluations : int
        The largest number of calls of ``objective``.

    Examples
    --------
    >>> J = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
    >>> target = np.array([1.0, 2.0, 0.0])
    >>> def objective(x):
    ...     residual = J @ x - target
    ...     return residual @ residual / 2, J.T @ residual
    >>> gauss_newton(objective, lambda x: lambda v: J.T @ (J @ v), np.zeros(2) + 5).round(6) + 0.0
    array([1., 0.])
    """
    x = start
    value, gradient = objective(x)
    radius, damping = float(np.linalg.norm(x)) or 1.0, 0.0
    model = None
    for _ in range(evaluations - 1):
        if model is None:
            if np.abs(gradient).max() < _TOLERANCES["gradient"]:
                break
            model = _Model.at(gradient, curvature(x))
        step, damping = model.step(radius, damping)
        size = float(np.linalg.norm(step))
        further, slope = objective(x + step @ model.basis)
        gain = value - further
        ratio = gain / model.gain(step)
        small = size < _TOLERANCES["step"] * np.linalg.norm(x)
        settled = gain < _TOLERANCES["value"] * value and ratio > 0.25
        if gain > 0:
            x, value, gradient = x + step @ model.basis, further, slope
            model = None
        if small or settled:
            break
        former = radius
        if ratio < 0.25:
            radius = size / 4
        elif ratio > 0.75 and size > 0.95 * radius:
            radius *= 2
        damping *= former / radius
    return x


class _Model(NamedTuple):
    """The quadratic model in a space in which ``J^T J`` is diagonal."""

    basis: Array
    """Orthonormal directions, one in each row."""
    curvature: Array
    slope: Array

    @classmethod
    def at(cls, gradient: Array, product: Callable[[Array], Array]) -> _Model:
        """Return the model in the space of powers of ``J^T J`` times the gradient (Lanczos)."""
        most = min(DIRECTIONS, len(gradient))
        basis = np.zeros((most, len(gradient)))
        projected = np.zeros((most, most))
        length = float(np.linalg.norm(gradient))
        rest, size = gradient, length
        for k in range(most):
            basis[k] = rest / size
            rest = product(basis[k])
            known = basis[: k + 1]
            projected[k, : k + 1] = known @ rest  # the lower triangle, which eigh reads
            for _ in range(2):  # once leaves rounding errors that later steps magnify
                rest = rest - (known @ rest) @ known
            size = float(np.linalg.norm(rest))
            if size <= 1e-14 * np.diagonal(projected).max():
                break  # no further direction
        values, vectors = np.linalg.eigh(projected[: k + 1, : k + 1])
        values = np.maximum(values, max(_SMALLEST * values[-1], np.finfo(np.float64).tiny))
        return cls(vectors.T @ basis[: k + 1], values, length * vectors[0])

    def gain(self, step: Array) -> float:
        """Return by how much a step lowers the model."""
        return float(-step @ (self.slope + self.curvature * step / 2))

    def step(self, radius: float, damping: float) -> tuple[Array, float]:
        """Return the best step inside the radius, and the damping that gives it (More 1977)."""
        step = -self.slope / self.curvature
        if np.linalg.norm(step) <= radius:
            return step, 0.0
        high = float(np.linalg.norm(self.slope)) / radius
        excess, change = self._excess(0.0, radius)
        low = -excess / change
        for _ in range(10):
            if not low <= damping <= high:
                damping = max(0.001 * high, (low * high) ** 0.5)
            excess, change = self._excess(damping, radius)
            if excess < 0:
                high = damping
            low = max(low, damping - excess / change)
            damping -= (excess + radius) / radius * excess / change
            if abs(excess) < 0.01 * radius:
                break
        step = -self.slope / (self.curvature + damping)
        return np.asarray(step * (radius / np.linalg.norm(step))), damping

    def _excess(self, damping: float, radius: float) -> tuple[float, float]:
        """Return by how much a damped step is longer than the radius, and the derivative."""
        damped = self.curvature + damping
        length = float(np.linalg.norm(self.slope / damped))
        return length - radius, float(-(self.slope**2 / damped**3).sum() / length)


def _symmetric_part(moment: Array) -> Array:
    orders = list(permutations(range(moment.ndim)))
    return np.asarray(sum(moment.transpose(order) for order in orders) / len(orders))


def _with_itself_first(near: Labels, points: Labels) -> Labels:
    """Return triples of a point and its two nearest neighbors; ties may come in any order."""
    others = near != points[:, None]
    others[others.all(axis=1), 2] = False  # many equal points: not among its own nearest
    return np.column_stack([points, near[others].reshape(-1, 2)])
