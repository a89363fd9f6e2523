"""Whether the features predict the labels at all."""

import numpy as np

from ncbench import estimate_noise, find_label_issues
from ncbench.learning import held_out
from ncbench.noise_estimation.posterior import prediction
from ncbench.own_labels.text import issues_text
from ncbench.own_labels.verdict import Findings


def test_useless_features_predict_nothing() -> None:
    promised, m = 0, 40
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(m, 4)), rng.choice(3, m, p=[0.5, 0.3, 0.2])
        noisy = [held_out(name, X, y, 3, seed).probabilities for name in ("linear", "trees")]
        promised += prediction(noisy, y).real
    assert promised <= 1


def test_weak_features_are_told_from_useless_ones_if_there_are_enough_rows() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=600)
    X = rng.normal(size=(600, 2)) + 0.4 * y[:, None]
    assert prediction([held_out("linear", X, y, 2, 0).probabilities], y).real


def test_nothing_is_promised_from_useless_features() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(150, 3)), rng.integers(2, size=150)
    noise = estimate_noise(X, y, random_state=0)
    assert noise.verdict.startswith("labels alone cannot tell: the features do not predict them")
    issues = find_label_issues(X, y, noise, random_state=0)
    known = Findings(noise.share, None, None, noise.verdict, [])
    said = issues_text(issues, known, 20, True)
    assert said == f"Which of 150 labels are wrong: {noise.verdict}."
    # Enough checked labels speak without features.
    truth = np.where(np.arange(150) < 100, y, None)
    assert estimate_noise(X, y, random_state=0, clean=truth).level == "known"
