"""What T estimators are given: probabilities, and a share of clean labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from ncbench import NcbenchError, NoisySample
from ncbench.noise_estimation.sample import CleanLabels


def sample(**more: object) -> NoisySample:
    X = np.arange(40.0)[:, None]
    y = (np.arange(40) // 10) % 2
    cpe = KNeighborsClassifier(1)
    return NoisySample(X, y, 3, cpe, np.random.default_rng(0), **more)


def test_a_larger_share_includes_a_smaller_one() -> None:
    y = np.arange(20) % 4
    clean = CleanLabels(y, np.random.default_rng(0))
    few, more, every = (clean.of_share(share) for share in (0.1, 0.5, 1.0))
    assert set(few.examples.tolist()) < set(more.examples.tolist())
    assert (len(few.examples), len(more.examples)) == (2, 10)
    assert every.examples.tolist() == list(range(20))
    for share in (few, more, every):
        np.testing.assert_array_equal(share.y, y[share.examples])
    assert len(clean.of_share(1e-9).examples) == 1
    for none in (0.0, 1.01):
        with pytest.raises(NcbenchError, match=f"fraction is {none}"):
            clean.of_share(none)


def test_without_clean_labels_a_trusted_set_is_refused_with_what_would_work() -> None:
    with pytest.raises(NcbenchError, match="held_out_map and forward_map need only noisy labels"):
        sample().trusted(0.1)
    own = sample(clean=CleanLabels(np.zeros(40, dtype=int), np.random.default_rng(0)))
    assert len(own.trusted(0.25).y) == 10


def test_probabilities_have_a_column_for_a_class_without_examples() -> None:
    own = sample()
    assert own.classes == ("0", "1", "2")
    assert own.counts.tolist() == [20, 20, 0]
    np.testing.assert_array_equal(own.posterior(), np.eye(3)[own.y])  # its own nearest neighbour
    out_of_fold = own.out_of_fold_posterior()
    assert out_of_fold.shape == (40, 3)
    assert not out_of_fold[:, 2].any()
    assert (out_of_fold != own.posterior()).any()  # those at the borders


def test_out_of_fold_probabilities_are_computed_once_for_a_sample() -> None:
    own = sample()
    first = own.out_of_fold_posterior()
    assert own.out_of_fold_posterior() is first
    half = replace(own, X=own.X[::2], y=own.y[::2])
    assert half.out_of_fold_posterior().shape == (20, 3)
