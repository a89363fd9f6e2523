"""Model files from strangers: hostile, damaged and odd ones, and tables that do not fit them."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from attacks.attack import Attack

from ncbench.doubtful_labels import TableModel, write_model
from ncbench.noise_estimation import read_own_data

ROWS = [f"{k % 7},{(k * k) % 11 / 2},{'red' if k % 5 else 'blue'},{'uv'[k % 2]}" for k in range(60)]
TABLE = "\n".join(["a,b,color,y", *ROWS]) + "\n"
PREDICT = ("predict", "m.skops", "new.csv", "--out", "out.csv")
NOISY = ("evaluate", "m.skops", "new.csv", "--target", "y")
CLEAN = ("evaluate", "m.skops", "new.csv", "--clean-column", "y")


@cache
def model() -> bytes:
    """Return the bytes of a model file, which is fitted once."""
    with TemporaryDirectory() as folder:
        Path(folder, "old.csv").write_text(TABLE)
        data = read_own_data(f"{folder}/old.csv", "y", None)
        fitted = TableModel.fit(data, "y", noise_matrix=[[0.9, 0.2], [0.1, 0.8]], cpe="logistic")
        write_model(Path(folder, "m.skops"), fitted)
        return Path(folder, "m.skops").read_bytes()


def sealed(change: Callable[[dict[str, bytes]], Any]) -> bytes:
    """Return a model with other parts and the right checksum."""
    with zipfile.ZipFile(io.BytesIO(model())) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    change(parts)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, part in parts.items():
            file.writestr(name, part)
        file.comment = b"ncbench model 1 " + b"0" * 64
    content = stream.getvalue()[:-64]
    return content + hashlib.sha256(content).hexdigest().encode()


def about(**entries: Any) -> Callable[[], bytes]:
    """Return what makes a model with other entries of its description."""

    def change(parts: dict[str, bytes]) -> None:
        described = json.loads(parts["ncbench.json"])
        parts["ncbench.json"] = json.dumps({**described, **entries}).encode()

    return lambda: sealed(change)


def part(name: str, content: bytes) -> Callable[[], bytes]:
    return lambda: sealed(lambda parts: parts.update({name: content}))


def numbers(change: Callable[[Any], Any]) -> Callable[[], bytes]:
    """Return what makes a model whose arrays of numbers are changed."""

    def each(parts: dict[str, bytes]) -> None:
        for name in [name for name in parts if name.endswith(".npy")]:
            array = np.load(io.BytesIO(parts[name]), allow_pickle=False)
            if array.dtype.kind == "f":
                stream = io.BytesIO()
                np.save(stream, change(array), allow_pickle=False)
                parts[name] = stream.getvalue()

    return lambda: sealed(each)


def files(content: Callable[[], bytes] = model, table: str = TABLE) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "m.skops").write_bytes(content())
        (folder / "new.csv").write_text(table)

    return write


def of_model(name: str, argv: tuple[str, ...], says: str, content: Callable[[], bytes]) -> Attack:
    return Attack(name, argv, "refused", says, files(content))


def of_table(
    name: str, argv: tuple[str, ...], says: str, table: str, verdict: str = "refused"
) -> Attack:
    return Attack(name, argv, verdict, says, files(table=table))


DESCRIPTIONS = [
    of_model("no measure", NOISY, "measure is None, which is not a name", about(measure=None)),
    of_model("no measure, checked labels", CLEAN, "measure is None", about(measure=None)),
    of_model("a measure that is a list", PREDICT, "which is not a name", about(measure=["g_mean"])),
    of_model("an unknown measure", NOISY, "measure 'g_maen' is not known", about(measure="g_maen")),
    of_model("a target that is a number", NOISY, "target is 3", about(target=3)),
    of_model("a source that is a number", PREDICT, "t_estimator is 1.5", about(t_estimator=1.5)),
    of_model("other classes", PREDICT, "its classes are not those", about(classes=["u", "w"])),
    of_model("no classes", PREDICT, "its classes are not those", about(classes=[])),
    of_model("a background that is none", NOISY, "its background is not", about(background="z")),
    of_model("an unknown learner", PREDICT, "'m.skops'", about(cpe="nope")),
    of_model("a learner that is null", PREDICT, "'m.skops'", about(cpe=None)),
    of_model("no versions", PREDICT, "m.skops", about(versions={})),
    of_model("versions that are text", PREDICT, "cannot be read", about(versions="1.0")),
    of_model(
        "a version of a stranger", PREDICT, "which is no version", about(versions={"evil": "1"})
    ),
    of_model("seconds that repeat", PREDICT, "repeated_rows", about(repeated_rows="many")),
]

CONTENTS = [
    of_model("cut off", PREDICT, "cut off", lambda: model()[:-1]),
    of_model("nothing", PREDICT, "cut off", lambda: b""),
    of_model("one byte changed", NOISY, "damaged", lambda: model()[:99] + b"~" + model()[100:]),
    of_model("two models in one", PREDICT, "damaged", lambda: model() * 2),
    of_model("a table", CLEAN, "not a file that `ncbench fit` wrote", lambda: TABLE.encode()),
    of_model(
        "a description that is a list", PREDICT, "cannot be read", part("ncbench.json", b"[]")
    ),
    of_model("a description cut off", PREDICT, "cannot be read", part("ncbench.json", b'{"a":')),
    of_model("a schema without content", PREDICT, "cannot be read", part("schema.json", b"{}")),
    of_model("weights that are NaN", PREDICT, "cannot be read", numbers(lambda a: a * np.nan)),
    of_model(
        "weights of a row less",
        PREDICT,
        "cannot be read",
        numbers(lambda a: a[..., :-1] if a.ndim else a),
    ),
    Attack("no model", PREDICT, "refused", "No such file"),
    Attack("a folder", PREDICT, "refused", "Is a directory", lambda at: (at / "m.skops").mkdir()),
]

TERMINAL = [
    Attack(f"escape codes in {key}", argv, "ran", r"\x1b[2J", files(about(**{key: "\x1b[2J"})))
    for key, argv in {"t_estimator": NOISY}.items()
]

TABLES = [
    of_table("no rows", PREDICT, "no rows", "a,b,color,y\n"),
    of_table("a feature is missing", PREDICT, "no column 'b'", "a,color,y\n1,red,u\n"),
    of_table("a feature that is text", PREDICT, "'b'", "a,b,color,y\n1,much,red,u\n"),
    of_table("an infinite feature", PREDICT, "'b'", "a,b,color,y\n1,inf,red,u\n"),
    of_table("a label that is no class", NOISY, "label 'w' is none", "a,b,color,y\n1,2,red,w\n"),
    of_table("no label at all", CLEAN, "no label in any row", "a,b,color,y\n1,2,red,\n"),
    of_table("no such column", NOISY, "'y'", "a,b,color\n1,2,red\n"),
    of_table("labels that are a feature", (*NOISY[:-1], "a"), "is a feature of the model", TABLE),
    of_table("one label", CLEAN, "No label of v", "a,b,color,y\n1,2,red,u\n", "ran"),
    of_table("one label, taken as noisy", NOISY, "too wide", "a,b,color,y\n1,2,red,u\n", "ran"),
    of_table("a new category", PREDICT, "1 new value", "a,b,color,y\n1,2,green,u\n", "notice"),
    of_table("missing numbers", PREDICT, "median of training", "a,b,color,y\n1,,red,u\n", "notice"),
    of_table(
        "the model is the output", (*PREDICT[:-1], "m.skops"), "m.skops", TABLE
    ),
    of_table("the table is the output", (*PREDICT[:-1], "new.csv"), "new.csv", TABLE),
    of_table(
        "a matrix beside checked labels", (*CLEAN, "--noise-matrix", "none"),
        "leave it out with --clean-column", TABLE,
    ),
    of_table("an unknown loss", (*NOISY, "--measure", "nope"), "'nope' is not known", TABLE),
    of_table("an unknown background", (*NOISY, "--background", "z"), "z", TABLE),
]  # fmt: skip

ATTACKS = [*DESCRIPTIONS, *CONTENTS, *TERMINAL, *TABLES]
