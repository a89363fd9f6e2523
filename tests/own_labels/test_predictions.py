"""The file of predictions."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from ncbench.errors import already_said
from ncbench.own_labels.predictions import predictions_csv


def test_it_is_read_back_by_a_spreadsheet_and_by_pandas() -> None:
    others = pd.DataFrame(
        {
            "note": ['say "no"', "=1+1", "two\r\nlines"],
            "n": [1.0, None, 2.5],
            "ok": [True, False, True],
        }
    )
    P = np.array([[1.0, 0.0], [1 / 3, 2 / 3], [1e-9, 1 - 1e-9]])
    content = predictions_csv(others, np.array([2, 3, 4]), ["a,b", "c"], np.array([0, 1, 1]), P)
    found = pd.read_csv(io.BytesIO(content))
    assert list(found.columns) == ["row", "line", "note", "n", "ok", "predicted", "p_a,b", "p_c"]
    assert found["note"].tolist() == ['say "no"', "'=1+1", "two\r\nlines"]
    assert found["n"].fillna(0).tolist() == [1, 0, 2.5]
    assert found["p_c"].tolist() == [0, 0.666667, 1]


def test_all_numbers_of_digits_are_right() -> None:
    P = np.random.default_rng(0).dirichlet(np.ones(3) * 0.2, size=2000)
    names = ["a", "b", "c"]
    content = predictions_csv(pd.DataFrame(index=range(2000)), None, names, P.argmax(axis=1), P)
    lines = content.decode().splitlines()
    assert lines[7].split(",")[2:] == [f"{p:.6f}" for p in P[6]]
    np.testing.assert_allclose(pd.read_csv(io.BytesIO(content)).iloc[:, 2:], P, atol=6e-7)


def test_names_that_look_like_formulas_are_changed_with_a_notice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    already_said.clear()
    P = np.array([[0.5, 0.5]])
    text = predictions_csv(pd.DataFrame(), None, ["+", "-"], np.array(["+"]), P).decode()
    assert text.splitlines()[1] == "1,'+,0.500000,0.500000"
    assert "apostrophe in front" in capsys.readouterr().err


def test_columns_of_lists_and_a_line_of_the_tables_own_are_copied() -> None:
    others = pd.DataFrame({"line": [7], "embedding": [np.array([1, 2])]})
    P = np.array([[1.0, 0.0]])
    text = predictions_csv(others, None, ["a", "b"], np.array(["a"]), P).decode()
    assert text == "row,line,embedding,predicted,p_a,p_b\n1,7,[1 2],a,1.000000,0.000000\n"
