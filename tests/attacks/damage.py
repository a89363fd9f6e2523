"""Kinds of damage to a record, each with the piece of message that names it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from made_up_files import complete

Damage = Callable[[dict[str, Any]], Any]
_GONE = object()


def put(keys: str, value: Any) -> Damage:
    """Return what sets the entry at dotted keys, such as ``trials.0.losses``."""

    def damage(record: dict[str, Any]) -> Any:
        content: Any = record
        *path, last = [int(key) if key.isdecimal() else key for key in keys.split(".")]
        for key in path:
            content = content[key]
        if value is _GONE:
            del content[last]
        else:
            content[last] = value
        return record

    return damage


def gone(keys: str) -> Damage:
    return put(keys, _GONE)


def only(*keys: str) -> Damage:
    return lambda record: {key: record[key] for key in keys}


def failed(**more: Any) -> Damage:
    return lambda record: {**only("schema", "id", "config")(record), "status": "failed", **more}


def twice(record: dict[str, Any]) -> Any:
    record["trials"][1] = record["trials"][0]
    return record


def whole_record(identity: str, **config: Any) -> dict[str, Any]:
    """Return a record of two trials with every field that is damaged below."""
    T = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    C = [[0.25, 0.1, 0.0], [0.1, 0.25, 0.0], [0.0, 0.0, 0.3]]
    trials = [
        {"losses": {"h_mean": H_MEAN, "zero_one": 0.2}, "confusion": C, "train_size": 7,
         "test_size": 3, "diagnostics": {}, "noise_matrix_estimate": T}
        for _ in range(2)
    ]  # fmt: skip
    named = {"measure": "h_mean", "dataset": "iris", "algo": "fw"}
    settings = {"sigma": 0.1, "trials": 2, "seed": 0}
    of_cell = {**{kind: {"name": name} for kind, name in named.items()}, **settings, **config}
    about: dict[str, Any] = {"plugins": {"algo": "ncbench 0.1.0"}, "noise_matrix": T}
    about["provenance"] = {"time": "2026-01-01T00:00:00+0000", "command": []}
    return complete({**about, "config": of_cell, "trials": trials}, identity)


RECALL = 0.25 / 0.35
H_MEAN = 1 - 3 / (2 / RECALL + 1)
H = "trials.0.losses.h_mean"

# In the order of a record. Each: what it does to the record, and what is said.
DAMAGES: dict[str, tuple[Damage, str]] = {
    "a list": (lambda record: [record], "not a record of schema 1 (found None)"),
    "a text": (lambda _: "record", "not a record of schema 1"),
    "nothing": (lambda _: None, "not a record of schema 1"),
    "another schema": (put("schema", 2), "not a record of schema 1 (found 2)"),
    "schema true": (put("schema", True), "not a record of schema 1 (found True)"),
    "schema alone": (only("schema"), "id is missing"),
    "schema and status": (only("schema", "status"), "id is missing"),
    "schema, id and status": (only("schema", "id", "status"), "config is missing"),
    "schema, id, status and config": (
        only("schema", "id", "status", "config"),
        "dataset is missin",
    ),
    "no id": (gone("id"), "id is missing"),
    "id null": (put("id", None), "id: None; expected text"),
    "id a list": (put("id", ["a"]), "id: list of length 1; expected text"),
    "id of another cell": (put("id", "0" * 16), "as its folder"),
    "no status": (gone("status"), "status is missing"),
    "status null": (put("status", None), "status: None; expected text"),
    "status a list": (put("status", ["done"]), "status: list of length 1"),
    "status misspelt": (put("status", "Done"), "status: 'Done'"),
    "no config": (gone("config"), "config is missing"),
    "config null": (put("config", None), "config: None; expected a mapping"),
    "config a list": (put("config", []), "config: []; expected a mapping"),
    "sigma text": (put("config.sigma", "x"), "config.sigma: 'x'; expected a finite number"),
    "sigma null": (put("config.sigma", None), "config.sigma: None"),
    "sigma NaN": (put("config.sigma", float("nan")), "config.sigma: nan"),
    "sigma a list": (put("config.sigma", [0.1]), "config.sigma: list of length 1"),
    "sigma a mapping": (put("config.sigma", {"a": 1}), "config.sigma: dict of length 1"),
    "sigma too large": (
        put("config.sigma", 3),
        "config.sigma: 3; expected a finite number, at most 1",
    ),
    "algo text": (put("config.algo", "fw"), "config.algo: 'fw'; expected {name: ...}"),
    "algo without a name": (put("config.algo", {"k": 1}), "config.algo: dict of length 1"),
    "algo of no name": (put("config.algo.name", None), "config.algo: dict"),
    "algo of a list": (put("config.algo.name", ["fw"]), "config.algo: dict"),
    "algo of a number": (put("config.algo.name", 3), "config.algo: dict"),
    "algo with an escape": (put("config.algo.name", "\x1b[2J"), r"config.algo.name: '\x1b[2J'"),
    "a parameter with an escape": (put("config.algo.k", "\x1b[2J"), r"config.algo.k: '\x1b[2J'"),
    "a parameter that is no Unicode": (put("config.algo.k", "\udcff"), "surrogates not allowed"),
    "cpe text": (put("config.cpe", "logistic"), "config.cpe: 'logistic'; expected {name: ...}"),
    "another measure": (put("config.measure.name", "gone"), "losses: expected a loss of gone"),
    "no measure": (gone("config.measure"), "config.measure is missing"),
    "seed text": (put("config.seed", "x"), "config.seed: 'x'; expected a whole number"),
    "seed 0.5": (put("config.seed", 0.5), "config.seed: 0.5; expected a whole number"),
    "trials in config": (put("config.trials", 7), "trials: expected config.trials"),
    "plugins null": (put("plugins", None), "plugins: None; expected a mapping"),
    "plugins a list": (put("plugins", ["a"]), "plugins: list of length 1"),
    "plugins of numbers": (put("plugins", {"algo": 1}), "plugins.algo: 1; expected text"),
    "provenance null": (put("provenance", None), "provenance: None; expected a mapping"),
    "provenance text": (put("provenance", "me"), "provenance: 'me'; expected a mapping"),
    "time a list": (put("provenance.time", [1]), "provenance.time: list of length 1"),
    "command null": (put("provenance.command", None), "provenance.command: None"),
    "command nested": (put("provenance.command", [["-m"]]), "provenance.command[0]: list"),
    "no dataset": (gone("dataset"), "dataset is missing"),
    "dataset null": (put("dataset", None), "dataset: None; expected a mapping"),
    "dataset without a name": (gone("dataset.name"), "dataset.name is missing"),
    "classes text": (put("dataset.classes", "abc"), "dataset.classes: 'abc'"),
    "classes too few": (put("dataset.classes", ["a"]), "expected 1 rows"),
    "classes of numbers": (
        put("dataset.classes", [0, 1, 2]),
        "dataset.classes[0]: 0; expected text",
    ),
    "examples text": (put("dataset.examples", "many"), "dataset.examples: 'many'"),
    "no noise matrix": (gone("noise_matrix"), "noise_matrix is missing"),
    "noise matrix of text": (put("noise_matrix", [["a"] * 3] * 3), "noise_matrix[0][0]: 'a'"),
    "noise matrix of one class": (
        put("noise_matrix", [[1.0]]),
        "noise_matrix[0]: list of length 1",
    ),
    "no trials": (gone("trials"), "trials is missing"),
    "trials empty": (put("trials", []), "trials: expected a list that is not empty"),
    "trials null": (put("trials", None), "trials: None"),
    "trials text": (put("trials", "two"), "trials: 'two'"),
    "trials of numbers": (put("trials", [0.1, 0.2]), "trials[0]: 0.1; expected a mapping"),
    "a trial twice": (twice, "trials: expected the numbers 0 to 1"),
    "a trial less": (gone("trials.1"), "trials: expected config.trials"),
    "no losses": (gone("trials.0.losses"), "trials[0].losses is missing"),
    "losses null": (put("trials.0.losses", None), "trials[0].losses: None"),
    "losses empty": (put("trials.0.losses", {}), "trials[0].losses: expected a loss of h_mean"),
    "loss NaN": (put(H, float("nan")), "trials[0].losses.h_mean: nan"),
    "loss infinite": (put(H, float("inf")), "trials[0].losses.h_mean: inf"),
    "loss 1e999": (put(H, "1e999!"), "trials[0].losses.h_mean: inf"),
    "loss text": (put(H, "0.1"), "trials[0].losses.h_mean: '0.1'"),
    "loss null": (put(H, None), "trials[0].losses.h_mean: None"),
    "loss true": (put(H, True), "trials[0].losses.h_mean: True"),
    "loss huge": (put(H, 10**400), "trials[0].losses.h_mean: 1000"),
    "loss of 5000 digits": (put(H, "1" * 5000 + "!"), "not JSON"),
    "confusion null": (put("trials.0.confusion", None), "trials[0].confusion: None"),
    "confusion ragged": (put("trials.0.confusion", [[1.0, 0.0], [0.0]]), "confusion[1]: list of"),
    "confusion of two": (
        put("trials.0.confusion", [[0.5, 0.0], [0.0, 0.5]]),
        "trials[0].confusion: expected 3 rows",
    ),
    "confusion of text": (put("trials.0.confusion", "abc"), "trials[0].confusion: 'abc'"),
    "confusion missing": (gone("trials.0.confusion"), "trials[0].confusion is missing"),
    "estimate null": (put("trials.0.noise_matrix_estimate", None), "noise_matrix_estimate: None"),
    "train_size 0": (put("trials.0.train_size", 0), "trials[0].train_size: 0; expected a whole"),
    "train_size text": (put("trials.0.train_size", "x"), "trials[0].train_size: 'x'"),
    "test_size negative": (put("trials.0.test_size", -5), "trials[0].test_size: -5"),
    "trial's seconds null": (put("trials.0.seconds", None), "trials[0].seconds: None"),
    "trial's seconds of text": (
        put("trials.0.seconds", {"fit": "x"}),
        "trials[0].seconds.fit: 'x'",
    ),
    "diagnostics null": (put("trials.0.diagnostics", None), "trials[0].diagnostics: None"),
    "path ragged": (
        put("trials.0.diagnostics", {"path": {"step": [1], "objective": [], "gap": [1]}}),
        "trials[0].diagnostics.path: expected lists of finite numbers of one length",
    ),
    "theory text": (put("trials.0.theory", "x"), "trials[0].theory: 'x'; expected a mapping"),
    "theory of text": (put("trials.0.theory", {"op1": "x"}), "trials[0].theory.op1: 'x'"),
    "seconds text": (put("seconds", "x"), "seconds: 'x'; expected a finite number"),
    "seconds null": (put("seconds", None), "seconds: None; expected a finite number"),
    "failed without a reason": (failed(), "reason is missing"),
    "failed for a list": (failed(reason=["a"]), "reason: list of length 1; expected text"),
    "failed with a traceback of numbers": (failed(reason="", traceback=3), "traceback: 3"),
}


def _deep(path: Path) -> None:
    path.write_text("[" * 100_000)


def _edited(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"losses": {"', b'"losses": {"x', 1))


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


# Damage to the file itself.
FILES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "empty": (lambda path: path.write_text(""), "not JSON"),
    "half": (lambda path: path.write_bytes(path.read_bytes()[:500]), "not JSON"),
    "binary": (lambda path: path.write_bytes(b"\xff\xfe\x00\x80"), "not JSON"),
    "Latin-1": (lambda path: path.write_bytes(b'{"a": "\xe9"}'), "not JSON"),
    "deep": (_deep, "nested too deeply"),
    "edited": (_edited, "its checksum does not match"),
    "a folder": (_folder, "not a regular file"),
    "a FIFO": (_fifo, "not a regular file"),
    "a device": (_device, "not a regular file"),
}


def write_damaged(path: Path, name: str) -> str:
    """Damage the record at a path, and return what is to be said about it."""
    if name in FILES:
        damage_file, says = FILES[name]
        damage_file(path)
        return says
    record = json.loads(path.read_text())
    record.pop("checksum", None)
    content, says = damaged(record, name)
    path.write_bytes(content)
    return says


def damaged(record: dict[str, Any], name: str) -> tuple[bytes, str]:
    """Return the JSON of a damaged record, and what is to be said about it."""
    damage, says = DAMAGES[name]
    # A text that ends with an exclamation mark is a number that Python cannot hold.
    text = json.dumps(damage(record)).replace('"1e999!"', "1e999")
    return text.replace('"' + "1" * 5000 + '!"', "1" * 5000).encode(), says
