"""Labels that people give beside the noisy ones."""

import numpy as np
import pytest

from ncbench import NoiseCorrectedClassifier, estimate_noise
from ncbench.data import Classes, Dataset, given_labels, label_array
from ncbench.errors import NcbenchError


def test_labels_are_of_the_type_of_y_and_may_be_missing() -> None:
    for values, y, expected in (
        ([1.0, None, np.nan, -1], [0, 1, 1, 0], [1, None, None, None]),
        (["1", None], [0, 1], [1, None]),
        ([1, -1], [-1, 1], [1, -1]),  # -1 is a class
        ([2, None], [0.5, 1.0], [2.0, None]),
        ([True, None], [True, False], [True, None]),
        ([1, None, "b"], ["1", "a", "a"], ["1", None, "b"]),
    ):
        found = given_labels(values, np.array(y), "clean").tolist()
        assert found == expected
        assert [type(label) for label in found] == [type(label) for label in expected]


def test_a_class_that_only_checked_labels_have_is_numbered() -> None:
    y = np.array(["a", "c", "a"])
    given = given_labels(["long name", None, "c"], y, "clean")
    classes = Classes.of(y, given)
    assert classes.names == ("a", "c", "long name")
    assert classes.numbers(given).tolist() == [2, -1, 1]


def test_whole_numbers_as_labels_are_in_numeric_order() -> None:
    for labels in (["10", "9", "10"], [10.0, 9.0, 10.0], [10, 9, 10], [b"10", b"9", b"10"]):
        found = label_array(labels, where="labels")
        assert Dataset.from_labels(np.zeros((3, 1)), found, name="toy").classes == ("9", "10")
    assert label_array(["07", "7"], where="labels").tolist() == ["07", "7"]


def test_a_label_of_another_kind_is_refused_with_its_row() -> None:
    for label, y in ((0.5, [0, 1, 1]), ("cat", [0, 1, 1]), (2, [True, False, True])):
        message = f"clean: label {label} in row 2; expected whole numbers"
        clean = [1, label, None]
        with pytest.raises(NcbenchError, match=message):
            estimate_noise(np.eye(3), np.array(y), clean=clean)
        with pytest.raises(NcbenchError, match=message):
            NoiseCorrectedClassifier().fit(np.eye(3), np.array(y), clean=clean)
