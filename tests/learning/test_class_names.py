"""Noise matrices with names of classes: aligned with the labels, or refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from ncbench import NcbenchError, NoiseMatrix, load
from ncbench.learning import aligned_noise

T = np.array([[0.7, 0.1, 0.0], [0.2, 0.8, 0.1], [0.1, 0.1, 0.9]])
NAMES = ["ant", "bee", "cow"]


def frame(rows: list[str], columns: list[str]) -> pd.DataFrame:
    """Return T with its rows and columns in some order."""
    return pd.DataFrame(T, NAMES, NAMES).loc[rows, columns]


def test_a_frame_in_another_order_gives_the_same_classifier() -> None:
    X, codes = load_iris(return_X_y=True)
    y = np.array(NAMES)[codes]
    ncfw = load("algo", "ncfw")(measure="h_mean", cpe=LogisticRegression(max_iter=999), max_iter=50)
    expected = ncfw.fit(X, y, noise_matrix=T).predict_proba(X)
    mixed = frame(["cow", "ant", "bee"], ["bee", "cow", "ant"])
    np.testing.assert_array_equal(ncfw.fit(X, y, noise_matrix=mixed).predict_proba(X), expected)


def test_labels_may_lack_a_class_that_has_a_name() -> None:
    classes, noise = aligned_noise(frame(NAMES[::-1], NAMES), np.array(["ant", "cow"]))
    assert classes.tolist() == NAMES
    np.testing.assert_allclose(noise.matrix, T)
    numbers = pd.DataFrame(T, [1, 2, 10], ["1", "2", "10"])
    classes, noise = aligned_noise(numbers, np.array([1, 10]))
    assert classes.tolist() == [1, 2, 10]
    np.testing.assert_allclose(noise.matrix, T)


def test_a_matrix_that_knows_its_classes_is_taken_as_it_is() -> None:
    noise = NoiseMatrix(T)
    noise.classes = tuple(NAMES)  # type: ignore[attr-defined]
    assert aligned_noise(noise, np.array(["bee", "cow"]))[1] is noise


def test_other_names_are_refused() -> None:
    refusals: list[tuple[Any, list[Any], str]] = [
        (frame(NAMES, NAMES), ["ant", "dog"], "label 'dog' is none of its classes, ant, bee, cow"),
        (frame(NAMES, NAMES), [0, 1], "label '0' is none of its classes.*noise_matrix=T.matrix"),
        (frame(NAMES, NAMES), ["dog"], "expected the classes of the labels$"),
        (pd.DataFrame(T, NAMES, ["ant", "bee", "dog"]), ["ant"], "columns ant, bee, dog; expected"),
        (pd.DataFrame(T, ["ant"] * 3, ["ant"] * 3), ["ant"], "each class once"),
        (pd.DataFrame(T, ["1", "2", "x"], ["1", "2", "x"]), [1, 2], "class 'x', but labels are"),
        (T, ["ant", "bee"], "does not fit 2 classes.*lack a class, give a DataFrame"),
    ]
    for given, seen, message in refusals:
        with pytest.raises(NcbenchError, match=message):
            aligned_noise(given, np.array(seen))
