"""Labels that people give beside the noisy ones."""

from typing import Any

import numpy as np
import pytest

from ncbench import NoiseCorrectedClassifier, estimate_noise
from ncbench.data import Classes, given_labels
from ncbench.errors import NcbenchError


@pytest.mark.parametrize(
    ("values", "y", "expected"),
    [
        ([1.0, None, np.nan, -1], [0, 1, 1, 0], [1, None, None, None]),
        (["1", None], [0, 1], [1, None]),
        ([1, -1], [-1, 1], [1, -1]),  # -1 is a class
        ([2, None], [0.5, 1.0], [2.0, None]),
        ([True, None], [True, False], [True, None]),
        ([1, None, "b"], ["1", "a", "a"], ["1", None, "b"]),
    ],
)
def test_labels_are_of_the_type_of_y_and_may_be_missing(
    values: list[Any], y: list[Any], expected: list[Any]
) -> None:
    found = given_labels(values, np.array(y), "clean").tolist()
    assert found == expected
    assert [type(label) for label in found] == [type(label) for label in expected]


def test_a_class_that_only_checked_labels_have_is_numbered() -> None:
    y = np.array(["a", "c", "a"])
    given = given_labels(["long name", None, "c"], y, "clean")
    classes = Classes.of(y, given)
    assert classes.names == ("a", "c", "long name")
    assert classes.numbers(given).tolist() == [2, -1, 1]


@pytest.mark.parametrize(
    ("label", "y"),
    [(0.5, [0, 1, 1]), (0.5, [0.0, 1.0, 1.0]), ("cat", [0, 1, 1]), (2, [True, False, True])],
)
def test_a_label_of_another_kind_is_refused_with_its_row(label: Any, y: list[Any]) -> None:
    message = f"clean: label {label} in row 2; expected whole numbers"
    clean = [1, label, None]
    with pytest.raises(NcbenchError, match=message):
        estimate_noise(np.eye(3), np.array(y), clean=clean)
    with pytest.raises(NcbenchError, match=message):
        NoiseCorrectedClassifier().fit(np.eye(3), np.array(y), clean=clean)
