"""Frank-Wolfe: the recorded path, stopping early, and small mixtures."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from ncbench import NoiseMatrix
from ncbench.core.argmin import Mixture, argmin_labels
from ncbench.errors import NcbenchError, already_said
from ncbench_plugins.algorithms import frank_wolfe
from ncbench_plugins.algorithms.frank_wolfe import (
    NoiseCorrectedFrankWolfe,
    Trace,
    model_gap,
    weights,
)
from ncbench_plugins.measures.recall_means import HMean, QMean

T = NoiseMatrix([[0.8, 0.1, 0.2], [0.1, 0.7, 0.1], [0.1, 0.2, 0.7]])


class GivenPosterior:
    """A CPE learner that knows the posterior: it is in the features."""

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        return X

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}


def problem(m: int = 4000) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    clean = rng.dirichlet([2.0, 0.6, 0.3], m)
    y = (rng.random((m, 1)) > clean.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    return T.corrupt_posterior(clean), T.draw_labels(y, rng)


def fit(**options: Any) -> NoiseCorrectedFrankWolfe:
    X, y = problem()
    return NoiseCorrectedFrankWolfe(cpe=GivenPosterior(), **options).fit(X, y, noise_matrix=T)


def test_weights_are_those_of_the_recursion() -> None:
    recursion = np.zeros(7)
    for t in range(1, 8):
        recursion *= 1 - 2 / (t + 1)
        recursion[t - 1] += 2 / (t + 1)
    np.testing.assert_allclose(weights(7), recursion)


def test_the_path_of_objective_and_gap_is_recorded() -> None:
    path = fit(max_iter=500).diagnostics_["path"]
    assert path["step"][0] == 1
    assert path["step"][-1] == 500
    assert path["objective"][-1] < path["objective"][0]
    assert abs(path["gap"][-1]) < 0.05 * abs(path["gap"][0])


def test_checkpoints_are_sixty_steps_at_equal_ratios() -> None:
    assert Trace(5000).checkpoints == {int(5000 ** (k / 59)) for k in range(59)} | {5000}


def test_tol_stops_where_the_gap_is_at_most_tol() -> None:
    full = fit(max_iter=200)
    gaps = np.abs(full.diagnostics_["path"]["gap"])
    smallest = int(gaps.argmin())
    stopped = fit(max_iter=200, tol=float(gaps[smallest]))
    assert stopped.n_iter_ == full.diagnostics_["path"]["step"][smallest]
    assert "model_gap" in stopped.diagnostics_
    assert "model_gap" not in full.diagnostics_


def test_a_tol_below_0_is_refused() -> None:
    for tol in (-0.5, float("nan")):
        with pytest.raises(NcbenchError, match=f"tol={tol}; expected at least 0"):
            fit(max_iter=10, tol=tol)


@pytest.mark.parametrize("psi", [HMean(), QMean()])
def test_the_model_gap_bounds_what_is_left_to_gain_under_the_model(psi: Any) -> None:
    posterior = T.correct_posterior(problem()[0])

    def model_confusion(mixture: Mixture) -> Any:
        return posterior.T @ mixture.distribution(posterior) / len(posterior)

    # Frank-Wolfe on the model's own confusion matrix: its linear steps are exact.
    S = np.outer(posterior.mean(axis=0), np.full(3, 1 / 3))
    losses = []
    for t in range(1, 2001):
        losses.append(psi.gradient(S))
        chosen = np.eye(3)[argmin_labels(posterior, losses[-1])]
        S = S + 2 / (t + 1) * (posterior.T @ chosen / len(posterior) - S)
    optimum = psi(S)
    rough = Mixture(np.array(losses[:3]), weights(3))
    fine = Mixture(np.array(losses), weights(2000))
    for mixture in (rough, fine):
        gap = model_gap(psi, posterior, mixture)
        assert gap is not None
        assert gap >= psi(model_confusion(mixture)) - optimum - 1e-9
        assert gap >= 0
    assert model_gap(psi, posterior, fine) < 0.01


def test_the_model_gap_says_nothing_about_impossible_recalls() -> None:
    for posterior in (
        [[1.2, -0.2], [1.1, -0.1]],
        [[0.75, 0.25], [0.75, 0.25]],  # class 1 has recall 0
        [[1.75, -0.75], [0.25, 0.75]],  # class 1 is found, but its mass is 0
        [[1.8, -0.8], [0.4, 0.6]],  # or negative
    ):
        assert model_gap(HMean(), np.array(posterior), Mixture.single(1 - np.eye(2))) is None


def test_a_compressed_mixture_has_few_components_and_the_same_training_confusion() -> None:
    X, y = problem()
    full, small = fit(max_iter=1000), fit(max_iter=1000, compress=True)
    assert len(full.mixture_.weights) > 9
    assert len(small.mixture_.weights) <= 9
    assert small.diagnostics_["components"] == len(small.mixture_.weights)

    def training_confusion(classifier: Any) -> Any:
        return np.eye(3)[y].T @ classifier.predict_proba(X) / len(y)

    np.testing.assert_allclose(training_confusion(small), training_confusion(full), atol=1e-9)


def test_many_classes_take_bounded_memory_and_fewer_steps_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    n, rng = 40, np.random.default_rng(0)
    posterior = rng.dirichlet(np.ones(n), size=200)
    y = np.arange(200) % n
    limit = 150 * n * n
    monkeypatch.setattr(frank_wolfe, "_NUMBERS", limit)
    already_said.clear()
    algorithm = frank_wolfe.FrankWolfe("q_mean", max_iter=3000)
    tracemalloc.start()
    try:
        algorithm.fit_mixture(posterior, y, NoiseMatrix.identity(n))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert algorithm.n_iter_ == 150
    assert "takes 150 of 3000 steps: with 40 classes" in capsys.readouterr().err
    # The losses, a copy of those that are kept, and little else. All steps would take 20 times it.
    assert peak < 2.5 * limit * 8
