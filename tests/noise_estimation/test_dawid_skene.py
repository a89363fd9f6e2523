"""Dawid and Skene's EM: who is reliable, and what crowd-kit finds on the same labels."""

from __future__ import annotations

import numpy as np
import pytest

from ncbench.data import UNKNOWN, Annotations
from ncbench.noise_estimation import dawid_skene

N = 3


def people(m: int = 400) -> tuple[np.ndarray, Annotations]:
    """Return true labels, and those of three people: good, fair and poor."""
    rng = np.random.default_rng(0)
    y = rng.integers(N, size=m)
    labels = np.column_stack(
        [np.where(rng.random(m) < wrong, (y + 1) % N, y) for wrong in (0.1, 0.3, 0.45)]
    )
    rows, who = np.divmod(np.arange(3 * m), 3)
    return y, Annotations(rows, who, labels.ravel(), ("good", "fair", "poor"))


def test_it_finds_out_who_is_reliable() -> None:
    _, given = people(2000)
    crowd = dawid_skene(given, 2000, N)
    right = [float(np.diagonal(pi).mean()) for pi in crowd.matrices]
    assert right == pytest.approx([0.9, 0.7, 0.55], abs=0.05)
    assert crowd.pooled == pytest.approx(0.717 * np.eye(3) + 0.283 * np.eye(3)[[2, 0, 1]], abs=0.04)


def test_without_the_prior_it_is_the_em_of_crowd_kit() -> None:
    # crowd-kit 1.4.2 on the same labels: DawidSkene(n_iter=1000, tol=1e-10).fit_predict_proba.
    # crowd-kit installs transformers, so its output is kept here instead of the package.
    prior = [0.3036, 0.3193, 0.3770]
    right = [[0.8863, 0.9097, 0.9379], [0.7381, 0.7061, 0.6727], [0.4746, 0.5417, 0.5666]]
    first = "211000000212112211120200121022200211001110000211012112221221"
    truth, given = people()
    crowd = dawid_skene(given, 400, N, strength=1e-6)
    assert crowd.prior == pytest.approx(prior, abs=1e-4)
    for pi, expected in zip(crowd.matrices, right, strict=True):
        assert np.diagonal(pi) == pytest.approx(expected, abs=2e-4)
    assert "".join(map(str, crowd.labels[:60])) == first
    assert float(np.mean(crowd.labels == truth)) == 0.9925


def test_an_annotator_with_few_labels_is_taken_to_be_like_the_others() -> None:
    _, given = people()
    keep = (given.annotators < 2) | (given.rows < 2)
    few = Annotations(given.rows[keep], given.annotators[keep], given.labels[keep], given.names)
    crowd = dawid_skene(few, 400, N)
    assert np.abs(crowd.matrices[2] - crowd.pooled).max() < 0.1
    alone = dawid_skene(few, 400, N, strength=0.01)
    assert np.abs(alone.matrices[2] - alone.pooled).max() > 0.3


def test_an_example_without_labels_has_the_prior() -> None:
    _, given = people()
    crowd = dawid_skene(given, 401, N)
    assert crowd.posterior[400] == pytest.approx(crowd.prior, abs=0.01)


def test_checked_labels_are_certain_and_tell_who_errs_alike() -> None:
    # Two of three people call half of class 0 class 1, on the same examples: a vote believes them.
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=600)
    hard = (truth == 0) & (rng.random(600) < 0.5)
    alike, other = np.where(hard, 1, truth), np.where(rng.random(600) < 0.1, 1 - truth, truth)
    rows, who = np.divmod(np.arange(1800), 3)
    labels = np.column_stack([alike, alike, other]).ravel()
    given = Annotations(rows, who, labels, ("a", "b", "c"))
    T = np.array([[0.5, 0.0], [0.5, 1.0]])
    errors = [
        np.abs(dawid_skene(given, 600, 2, checked=checked).matrices[0] - T).max()
        for checked in (None, np.where(np.arange(600) < 300, truth, UNKNOWN))
    ]
    assert errors[1] < 0.6 * errors[0]
    crowd = dawid_skene(given, 600, 2, checked=truth)
    np.testing.assert_array_equal(crowd.posterior, np.eye(2)[truth])
    assert crowd.prior == pytest.approx(np.bincount(truth) / 600)


def test_the_prior_of_an_example_counts_like_a_label() -> None:
    truth, given = people()
    plain = dawid_skene(given, 400, N)
    same = dawid_skene(given, 400, N, prior=np.tile(plain.prior, (400, 1)))
    np.testing.assert_allclose(same.posterior, plain.posterior, atol=1e-4)
    # Bayes: the posterior is the prior times the likelihoods of the labels.
    eta = np.where(np.eye(N)[truth] == 1, 0.6, 0.2)
    crowd = dawid_skene(given, 400, N, prior=eta)
    likelihood = np.ones((400, N))
    np.multiply.at(likelihood, given.rows, crowd.matrices[given.annotators, given.labels])
    expected = eta * likelihood / (eta * likelihood).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(crowd.posterior, expected, atol=1e-4)
    unseen = dawid_skene(given, 401, N, prior=np.vstack([eta, [0.1, 0.7, 0.2]]))
    np.testing.assert_allclose(unseen.posterior[400], [0.1, 0.7, 0.2])


def test_a_label_given_is_one_that_somebody_gave() -> None:
    rng = np.random.default_rng(3)
    rows = np.repeat(np.arange(60), 2)
    given = Annotations(rows, np.tile([0, 1], 60), rng.integers(N, size=120), ("a", "b"))
    crowd = dawid_skene(given, 61, N)
    best = crowd.labels_given(given)
    said = given.labels.reshape(60, 2)
    assert ((best[:60, None] == said).any(axis=1)).all()
    assert not ((crowd.labels[:60, None] == said).any(axis=1)).all()
    assert best[60] == crowd.labels[60]  # nobody labeled it
    agreed = said[:, 0] == said[:, 1]
    np.testing.assert_array_equal(best[:60][agreed], said[agreed, 0])
