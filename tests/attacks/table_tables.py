"""Tables in which rows, columns and labels are not what they seem."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path

from attacks.attack import Attack
from made_up_files import write_sweep

ROWS = [f"{k}.5,{k % 7},{'uv'[k % 2]}" for k in range(60)]


def content(*lines: str, name: str = "t.csv", header: str = "a,b,y") -> Callable[[Path], None]:
    """Return a function that writes a table."""

    def prepare(folder: Path) -> None:
        text = ("\n".join([header, *lines]) + "\n").encode()
        (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)

    return prepare


def changed(row: int, line: str, *more: tuple[int, str]) -> Callable[[Path], None]:
    """Return a function that writes a table with other lines at some rows."""
    lines = ROWS.copy()
    for k, text in ((row, line), *more):
        lines[k] = text
    return content(*lines)


def loop(folder: Path) -> None:
    (folder / "t.csv").symlink_to(folder / "t.csv")


def long_line(folder: Path) -> None:
    with gzip.open(folder / "t.csv.gz", "wb", compresslevel=1) as stream:
        stream.write(b"a,b,y\n1,2,u\n")
        for _ in range(80):
            stream.write(b"x" * 2**20)


def people(label: str) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        content(*ROWS)(folder)
        (folder / "long.csv").write_text(f"row,who,label\n1,ann,u\n2,ann,{label}\n2,bob,u\n")

    return prepare


def no_sheet(folder: Path) -> None:
    with zipfile.ZipFile(folder / "t.xlsx", "w") as file:
        file.writestr("[Content_Types].xml", "<Types")


def published(*lines: str) -> Callable[[Path], None]:
    """Return a function that writes records and a published table."""

    def prepare(folder: Path) -> None:
        write_sweep(folder / "outputs")
        (folder / "theirs.csv").write_text("\n".join(lines) + "\n")

    return prepare


FIT = ("fit", "t.csv", "--target", "y", "--out", "m.skops")
ISSUES = ("issues", "t.csv", "--target", "y")
ESTIMATE = ("estimate-noise", "t.csv", "--target", "y")
DIAGNOSE = ("diagnose", "t.csv", "--target", "y")
RUN = ("dataset=file", "dataset.path=t.csv", "dataset.target=y")
LONG = ("estimate-noise", "t.csv", "--annotations", "long.csv")

COMPARE = ("compare", "outputs", "--reference", "theirs.csv")
KEYS = "measure,dataset,algo,sigma,mean"

TRAILING = content(*(f"{row}," for row in ROWS))
TWICE = content(*ROWS, header="a,a,y")
SWALLOWS = changed(5, '5.5,5,"v', (40, '40.5,5,u"'))
OPEN = changed(5, '5.5,5,"v')
BREAK = changed(5, '5.5,5,"v\nw"')

ATTACKS = [
    *(
        Attack(f"{command[0]}: {name}", command, "refused", says, prepare)
        for command in (FIT, ISSUES, ESTIMATE, DIAGNOSE, RUN)
        for name, says, prepare in (
            ("a comma after each row", "line 2 has 4 fields, but the header has 3", TRAILING),
            ("a name twice", "columns 1 and 2 have the name 'a'", TWICE),
            ("a mark that takes rows", "line 7, a quotation mark takes 35 more lines", SWALLOWS),
            ("a mark that is never closed", "line 7 has a quotation mark that is never", OPEN),
            ("a label of two lines", "the label in row 6 (line 7) has a line break", BREAK),
        )
    ),
    *(
        Attack(name, FIT, "refused", says, prepare)
        for name, says, prepare in (
            ("one row is longer", "line 9 has 4 fields", changed(7, "7.5,7,u,9")),
            ("one row ends in a comma", "line 9 has 4 fields", changed(7, "7.5,7,u,")),
            ("the last row is longer", "line 61 has 5", changed(59, "1,2,u,,")),
            ("a decimal comma", "put a field that has ',' in it", changed(0, "1,5,2,u")),
            ("a mark at the first field", "a quotation mark takes 1 more line",
             changed(8, '"8.5,1,u', (9, '9.5",2,v'))),
            ("a label of 501 characters", "has 501 characters", changed(3, "1,2," + "x" * 501)),
            ("three names", "columns 1, 2 and 3 have the name", content(*ROWS, header="a,a,a")),
            ("the target twice", "2 and 3 have the name 'y'", content(*ROWS, header="a,y,y")),
            ("a name twice in quotes", "have the name 'a'", content(*ROWS, header='a,"a",y')),
            ("a header that is never closed", "never closed", content(*ROWS, header='a,"b,y')),
            ("nothing", "No columns to parse", content(header="")),
        )
    ),
    Attack("compressed: a comma after each row", ("fit", "t.csv.gz", *FIT[2:]), "refused",
           "line 2 has 4", content(*(f"{row}," for row in ROWS), name="t.csv.gz")),
    Attack("a line of 80 million characters", ("fit", "t.csv.gz", *FIT[2:]), "refused",
           "line 3 has more than 64 million characters", long_line, slow=True),
    Attack("a link to itself", ISSUES, "refused", "Too many levels of symbolic links", loop),
    Attack("a sheet that is no sheet", ("fit", "t.xlsx", *FIT[2:]), "refused",
           "cannot be read as .xlsx", no_sheet),
    Attack("compare: a comma after each row", COMPARE, "refused", "line 2 has 7 fields",
           published(f"{KEYS},sem", "q_mean,iris,fw,0.1,0.5,0.01,")),
    Attack("compare: two means", COMPARE, "refused", "columns 5 and 6 have the name 'mean'",
           published(f"{KEYS},mean,sem", "q_mean,iris,fw,0.1,0.5,0.3,0.02")),
    *(
        Attack(f"noise matrix: {name}", (*FIT, "--noise-matrix", "matrix.csv"), "refused",
               "matrix", lambda folder, text=text: (
                   content(*ROWS)(folder), (folder / "matrix.csv").write_text(text)))
        for name, text in (
            ("a comma after each row", ",u,v\nu,0.9,0.1,\nv,0.1,0.9,\n"),
            ("a name twice", ",u,u\nu,0.9,0.1\nv,0.1,0.9\n"),
        )
    ),
    Attack("annotations: a label of two lines", LONG, "refused", "row 2 (line 3) has a line break",
           people('"a\nb"')),
    Attack("annotations: a row is longer", LONG, "refused", "line 3 has 4 fields", people("a,b")),
]  # fmt: skip
