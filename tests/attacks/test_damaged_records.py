"""Damaged records: the file and the entry are named, and the rest goes on without it.

Each kind of damage in ``damage.py`` is one record of a folder that ``aggregate`` reads. The other
commands read by the same door, so one test says for all of them that they use it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from attacks.attack import time_limit
from attacks.damage import DAMAGES, FILES, whole_record, write_damaged

from ncbench.files import read_json, write_json
from ncbench.run import archive as door

NAMES = [*DAMAGES, *FILES]


def place(number: int) -> Path:
    return Path("outputs", "cells", f"{number:016x}", "record.json")


def write_whole(number: int) -> Path:
    path = place(number)
    write_json(path, whole_record(path.parent.name, sigma=number / 1000))
    return path


def test_each_is_named_and_left_out(ncbench: Callable, tmp_path: Path) -> None:
    says = {write_whole(k): write_damaged(place(k), name) for k, name in enumerate(NAMES)}
    write_whole(len(NAMES))
    with time_limit(60):
        outcome = ncbench("aggregate", "outputs")
    assert outcome.code == 0
    assert f"sigma={len(NAMES) / 1000}" in outcome.out.splitlines()[0]
    assert outcome.out.count("sigma=") == 1
    for path, said in says.items():
        (notice,) = [line for line in outcome.err.splitlines() if str(path) in line]
        assert notice.startswith(f"ignored: {path}: ")
        assert said in notice


COMMANDS = {
    "aggregate": (),
    "significance": (),
    "compare": ("--reference", "theirs.csv"),
    "report": ("--out", "r.html"),
    "figures": ("--out", "figs"),
    "leaderboard": (),
    "theory": (),
    "pack": ("--out", "all.jsonl.gz"),
    "rerun": ("0",),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_by_one_door(
    command: str, ncbench: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_whole(0)
    Path("theirs.csv").write_text("measure,dataset,algo,sigma,mean,sem\nh_mean,iris,fw,0,0.2,0.1\n")

    def closed(*_: object, **__: object) -> None:
        raise ValueError(f"{path}: closed")

    monkeypatch.setattr(door, "parse", closed)
    refused = ncbench(command, "outputs", *COMMANDS[command])
    assert refused.code == 2
    # What report and figures have ignored is on the page, of which there is none.
    assert any(said in refused.err for said in (f"{path}: closed", "contains no records"))


SWEEP = ("-m", "dataset=iris", "algo=cpe_argmax", "cpe=logistic", "cpe.C=1.0", "sigma=0.1,0.2")


def test_a_sweep_runs_a_damaged_cell_again_and_rerun_refuses_it(ncbench: Callable) -> None:
    assert ncbench(*SWEEP, "trials=2").code == 0
    path, other = sorted(Path("outputs", "cells").glob("*/record.json"))
    before = read_json(path)["trials"]
    for name in ("loss text", "empty"):
        says = write_damaged(path, name)
        refused = ncbench("rerun", "outputs", path.parent.name)
        assert (refused.code, refused.err.count("\n")) == (2, 1)
        assert says in refused.err
        again = ncbench(*SWEEP, "trials=2")
        (notice,) = [line for line in again.err.splitlines() if str(path) in line]
        assert says in notice
        assert notice.endswith("the cell is run again")
        assert str(other) not in again.err
        now = read_json(path)["trials"]
        assert [{**t, "seconds": 0} for t in now] == [{**t, "seconds": 0} for t in before]
