"""How a user's labels are read."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ncbench.data import UNKNOWN
from ncbench.errors import NcbenchError
from ncbench.noise_estimation.own_data import read_noise_matrix, read_own_data


def test_checked_labels_are_no_feature_and_may_be_missing(tmp_path: Path):
    (tmp_path / "t.csv").write_text("x,label,truth\n1.5,a,a\n2.5,b,\n3.5,a,c\n")
    data = read_own_data(str(tmp_path / "t.csv"), "label", "truth")
    assert data.classes == ("a", "b", "c")
    assert data.X.tolist() == [[1.5], [2.5], [3.5]]
    np.testing.assert_array_equal(data.clean, [0, UNKNOWN, 2])
    assert data.labels.tolist() == ["a", "b", "a"]
    assert data.clean_labels is not None
    assert data.clean_labels.tolist() == ["a", None, "c"]


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        (("1", "", "0.5"), "'t.csv', column 'truth': label 0.5 in row 3; expected whole numbers"),
        (("", "unsure", "1"), "'t.csv', column 'truth': label unsure in row 2; expected whole"),
        (("", "", ""), "column 'truth': no label in any row"),
    ],
)
def test_checked_labels_are_of_the_kind_of_the_noisy_ones(
    ncbench: Callable, tmp_path: Path, truth: tuple[str, ...], message: str
):
    rows = [f"{k}.5,{k % 2},{truth[k]}\n" for k in range(3)]
    (tmp_path / "t.csv").write_text("x,label,truth\n" + "".join(rows))
    options = ("--data", "t.csv", "--target", "label", "--clean-column", "truth")
    refused = ncbench("estimate-noise", *options)
    assert refused.code == 2
    assert message in refused.err.splitlines()[-1]


def test_checked_labels_that_are_written_otherwise_are_the_same_classes(tmp_path: Path):
    (tmp_path / "t.csv").write_text("x,label,truth\n1.5,0.5,1\n2.5,1,\n3.5,0.5,2\n4.5,1,1\n")
    data = read_own_data(str(tmp_path / "t.csv"), "label", "truth")
    assert data.classes == ("0.5", "1.0", "2.0")
    np.testing.assert_array_equal(data.clean, [1, UNKNOWN, 2, 1])


def test_the_columns_are_remembered_and_whole_numbers_stay_numbers(tmp_path: Path):
    (tmp_path / "t.csv").write_text("x,note,label\n1.5,p,10\n2.5,q,9\n3.5,p,10\n")
    data = read_own_data(str(tmp_path / "t.csv"), "label", None, drop=["note"])
    assert data.encoder is not None
    assert [column["kind"] for column in data.encoder.columns] == ["number", "left out"]
    assert data.labels.tolist() == [10, 9, 10]  # not "10", which comes before "9"
    assert data.clean_labels is None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("T.csv", ",9,10\n9,0.8,0.1\n10,0.2,0.9\n"),
        ("T.json", '{"classes": ["9", "10"], "T": [[0.8, 0.1], [0.2, 0.9]]}'),
    ],
)
def test_a_noise_matrix_has_the_names_of_its_classes(tmp_path: Path, name: str, content: str):
    (tmp_path / name).write_text(content)
    frame = read_noise_matrix(str(tmp_path / name))
    assert frame is not None
    assert list(frame.index) == list(frame.columns) == ["9", "10"]
    assert frame.loc["10", "9"] == 0.2
    assert read_noise_matrix("none") is None


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("T.csv", ",a,b\na,many,0\nb,0,1\n", "could not convert"),
        ("T.json", '{"classes": ["a"]}', "'T'"),
        ("T.json", "not JSON", "cannot be read"),
        ("elsewhere.csv", "", "No such file"),
    ],
)
def test_a_noise_matrix_that_cannot_be_read_is_refused(
    tmp_path: Path, name: str, content: str, message: str
):
    (tmp_path / name.replace("elsewhere", "other")).write_text(content)
    with pytest.raises(NcbenchError, match=message):
        read_noise_matrix(str(tmp_path / name))


def test_a_row_has_its_line_and_a_column_what_became_of_it(tmp_path: Path):
    text = 'x,note,label\n1.5,"two\nlines",a\n\n2.5,,b\n3.5,one,a\n'
    (tmp_path / "t.csv").write_text(text)
    data = read_own_data(str(tmp_path / "t.csv"), "label", None, drop=["note"])
    np.testing.assert_array_equal(data.lines, [2, 5, 6])
    assert [(column["name"], column["kind"], column["why"]) for column in data.encoder.columns] == [
        ("x", "number", ""),
        ("note", "left out", "as asked"),
    ]
