# ruff: noqa: E501  (one line for each row)
"""``evaluate``: labels, rows and noise matrices that tell little, or contradict each other.

The classifier predicts ``u`` where column a is below 50, and ``v`` elsewhere. ``HELD`` is a sample
without chance, of which it finds 9 of 10 u and all v: after correction by ``T``, its G-mean loss is
1 - sqrt(.9) = .051.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from attacks.attack import Attack

from ncbench.own_labels import TableModel, read_own_data, write_model

Rows = list[tuple[float, int, Any]]
T = ((0.9, 0.2), (0.1, 0.8))


def rows(counts: dict[str, int], start: int = 1000) -> Rows:
    """Return rows with labels, so many of each kind: ``uv`` is predicted u and labeled v."""
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    return [
        (k % 10 + 100 * (kind[0] == "v") + k / 1e5, k % 13, kind[1:])
        for k, kind in enumerate(kinds, start)
    ]


def table(found: Rows) -> str:
    return "a,b,y\n" + "".join(f"{a},{b},{label}\n" for a, b, label in found)


TRAINING = rows({"uu": 90, "uv": 10, "vu": 20, "vv": 80}, start=0)
HELD = rows({"uu": 81, "uv": 9, "vu": 29, "vv": 81})
CLEAN = rows({"uu": 50, "vv": 50})


@cache
def model(numbers: bool = False) -> bytes:
    """Return a model file, which is fitted once; its classes are u and v, or 0 and 1."""
    with TemporaryDirectory() as folder:
        found = table(numbered(TRAINING) if numbers else TRAINING)
        Path(folder, "old.csv").write_text(found)
        data = read_own_data(f"{folder}/old.csv", "y", None)
        fitted = TableModel.fit(data, "y", noise_matrix=np.array(T), cpe="logistic")
        write_model(Path(folder, "m.skops"), fitted)
        return Path(folder, "m.skops").read_bytes()


def numbered(found: Rows, form: str = "{}") -> Rows:
    return [(a, b, form.format("uv".index(label))) for a, b, label in found]


def matrix(names: Sequence[str], entries: Any, columns: Sequence[str] = ()) -> str:
    """Return a noise matrix as a table; its columns have the names of its rows, or others."""
    lines = [",".join(["", *(columns or names)])]
    lines += [",".join([name, *map(str, row)]) for name, row in zip(names, entries, strict=True)]
    return "\n".join([*lines, ""])


def files(new: Rows | str, numbers: bool = False, **others: str | bytes) -> Callable[[Path], None]:
    """Return what writes the model, the table and other files; an underscore in a name is a dot."""

    def write(folder: Path) -> None:
        (folder / "m.skops").write_bytes(model(numbers))
        (folder / "new.csv").write_text(new if isinstance(new, str) else table(new))
        for name, content in others.items():
            path = folder / name.replace("_", ".")
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    return write


NOISY = ("evaluate", "m.skops", "new.csv", "--target", "y")
CHECKED = ("evaluate", "m.skops", "new.csv", "--clean-column", "y")
GIVEN = (*NOISY, "--noise-matrix", "T.csv")
JSON = (*NOISY, "--noise-matrix", "T.json")
EXACT = "g_mean: loss 0.051, 90% interval 0.000 to 0.1"
WIDE = "90% interval 0.000 to 1.000"
NOTHING = "nothing is said about how good the classifier is there"
NOT_ITS_OWN = f"{WIDE}, from 200 noisy labels; the noise matrix is taken as known; the noise matrix is not that"


def noisy(
    name: str, new: Rows | str, says: str, verdict: str = "ran", more: tuple[str, ...] = ()
) -> Attack:
    return Attack(f"noisy: {name}", (*NOISY, *more), verdict, says, files(new))


def checked(
    name: str, new: Rows | str, says: str, verdict: str = "ran", more: tuple[str, ...] = ()
) -> Attack:
    return Attack(f"checked: {name}", (*CHECKED, *more), verdict, says, files(new))


def given(name: str, content: str | bytes, says: str, verdict: str = "refused") -> Attack:
    return Attack(f"matrix: {name}", GIVEN, verdict, says, files(HELD, T_csv=content))


def in_json(name: str, content: Any, says: str, verdict: str = "refused") -> Attack:
    text = content if isinstance(content, str) else json.dumps({"classes": ["u", "v"], **content})
    return Attack(f"json: {name}", JSON, verdict, says, files(HELD, T_json=text))


def of_numbers(name: str, form: str, T_csv: str | None, says: str, verdict: str) -> Attack:
    others = {} if T_csv is None else {"T_csv": T_csv}
    prepare = files(numbered(HELD, form), numbers=True, **others)
    return Attack(f"numbers: {name}", GIVEN if others else NOISY, verdict, says, prepare)


COPIES: Rows = [(1.0, 2, "u")] * 50 + [(101.0, 2, "v")] * 50
FAR = "a,b,y\n" + "".join(f"{s}1e300,{k},{'vu'[s == '-']}\n" for k in range(9) for s in ("", "-"))
LABELS = [
    noisy("nothing wrong", HELD, EXACT),
    noisy("one class", rows({"uu": 50}), f"{WIDE}, from 50 noisy labels; the noise matrix is taken "
          f"as known; no label of v: {NOTHING}"),
    checked("one class", rows({"uu": 50}), f"No label of v: {NOTHING}"),
    checked("one class: its loss", rows({"uu": 50}), "zero_one        0.000  0.000 to 0.05"),
    checked("one class, which the background is", rows({"uu": 50}),
            "micro_f1        0.000  0.000 to 1.000 (wide)"),
    checked("one class, always wrong", rows({"uv": 50}), "zero_one        1.000  0.94"),
    noisy("all wrong", rows({"uv": 50, "vu": 50}), f"loss 1.000, {WIDE}"),
    checked("all wrong", rows({"uv": 50, "vu": 50}), "g_mean*         1.000  0.9"),
    noisy("one row", rows({"uu": 1}), WIDE),
    checked("one row", rows({"uu": 1}), "zero_one        0.000  0.000 to 0.9"),
    checked("one row, wrong", rows({"uv": 1}), "zero_one        1.000  0.0"),
    checked("one label of a class", rows({"uu": 500, "vv": 1}), "g_mean*         0.000  0.000 to 0.7"),
    noisy("one label of a class", rows({"uu": 500, "vv": 1}), "too wide to be of use"),
    noisy("a class the model does not know", rows({"uu": 9, "vw": 1}),
          "label 'w' is none of the classes of the model: u, v", "refused"),
    checked("a class in capitals", rows({"uu": 9, "vV": 1}), "label 'V' is none", "refused"),
    checked("none at all", rows({"u": 20, "v": 20}), "no label in any row", "refused"),
    checked("blanks only", rows({"u ": 20, "v ": 20}), "no label in any row", "refused"),
    checked("some", rows({"u": 50, "uu": 10, "vv": 10}), "50 rows have no label", "notice"),
    checked("some: the others count", rows({"u": 50, "uu": 10, "vv": 10}), "u 1.000 (of 10), v 1.00"),
    checked("blanks around", rows({"u u": 50, "vv ": 50}), "u 1.000 (of 50), v 1.000 (of 50)"),
    noisy("taken for another's noise", rows({"uu": 100, "vv": 100}), "noise matrix is taken as known"),
    noisy("in conflict with the matrix", rows({"uu": 900, "vv": 900}), "the noise matrix is not that"),
    noisy("of a class that no noise explains", rows({"uu": 900, "vu": 900}), "the noise matrix is not"),
]  # fmt: skip

ROWS = [
    checked("copies of two rows", COPIES, "100% of these rows equal another of them", "notice"),
    noisy("copies of two rows", COPIES, "100% of these rows equal another of them", "notice"),
    checked("each row twice", CLEAN * 2, "intervals are too narrow", "notice"),
    checked("each row once", CLEAN, "g_mean*         0.000  0.000 to 0.04"),
    noisy("of the training table", TRAINING, "100% of these rows equal rows", "notice"),
    checked("of the training table", TRAINING, "100% of these rows equal rows", "notice"),
    checked("one of the training table", TRAINING[:1], "100% of these rows equal rows", "notice"),
    checked("half of the training table", TRAINING + HELD, "50% of these rows equal", "notice"),
    noisy("none", [], "no rows", "refused"),
    noisy("without a feature", "b,y\n1,u\n", "no column 'a', which is one of the feat", "refused"),
    noisy("a feature twice", "a,a,b,y\n1,99,2,u\n", "columns 1 and 2 have the name", "refused"),
    noisy("the labels twice", "a,b,y,y\n1,2,u,v\n", "columns 3 and 4 have the name", "refused"),
    checked("a field too many", "a,b,y\n1,2,u,v\n", "line 2 has 4 fields", "refused"),
    checked("an open quotation mark", 'a,b,y\n1,2,"u\n1,2,u\n', "is never closed", "refused"),
    noisy("a feature that is text", "a,b,y\nx,2,u\n", "'x' in row 1 (line 2)", "refused"),
    noisy("a feature that is infinite", "a,b,y\ninf,2,u\n", "inf in row 1 (line 2)", "refused"),
    checked("features that are huge", FAR, "u 1.000 (of 9), v 1.000 (of 9)"),
    checked("no features", "a,b,y\n,,u\n,,v\n", "missing values take the median", "notice"),
    Attack("rows: a pipe", NOISY, "refused", "not a file",
           lambda at: ((at / "m.skops").write_bytes(model()), os.mkfifo(at / "new.csv"))),
    Attack("the model is a pipe", NOISY, "refused", "not a regular file",
           lambda at: ((at / "new.csv").write_text(table(HELD)), os.mkfifo(at / "m.skops"))),
]  # fmt: skip

MATRICES = [
    given("that of the model", matrix("uv", T), EXACT, "ran"),
    given("names in another order", matrix("vu", [[0.8, 0.1], [0.2, 0.9]]), EXACT, "ran"),
    given("columns in another order", matrix("uv", [[0.2, 0.9], [0.8, 0.1]], "vu"), EXACT, "ran"),
    given("rows in another order", matrix("vu", [[0.1, 0.8], [0.9, 0.2]], "uv"), EXACT, "ran"),
    given("no name in the corner", "u,v\nu,0.9,0.2\nv,0.1,0.8\n", EXACT, "ran"),
    given("a byte order mark", "\ufeff" + matrix("uv", T), EXACT, "ran"),
    given("sums rounded", matrix("uv", [[0.9, 0.2], [0.1000005, 0.8]]), EXACT, "ran"),
    given("transposed", matrix("uv", np.transpose(T)), "yours has rows that do: transpose it"),
    given("exchanged classes", matrix("uv", [[0, 1], [1, 0]]), "loss 0.838", "ran"),
    given("no noise", matrix("uv", [[1, 0], [0, 1]]), "from 200 labels, taken as clean", "ran"),
    given("a class too many", matrix("uvw", [[0.9, 0.2, 0], [0.1, 0.8, 0], [0, 0, 1]]),
          EXACT, "ran"),
    given("a class too many: said", matrix("uvw", [[0.9, 0.2, 0], [0.1, 0.8, 0], [0, 0, 1]]),
          f"no label of w: {NOTHING}", "ran"),
    given("a class too many, that hides", matrix("uvw", [[0.9, 0.2, 0.3], [0.1, 0.7, 0.3], [0, 0.1, 0.4]]),
          "too wide to be of use", "ran"),
    given("other classes", matrix("xw", T), "label 'u' is none of its classes, x, w"),
    given("one other class", matrix("uw", T), "label 'v' is none of its classes, u, w"),
    given("classes in capitals", matrix("UV", T), "label 'u' is none of its classes, U, V"),
    given("one class", matrix("u", [[1]]), "label 'v' is none of its classes, u"),
    given("singular", matrix("uv", [[0.5, 0.5], [0.5, 0.5]]), "cannot be inverted reliably"),
    given("singular but for rounding", matrix("uv", [[0.5000001, 0.5], [0.4999999, 0.5]]),
          "exceeds 1e+06"),
    *(
        given(f"nearly singular, by {by}", matrix("uv", [[0.5 + by, 0.5], [0.5 - by, 0.5]]),
              NOT_ITS_OWN, "ran")
        for by in (0.00001, 0.001, 0.1, -0.00001)
    ),
    given("a row less", ",u,v\nu,0.9,0.2\n", "rows u and columns u, v"),
    given("a row twice", matrix("uuv", [T[0], *T], "uv"), "rows u, u, v and columns u, v"),
    given("a column more", matrix("uv", [[0.9, 0.2, 0], [0.1, 0.8, 0]], "uvw"), "columns u, v, w"),
    given("a name twice", matrix("uu", T), "rows u, u and columns u, u.1"),
    given("an entry less", ",u,v\nu,0.9\nv,0.1,0.8\n", "entry [0, 1] is nan"),
    given("entries more", ",u,v\nu,0.9,0.2,0.5\nv,0.1,0.8,0.5\n", "expected each class once"),
    given("a comma at the end", ",u,v,\nu,0.9,0.2,\nv,0.1,0.8,\n", "expected each class once"),
    given("semicolons", matrix("uv", T).replace(",", ";"), "it names no classes"),
    given("no names", "0.9,0.2\n0.1,0.8\n", "expected each class once"),
    given("counts", matrix("uv", [[9, 2], [1, 8]]), "entry [0, 0] is 9; probabilities lie in"),
    given("percents", matrix("uv", [["90%", "20%"], ["10%", "80%"]]), "'90%'"),
    given("a sum of 0.99", matrix("uv", [[0.9, 0.2], [0.09, 0.8]]), "column 0 sums to 0.99, not 1"),
    given("negative", matrix("uv", [[1.1, 0.2], [-0.1, 0.8]]), "entry [0, 0] is 1.1"),
    given("not a number", matrix("uv", [["nan", 0.2], [0.1, 0.8]]), "entry [0, 0] is nan"),
    given("infinite", matrix("uv", [["inf", 0.2], [0.1, 0.8]]), "entry [0, 0] is inf"),
    given("empty", "", "No columns to parse"),
    given("a header only", ",u,v\n", "it names no classes"),
    given("binary", b"\xff\xfe\x00\x80", "can't decode byte 0xff"),
    given("an open quotation mark", ',u,v\n"u,0.9,0.2\nv,0.1,0.8\n', "EOF inside string"),
    Attack("matrix: gone", GIVEN, "refused", "No such file", files(HELD)),
    Attack("matrix: a folder", GIVEN, "refused", "Is a directory",
           lambda at: (files(HELD)(at), (at / "T.csv").mkdir())),
    Attack("matrix: a pipe", GIVEN, "refused", "not a regular file",
           lambda at: (files(HELD)(at), os.mkfifo(at / "T.csv"))),
    Attack("matrix: a device", (*NOISY, "--noise-matrix", "/dev/zero"), "refused",
           "not a regular file", files(HELD)),
    Attack("matrix: the table", (*NOISY, "--noise-matrix", "new.csv"), "refused", "cannot be read",
           files(HELD)),
    in_json("in another order", {"classes": ["v", "u"], "T": [[0.8, 0.1], [0.2, 0.9]]}, EXACT, "ran"),
    in_json("of several people", {"T": T, "annotators": ["a", "b"]}, "labels of 2 people", "notice"),
    in_json("people that are a number", {"T": T, "annotators": 3}, "cannot be read"),
    in_json("classes that are numbers", {"classes": [0, 1], "T": T}, "none of its classes, 0, 1"),
    in_json("no classes", {"classes": None, "T": T}, "cannot be read"),
    in_json("no matrix", {}, "cannot be read ('T')"),
    in_json("a matrix that is a number", {"T": 0.5}, "cannot be read"),
    in_json("a matrix that is text", {"T": "x"}, "cannot be read"),
    in_json("ragged", {"T": [[0.9], [0.1, 0.8]]}, "cannot be read"),
    in_json("columns by name", {"T": {"u": [0.9, 0.1], "v": [0.2, 0.8]}}, "cannot be read"),
    in_json("a huge number", {"T": [[10**400, 0.2], [0.1, 0.8]]}, "too large to convert"),
    in_json("deep", "[" * 100_000, "nested too deeply"),
    in_json("cut off", '{"classes": ["u", "v"], "T": [[0.9', "cannot be read"),
    in_json("a list", "[1]", "cannot be read"),
    in_json("an escape", {"classes": ["u", "\x1b[2J"], "T": T}, r"\x1b[2J"),
    of_numbers("as they are", "{}", None, EXACT, "ran"),
    of_numbers("with fractions", "{}.0", None, EXACT, "ran"),
    of_numbers("named by a matrix", "{}", matrix("10", [[0.8, 0.1], [0.2, 0.9]]), EXACT, "ran"),
    of_numbers("fractions in a matrix", "{}", matrix(["0.0", "1.0"], T), "'0' is none", "refused"),
    of_numbers("a matrix of texts", "{}", matrix("uv", T), "label '0' is none of its", "refused"),
    of_numbers("a class more", "2", None, "label '2' is none of the classes", "refused"),
]  # fmt: skip

OPTIONS = [
    noisy("no such loss", HELD, "'gone' is not known", "refused", ("--measure", "gone")),
    noisy("a loss without a name", HELD, "'' is not known", "refused", ("--measure", "g_mean,,")),
    noisy("a loss with costs", HELD, "has parameters", "refused", ("--measure", "cost")),
    noisy("a background that is gone", HELD, "'w' is not known", "refused", ("--background", "w")),
    checked("a matrix", HELD, "leave it out with", "refused", ("--noise-matrix", "none")),
    noisy("both columns", HELD, "not allowed with", "refused", ("--clean-column", "y")),
    noisy("as clean", HELD, "taken as clean, by --noise-matrix none", "ran",
          ("--noise-matrix", "none")),
    Attack("a feature as labels", (*NOISY[:-1], "a"), "refused", "is a feature of the model",
           files(HELD)),
    Attack("a column that is gone", (*NOISY[:-1], "z"), "refused", "no column 'z'", files(HELD)),
]  # fmt: skip

ATTACKS = [*LABELS, *ROWS, *MATRICES, *OPTIONS]
