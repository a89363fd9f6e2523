"""What becomes of the columns of a table, and of those of later tables."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ncbench import NcbenchError
from ncbench.data import TableEncoder
from ncbench.data.tables import read_table
from ncbench.errors import already_said

M = 60


@pytest.fixture(autouse=True)
def fresh_notices() -> None:
    already_said.clear()


def table() -> pd.DataFrame:
    """Return a table as people have it."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "sample": [f"W{k:03d}" for k in range(M)],
            "row": range(1, M + 1),
            "wine_id": rng.permutation(10_000)[:M],
            "day": pd.date_range("2026-01-01", periods=M).strftime("%Y-%m-%d"),
            "when": [f"{1 + k % 28}/{1 + k % 12}/2026" for k in range(M)],
            "notes": None,
            "alcohol": [None, *np.linspace(11, 14, M - 1)],
            "color": rng.choice(["red", "white"], M),
            "organic": rng.random(M) < 0.5,
            "grade": rng.integers(1, 4, M),
        }
    )


def test_a_column_that_says_nothing_is_left_out_and_that_is_said() -> None:
    table = pd.DataFrame(
        {
            "size": [3.0, 1.0, 2.5, 9.0],
            "version": [2, 2, 2, 2],
            "unit": ["kg"] * 4,
            "filled": [1.0, np.nan, 1.0, 1.0],  # missing values become the median, which is 1
            "asked": ["yes", None, "yes", None],  # who answered may say something
        }
    )
    encoder = TableEncoder().fit(table)
    said = encoder.describe()
    assert "left out: version (constant), unit (constant), filled (constant)" in said
    assert "--keep" not in said
    assert encoder.transform(table).shape == (4, 3)
    kept = TableEncoder(keep=["version"], categorical=["unit"]).fit(table)
    assert kept.transform(table).shape == (4, 5)
    assert TableEncoder().fit(table[:1].fillna("")).transform(table[:1].fillna("")).shape == (1, 5)


def test_ids_dates_and_empty_columns_are_left_out_and_said() -> None:
    encoder = TableEncoder().fit(table())
    assert encoder.describe() == (
        "numbers: alcohol, grade; categories: color (2), organic (2); "
        "missing values take the median, or are a category: alcohol (1); "
        "left out: sample (id or text: different in each row), row (id: different in each row), "
        "wine_id (id: different in each row), day (dates), when (dates), notes (empty); "
        "to use what was left out: --keep sample,row,wine_id,day "
        "(in a run dataset.keep=[sample,row,wine_id,day])"
    )
    X = encoder.transform(table())
    assert X.shape == (M, 1 + 2 + 2 + 1)
    assert X[0, 0] == 12.5  # the median
    later = table().assign(color="blue")  # which is new, so it has no feature
    for rows in (1, 7, M, 2 * M):
        parts = list(encoder.encode(later).parts(rows))
        assert len(parts) == -(-M // rows)
        whole = encoder.transform(later)
        assert all((part == whole[where]).all() for where, part in parts)
        assert sum(len(part) for _, part in parts) == M


def test_the_advice_works_when_followed() -> None:
    keep = ["sample", "row", "wine_id", "day"]
    encoder = TableEncoder(keep=keep, categorical=["grade", "when"]).fit(table())
    X = encoder.transform(table())
    assert X.shape == (M, M + 1 + 1 + 1 + 60 + 1 + 2 + 2 + 3)
    assert X[:, M].tolist() == list(range(1, M + 1))
    assert X[:2, M + 2].tolist() == [20454, 20455]  # days since 1970
    with pytest.raises(NcbenchError, match=r"'1/1/2026' in row 1; write dates as .*--categorical"):
        TableEncoder(keep=["when"]).fit(table())


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([f"{k} Jan 2026" for k in range(1, 32)], "left out"),
        ([f"2026-01-{k:02d}T10:00:00Z" for k in range(1, 32)], "left out"),
        (["1.2.3.4", "5.6.7.8"] * 16, "categories"),
        (["Mar", "Apr"] * 16, "categories"),
        (["1", "2", "3", "ICU"] * 8, "categories"),
        ([2000 + k % 20 for k in range(31)], "number"),
        ([k * k for k in range(31)], "number"),
    ],
)
def test_kinds(values: list[object], kind: str) -> None:
    frame = pd.DataFrame({"x": values, "other": np.linspace(0, 1, len(values)) ** 2})
    if kind == "number":
        frame["x"] = pd.to_numeric(frame["x"])
    assert TableEncoder().fit(frame).columns[0]["kind"] == kind


def test_later_tables_have_the_same_features(capsys: pytest.CaptureFixture[str]) -> None:
    encoder = pickle.loads(pickle.dumps(TableEncoder().fit(table())))
    later = pd.DataFrame(
        {
            "extra": [1, 2],
            "grade": [2.0, np.nan],
            "organic": ["True", "False"],
            "color": ["rosé", "white"],
            "alcohol": ["13.5", ""],
        }
    ).replace("", None)
    X = encoder.transform(later, where="new.csv")
    assert X.tolist() == [[13.5, 0, 0, 0, 1, 2], [12.5, 0, 1, 1, 0, 2]]
    notices = capsys.readouterr().err
    assert "new.csv: not features, so ignored: extra" in notices
    assert "new.csv, column 'color': 1 new value, first 'rosé' in row 1" in notices
    with pytest.raises(NcbenchError, match=r"new.csv: no column 'color', .* did you mean 'colour'"):
        encoder.transform(later.rename(columns={"color": "colour"}), where="new.csv")
    with pytest.raises(
        NcbenchError, match=r"no column 'alcohol'.*\(missing in all: alcohol, color"
    ):
        encoder.transform(later[["grade"]])
    with pytest.raises(NcbenchError, match="column 'alcohol': 'strong' in row 2 is not a number"):
        encoder.transform(later.assign(alcohol=["13.5", "strong"]))


def test_numbers_as_categories_are_the_same_with_and_without_gaps() -> None:
    encoder = TableEncoder(categorical=["k"]).fit(pd.DataFrame({"k": [1, 10, 2]}))
    assert encoder.columns[0]["values"] == ["1", "2", "10"]
    later = pd.DataFrame({"k": [10.0, 1.0]})
    assert encoder.transform(later).tolist() == [[0, 0, 1], [1, 0, 0]]


def test_a_stray_text_among_numbers_is_named_with_its_row_and_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    rows = [f'"two\nlines",{k}' for k in range(30)]
    rows[5] = '"one line","1,050"'
    path.write_text("note,proline\n\n" + "\n".join(rows) + "\n")
    # Header, a blank line, five rows of two lines each: row 6 is on line 13.
    message = r"'proline': '1,050' in row 6 \(line 13\) is not a number, .*--categorical proline"
    with pytest.raises(NcbenchError, match=message):
        TableEncoder().fit(read_table(path))
    encoder = TableEncoder(categorical=["proline"]).fit(read_table(path))
    assert encoder.transform(read_table(path)).shape == (30, 30 + 2)


def test_amounts_with_a_mark_between_thousands_are_refused_not_taken_for_text() -> None:
    def prices(amount: str) -> pd.DataFrame:
        amounts = [amount.format(k) for k in range(50)]
        return pd.DataFrame({"x": np.arange(50) / 2, "price (€)": amounts})

    said = r"""column 'price \(€\)': .* in row 1 .*thousands.*--drop '"price \(€\)"'"""
    for amount in ("1.234,{:02}", "1,234.{:02}", "€ 1'234.{:02}"):
        for encoder in (TableEncoder(), TableEncoder(keep=["price (€)"])):
            with pytest.raises(NcbenchError, match=said):
                encoder.fit(prices(amount))
    assert TableEncoder(drop=["price (€)"]).fit(prices(amount)).columns[1]["why"] == "as asked"
    # Nothing is between thousands; 50 different values are an id or text.
    assert TableEncoder().fit(prices("{:02},5%")).columns[1]["kind"] == "left out"


def test_options_that_cannot_be_meant_are_refused() -> None:
    for options, message in (
        ({"drop": ["colr"]}, "drop names no feature: 'colr'; did you mean 'color'?"),
        ({"drop": ["color"], "keep": ["color"]}, "'color' is in both drop and keep"),
        ({"drop": list(table().columns)}, "no column is a feature; left out: 10 columns, sample "),
    ):
        with pytest.raises(NcbenchError) as refused:
            TableEncoder(**options).fit(table())
        assert message in str(refused.value)


def test_one_long_text_does_not_take_the_memory_of_all(tmp_path: Path) -> None:
    # As an array of text, 5,000 values of a million characters each would take 20 GB.
    notes = [f"note {k}" for k in range(5000)]
    notes[7] = "x" * 10**6
    table = pd.DataFrame({"size": np.arange(5000) / 7, "note": notes})
    encoder = TableEncoder().fit(table)
    assert "left out: note (id or text: different in each row)" in encoder.describe()


def test_columns_of_one_name_are_refused() -> None:
    encoder = TableEncoder().fit(pd.DataFrame({"b": [1.5, 2.5], "c": [3.5, 1.5]}))
    twice = pd.DataFrame([[1.0, 2.0, 3.0]], columns=["c", "b", "c"])
    for refused in (encoder.transform, TableEncoder().fit):
        with pytest.raises(NcbenchError, match="columns 1 and 3 have the name 'c'; rename or"):
            refused(twice)
