"""Algorithms: the paper's pseudocode written down again, and optima.

What every algorithm promises is in ``test_contract.py``. NCLR's own tests are in ``test_nclr.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from counting import confusion_matrix
from scipy.optimize import LinearConstraint, minimize
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

from ncbench.core.confusion import expected_confusion, project_to_joint
from ncbench.core.measure import Measure
from ncbench.core.noise_matrix import NoiseMatrix
from ncbench.errors import NcbenchError, NotApplicable
from ncbench.plugin import get_registry
from ncbench.types import Array
from ncbench_plugins.algorithms.bisection import Bisection, NoiseCorrectedBisection
from ncbench_plugins.algorithms.frank_wolfe import FrankWolfe, NoiseCorrectedFrankWolfe
from ncbench_plugins.algorithms.nclr import CPEArgmax, NCLRPlugIn
from ncbench_plugins.measures.f1 import MacroF1, MicroF1
from ncbench_plugins.measures.linear import Cost, ZeroOne
from ncbench_plugins.measures.recall_means import BalancedError, GMean, HMean, QMean

REGISTRY = get_registry()
CONVEX = [HMean(), QMean(), GMean()]


def by_class(value: object) -> str | None:
    return type(value).__name__ if isinstance(value, Measure) else None


# Problems


class Table(ClassifierMixin, BaseEstimator):
    """A CPE learner that knows the noisy posterior: row ``X[:, 0]`` of a table."""

    def __init__(self, table: np.ndarray) -> None:
        self.table = table

    def fit(self, X: np.ndarray, y: np.ndarray) -> Table:
        self.classes_ = np.arange(self.table.shape[1])
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.table[X[:, 0].astype(int)]


@dataclass
class Problem:
    """A finite X whose distribution is known, and a sample in exact proportion to it."""

    eta: np.ndarray  # clean posterior of each x
    weight: np.ndarray  # P(X = x)
    T: np.ndarray
    X: np.ndarray  # the sample: each x many times over
    y: np.ndarray  # its noisy labels

    @property
    def points(self) -> np.ndarray:
        return np.arange(len(self.eta), dtype=float)[:, None]

    @property
    def cpe(self) -> Table:
        return Table(self.eta @ self.T.T)

    def confusion(self, h: np.ndarray) -> np.ndarray:
        """Clean confusion matrix of the classifier with rows ``h[x]``."""
        return np.einsum("x,xy,xk->yk", self.weight, self.eta, h)

    def fit(self, algorithm: BaseEstimator) -> BaseEstimator:
        return algorithm.fit(self.X, self.y, noise_matrix=self.T)

    def loss(self, psi: Measure, algorithm: BaseEstimator) -> float:
        return psi(self.confusion(algorithm.predict_proba(self.points)))


def exact_problem(points: int, seed: int) -> Problem:
    """Posteriors in tenths, T in tenths: noisy posteriors in hundredths, so that 100 w_x copies
    of x carry every noisy label exactly as often as its probability says."""
    rng = np.random.default_rng(seed)
    T = np.array([[8, 1, 3], [1, 7, 1], [1, 2, 6]])
    eta = rng.multinomial(10, [0.6, 0.25, 0.15], size=points)
    noisy = eta @ T.T
    copies = rng.integers(1, 4, size=points)
    X = np.repeat(np.arange(points, dtype=float), 100 * copies)[:, None]
    y = np.concatenate(
        [np.repeat(np.tile([0, 1, 2], c), np.tile(noisy[x], c)) for x, c in enumerate(copies)]
    )
    assert len(X) == len(y)
    return Problem(eta / 10, copies / copies.sum(), T / 10, X, y)


def drawn_problem(m: int = 400, seed: int = 0) -> Problem:
    """Every example is an x of its own, its noisy label drawn: estimates are off, as in life."""
    rng = np.random.default_rng(seed)
    T = np.array([[0.75, 0.1, 0.2], [0.15, 0.8, 0.1], [0.1, 0.1, 0.7]])
    eta = rng.dirichlet([2.0, 1.0, 0.7], size=m)
    clean = np.array([rng.choice(3, p=row) for row in eta])
    y = np.array([rng.choice(3, p=T[:, label]) for label in clean])
    return Problem(eta, np.full(m, 1 / m), T, np.arange(m, dtype=float)[:, None], y)


def gaussian_sample(n: int = 3, m: int = 240, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    clean = rng.integers(n, size=m)
    X = rng.normal(size=(m, 2))
    X[:, 0] += 1.5 * clean
    y = np.where(rng.random(m) < 0.8, clean, rng.integers(n, size=m))
    return X, y


# T = I: one implementation each


def test_without_noise_the_corrected_algorithm_is_the_plain_one() -> None:
    for corrected, plain in (
        (NoiseCorrectedFrankWolfe, FrankWolfe),
        (NoiseCorrectedBisection, Bisection),
    ):
        X, y = gaussian_sample()
        first = corrected(cpe=GaussianNB(), max_iter=200, random_state=0).fit(X, y)
        second = plain(cpe=GaussianNB(), max_iter=200, random_state=0)
        second.fit(X, y, noise_matrix=T3)  # which it ignores
        assert first.predict_proba(X).tobytes() == second.predict_proba(X).tobytes()
        assert first.mixture_.losses.tobytes() == second.mixture_.losses.tobytes()
        assert first.mixture_.weights.tobytes() == second.mixture_.weights.tobytes()
        assert first.diagnostics_ == second.diagnostics_


# Algorithm 1


def algorithm_1(psi: Measure, problem: Problem, T_steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Algorithm 1 line by line, with T^-T on the loss: returns h^T on the sample, and C^T."""
    T_inverse = np.linalg.inv(problem.T)
    eta_noisy = problem.cpe.predict_proba(problem.X)
    m, n = eta_noisy.shape
    h = np.full((m, n), 1 / n)
    C = np.array([[h[problem.y == i, j].sum() / m for j in range(n)] for i in range(n)])
    for t in range(1, T_steps + 1):
        clean = project_to_joint(T_inverse @ C).confusion
        L = T_inverse.T @ psi.gradient(clean)  # line 7
        g = (eta_noisy @ L).argmin(axis=1)  # line 8
        h = (1 - 2 / (t + 1)) * h + 2 / (t + 1) * np.eye(n)[g]
        Gamma = np.zeros((n, n))  # line 9
        np.add.at(Gamma, (problem.y, g), 1 / m)
        C = (1 - 2 / (t + 1)) * C + 2 / (t + 1) * Gamma
    return h, C


@pytest.mark.parametrize("psi", CONVEX, ids=by_class)
@pytest.mark.parametrize("problem", ["exact", "drawn"])
def test_ncfw_is_algorithm_1_as_printed(psi: Measure, problem: str) -> None:
    data = exact_problem(20, seed=1) if problem == "exact" else drawn_problem()
    steps = 150
    h, C = algorithm_1(psi, data, steps)
    ncfw = data.fit(NoiseCorrectedFrankWolfe(psi, cpe=data.cpe, max_iter=steps))
    distribution = ncfw.predict_proba(data.X)
    np.testing.assert_allclose(distribution, h, rtol=0, atol=1e-9)
    np.testing.assert_allclose(expected_confusion(data.y, distribution), C, rtol=0, atol=1e-9)
    clean = project_to_joint(np.linalg.inv(data.T) @ C).confusion
    assert ncfw.diagnostics_["objective"] == pytest.approx(psi(clean), abs=1e-9)
    assert ncfw.diagnostics_["iterations"] == steps
    if problem == "exact":  # nothing was projected: the pseudocode has no such line
        assert ncfw.diagnostics_["projected_mass"] < 1e-14


def test_ncfw_asks_the_measure_only_about_joint_distributions() -> None:
    """T^-1 C~ of a small sample has negative entries; where psi is linearized it has none."""
    asked = []

    class Spy(HMean):
        def gradient(self, C: Array) -> Array:
            asked.append(C.copy())
            return super().gradient(C)

        def __call__(self, C: Array) -> float:
            asked.append(C.copy())
            return super().__call__(C)

    problem = drawn_problem(m=40, seed=3)
    ncfw = problem.fit(NoiseCorrectedFrankWolfe(measure=Spy(), cpe=problem.cpe, max_iter=20))
    assert ncfw.diagnostics_["projected_mass"] > 0
    assert len(asked) > 20
    for C in asked:
        assert C.min() >= 0
        assert C.sum() == pytest.approx(1)


def convex_optimum(psi: Measure, problem: Problem) -> tuple[float, float]:
    """Lower and upper bound of the optimum over randomized classifiers on the clean distribution.

    A general solver gives the upper bound; convexity a certificate for it, which needs no trust
    in the solver: ``psi(C') >= psi(C) + <grad, C' - C>``, whose minimum over classifiers is
    attained point by point.
    """
    k, n = problem.eta.shape
    joint = problem.weight[:, None] * problem.eta

    def value(flat: np.ndarray) -> float:
        return psi(problem.confusion(flat.reshape(k, n)))

    def slope(flat: np.ndarray) -> np.ndarray:
        return (joint @ psi.gradient(problem.confusion(flat.reshape(k, n)))).ravel()

    rows = LinearConstraint(np.kron(np.eye(k), np.ones(n)), 1, 1)
    start = np.full(k * n, 1 / n)
    found = minimize(
        value,
        start,
        jac=slope,
        bounds=[(0, 1)] * (k * n),
        constraints=rows,
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    ).x.reshape(k, n)
    h = np.clip(found, 0, None)
    h /= h.sum(axis=1, keepdims=True)
    C = problem.confusion(h)
    scores = joint @ psi.gradient(C)
    return psi(C) + np.sum(scores.min(axis=1)) - np.sum(scores * h), psi(C)


@pytest.mark.parametrize("psi", [*CONVEX, BalancedError()], ids=by_class)
def test_ncfw_reaches_the_optimum_where_nothing_is_estimated(psi: Measure) -> None:
    problem = exact_problem(6, seed=2)
    lower, upper = convex_optimum(psi, problem)
    assert upper - lower < 1e-5
    ncfw = problem.fit(NoiseCorrectedFrankWolfe(psi, cpe=problem.cpe, max_iter=2000))
    loss = problem.loss(psi, ncfw)
    assert lower - 1e-9 <= loss <= upper + 1e-3
    assert ncfw.diagnostics_["objective"] == pytest.approx(loss, abs=1e-9)
    uncorrected = problem.fit(FrankWolfe(psi, cpe=problem.cpe, max_iter=1000))
    assert problem.loss(psi, uncorrected) > upper + 2e-3


@pytest.mark.parametrize(
    "psi", [ZeroOne(), Cost(matrix=[[0, 1, 2], [5, 0, 1], [9, 4, 0]])], ids=by_class
)
def test_ncfw_of_a_linear_measure_is_bayes_optimal_in_one_step(psi: Measure) -> None:
    problem = exact_problem(6, seed=0)
    ncfw = problem.fit(NoiseCorrectedFrankWolfe(psi, cpe=problem.cpe))
    best = min(psi(problem.confusion(np.eye(3)[list(h)])) for h in product(range(3), repeat=6))
    assert problem.loss(psi, ncfw) == pytest.approx(best, abs=1e-12)
    assert ncfw.diagnostics_["iterations"] == 1


# Algorithm 2


def bisect_corrected_psi(
    A: np.ndarray, B: np.ndarray, problem: Problem, steps: int
) -> tuple[np.ndarray, float]:
    """Bisect psi~ = psi o T^-1 on noisy confusion matrices; return predictions and the bound."""
    T_inverse = np.linalg.inv(problem.T)
    A, B = T_inverse.T @ A, T_inverse.T @ B
    eta_noisy = problem.cpe.predict_proba(problem.X)
    low, high = 0.0, 1.0
    best = (eta_noisy @ T_inverse.T).argmax(axis=1)  # h^0
    for _ in range(steps):
        gamma = (low + high) / 2
        g = (eta_noisy @ (A - gamma * B)).argmin(axis=1)
        C = confusion_matrix(problem.y, g, len(A))
        numerator, denominator = np.sum(A * C), np.sum(B * C)
        if denominator > 0 and numerator / denominator <= gamma:
            high, best = gamma, g
        else:
            low = gamma
    return best, high


def test_ncbs_bisects_the_corrected_psi_on_noisy_confusion_matrices() -> None:
    for background, seed in ((0, 0), (1, 1)):
        # 20 steps: later ones are about ties that rounding decides.
        problem = drawn_problem(seed=seed)
        psi = MicroF1(background=background)
        expected, bound = bisect_corrected_psi(*psi.ratio(3), problem, steps=20)
        ncbs = problem.fit(NoiseCorrectedBisection(psi, cpe=problem.cpe, max_iter=20))
        np.testing.assert_array_equal(ncbs.predict(problem.X), expected)
        assert ncbs.diagnostics_["objective"] == bound


def test_ncbs_reaches_the_optimum_where_nothing_is_estimated() -> None:
    for background, seed in ((0, 0), (1, 1)):
        # A ratio of linear functions has its minimum over a polytope at a vertex: deterministic.
        problem = exact_problem(6, seed)
        psi = MicroF1(background=background)
        best = min(psi(problem.confusion(np.eye(3)[list(h)])) for h in product(range(3), repeat=6))
        ncbs = problem.fit(NoiseCorrectedBisection(psi, cpe=problem.cpe))
        assert problem.loss(psi, ncbs) == pytest.approx(best, abs=1e-9)
        assert ncbs.diagnostics_["objective"] == pytest.approx(best, abs=1e-9)


def test_ncbs_is_deterministic_in_its_predictions() -> None:
    problem = drawn_problem()
    ncbs = problem.fit(NoiseCorrectedBisection(cpe=problem.cpe))
    assert set(np.unique(ncbs.predict_proba(problem.X))) == {0.0, 1.0}
    assert ncbs.diagnostics_["components"] == 1
    assert ncbs.diagnostics_["iterations"] == ncbs.n_iter_ == 200


@pytest.mark.parametrize("label", [1, 0], ids=["all wrong", "all background"])
def test_ncbs_without_evidence_predicts_the_most_probable_class(label: int) -> None:
    """If no step has psi <= gamma, or <B, C> is 0: a ratio 0 / 0 is no evidence."""
    posterior = np.array([[0.9, 0.03, 0.07], [0.8, 0.05, 0.15]])
    ncbs = NoiseCorrectedBisection(max_iter=9)
    mixture = ncbs.fit_mixture(posterior, np.full(2, label), NoiseMatrix.identity(3))
    most_probable = mixture.distribution(np.array([[0.2, 0.3, 0.5], [0.3, 0.4, 0.3]]))
    np.testing.assert_array_equal(most_probable, [[0, 0, 1], [0, 1, 0]])
    assert ncbs.diagnostics_["objective"] == 1.0


def test_ncbs_accepts_a_loss_of_exactly_gamma() -> None:
    # One of two labels that are not background is found, and one of two predictions is right.
    ncbs = NoiseCorrectedBisection(max_iter=1)
    ncbs.fit_mixture(np.eye(2)[[0, 1, 0, 1]], np.array([0, 0, 1, 1]), NoiseMatrix.identity(2))
    assert ncbs.diagnostics_["objective"] == 0.5


# Plug-in rules


def test_plug_in_rules_predict_the_largest_probability_corrected_or_not() -> None:
    problem = drawn_problem()
    noisy = problem.cpe.predict_proba(problem.X)
    clean = np.linalg.solve(problem.T, noisy.T).T
    for algorithm, P in ((CPEArgmax, noisy), (NCLRPlugIn, clean)):
        predicted = problem.fit(algorithm(cpe=problem.cpe)).predict(problem.X)
        np.testing.assert_array_equal(predicted, P.argmax(axis=1))
    assert (noisy.argmax(axis=1) != clean.argmax(axis=1)).any()  # the problem tells them apart


# Parameters


def test_from_one_step_to_ten_million() -> None:
    for algorithm in (NoiseCorrectedFrankWolfe, NoiseCorrectedBisection):
        for steps in (1, 10**7):
            algorithm(max_iter=steps).check_parameters()
        for steps in (-1, 0, 10**7 + 1):
            with pytest.raises(
                NcbenchError, match=f"max_iter={steps}; expected 1 to 10000000 steps"
            ):
                algorithm(max_iter=steps).check_parameters()
        with pytest.raises(NcbenchError, match="max_iter=0"):
            algorithm(max_iter=0).fit(np.zeros((4, 1)), [0, 1, 0, 1])


def test_the_default_numbers_of_steps() -> None:
    """They are part of what a cell of the published tables stands for."""
    assert (FrankWolfe().max_iter, FrankWolfe().tol, FrankWolfe().compress) == (5000, 0, False)
    assert Bisection().max_iter == 200


# Measures


def test_measure_by_name_or_as_an_object_is_the_same() -> None:
    problem = drawn_problem()
    for cls, name, psi in (
        (NoiseCorrectedFrankWolfe, "q_mean", QMean()),
        (NoiseCorrectedBisection, "micro_f1", MicroF1()),
    ):
        by_name, by_object = (
            problem.fit(cls(measure, cpe=problem.cpe, max_iter=50)) for measure in (name, psi)
        )
        np.testing.assert_array_equal(
            by_name.predict_proba(problem.X), by_object.predict_proba(problem.X)
        )


def test_measure_of_another_family_is_refused_by_both_names() -> None:
    for algorithm, measure, message in (
        (
            NoiseCorrectedFrankWolfe,
            "micro_f1",
            "NoiseCorrectedFrankWolfe optimizes linear and monotonic_convex measures; "
            "MicroF1 is ratio_of_linear",
        ),
        (FrankWolfe, MicroF1(), "FrankWolfe optimizes .*; MicroF1 is ratio_of_linear"),
        (FrankWolfe, MacroF1(), "FrankWolfe optimizes .*; MacroF1 is reported only"),
        (
            NoiseCorrectedBisection,
            "h_mean",
            "NoiseCorrectedBisection optimizes ratio_of_linear measures; HMean is monotonic_convex",
        ),
        (Bisection, ZeroOne(), "Bisection optimizes .*; ZeroOne is linear"),
    ):
        X, y = gaussian_sample(m=60)
        with pytest.raises(NotApplicable, match=message):
            algorithm(measure, cpe=GaussianNB()).fit(X, y)


# Sample splits

T3 = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])


def test_sample_splits() -> None:
    for split in ("none", "half", "crossfit"):
        X, y = gaussian_sample(m=150)
        for name in ("fw", "ncfw", "bs", "ncbs", "soft_fw"):
            algorithm = REGISTRY.target("algo", name)(
                cpe=GaussianNB(), max_iter=100, random_state=0
            )
            fitted = algorithm.set_params(sample_split=split).fit(X, y, noise_matrix=T3)
            seen = fitted.cpe_.class_count_.sum()
            assert seen == (
                75 if split == "half" else 150
            )  # what the learner that is kept was fitted to


# The learner


def test_the_default_cpe_learner_is_the_registered_logistic() -> None:
    X, y = gaussian_sample(m=60)
    logistic = REGISTRY.build("cpe", "logistic")
    by_default, explicit = CPEArgmax().fit(X, y), CPEArgmax(cpe=logistic).fit(X, y)
    np.testing.assert_array_equal(by_default.cpe_.predict_proba(X), explicit.cpe_.predict_proba(X))
