"""Data sets: what is refused, what cannot be changed, and what identifies them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ncbench import Dataset, NcbenchError, NoiseMatrix, NoisyLabels

X = np.arange(8.0).reshape(4, 2)


def toy(labels: object = ("b", "a", "b", "c"), features: object = X, **more: object) -> Dataset:
    return Dataset.from_labels(features, labels, name="toy", **more)


def test_classes_are_numbered_in_sorted_order() -> None:
    data = toy()
    assert (data.classes, data.y.tolist(), data.n_classes) == (("a", "b", "c"), [1, 0, 1, 2], 3)
    assert toy([10, 9, 10, 9]).classes == ("9", "10")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features": X[:3]}, r"X has shape \(3, 2\) and y \(4,\)"),
        ({"labels": ["a"] * 4}, "4 labels of 1 class; expected at least 2"),
        ({"features": np.where(X > 5, np.inf, X)}, r"first in row 4 \(1 of 4 rows\)"),
        ({"features": np.where(X == 5, -1e300, X)}, r"numbers above 1e\+150 in X"),
    ],
)
def test_what_is_refused(change: dict, message: str) -> None:
    with pytest.raises(NcbenchError, match=message):
        toy(**change)


def test_a_class_without_examples_is_named() -> None:
    with pytest.raises(NcbenchError, match="class 'never' has no example"):
        Dataset(X, np.array([0, 1, 0, 1]), ("no", "yes", "never"), "toy")


def test_no_plugin_can_change_it_for_the_others() -> None:
    data = toy()
    for array in (data.X, data.y):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_the_fingerprint_follows_everything_that_is_learned_from() -> None:
    noise = NoisyLabels(NoiseMatrix(np.eye(3)), np.array([1, 0, 1, 2]))
    data = toy()
    others = [
        toy(("a", "b", "b", "c")),
        toy(features=X + 1),
        toy(recorded_noise={0.1: noise}),
        toy(recorded_noise={0.2: noise}),
    ]
    assert len({each.fingerprint for each in [data, *others]}) == 5
    assert dataclasses.replace(data, name="other", source="elsewhere").fingerprint == (
        data.fingerprint
    )


def test_recorded_noise_is_found_whatever_the_rounding_of_sigma() -> None:
    noise = NoisyLabels(NoiseMatrix(np.eye(3)), np.array([1, 0, 1, 2]))
    data = toy(recorded_noise={0.3: noise})
    assert data.noise_recorded_at(0.1 + 0.2) is noise
    assert data.noise_recorded_at(0.2) is None
