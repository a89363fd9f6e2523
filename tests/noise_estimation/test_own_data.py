"""How a user's labels are read."""

from pathlib import Path

import numpy as np

from ncbench.data import UNKNOWN
from ncbench.noise_estimation.own_data import read_own_data


def test_checked_labels_are_no_feature_and_may_be_missing(tmp_path: Path):
    (tmp_path / "t.csv").write_text("x,label,truth\n1.5,a,a\n2.5,b,\n3.5,a,c\n")
    data = read_own_data(str(tmp_path / "t.csv"), "label", "truth")
    assert data.classes == ("a", "b", "c")
    assert data.X.tolist() == [[1.5], [2.5], [3.5]]
    np.testing.assert_array_equal(data.clean, [0, UNKNOWN, 2])
