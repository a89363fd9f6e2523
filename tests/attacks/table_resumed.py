# ruff: noqa: E501  (one line for each row)
"""Trials that an interrupted run is said to have kept, folders of cells, and ``rerun``.

The numbers of a cell that resumes are those of ``LINE``, whatever was kept. What a cell of a sweep
says on standard error, it says in a process of its own: its row looks at the numbers.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attacks.attack import Attack
from attacks.damage import gone, put
from commands import run

from ncbench.files import as_json, from_json

QUICK = ("dataset=iris", "cpe=logistic", "cpe.C=1.0", "trials=3", "cache=false")
CELL = ("algo=cpe_argmax", *QUICK)
MINE = ("dataset=file", "dataset.path=mine.csv", "dataset.target=y", *CELL[:1], *QUICK[1:])
TABLE = "a,b,y\n" + "".join(f"{k % 7},{k * k % 11},{'uv'[k % 2]}\n" for k in range(60))
PLUGIN = """
from ncbench import hookimpl, load
Shipped = load("algo", "cpe_argmax")

class Mine(Shipped):
    pass

@hookimpl
def ncbench_algorithms():
    return {"mine": Mine}
"""
LEAKING = """
import numpy as np
from ncbench import NoisyLabelClassifier, hookimpl

class Leaks(NoisyLabelClassifier):
    fits = 0

    def _fit(self, X, y, noise):
        Leaks.fits += 1
        self.offset_ = Leaks.fits

    def _predict_proba(self, X):
        return np.eye(3)[(np.arange(len(X)) + self.offset_) % 3]

@hookimpl
def ncbench_algorithms():
    return {"leaks": Leaks}
"""

Change = Callable[[dict[str, Any]], Any]
Prepare = Callable[[Path], Any]


@cache
def finished(*command: str) -> bytes:
    """Return the record of a cell, which is run once."""
    with TemporaryDirectory() as folder:
        for name, content in {"mine.csv": TABLE, "mine.py": PLUGIN, "leaks.py": LEAKING}.items():
            Path(folder, name).write_text(content)
        run(Path(folder), *command)
        (path,) = Path(folder).rglob("record.json")
        return path.read_bytes()


def record(*command: str) -> dict[str, Any]:
    found: dict[str, Any] = from_json(finished(*(command or CELL)), "record")
    return found


def place(folder: Path, found: dict[str, Any]) -> Path:
    """Return the folder of a cell, with its parents."""
    (folder / "outputs" / "cells").mkdir(parents=True, exist_ok=True)
    return folder / "outputs" / "cells" / found["id"]


def seal(path: Path, content: Any) -> None:
    """Write a file with the right checksum, as somebody who edits it well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_json(content))


def keep(folder: Path, *command: str, of: tuple[str, ...] = ()) -> Path:
    """Keep the first two trials of a cell, or those of another one in their place."""
    cell, found = place(folder, record(*command)), record(*(of or command))
    for trial in found["trials"][:2]:
        seal(cell / f"trial-{trial['trial']}.json", {**trial, "code": found["code"]})
    return cell


def kept(change: Callable[[Path], Any], *command: str, of: tuple[str, ...] = ()) -> Prepare:
    """Return what keeps two trials and then changes the folder of the cell."""
    return lambda folder: change(keep(folder, *command, of=of))


def edited(change: Change, number: int = 1) -> Prepare:
    """Return what keeps two trials, one of them changed, with a checksum that is right."""

    def edit(cell: Path) -> None:
        path = cell / f"trial-{number}.json"
        seal(path, change(from_json(path.read_bytes(), "")))

    return kept(edit)


def more(name: str, number: Any) -> Prepare:
    """Return what keeps a third trial under another name and number."""

    def add(cell: Path) -> None:
        seal(cell / name, {**record()["trials"][2], "trial": number, "code": record()["code"]})

    return kept(add)


def one(change: Callable[[Path], Any]) -> Prepare:
    """Return what keeps two trials and then puts something in the place of the second."""

    def replace(cell: Path) -> None:
        (cell / "trial-1.json").unlink()
        change(cell / "trial-1.json")

    return kept(replace)


def instead(change: Callable[[Path], Any]) -> Prepare:
    """Return what puts something in the place of the folder of the cell."""
    return lambda folder: change(place(folder, record()))


def beside(change: Change) -> Prepare:
    """Return what writes the changed record of the cell with another measure."""

    def write(folder: Path) -> None:
        other = record(*CELL, "measure=q_mean")
        seal(place(folder, other) / "record.json", change(other))

    return write


def two_classes(found: dict[str, Any]) -> dict[str, Any]:
    found["dataset"]["classes"], found["noise_matrix"] = ["a", "b"], [[1, 0], [0, 1]]
    for trial in found["trials"]:
        trial |= {"confusion": [[0.5, 0], [0, 0.5]], "noise_matrix_estimate": [[1, 0], [0, 1]]}
        trial["losses"]["q_mean"] = 0.0
    return found


def leaks(folder: Path) -> None:
    """Keep trials of a plug-in whose later ones depend on how many it has run."""
    (folder / "leaks.py").write_text(LEAKING)
    cell = place(folder, record(*LEAKS))
    for trial in record(*LEAKS)["trials"][:2]:
        seal(cell / f"trial-{trial['trial']}.json", trial)


LINE = "h_mean 0.1673, 3 trials"
LEAKS = ("algo=leaks", "plugins_from=leaks.py", *QUICK)


def resumes(name: str, prepare: Prepare, says: str = LINE, verdict: str = "notice") -> Attack:
    return Attack(name, CELL, "ran" if says == LINE else verdict, says, prepare)


def anew(name: str, prepare: Prepare, slow: bool = True) -> Attack:
    """Return a row of which all that was kept must go; a cell of a sweep can do so by itself."""
    return Attack(name, ("-m", *CELL), "ran", LINE, prepare, slow, seconds=60)


def fails(name: str, prepare: Prepare, says: str, slow: bool = True) -> Attack:
    """Return a sweep of which the other cell is done."""
    command = ("-m", "algo=cpe_argmax,nclr_plugin", *QUICK)
    return Attack(name, command, "failed", says, prepare, slow, seconds=60)


LOSS = "losses.h_mean"
OTHER = (*CELL, "seed=1")
LONGER = ("algo=cpe_argmax", "dataset=iris", *QUICK[1:3], "trials=4", "cache=false")

TRIALS = [
    resumes("nothing wrong", kept(lambda cell: None)),
    anew("another loss of the last trial", edited(put(LOSS, 0.0)), slow=False),
    anew("another loss of the first trial", edited(put(LOSS, 0.0), 0)),
    anew("a loss of another measure", edited(put("losses.q_mean", 0.0), 0)),
    anew("another size", edited(put("train_size", 7))),
    anew("a confusion matrix of two classes", edited(put("confusion", [[0.5, 0], [0, 0.5]]))),
    anew("an entry too many", edited(put("mine", 3))),
    anew("trials of another cell", kept(lambda cell: None, of=OTHER)),
    Attack("a state that leaks", ("-m", *LEAKS), "ran", "h_mean 0.6777, 3 trials", leaks, True),
    resumes("no checksum, and the same numbers",
            one(lambda path: path.write_text(json.dumps(record()["trials"][1])))),
    resumes("cut off", one(lambda path: path.write_text('{"trial": 1, "los')), "not JSON"),
    resumes("empty", one(lambda path: path.touch()), "not JSON"),
    resumes("edited by hand",
            one(lambda p: p.write_bytes(as_json(record()["trials"][1]).replace(b"0.1", b"0.0"))),
            "checksum does not match"),
    resumes("deep", one(lambda path: path.write_text("[" * 100_000)), "nested too deeply"),
    resumes("a list", edited(lambda trial: [trial]), "expected a mapping; run again"),
    resumes("a loss that is text", edited(put(LOSS, "0.1")), "h_mean: '0.1'"),
    resumes("no losses", edited(gone("losses")), "trial.losses is missing"),
    resumes("the loss of another measure only", edited(put("losses", {"q_mean": 0.1})),
            "expected a loss of h_mean; run again"),
    resumes("made by other code", edited(put("code.algo", "0" * 12)), "algo=cpe_argmax was edited"),
    resumes("code that does not say which", edited(gone("code"))),
    *(
        resumes(f"code that is {value!r}", edited(put("code", value)), "trial.code")
        for value in (None, ["algo"], "algo", 3, {"algo": 3})
    ),
    resumes("the number of another file", one(lambda path: shutil.copy(
        path.with_name("trial-0.json"), path)), "trial.trial: 0; expected as in the file name"),
    resumes("a number with a zero", more("trial-02.json", 2), "expected as in the file name"),
    resumes("number -1", more("trial--1.json", -1), "expected a whole number, 0 or more"),
    resumes("number true", more("trial-True.json", True), "True; expected a whole number"),
    resumes("number 7 of 3", more("trial-7.json", 7), "trial.trial: 7; expected less than trials=3"),
    resumes("a huge number", more(f"trial-{10**30}.json", 10**30), "expected less than trials=3"),
    resumes("the fourth trial of a longer cell", kept(lambda cell: seal(
        cell / "trial-3.json", record(*LONGER)["trials"][3])), "expected less than trials=3"),
    resumes("a folder", one(lambda path: path.mkdir()), "not a regular file; run again"),
    resumes("a folder in the place of the next trial",
            kept(lambda cell: (cell / "trial-2.json" / "mine").mkdir(parents=True)),
            "trial-2.json: not a regular file"),
    resumes("a folder that is no trial", kept(lambda cell: (cell / "trial-mine.json").mkdir()),
            "trial-mine.json: not a regular file"),
    resumes("a pipe", one(os.mkfifo), "not a regular file"),
    resumes("a device", one(lambda path: path.symlink_to("/dev/zero")), "not a regular file"),
    resumes("a link to itself", one(lambda path: path.symlink_to(path.name)), "Too many levels"),
    resumes("a link to nowhere", one(lambda path: path.symlink_to("x")), "No such file"),
]  # fmt: skip

RECORD = "record.json"
FOLDERS = [
    resumes("a record of another cell",
            kept(lambda cell: seal(cell / RECORD, record(*OTHER))), "; the cell is run again"),
    resumes("a record of another cell with this id",
            kept(lambda cell: seal(cell / RECORD, {**record(*OTHER), "id": record()["id"]})),
            "not the configuration of this cell; the cell is run again"),
    resumes("a record of fewer trials",
            kept(lambda cell: seal(cell / RECORD, gone("trials.2")(record()))),
            "trials: expected config.trials; the cell is run again"),
    resumes("a record whose trials change places",
            kept(lambda cell: seal(cell / RECORD, put("trials", record()["trials"][::-1])(record()))),
            "trials: expected the numbers 0 to 2; the cell is run again"),
    resumes("a record that is a folder", kept(lambda cell: (cell / RECORD).mkdir()), "regular file"),
    resumes("the cell is a link to a folder", lambda folder: (
        (folder / "else").mkdir(), place(folder, record()).symlink_to(folder / "else"))),
    *(
        resumes(f"the cell is {what}", instead(change), "cannot create the folder", "refused")
        for what, change in {
            "a file": lambda cell: cell.write_text("mine"),
            "a pipe": os.mkfifo,
            "a link to itself": lambda cell: cell.symlink_to(cell.name),
            "a link to nowhere": lambda cell: cell.symlink_to("nowhere"),
        }.items()
    ),
    resumes("the lock is a folder", kept(lambda cell: (cell / ".lock").mkdir()),
            ".lock: cannot be locked: Is a directory", "refused"),
    resumes("the lock is a link", kept(lambda cell: (cell / ".lock").symlink_to(cell / "mine")),
            ".lock: cannot be locked: Too many levels of symbolic links", "refused"),
    resumes("the lock has text", kept(lambda cell: (cell / ".lock").write_text("4711"))),
    fails("one cell of a sweep is a file", instead(lambda cell: cell.write_text("mine")),
          "cannot create the folder: File exists", slow=False),
    fails("one cell of a sweep is a link to itself", instead(lambda cell: cell.symlink_to(cell.name)),
          "cannot create the folder: File exists"),
    fails("one lock of a sweep is a folder", kept(lambda cell: (cell / ".lock").mkdir()),
          "cannot be locked: Is a directory"),
    # The predictions do not depend on the measure, so those of another measure may be used.
    resumes("beside: the same data", beside(lambda found: found)),
    resumes("beside: other data", beside(put("dataset.fingerprint", "0" * 64))),
    resumes("beside: unknown data", beside(gone("dataset.fingerprint"))),
    resumes("beside: other classes", beside(two_classes)),
    resumes("beside: other code", beside(put("code.algo", "0" * 12))),
]  # fmt: skip


def written(change: Change = lambda found: found, *command: str) -> Prepare:
    """Return what writes a changed record, with a checksum that is right, and no data."""

    def write(folder: Path) -> None:
        found = record(*command)
        seal(place(folder, found) / RECORD, change(found))

    return write


def with_data(content: str | None = TABLE, change: Change = lambda found: found) -> Prepare:
    def write(folder: Path) -> None:
        written(change, *MINE)(folder)
        if content is None:
            os.mkfifo(folder / "mine.csv")
        else:
            (folder / "mine.csv").write_text(content)

    return write


def with_plugin(content: str | None) -> Prepare:
    """Return what writes the record of a plug-in in a file, and that file, or a pipe."""

    def write(folder: Path) -> None:
        written(lambda found: found, "algo=mine", "plugins_from=mine.py", *QUICK)(folder)
        if content is None:
            os.mkfifo(folder / "mine.py")
        elif content:
            (folder / "mine.py").write_text(content)

    return write


def packed(content: Callable[[bytes], bytes]) -> Prepare:
    """Return what packs lines that are made of a record."""
    return lambda folder: (folder / "all.jsonl.gz").write_bytes(
        gzip.compress(content(as_json(record())))
    )


def ended(status: str) -> Change:
    def change(found: dict[str, Any]) -> dict[str, Any]:
        keys = ("schema", "id", "config")
        return {**{key: found[key] for key in keys}, "status": status, "reason": "because"}

    return change


def config(key: str, value: Any) -> Prepare:
    return written(put(f"config.{key}", value))


def rerun(
    name: str, prepare: Prepare, says: str, verdict: str = "refused", argv: tuple[str, ...] = ()
) -> Attack:
    return Attack(f"rerun: {name}", ("rerun", *(argv or ("outputs", ""))), verdict, says, prepare)


def both(folder: Path) -> None:
    written()(folder)
    written(lambda found: found, *OTHER)(folder)


ZIP = ("all.jsonl.gz", "")
THREADS = ("outputs", "", "--threads")
RERUN = [
    rerun("nothing wrong", written(), "identical, 105 numbers of 3 trials", "ran"),
    rerun("two records", both, "2 records of a cell whose id begins with ''"),
    rerun("an unknown id", written(), "no record of a cell", argv=("outputs", "fff")),
    rerun("an id in capitals", written(), "no record of a cell", argv=("outputs", "F")),
    rerun("no such folder", written(), "no record of a cell", argv=("nowhere", "")),
    rerun("a folder with a long name", written(), "File name too long", argv=("x" * 5000, "")),
    rerun("the folder of the cells", written(), "no record", argv=("outputs/cells", "")),
    rerun("of another folder", instead(lambda cell: seal(cell / RECORD, record(*OTHER))),
          "as its folder"),
    rerun("failed", written(ended("failed")), "the cell is failed and has no numbers"),
    rerun("skipped", written(ended("skipped")), "the cell is skipped and has no numbers"),
    rerun("no trials", config("trials", 0), "trials: expected config.trials"),
    rerun("one more trial", written(lambda found: put("trials", [
        *found["trials"], {**found["trials"][0], "trial": 3}])(put("config.trials", 4)(found))),
        "trials[3].losses", "differs"),
    rerun("another loss", written(put("trials.0.losses.q_mean", 0.25)),
          "losses.q_mean: was 0.25, is 0.23", "differs"),
    rerun("a loss more", written(put("trials.0.losses.mine", 0.25)),
          "Not the same losses were computed", "differs"),
    rerun("another noise matrix", written(put("noise_matrix.0.0", 0.5)),
          "noise_matrix[0][0]: was 0.5, is 0.9", "differs"),
    rerun("a huge number", written(put("trials.0.noise_matrix_diagnostics.T_error", 10**400)),
          "T_error: was 1000", "differs"),
    rerun("text for a number", written(put("trials.0.noise_matrix_diagnostics.T_error", "x")),
          "T_error: was x, is 0.0", "differs"),
    rerun("an escape", written(put("trials.0.noise_matrix_diagnostics.warnings", "\x1b[2J")),
          r"warnings: was \x1b[2J, is []", "differs"),
    rerun("an escape in its instructions", written(lambda found: put("noise_matrix.0.0", 0.5)(
        put("provenance.instructions", "\x1b[2J")(found))), r"computed with \x1b[2J", "differs"),
    rerun("another version", written(put("plugins.algo", "ncbench 9.9")),
          "plugins.algo: was ncbench 9.9", "differs"),
    rerun("another data set", config("dataset.name", "wine"), "dataset.fingerprint", "differs"),
    rerun("another algorithm", config("algo.name", "nclr_plugin"), "differences in ", "differs"),
    rerun("an algorithm that is gone", config("algo.name", "gone"), "'gone' is not known"),
    rerun("an estimator that needs other data", config("t_estimator.name", "dawid_skene"),
          "needs several labels for an example"),
    rerun("a parameter too many", config("algo.k", 1), "algo.k=1 is not a parameter"),
    rerun("a parameter too few", config("cpe", {"name": "sklearn"}), "cpe.estimator is missing"),
    rerun("a number that is text", config("cpe.C", "x"), "cpe.C=x; expected float"),
    rerun("a number as text", config("cpe.C", "1.0"), "config.cpe.C: '1.0'; expected float"),
    rerun("a number that is a list", config("cpe.C", [1]), "cpe.C=[1]; expected float"),
    rerun("a number out of range", config("cpe.C", -1), "cpe.C=-1; expected a number > 0"),
    rerun("text that is a number", config("cpe", {"name": "sklearn", "estimator": 3}),
          "config.cpe.estimator: 3; expected str"),
    rerun("an interpolation", config("cpe", {"name": "sklearn", "estimator": "${oc.env:HOME}"}),
          "config.cpe.estimator: '${oc.env:HOME}'"),
    rerun("a whole number that is huge", config("cpe", {"name": "boosting", "max_iter": 1e300}),
          "cpe.max_iter=1e+300; expected int"),
    rerun("a test part that is empty", config("test_size", 0), "test_size=0; expected a fraction"),
    rerun("a test part that is all", config("test_size", 1.5), "test_size=1.5; expected a fraction"),
    rerun("a huge seed", config("seed", 10**18), "; expected from 0 to 400000"),
    rerun("no threads", config("threads", 0), "threads=0; expected from 1 to 10000"),
    rerun("huge threads", config("threads", 10**30), "; expected from 1 to 10000"),
    rerun("negative threads", written(), "threads=-5; expected", argv=(*THREADS, "-5")),
    rerun("a flood of threads", written(), "; expected from 1 to", argv=(*THREADS, str(10**20))),
    rerun("no seed", written(gone("config.seed")), "config.seed is missing, so it cannot be run"),
    rerun("files that are numbers", config("plugins_from", [3]), "identical", "ran"),
    rerun("a plug-in in a file", with_plugin(PLUGIN), "if you trust them, type python -m ncbench "),
    rerun("a plug-in whose file is given", with_plugin(PLUGIN), "identical, 105 numbers", "ran",
          ("outputs", "", "--plugins-from", "mine.py")),
    rerun("a plug-in whose file was edited", with_plugin(f"{PLUGIN}# mine\n"),
          "plugins.algo: was mine.py", "differs", ("outputs", "", "--plugins-from", "mine.py")),
    rerun("a plug-in whose file is gone", with_plugin(""), "No such file",
          argv=("outputs", "", "--plugins-from", "mine.py")),
    rerun("a plug-in whose file is a pipe", with_plugin(None), "not a regular file",
          argv=("outputs", "", "--plugins-from", "mine.py")),
    rerun("another plug-in's file", with_plugin(PLUGIN.replace('"mine"', '"other"')),
          "'mine' is not known", argv=("outputs", "", "--plugins-from", "mine.py")),
    rerun("data that is there", with_data(), "identical, 75 numbers", "ran"),
    rerun("data that is gone", written(lambda found: found, *MINE), "'mine.csv' does not exist"),
    rerun("data that was edited", with_data(TABLE.replace("1,1,v", "1,1,u")),
          "dataset.fingerprint (of the data)", "differs"),
    rerun("data of a row less", with_data(TABLE[:-6]), "dataset.fingerprint", "differs"),
    rerun("data of one class", with_data(TABLE.replace("v", "u")), "60 labels of 1 class"),
    rerun("data of a class more", with_data(f"{TABLE}1,2,w\n2,1,w\n3,3,w\n"),
          "dataset.fingerprint", "differs"),
    rerun("data that is a pipe", with_data(None), "does not exist"),
    rerun("a path that is a number", with_data(change=put("config.dataset.path", 3)),
          "config.dataset.path: 3; expected str"),
    rerun("packed", packed(lambda line: line), "identical, 105 numbers", "ran", ZIP),
    rerun("packed twice", packed(lambda line: line + b"\n" + line), "2 records", argv=ZIP),
    rerun("packed after another text", packed(lambda line: b"mine\n" + line), "identical", "ran", ZIP),
    rerun("packed and edited", packed(lambda line: line.replace(b"0.1", b"0.0")),
          "not read: all.jsonl.gz, line 1: damaged or edited", argv=ZIP),
    rerun("packed and cut off", lambda folder: (folder / "all.jsonl.gz").write_bytes(
        gzip.compress(as_json(record()))[:-20]), "ended before", argv=ZIP),
    rerun("packed deep", packed(lambda _: b"[" * 100_000), "line 1: nested too deeply", argv=ZIP),
    rerun("packed, but a pipe", lambda folder: os.mkfifo(folder / "all.jsonl.gz"),
          "not a regular file", argv=ZIP),
]  # fmt: skip

ATTACKS = [*TRIALS, *FOLDERS, *RERUN]
