"""The minimax classifier against what can be computed in other ways."""

import numpy as np
import pytest
from ncbench import NcbenchError, NoiseMatrix
from scipy.optimize import linprog
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

from ncbench_minimax.algorithm import Minimax, NoiseCorrectedMinimax


class Table(ClassifierMixin, BaseEstimator):
    """Knows the posterior: row i of the table belongs to x = i."""

    def __init__(self, table=None):
        self.table = table

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return self.table[X[:, 0].astype(int)]


def recalls(distribution, y):
    return np.array([distribution[y == k, k].mean() for k in range(distribution.shape[1])])


def test_it_reaches_the_optimum_of_the_linear_program():
    rng = np.random.default_rng(0)
    points, n, copies = 12, 3, 20
    # Each point has 20 examples, whose labels are as frequent as its posterior says, exactly.
    counts = rng.multinomial(copies, [0.6, 0.3, 0.1], size=points)
    y = np.concatenate([np.repeat(np.arange(n), row) for row in counts])
    X = np.repeat(np.arange(points), copies)[:, None].astype(float)
    # Variables: h[x, k], then the worst error. min e, 1 - sum_x P(x | i) h[x, i] <= e.
    given_class = counts / counts.sum(axis=0)
    worst = np.zeros((n, points * n + 1))
    for i in range(n):
        worst[i, i : points * n : n] = -given_class[:, i]
        worst[i, -1] = -1
    rows = np.kron(np.eye(points), np.ones(n))
    program = linprog(
        np.append(np.zeros(points * n), 1.0),
        A_ub=worst,
        b_ub=-np.ones(n),
        A_eq=np.hstack([rows, np.zeros((points, 1))]),
        b_eq=np.ones(points),
        bounds=(0, 1),
    )
    rounds = 4000
    fitted = Minimax(cpe=Table(counts / copies), max_iter=rounds).fit(X, y)
    reached = 1 - recalls(fitted.predict_proba(X), y).min()
    assert program.fun - 1e-9 <= reached <= program.fun + np.sqrt(np.log(n) / (2 * rounds))
    assert fitted.diagnostics_["objective"] == pytest.approx(reached)
    assert reached - program.fun <= fitted.diagnostics_["gap"] + 1e-9


@pytest.mark.parametrize("sigma", [0.0, 0.3])
def test_two_normal_classes_are_parted_half_way_whatever_their_priors(sigma):
    rng = np.random.default_rng(0)
    y = (rng.random(40_000) < 0.1).astype(int)
    X = rng.normal(loc=2.0 * y)[:, None]
    T = NoiseMatrix([[1 - sigma, sigma], [sigma, 1 - sigma]])
    noisy = T.draw_labels(y, rng)
    eta = np.column_stack([0.9 * norm.pdf(X[:, 0]), 0.1 * norm.pdf(X[:, 0], loc=2.0)])
    eta /= eta.sum(axis=1, keepdims=True)
    index = np.arange(len(y))[:, None].astype(float)
    cpe = Table(T.corrupt_posterior(eta))
    fitted = NoiseCorrectedMinimax(cpe=cpe).fit(index, noisy, noise_matrix=T)
    # Thresholds at the midpoint 1: both recalls are Phi(1).
    assert recalls(fitted.predict_proba(index), y) == pytest.approx([norm.cdf(1)] * 2, abs=0.02)


def test_no_rounds_are_refused():
    with pytest.raises(NcbenchError, match="max_iter=0"):
        Minimax(cpe=GaussianNB(), max_iter=0).fit([[0.0], [1.0]], [0, 1])
