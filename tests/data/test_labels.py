"""Labels as numbers or text."""

from __future__ import annotations

import numpy as np

from ncbench import Dataset
from ncbench.data.labels import label_array


def test_whole_numbers_as_labels_are_in_numeric_order() -> None:
    for labels in (["10", "9", "10"], [10.0, 9.0, 10.0], [10, 9, 10], [b"10", b"9", b"10"]):
        data = Dataset.from_labels(
            np.zeros((3, 1)), label_array(labels, where="labels"), name="toy"
        )
        assert data.classes == ("9", "10")
    assert label_array(["07", "7"], where="labels").tolist() == ["07", "7"]
