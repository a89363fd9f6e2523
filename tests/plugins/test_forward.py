"""The linear model of clean probabilities fitted through T, and the choice among CPE learners."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from linear_problem import T, sample
from sklearn.linear_model import LogisticRegression

from ncbench.core.noise_matrix import NoiseMatrix
from ncbench.errors import NcbenchError
from ncbench.learning.class_probabilities import fit_posterior
from ncbench.plugin import get_registry
from ncbench.run.cache import SharedCPE
from ncbench_plugins.algorithms.selection import NoiseCorrectedSelection
from ncbench_plugins.cpe.forward_models import ForwardLogistic, anchored, forward, power_forward
from ncbench_plugins.cpe.logistic_regression import logistic


def test_told_t_it_learns_what_a_linear_model_of_noisy_odds_cannot() -> None:
    for name in ("forward", "anchored"):
        X, eta, y = sample()
        learner = get_registry().build("cpe", name, random_state=0).fit(X, y, noise_matrix=T)
        plain = np.abs(logistic().fit(X, y).predict_proba(X) - eta).mean()
        assert 1.5 * np.abs(learner.predict_proba(X) - eta).mean() < plain


def test_without_t_it_is_logistic_regression() -> None:
    X, _, y = sample(400)
    names = np.array(["ant", "bee", "cat"])[y]
    model = ForwardLogistic(random_state=0).fit(X, names)
    C = 1 / (model.penalty_ * len(y))
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = LogisticRegression(C=C, tol=1e-10, max_iter=1000).fit(scaled, names)
    np.testing.assert_allclose(
        model.predict_proba(X), expected.predict_proba(scaled), atol=1e-4, rtol=0
    )
    assert set(model.predict(X)) <= {"ant", "bee", "cat"}


def test_a_class_that_the_noisy_labels_lack_still_has_a_column() -> None:
    X, _, y = sample(300)
    y = np.where(y == 2, 0, y)
    for learner in (forward(random_state=0), power_forward(random_state=0), anchored()):
        probabilities = learner.fit(X, y, noise_matrix=T).predict_proba(X)
        assert probabilities.shape == (300, 3)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_shared_work_knows_the_noise_matrix(tmp_path: Path) -> None:
    X, _, y = sample(300)
    shared = SharedCPE(forward(random_state=0), "forward", str(tmp_path))
    for noise in (T, NoiseMatrix.identity(3)):
        expected = forward(random_state=0).fit(X, y, noise_matrix=noise).predict_proba(X)
        for _ in range(2):  # computed, then found
            found = fit_posterior(shared, X, y, 3, "none", 0, noise)
            np.testing.assert_array_equal(found.posterior, expected)
    assert len(list(tmp_path.glob("*.npy"))) == 2
    other = shared.alike(logistic(), "logistic").fit(X, y, noise_matrix=T)  # takes no T
    np.testing.assert_array_equal(other.predict_proba(X), logistic().fit(X, y).predict_proba(X))


@pytest.mark.slow(reason="fits every candidate in folds")
def test_selection_takes_the_learner_that_fits_and_nothing_else() -> None:
    X, _, y = sample()
    candidates = ["logistic", "forward"]
    selected = NoiseCorrectedSelection(
        "h_mean", candidates=candidates, random_state=0, max_iter=50, search_iter=50
    )
    selected.fit(X, y, noise_matrix=T)
    assert selected.diagnostics_["cpe"] == "forward"
    assert list(selected.diagnostics_["validated"]) == candidates
    alone = get_registry().target("algo", "ncfw")(
        "h_mean", cpe=forward(random_state=0), sample_split="none", random_state=0
    )
    alone.set_params(max_iter=50).fit(X, y, noise_matrix=T)
    np.testing.assert_array_equal(selected.predict_proba(X), alone.predict_proba(X))


def test_selection_needs_candidates_and_folds() -> None:
    X, _, y = sample(60)
    bad = {"folds=1": {"folds": 1}, "candidates=": {"candidates": []}}
    for message, parameters in {**bad, "logistics": {"candidates": ["logistics"]}}.items():
        with pytest.raises(NcbenchError, match=message):
            NoiseCorrectedSelection(**parameters).fit(X, y, noise_matrix=T)
