"""The posterior of the noise: its answers for classes that are apart, overlap, or are checked."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ncbench.data import UNKNOWN
from ncbench.learning import HeldOutNoise
from ncbench.noise_estimation import (
    NoisePosterior,
    fit_noise_posterior,
    held_out_logs,
    repair_estimate,
)
from ncbench.types import Array, Labels


def labels(distance: float, wrong: float, m: int = 400) -> tuple[Array, Labels, Labels]:
    """Return held-out logarithms for three round clouds, their true labels and noisy ones."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=m)
    X = rng.normal(size=(m, 3)) + distance * np.eye(3)[truth]
    shifted = (truth + rng.integers(1, 3, size=m)) % 3
    y = np.where(rng.random(m) < wrong, shifted, truth)
    return held_out_logs(X, y, 3, seed=0), truth, y


def posterior(F: Array, y: Labels, checked: Labels | None = None) -> NoisePosterior:
    model = HeldOutNoise(F, y, 3, checked)
    return fit_noise_posterior(model, y, np.random.default_rng(0))[0]


@pytest.fixture(scope="module")
def apart() -> tuple[NoisePosterior, Array, Labels, Labels]:
    F, truth, y = labels(distance=4.0, wrong=0.2)
    return posterior(F, y), F, truth, y


def test_the_share_is_found_where_classes_are_apart(apart: tuple) -> None:
    found, _, truth, y = apart
    wrong = (y != truth).mean()
    assert abs(found.share.estimate - wrong) < 0.02
    assert found.share.low <= wrong <= found.share.high
    np.testing.assert_allclose(found.weights.sum(), 1)


def test_the_probabilities_of_wrong_labels_are_averages_over_the_nodes(apart: tuple) -> None:
    found, F, truth, y = apart
    probabilities = found.true_labels(F, y)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    one = replace(
        found, weights=np.ones(1), parameters=found.parameters[:1], matrices=found.matrices[:1]
    )
    a, b = found.parameters[0, :2], found.parameters[0, 2:]
    g = np.exp(a[0] * F[0] + a[1] * F[1] + b)
    joint = found.matrices[0][y] * g
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(one.true_labels(F, y), expected)
    right = probabilities[np.arange(len(y)), y]
    assert roc_auc_score(y == truth, right) > 0.98
    by_label = [np.mean(1 - right[y == k]) for k in range(3)]
    np.testing.assert_allclose(found.wrong_by_label(), by_label, atol=1e-9)


def test_the_interval_reaches_up_to_what_predictions_contradict() -> None:
    F, _truth, y = labels(distance=1.5, wrong=0.0)
    found = posterior(F, y)
    missed = min((f.argmax(axis=1) != y).mean() for f in F)
    assert found.share.high >= missed + 1.645 * np.sqrt(missed * (1 - missed) / len(y)) - 1e-12
    assert found.share.low < 0.05


def test_checked_labels_decide_between_noise_and_overlap() -> None:
    F, truth, y = labels(distance=1.5, wrong=0.0)
    told = posterior(F, y, np.where(np.arange(len(y)) < 60, truth, UNKNOWN))
    assert told.share.estimate < 0.05
    assert told.share.estimate < posterior(F, y).share.estimate


def test_the_least_noise_is_a_noise_matrix_with_less_than_the_mean(apart: tuple) -> None:
    found = apart[0]
    T = found.least_noise()
    np.testing.assert_allclose(T.sum(axis=0), 1)
    assert np.trace(T) >= np.trace(np.tensordot(found.weights, found.matrices, 1))
    assert found.sample(7, np.random.default_rng(0)).shape == (7, 3, 3)


def test_a_model_file_does_not_hold_the_labels(apart: tuple) -> None:
    noise = repair_estimate(np.eye(3), posterior=apart[0])
    assert noise.posterior is apart[0]
    for again in (pickle.loads(pickle.dumps(noise)), copy.deepcopy(noise)):
        assert again.posterior is None
        assert again == noise
