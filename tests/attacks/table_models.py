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

from ncbench.own_labels import TableModel, read_own_data, write_model

ROWS = [f"{k % 7},{(k * k) % 11 / 2},{'red' if k % 5 else 'blue'},{'uv'[k % 2]}" for k in range(60)]
TABLE = "\n".join(["a,b,color,y", *ROWS]) + "\n"
PREDICT = ("predict", "m.skops", "new.csv", "--out", "out.csv")
NOISY = ("evaluate", "m.skops", "new.csv", "--target", "y")
CLEAN = ("evaluate", "m.skops", "new.csv", "--clean-column", "y")


@cache
def model(cpe: str = "logistic") -> bytes:
    """Return the bytes of a model file, which is fitted once."""
    with TemporaryDirectory() as folder:
        more = 0 if cpe == "logistic" else 5  # too few rows for a split
        Path(folder, "old.csv").write_text(TABLE + "\n".join([*ROWS * more, ""]))
        data = read_own_data(f"{folder}/old.csv", "y", None)
        fitted = TableModel.fit(data, "y", noise_matrix=[[0.9, 0.2], [0.1, 0.8]], cpe=cpe)
        write_model(Path(folder, "m.skops"), fitted)
        return Path(folder, "m.skops").read_bytes()


def sealed(change: Callable[[dict[str, bytes]], Any], cpe: str = "logistic") -> bytes:
    """Return a model with other parts and the right checksum."""
    with zipfile.ZipFile(io.BytesIO(model(cpe))) as file:
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


def node_of(part: Any, name: str) -> Any:
    """Return the first object of a class in a schema."""
    if isinstance(part, dict) and part.get("__class__") == name:
        return part
    inside = part.values() if isinstance(part, dict) else part if isinstance(part, list) else []
    return next(filter(None, (node_of(each, name) for each in inside)), None)


def saved(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def trees(owner: str = "PlainTrees", cpe: str = "boosting", **changes: Any) -> Callable[[], bytes]:
    """Return what makes a model of which a part has other arrays, functions of the old ones, or
    other numbers."""

    def change(parts: dict[str, bytes]) -> None:
        schema = json.loads(parts["schema.json"])
        attributes = node_of(schema, owner)["content"]["content"]
        for name, value in changes.items():
            if callable(value):
                file = attributes[name]["file"]
                parts[file] = saved(value(np.load(io.BytesIO(parts[file]))))
            else:
                attributes[name] = {**JSON, "content": json.dumps(value)}
        parts["schema.json"] = json.dumps(schema).encode()

    return lambda: sealed(change, cpe)


def blended(owner: str, **changes: Any) -> Callable[[], bytes]:
    return trees(owner, "blend", **changes)


def schema(change: Callable[[dict[str, Any]], Any]) -> Callable[[], bytes]:
    """Return what makes a boosted model with another schema of its first trees."""

    def changed(parts: dict[str, bytes]) -> None:
        read = json.loads(parts["schema.json"])
        change(node_of(read, "PlainTrees"))
        parts["schema.json"] = json.dumps(read).encode()

    return lambda: sealed(changed, "boosting")


def one_more(trees: dict[str, Any]) -> None:
    """Give an object another method."""
    trees["content"]["content"]["predict_proba"] = {**JSON, "content": '"x"'}
    kinds = trees["content"]["key_types"]["content"]
    kinds.append(kinds[0])


def chain(depth: int) -> dict[str, Any]:
    """Return the arrays of a tree of which each right child has children."""
    node = np.full(2 * depth + 1, -1, dtype=np.int32)
    node[0] = 0
    node[2:-1:2] = 0
    return {
        "n_trees": 1,
        "node": lambda _: node,
        "threshold": lambda _: np.zeros(depth),
        "missing_left": lambda _: np.zeros(depth, dtype=bool),
    }


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

JSON = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "is_json": True}

TREES = [
    of_model(f"trees: {name}", PREDICT, says, content)
    for name, says, content in [
        (
            "a feature out of range",
            "compares feature 4 of 4",
            trees(node=lambda a: np.where(a < 0, a, np.int32(4))),
        ),
        ("a huge feature", "compares feature 2147483647 of 4", trees(node=lambda a: a | 2**31 - 1)),
        (
            "the smallest number",
            "has value 2147483647 of",
            trees(node=lambda a: np.where(a < 0, np.int32(-(2**31)), a)),
        ),
        (
            "a value out of range",
            "a leaf has value",
            trees(node=lambda a: np.where(a == a.min(), a - 1, a)),
        ),
        ("a cycle", "nodes are not in a tree", trees(node=lambda a: a[::-1])),
        ("too deep", "deeper than 1000", trees(**chain(100_000))),
        ("a node too few", "cannot be 100 trees", trees(node=lambda a: a[:-1])),
        ("no nodes", "0 nodes", trees(node=lambda a: a[:0])),
        ("leaves only", "of which 0 have children", trees(node=lambda a: a * 0 - 1)),
        (
            "beyond int32",
            "node is not an array of int32",
            trees(node=lambda a: a + np.int64(2**40)),
        ),
        ("fractions", "node is not an array of int32", trees(node=lambda a: a / 2)),
        ("objects", "cannot be read", trees(node=lambda a: a.astype(object))),
        ("two dimensions", "node is not an array of int32", trees(node=lambda a: a[:, None])),
        ("text for an array", "node is not an array of int32", trees(node="0, -1, -1")),
        ("thresholds that are NaN", "a threshold is not", trees(threshold=lambda a: a * np.nan)),
        ("a threshold too few", "thresholds and", trees(threshold=lambda a: a[1:])),
        ("sides that are bytes", "missing_left is not", trees(missing_left=lambda a: a.view("u1"))),
        ("values that are NaN", "a value is not finite", trees(value=lambda a: a * np.nan)),
        ("values whose sum is infinite", "larger than 1e+100", trees(value=lambda a: a + 1e308)),
        ("no values", "a leaf has value", trees(value=lambda a: a[:0])),
        ("values of two classes", "cannot add to 1 scores", trees(value=lambda a: a.repeat(2, 1))),
        ("values of a forest", "not a distribution", trees(baseline=None)),
        ("a baseline that is NaN", "not a number", trees(baseline=lambda a: a * np.nan)),
        ("a baseline of more classes", "add to 3 scores", trees(baseline=lambda a: a.repeat(3))),
        ("more features", "fitted to 5 features", trees(n_features=5)),
        ("fewer features", "compares feature", trees(n_features=1)),
        ("a fraction of features", "n_features is not a number", trees(n_features=4.0)),
        ("more trees than nodes", "cannot be 1000000000000 trees", trees(n_trees=10**12)),
        ("no number of trees", "n_trees is not a number", trees(n_trees=None)),
        ("a part too many", "other parts than those of trees", schema(one_more)),
        ("a part too few", "other parts", schema(lambda t: t["content"]["content"].pop("value"))),
        ("no parts", "cannot be read", schema(lambda t: t.pop("content"))),
        (
            "parts that are text",
            "other parts",
            schema(lambda t: t.update(content={**JSON, "content": '"x"'})),
        ),
        (
            "sigmoids that are NaN",
            "cannot be read",
            trees("CalibratedBoosting", sigmoids_=lambda a: a * np.nan),
        ),
        (
            "a sigmoid too few",
            "cannot be read",
            trees("CalibratedBoosting", sigmoids_=lambda a: a[1:]),
        ),
        (
            "sigmoids of three numbers",
            "cannot be read",
            trees("CalibratedBoosting", sigmoids_=lambda a: a.repeat(3, 2)),
        ),
        ("no list of trees", "cannot be read", trees("CalibratedBoosting", trees_=[])),
    ]
]

BLENDS = [
    of_model(f"blend: {name}", PREDICT, says, content)
    for name, says, content in [
        ("a forest without a value", "a leaf has value",
         blended("PlainTrees", value=lambda a: a[:-1])),
        ("a forest of scores", "baseline is not an array", blended("PlainTrees", baseline=[0.0])),
        ("weights of two learners", "cannot be read", blended("Blend", weights_=lambda a: a[:2])),
        ("weights that are NaN", "cannot be read", blended("Blend", weights_=lambda a: a * np.nan)),
        ("an offset too many", "cannot be read", blended("Blend", offsets_=lambda a: a.repeat(2))),
        ("no learners", "cannot be read", blended("Blend", learners_={})),
        ("learners that are text", "cannot be read", blended("Blend", learners_="x")),
        ("landmarks of other features", "cannot be read",
         blended("KernelLogistic", landmarks_=lambda a: a[:, :1])),
        ("landmarks that are NaN", "cannot be read",
         blended("KernelLogistic", landmarks_=lambda a: a * np.nan)),
        ("no landmarks", "cannot be read", blended("KernelLogistic", landmarks_=lambda a: a[:0])),
        ("a kernel without width", "cannot be read", blended("KernelLogistic", gamma_="wide")),
        ("the kernel of another learner", "cannot be read", blended("KernelLogistic", model_=None)),
    ]
]  # fmt: skip

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

ATTACKS = [*DESCRIPTIONS, *CONTENTS, *TREES, *BLENDS, *TERMINAL, *TABLES]
