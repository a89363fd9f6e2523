"""CSV and TSV files: separators, quotation marks and lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncbench import NcbenchError
from ncbench.data.tables import lines_of, read_table


def test_a_quotation_mark_that_takes_rows_into_a_field_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "quotes.csv"
    lines = [f"{k}.5,{k % 3},k{k % 2}" for k in range(200)]
    lines[10] = '10.5,1,"k0'
    lines[150] += '"'
    path.write_text("\n".join(["b,c,y", *lines]) + "\n")
    with pytest.raises(NcbenchError, match=r"line 12, a quotation mark takes 140 more lines"):
        read_table(path)
    lines[10] = '"10.5,1,k0'  # the first field, so that others are missing
    path.write_text("\n".join(["b,c,y", *lines]) + "\n")
    with pytest.raises(NcbenchError, match=r"line 12, a quotation mark takes 140 more lines"):
        read_table(path)
    lines[150] = lines[150].rstrip('"')
    path.write_text("\n".join(["b,c,y", *lines]) + "\n")
    with pytest.raises(NcbenchError, match=r"line 12 has a quotation mark that is never closed"):
        read_table(path)


def test_text_with_line_breaks_is_a_field(tmp_path: Path) -> None:
    path = tmp_path / "text.csv"
    path.write_text('size,note,y\n1,"Main Street 1,\nTown",a\n2,"x\n\ny",b\n3,"say ""no""",a\n')
    table = read_table(path)
    assert table["note"].tolist() == ["Main Street 1,\nTown", "x\n\ny", 'say "no"']
    assert lines_of(table).tolist() == [2, 4, 7]  # type: ignore[union-attr]
    path.write_text('note,y\n"Dear all, hello\nBye",a\n"What?\nNothing, all",b\n')
    assert read_table(path).shape == (2, 2)
    path.write_text('size,y\n1,"a\n2,b"\n3,a\n')  # rows, by their numbers
    with pytest.raises(NcbenchError, match="takes 1 more line into"):
        read_table(path)


def test_a_field_of_many_characters_has_a_line(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text('note,y\n"' + "x" * 200_000 + '\n",a\n' + "short,b\n")
    assert lines_of(read_table(path)).tolist() == [2, 4]  # type: ignore[union-attr]


def test_a_comma_in_a_name_does_not_hide_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('Gewicht;"Meier, Anna";Sorte\n1,5;rot;a\n2,5;blau;b\n')
    table = read_table(path)
    assert list(table.columns) == ["Gewicht", "Meier, Anna", "Sorte"]
    assert table["Gewicht"].tolist() == [1.5, 2.5]
    path.write_text("a,b;c;d;e\n1,2\n3,4\n")  # a semicolon in a name does not hide commas
    assert list(read_table(path).columns) == ["a", "b;c;d;e"]
