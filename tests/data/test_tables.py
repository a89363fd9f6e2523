"""Tables from files: separators, encodings, missing values, and formats."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ncbench import NcbenchError
from ncbench.data import separated, tables
from ncbench.data.tables import lines_of, read_table
from ncbench_plugins.datasets.file import file

TABLE = pd.DataFrame(
    {
        "width": [1.5, 2.5, 3.5, 4.5],
        "colour": ["red", "blue", "red", "green"],
        "new": [True, False, True, True],
        "count": [1, 2, 3, 4],
        "kind": ["pear", "apple", "pear", "apple"],
    }
)


# width; blue, green, red; False, True; count
ENCODED = [
    [1.5, 0, 0, 1, 0, 1, 1],
    [2.5, 1, 0, 0, 1, 0, 2],
    [3.5, 0, 0, 1, 0, 1, 3],
    [4.5, 0, 1, 0, 0, 1, 4],
]


ARFF = """@relation fruit
@attribute width numeric
@attribute colour {red, green, blue}
@attribute new {False, True}
@attribute count numeric
@attribute kind {pear, apple}
@data
""" + TABLE.to_csv(index=False, header=False)


def test_own_table_with_the_separator_of_another_country(tmp_path: Path) -> None:
    for suffix, separator, decimal in (
        *((".csv", ";", "."), (".csv", "\t", "."), (".csv.gz", ";", ",")),
        *((".tsv", ";", ","), (".tsv", ",", ".")),
    ):
        path = tmp_path / f"fruit{suffix}"
        TABLE.to_csv(path, index=False, sep=separator, decimal=decimal)
        np.testing.assert_array_equal(file(str(path), target="kind").X, ENCODED)


def test_commas_in_a_file_with_decimal_points_are_not_taken_for_decimal_ones(
    tmp_path: Path,
) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("price;weight;kind\n+1,200;1.5;a\n900;2.5;b\n")
    assert file(str(path), target="kind").X.tolist() == [[1, 0, 1.5], [0, 1, 2.5]]


def test_columns_may_have_decimal_commas_beside_others_with_points(tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    path.write_text("length;depth;weight;kind\n1,5;0,125;1.5;a\n2,25;0,250;2.5;b\n")
    assert file(str(path), target="kind").X.tolist() == [[1.5, 0.125, 1.5], [2.25, 0.25, 2.5]]


def test_a_word_among_decimal_commas_is_named_and_not_the_numbers(tmp_path: Path) -> None:
    path = tmp_path / "weights.csv"
    lines = [f"{k},5;{k},25;{'ab'[k % 2]}" for k in range(30)]
    lines[4] = "4,5;broken;a"
    path.write_text("\n".join(["length;weight;kind", *lines]) + "\n")
    with pytest.raises(NcbenchError, match=r"'weight': 'broken' in row 5 \(line 6\) is not a num"):
        file(str(path), target="kind")


def test_own_table_in_another_encoding_says_how_to_convert_it(tmp_path: Path) -> None:
    for encoding, named, suffix in (("utf-16", "UTF-16", ""), ("cp1252", "WINDOWS-1252", ".gz")):
        path = tmp_path / f"own.csv{suffix}"
        TABLE.replace("green", "grün").to_csv(path, index=False, encoding=encoding)
        remedy = f"not UTF-8 but probably {named}; .* iconv -f {named} -t UTF-8"
        with pytest.raises(NcbenchError, match=remedy):
            file(str(path), target="kind")


def test_own_arff_with_missing_or_unsupported_values(tmp_path: Path) -> None:
    path = tmp_path / "own.arff"
    path.write_text(ARFF.replace("2.5,blue", "2.5,?"))
    assert file(str(path), target="kind").X[1].tolist() == [2.5, 0, 0, 1, 1, 0, 2]  # no blue
    path.write_text(ARFF.replace("{red, green, blue}", "string"))
    with pytest.raises(NcbenchError, match=r"cannot be read as \.arff"):
        file(str(path), target="kind")
    path.write_text("no arff at all")
    with pytest.raises(NcbenchError, match=r"own\.arff.*ends too early"):
        file(str(path), target="kind")


@pytest.mark.parametrize(
    ("suffix", "reader", "message"),
    [
        ("parquet", "read_parquet", r"needs pyarrow: pip install 'ncbench\[parquet\]'"),
        ("xlsx", "read_excel", r"needs openpyxl: pip install 'ncbench\[excel\]'"),
    ],
)
def test_a_format_without_its_package_says_what_to_install(
    suffix: str, reader: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*args: Any, **kwargs: Any) -> None:
        raise ImportError("Missing optional dependency")

    (tmp_path / f"a.{suffix}").write_bytes(b"PAR1")
    monkeypatch.setattr(f"pandas.{reader}", missing)
    with pytest.raises(NcbenchError, match=message):
        file(str(tmp_path / f"a.{suffix}"), target="y")


def test_own_parquet_with_columns_that_are_no_features(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    path = tmp_path / "own.parquet"
    dates = pd.to_datetime(["2020-01-01", "2021-01-01"])
    for values, message in (
        ([[1], [2]], "column 'odd': values .* such as"),
        (dates, "left out: odd .dates."),
    ):
        pd.DataFrame({"odd": values, "kind": ["x", "y"]}).to_parquet(path)
        with pytest.raises(NcbenchError, match=message):
            file(str(path), target="kind")


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".parquet", ".xlsx", ".arff"])
def test_own_table_in_every_format(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"fruit{suffix}"
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
        TABLE.astype({"colour": "category"}).to_parquet(path)
    elif suffix == ".xlsx":
        pytest.importorskip("openpyxl", reason="the extra 'excel' is not installed")
        TABLE.to_excel(path)
    elif suffix == ".arff":
        path.write_text(ARFF)
    else:
        TABLE.to_csv(path, index=False, sep="\t" if ".tsv" in suffix else ",")
    data = file(str(path), target="kind")
    np.testing.assert_array_equal(data.X, ENCODED)
    assert (data.name, data.source) == ("fruit", f"fruit{suffix}")
    assert [data.classes[k] for k in data.y] == TABLE["kind"].tolist()


def test_a_name_twice_in_the_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    for header in ("x,kind,kind", 'x,"kind",kind', "x, kind,kind"):
        path.write_text(f"{header}\n1,pear,pear\n2,apple,apple\n")
        with pytest.raises(NcbenchError, match="columns 2 and 3 have the name 'kind'; rename"):
            read_table(path)
    path.write_text("x,x.1,kind\n1,2,pear\n3,4,apple\n")  # other names
    assert file(str(path), target="kind").X.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("suffix", [".xlsx", ".parquet"])
def test_a_name_twice_is_refused_in_every_format(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"twice{suffix}"
    if suffix == ".xlsx":
        pytest.importorskip("openpyxl", reason="the extra 'excel' is not installed")
        TABLE.set_axis(["a", "b", "a", "c", "kind"], axis=1).to_excel(path, index=False)
    else:
        arrow = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
        parquet = pytest.importorskip("pyarrow.parquet")
        columns = [arrow.array([1, 2])] * 3
        parquet.write_table(arrow.Table.from_arrays(columns, names=["a", "b", "a"]), path)
    with pytest.raises(NcbenchError, match="columns 1 and 3 have the name 'a'"):
        read_table(path)


def test_more_fields_than_the_header_are_refused_with_their_line(tmp_path: Path) -> None:
    # pandas takes the first column as an index, and each name is that of the column before.
    path = tmp_path / "shifted.tsv.gz"
    rows = [["size", "color", "kind"], ["1", "red", "pear", ""], ["2", "green", "apple", ""]]

    def write(rows: list[list[str]]) -> None:
        path.write_bytes(gzip.compress("\n".join(map("\t".join, rows)).encode() + b"\n"))

    write(rows)
    with pytest.raises(NcbenchError, match=r"line 2 has 4 fields, .* 3; delete the separator at"):
        read_table(path)
    write([*([row[:3] for row in rows]), ["3", "red", "pear", "x"]])
    with pytest.raises(NcbenchError, match=r"line 4 has 4 fields, .* 3; put a field that has"):
        read_table(path)
    write([row[:3] for row in rows])
    assert read_table(path)["kind"].tolist() == ["pear", "apple"]


def test_a_line_that_does_not_fit_into_memory_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "long.csv.gz"
    monkeypatch.setattr(separated, "_LONGEST_LINE", 2**20)
    path.write_bytes(gzip.compress(b"a,y\n1,b\n" + b"x" * 2**24))
    with pytest.raises(NcbenchError, match="line 3 has more than 1 million characters"):
        read_table(path)

    def no_memory(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(tables, "read_separated", no_memory)
    with pytest.raises(NcbenchError, match="does not fit into the memory"):
        read_table(path)


def test_bytes_in_parquet_are_text_or_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    path = tmp_path / "bytes.parquet"
    TABLE.assign(colour=[b"red", b"blue", b"red", None]).to_parquet(path)
    assert read_table(path)["colour"].tolist()[:3] == ["red", "blue", "red"]
    TABLE.assign(colour=[b"\xff\0"] * 4).to_parquet(path)
    with pytest.raises(NcbenchError, match="column 'colour' has bytes that are not UTF-8 text"):
        read_table(path)


def test_malformed_xml_in_a_sheet_is_one_message(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl", reason="the extra 'excel' is not installed")
    whole, path = tmp_path / "whole.xlsx", tmp_path / "cut.xlsx"
    TABLE.to_excel(whole, index=False)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name)[: -40 if name.endswith("sheet1.xml") else None])
    with pytest.raises(NcbenchError, match=r"cannot be read as \.xlsx: "):
        read_table(path)


def test_the_index_that_pandas_writes_is_left_out_with_a_notice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "indexed.csv"
    TABLE.to_csv(path, sep=";")
    assert file(str(path), target="kind").X.tolist() == ENCODED
    assert "the first column has no name and is left out" in capsys.readouterr().err
    TABLE.rename_axis("NA").to_csv(path, sep=";")  # a name, though an odd one
    assert file(str(path), target="kind").X.shape[1] == len(ENCODED[0]) + 1


def test_nul_bytes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "damaged.csv"
    path.write_bytes(b"x,kind\n1,pear\n\0\0\0,apple\n")
    with pytest.raises(NcbenchError, match=r"damaged.csv.*it has NUL bytes"):
        file(str(path), target="kind")


def test_a_row_of_nothing_but_separators_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("size,note\n1,small\n,\n\n2,large\n")
    assert lines_of(read_table(path)).tolist() == [2, 3, 5]  # type: ignore[union-attr]
