"""Baselines that people use: as the libraries do it, whatever T and the measure."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ncbench import load
from ncbench.errors import NotApplicable

NAMES = ["cleanlab", "weighted_boosting", "weighted_logistic"]
WINE = load("dataset", "wine")()
RNG = np.random.default_rng(0)
NOISY = np.where(RNG.random(len(WINE.y)) < 0.2, RNG.integers(3, size=len(WINE.y)), WINE.y)


def test_the_noise_matrix_is_not_used() -> None:
    for name in NAMES:
        seed = {} if name == "weighted_logistic" else {"random_state": 0}
        plain = load("algo", name)(**seed).fit(WINE.X, NOISY)
        told = load("algo", name)(**seed).fit(WINE.X, NOISY, noise_matrix=np.eye(3) * 0.7 + 0.1)
        np.testing.assert_array_equal(plain.predict(WINE.X), told.predict(WINE.X))
        assert (plain.predict(WINE.X) == WINE.y).mean() > 0.75
        rare = load("algo", name)().fit(
            WINE.X, np.where(NOISY == 1, 2, NOISY), noise_matrix=np.eye(3)
        )
        assert set(rare.predict(WINE.X)) <= {0, 2}  # a class without a label gets no prediction


def test_predictions_are_those_of_the_library() -> None:
    from cleanlab.classification import CleanLearning

    balanced = LogisticRegression(class_weight="balanced", max_iter=1000)
    own = make_pipeline(StandardScaler(), balanced).fit(WINE.X, NOISY)
    ours = load("algo", "weighted_logistic")().fit(WINE.X, NOISY)
    np.testing.assert_array_equal(ours.predict(WINE.X), own.predict(WINE.X))
    plain = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    alone = {"n_jobs": 1}  # its forked processes can wait forever
    theirs = CleanLearning(plain, seed=3, find_label_issues_kwargs=alone).fit(WINE.X, NOISY)
    ours = load("algo", "cleanlab")(random_state=3).fit(WINE.X, NOISY)
    np.testing.assert_array_equal(ours.predict(WINE.X), theirs.predict(WINE.X))


def test_without_cleanlab_a_cell_is_skipped_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cleanlab.classification", None)
    with pytest.raises(NotApplicable, match="pip install cleanlab"):
        load("algo", "cleanlab")().fit(WINE.X, NOISY)
