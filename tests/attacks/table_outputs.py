"""What ``--out`` and other names of files are given, and records of strangers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from attacks.attack import Attack
from made_up_files import write, write_sweep

LONG = "x" * 300


def sweep_of_others(**changes: object) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        about = {"command": ["-m"], "cells": ["a"], "started": 1.0, "host": "h", "pid": 1}
        place = folder / "outputs" / "sweeps" / "now"
        place.mkdir(parents=True)
        (place / "sweep.json").write_text(json.dumps({**about, **changes}))

    return prepare


def state(content: str) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        sweep_of_others()(folder)
        (folder / "outputs" / "sweeps" / "now" / "0.json").write_text(content)

    return prepare


def text(content: str) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        sweep_of_others()(folder)
        (folder / "outputs" / "sweeps" / "now" / "sweep.json").write_text(content)

    return prepare


def configs(content: str) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        one_record(folder)
        place = folder / "outputs" / "sweeps" / "now"
        place.mkdir(parents=True)
        (place / "configs.json").write_text(content)

    return prepare


def one_record(folder: Path) -> None:
    config = {"measure": {"name": "h_mean"}, "dataset": {"name": "iris"}, "sigma": 0.1}
    config |= {"algo": {"name": "fw"}}
    write(folder / "outputs", config=config, trials=[{"losses": {"h_mean": 0.5}}])


def escape(folder: Path) -> None:
    """Write a failed record whose reason moves the cursor."""
    config = {"measure": {"name": "h_mean"}, "dataset": {"name": "iris"}, "sigma": 0.1}
    config |= {"algo": {"name": "fw"}}
    write(folder, config=config, status="failed", reason="\x1b[2J")


def half_a_character(folder: Path) -> None:
    write_sweep(folder)
    path = next(folder.rglob("record.json"))
    path.write_text(path.read_text().replace('"status"', '"note": "\\udcff", "status"'))


def plugin_file(folder: Path) -> None:
    """Write a record that names a plug-in file, and the file."""
    (folder / "evil.py").write_text("from pathlib import Path\nPath('RAN').touch()\n")
    config = {"measure": {"name": "h_mean"}, "dataset": {"name": "iris"}, "sigma": 0.1}
    config |= {"algo": {"name": "cpe_argmax"}, "plugins_from": ["evil.py"], "trials": 1}
    config |= {"noise": {"name": "random"}, "cpe": {"name": "logistic"}, "seed": 0}
    config |= {"t_estimator": {"name": "known"}, "test_size": 0.3, "data_dir": "x", "threads": 1}
    plugins = {"algo": "evil.py a0daa50577f7"}
    write(folder, config=config, trials=[{"losses": {"h_mean": 0.5}}], plugins=plugins)


def not_unicode(folder: Path) -> None:
    write_sweep(folder)
    place = os.path.join(os.fsencode(folder), b"cells", b"\xff")
    os.mkdir(place)
    Path(os.fsdecode(os.path.join(place, b"record.json"))).write_text("{")


REPORT = ("report", "outputs", "--out")
STATUS = ("status", "outputs")
GONE = {"command": None, "cells": 3, "started": "x", "host": 1, "pid": "1"}
TABLE = ("aggregate", ".", "--out")
NOT_TIMES = (("started", 1e300), ("started", -1), ("pid", 10**30), ("pid", -1))
STATES = ("", "[1]", "{}", '{"state": "running", "time": 1}', '{"state": 3}', "null")
CONFIGS = ("", "null", "[1, 2]", '[{"a": 1}]', '{"a": 1}', '[{"id": "a", "config": 1}]')

ATTACKS = [
    Attack("aggregate: a long name", (*TABLE, LONG), "refused", "File name too long", write_sweep),
    Attack("aggregate: a folder", (*TABLE, "cells"), "refused", "Is a directory", write_sweep),
    Attack("aggregate: a full device", (*TABLE, "/dev/full"), "refused", "No space", write_sweep),
    Attack("aggregate: the null device", (*TABLE, "/dev/null"), "ran", "written", write_sweep),
    Attack("aggregate: a name that is no Unicode", TABLE[:2], "notice", "\\udcff", not_unicode),
    Attack("aggregate: an escape", TABLE[:2], "ran", "\\x1b[2J", escape),
    Attack("aggregate: half a character", TABLE[:2], "notice", "surrogates", half_a_character),
    Attack("report: a long name", (*REPORT, LONG), "refused", "too long", one_record, slow=True),
    Attack("report: a folder", (*REPORT, "outputs"), "refused", "is a folder", one_record),
    Attack("new-plugin: a long name", ("new-plugin", LONG), "refused", "at most 60"),
    Attack("new-plugin: a path", ("new-plugin", "../x"), "refused", "not a valid package name"),
    *(
        Attack(f"rerun: {i!r}", ("rerun", ".", i), "refused", "begins with", write_sweep)
        for i in ("**", "*", "[", "../cells/", "zzz", "\x1b[2J")
    ),
    *(
        Attack(f"a path with {path!r}",
               ("dataset=file", f"dataset.path={path}.csv", "dataset.target=y"),
               "refused", "control characters")
        for path in ("a\x1b", "a\udcff", "a\x9b")
    ),
    Attack("rerun: all ids", ("rerun", ".", ""), "refused", "records of a cell", write_sweep),
    Attack("rerun: a plug-in file", ("rerun", ".", "0"), "refused", "-from evil.py", plugin_file),
    *(
        Attack(f"status: {key}", STATUS, "notice", "ignored: ", sweep_of_others(**{key: value}))
        for key, value in GONE.items()
    ),
    *(
        Attack(f"status: {k} {at}", STATUS, "notice", f"sweep.json: {k}: ",
               sweep_of_others(**{k: at}))
        for k, at in NOT_TIMES
    ),
    *(
        Attack(f"status: sweep.json {content[:9]!r}", STATUS, "notice", "ignored: ", text(content))
        for content in ("", "[]", '"x"', "{}", "3", "[" * 100_000)
    ),
    *(
        Attack(f"status: state {content!r}", STATUS, "ran", "1 cell, started", state(content))
        for content in STATES
    ),
    Attack("status: an escape", STATUS, "ran", "\\x1b[2J", sweep_of_others(host="\x1b[2J")),
    *(
        Attack(f"report: configs.json {c!r}", (*REPORT, "r.html"), "notice", "configs.json: ",
               configs(c), slow=True)
        for c in CONFIGS
    ),
]  # fmt: skip
