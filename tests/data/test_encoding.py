"""Tables as features and labels."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ncbench import NcbenchError
from ncbench.data import annotated_labels, label_array, split_labels
from ncbench.data.tables import read_table

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tables.md").read_text()


def test_classes_that_differ_in_spaces_or_capitals_are_pointed_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("x,kind\n1,barolo\n2,barbera\n3,barolo \n4,BAROLO\n")
    split_labels(read_table(path), "kind", where="mine.csv")
    assert (
        "mine.csv, target 'kind': classes that differ in spaces or capitals only: 'BAROLO' in row "
        "4 (line 5), 'barolo' in row 1 (line 2), 'barolo ' in row 3 (line 4); if they are the "
        "same, write them alike in the file"
    ) in capsys.readouterr().err


def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(example, names)
    assert names["X"].tolist() == [[1, 0, 1], [2, 1, 0], [3, 0, 1]]
    assert names["X_new"].tolist() == [[2, 0, 0]]


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("pe\nar", r"row 3 \(line 4\) has a line break: 'pe\\nar'; expected the name"),
        ("x" * 501, r"row 3 \(line 4\) has 501 characters: 'xxx"),
    ],
    ids=["line break", "long"],
)
def test_a_label_that_is_hardly_a_class_is_refused_with_its_line(
    label: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(f'size,note,kind\n1,a,pear\n2,b,apple\n3,c,"{label}"\n4,d,pear\n')
    with pytest.raises(NcbenchError, match=said):
        split_labels(read_table(path), "kind", where="mine.csv")
    with pytest.raises(NcbenchError, match=said):
        annotated_labels(read_table(path), where="mine.csv", columns=["kind"])
    people = tmp_path / "long.csv"
    people.write_text(f'row,who,label\n1,a,pear\n2,a,apple\n3,a,"{label}"\n')
    with pytest.raises(NcbenchError, match=r"long\.csv': the label in " + said):
        annotated_labels(read_table(path), where="mine.csv", long=read_table(people))
    with pytest.raises(NcbenchError, match=r"y: the label in row 2 has"):
        label_array(["pear", label], where="y")


def test_labels_that_are_equal_as_numbers_are_one_class_and_pointed_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("x,y\n1,1\n2,1.0\n3,01\n4,2\n5,2.0\n6,3\n")
    _, labels = split_labels(read_table(path), "y", where="mine.csv")
    assert labels.tolist() == [1, 1, 1, 2, 2, 3]
    said = "'1' in row 1 (line 2), '1.0' in row 2 (line 3), '01' in row 3 (line 4)"
    assert f"one class: {said} (and so in 1 other class); if" in capsys.readouterr().err
    annotated_labels(read_table(path), where="ann.csv", columns=["y"])
    assert f"one class: {said}" in capsys.readouterr().err
    path.write_text("x,y\n1,1\n2,1.0\n3,01\n4,2\n5,b\n6,b\n")
    _, labels = split_labels(read_table(path), "y", where="mine.csv")
    assert labels.tolist() == ["1", "1.0", "01", "2", "b", "b"]  # apart, among other text
    path.write_text("x,y\n1,1\n2,1\n3,2\n")
    split_labels(read_table(path), "y", where="mine.csv")
    assert not capsys.readouterr().err


def test_two_columns_may_write_one_class_differently(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("x,ann,bob\n1,1,01\n2,2,02\n3,,02\n4,2,\n")
    found = annotated_labels(read_table(path), where="mine.csv", columns=["ann", "bob"])
    assert found.classes == ("1", "2")
    assert "'1' in row 1 (line 2), '01' in row 1 (line 2) (and so in" in capsys.readouterr().err
