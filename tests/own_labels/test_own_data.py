"""How a user's labels are read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ncbench.data import UNKNOWN
from ncbench.errors import NcbenchError, already_said
from ncbench.own_labels import read_noise_matrix, read_own_data


def test_checked_labels_are_no_feature_and_may_be_missing(tmp_path: Path):
    (tmp_path / "t.csv").write_text("x,label,truth\n1.5,a,a\n2.5,b,\n3.5,a,c\n")
    data = read_own_data(str(tmp_path / "t.csv"), "label", "truth")
    assert data.classes == ("a", "b", "c")
    assert data.X.tolist() == [[1.5], [2.5], [3.5]]
    np.testing.assert_array_equal(data.clean, [0, UNKNOWN, 2])
    assert data.labels.tolist() == ["a", "b", "a"]
    assert data.clean_labels is not None
    assert data.clean_labels.tolist() == ["a", None, "c"]


def test_checked_labels_are_of_the_kind_of_the_noisy_ones(tmp_path: Path):
    for truth, message in (
        (("1", "", "0.5"), r"t.csv', column 'truth': label 0.5 in row 3; expected whole numbers"),
        (("", "unsure", "1"), "t.csv', column 'truth': label unsure in row 2; expected whole"),
        (("", "", ""), "column 'truth': no label in any row"),
    ):
        rows = [f"{k}.5,{k % 2},{truth[k]}\n" for k in range(3)]
        (tmp_path / "t.csv").write_text("x,label,truth\n" + "".join(rows))
        with pytest.raises(NcbenchError, match=message):
            read_own_data(str(tmp_path / "t.csv"), "label", "truth")


def test_a_class_of_checked_labels_alone_is_pointed_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "t.csv").write_text("x,label,truth\n1.5,Birne,birne\n2.5,Apfel,\n3,Birne,Feige\n")
    already_said.clear()
    data = read_own_data(str(tmp_path / "t.csv"), "label", "truth")
    assert data.classes == ("Apfel", "Birne", "Feige", "birne")
    said = capsys.readouterr().err
    assert "row 1 (line 2): class 'birne' occurs only among the checked labels; if 'Birne'" in said
    assert "row 3 (line 4): class 'Feige' occurs only among the checked labels, so no noisy" in said


def test_classes_that_only_spaces_tell_apart_are_quoted(ncbench: Callable, tmp_path: Path):
    table = pd.DataFrame({"x": np.arange(60) / 7, "label": ["pear", "pear ", "apple"] * 20})
    table.to_csv(tmp_path / "t.csv", index=False)
    model = ("--noise-matrix", "none", "--cpe", "logistic", "--out", "model.skops")
    done = ncbench("fit", "t.csv", "--target", "label", *model)
    assert done.code == 0, done.err
    assert "classes apple, 'pear', 'pear '." in done.out
    assert "if they are the same, write them alike in the file" in done.err


KINDS = ["Birne", "Apfel", "Quitte"] * 8


COLUMNS: list[tuple[list[Any], str]] = [
    ([name.lower() for name in KINDS], "has one value for each label"),
    ([len(name) + 0.5 for name in [*KINDS[:-1], "Birne"]], ""),  # two labels have a value
    ([{"Birne": 3, "Apfel": 1, "Quitte": 2}[name] for name in KINDS], "one value for each"),
    ([*KINDS[:15], *[""] * 9], "has one value for each label"),
    (["Birne", *KINDS[1:4], "Apfel", *[""] * 19], "--clean-column extra, if they repeat"),
    ([*KINDS[4:], *KINDS[2:6]], "its values are names of classes"),
    (["Birne", "Melone"] * 12, ""),
]


def test_a_feature_that_gives_the_labels_away_is_pointed_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = str(tmp_path / "t.csv")
    for column, notice in COLUMNS:
        table = pd.DataFrame({"x": np.arange(24) / 7, "extra": column, "label": KINDS})
        table.to_csv(path, index=False)
        already_said.clear()
        read_own_data(path, "label", None)
        said = capsys.readouterr().err
        assert notice in said
        assert ("--drop extra" in said) == bool(notice)
        already_said.clear()
        read_own_data(path, "label", None, drop=["extra"])
        assert "column 'extra'" not in capsys.readouterr().err


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


def test_a_noise_matrix_has_the_names_of_its_classes(tmp_path: Path):
    for name, content in (
        ("T.csv", ",9,10\n9,0.8,0.1\n10,0.2,0.9\n"),
        ("T.json", '{"classes": ["9", "10"], "T": [[0.8, 0.1], [0.2, 0.9]]}'),
    ):
        (tmp_path / name).write_text(content)
        frame = read_noise_matrix(str(tmp_path / name))
        assert frame is not None
        assert list(frame.index) == list(frame.columns) == ["9", "10"]
        assert frame.loc["10", "9"] == 0.2
    assert read_noise_matrix("none") is None


def test_a_noise_matrix_that_cannot_be_read_is_refused(tmp_path: Path):
    for name, content, message in (
        ("T.csv", ",a,b\na,many,0\nb,0,1\n", "could not convert"),
        ("T.json", '{"classes": ["a"]}', "'T'"),
        ("T.json", "[" * 100_000, "nested too deeply"),
        ("T.json", f'{{"classes": ["a", "b"], "T": [[1{"0" * 400}, 0], [0, 1]]}}', "too large"),
        ("T.json", '{"classes": ["a", "b"], "T": [[1], [0, 1]]}', "cannot be read"),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(NcbenchError, match=message):
            read_noise_matrix(str(tmp_path / name))
    with pytest.raises(NcbenchError, match="No such file"):
        read_noise_matrix(str(tmp_path / "elsewhere.csv"))


def test_a_row_has_its_line_and_a_column_what_became_of_it(tmp_path: Path):
    text = 'x,note,label\n1.5,"two\nlines",a\n\n2.5,,b\n3.5,one,a\n'
    (tmp_path / "t.csv").write_text(text)
    data = read_own_data(str(tmp_path / "t.csv"), "label", None, drop=["note"])
    np.testing.assert_array_equal(data.lines, [2, 5, 6])
    assert [(column["name"], column["kind"], column["why"]) for column in data.encoder.columns] == [
        ("x", "number", ""),
        ("note", "left out", "as asked"),
    ]
