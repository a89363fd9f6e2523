"""HOC: the noise matrix from labels of nearest neighbors, without a posterior model."""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations

import numpy as np
from scipy.optimize import least_squares, linear_sum_assignment
from scipy.special import softmax
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from ncbench import NoiseMatrix, NoisySample
from ncbench.errors import NcbenchError, require
from ncbench.noise_estimation import repair_estimate
from ncbench.types import Array, Labels


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
    n = len(moments[0])
    tuples = [combinations_with_replacement(range(n), order) for order in (1, 2, 3)]
    blocks = [_Block(np.array(list(t)), n) for t in tuples]
    target = np.concatenate([block.pick(c) for block, c in zip(blocks, moments, strict=True)])
    start = np.append((5 * np.eye(n) - 1).ravel(), np.zeros(n))
    pull = np.sqrt(prior) * np.eye(len(start))

    def residuals(theta: Array) -> Array:
        T, p = _unpack(theta, n)
        fit = np.concatenate([block.value(T, p) for block in blocks]) - target
        return np.concatenate([fit, pull @ (theta - start)])

    def jacobian(theta: Array) -> Array:
        T, p = _unpack(theta, n)
        return np.vstack([*(block.jacobian(T, p) for block in blocks), pull])

    tolerances = {"xtol": 1e-12, "ftol": 1e-14, "gtol": 1e-14}
    try:
        result = least_squares(residuals, start, jacobian, max_nfev=100, **tolerances)
    except np.linalg.LinAlgError as error:  # seen with 26 classes
        raise NcbenchError(
            f"t_estimator=hoc: the moments of {n} classes could not be fitted ({error}); use "
            "another estimator, or fewer classes"
        ) from error
    T, _ = _unpack(result.x, n)
    _, order = linear_sum_assignment(T, maximize=True)
    return T[:, order]


class _Block:
    """Label frequencies of one order, each multiset of labels once."""

    def __init__(self, index: Labels, n: int) -> None:
        self.index = index
        self.n = n
        # A symmetric array holds each multiset of labels once per distinct order.
        orders = [len(set(permutations(labels))) for labels in index.tolist()]
        self.weight = np.sqrt(orders)

    def pick(self, moment: Array) -> Array:
        # The model is symmetric, so only the symmetric part of the moment matters.
        orders = list(permutations(range(moment.ndim)))
        symmetric = np.mean([moment.transpose(order) for order in orders], axis=0)
        return np.asarray(self.weight * symmetric[tuple(self.index.T)])

    def value(self, T: Array, p: Array) -> Array:
        return np.asarray(self.weight * (T[self.index].prod(axis=1) @ p))

    def jacobian(self, T: Array, p: Array) -> Array:
        """Return the derivatives in (U, v), computed from those in (T, p)."""
        rows, order = self.index.shape
        factors = T[self.index]
        dp = factors.prod(axis=1)
        dT = np.zeros((rows, self.n, self.n))
        for k in range(order):
            others = np.delete(factors, k, axis=1).prod(axis=1)
            dT[np.arange(rows), self.index[:, k]] += others * p
        # Softmax: dU = T * (dT - colsum(T * dT)), dv likewise.
        dU = T * (dT - (T * dT).sum(axis=1, keepdims=True))
        dv = p * (dp - (dp @ p)[:, None])
        return np.asarray(self.weight[:, None] * np.hstack([dU.reshape(rows, -1), dv]))


def _unpack(theta: Array, n: int) -> tuple[Array, Array]:
    return softmax(theta[: n * n].reshape(n, n), axis=0), softmax(theta[n * n :])


def _with_itself_first(near: Labels, points: Labels) -> Labels:
    """Return triples of a point and its two nearest neighbors; ties may come in any order."""
    others = near != points[:, None]
    others[others.all(axis=1), 2] = False  # many equal points: not among its own nearest
    return np.column_stack([points, near[others].reshape(-1, 2)])
