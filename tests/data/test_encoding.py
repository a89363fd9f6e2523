"""Tables as features and labels."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ncbench.data import split_labels
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
