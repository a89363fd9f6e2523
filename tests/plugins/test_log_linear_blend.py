"""The blend of different learners."""

import numpy as np

from ncbench import NoiseMatrix, load
from ncbench.learning import fit_posterior


def ring(m: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points in a square, and whether they are in a circle: no linear rule finds it."""
    X = np.random.default_rng(seed).uniform(-1, 1, (m, 2))
    return X, (np.hypot(*X.T) < 0.7).astype(np.int64)


T = NoiseMatrix([[0.9, 0.25], [0.1, 0.75]])


def test_finds_what_a_linear_model_cannot():
    X, truth = ring(300, 0)
    y = T.draw_labels(truth, np.random.default_rng(1))
    new, right = ring(1000, 2)
    errors = {}
    for name in ("blend", "anchored"):
        learner = load("cpe", name)(random_state=0).fit(X, y, noise_matrix=T)
        clean = T.correct_posterior(learner.predict_proba(new))
        errors[name] = (clean.argmax(axis=1) != right).mean()
    assert errors["blend"] < 0.15 < 0.3 < errors["anchored"]


def test_a_rule_is_optimized_on_held_out_probabilities():
    X, truth = ring(200, 0)
    y = T.draw_labels(truth, np.random.default_rng(1))
    learner = load("cpe", "blend")(random_state=0)
    found = fit_posterior(learner, X, y, 2, "none", 0, T)
    np.testing.assert_array_equal(found.posterior, found.cpe.held_out_posterior())
    seen = found.cpe.predict_proba(X)[np.arange(200), y]
    assert found.posterior[np.arange(200), y].mean() < seen.mean() - 0.01
    assert (T.correct_posterior(found.posterior) > 0).all()


def test_a_class_without_labels_has_a_place():
    X, y = ring(120, 0)
    T = NoiseMatrix([[0.9, 0.0, 0.3], [0.1, 1.0, 0.3], [0.0, 0.0, 0.4]])
    learner = load("cpe", "blend")(random_state=0).fit(X, y, noise_matrix=T)
    noisy = learner.predict_proba(X)
    assert noisy.shape == (120, 3)
    np.testing.assert_allclose(noisy.sum(axis=1), 1)


def test_leaves_out_some_of_many_examples(monkeypatch):
    monkeypatch.setattr("ncbench.learning.stack._HELD_OUT", 100)
    X, y = ring(200, 0)
    found = fit_posterior(load("cpe", "blend")(random_state=0), X, y, 2, "none", 0)
    assert found.posterior.shape == (100, 2)
    assert len(found.y) == 100
