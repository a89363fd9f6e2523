"""Results of different data under one name, which no command may join without a word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from attacks.attack import Attack
from made_up_files import put

A, B, C = "a1b2c3" + "0" * 58, "d4e5f6" + "0" * 58, "0f0f0f" + "0" * 58
NEAR = "a1b2c3" + "1" + "0" * 57
ARGMAX, PLUGIN = "cpe_argmax", "nclr_plugin"


def cell(
    algo: str = ARGMAX, data: Any = A, loss: float = 0.4, day: int = 1, path: str = "mine.csv",
    **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """Return a record of five trials on a file; ``data`` is its fingerprint."""
    config: dict[str, Any] = {"measure": {"name": "zero_one"}, "algo": {"name": algo}}
    config |= {"dataset": {"name": "file", "path": path, "target": "label"}, "sigma": 0.2}
    status = more.pop("status", "done")
    record = {"config": {**config, **more}, "status": status}
    record["provenance"] = {"time": f"2026-01-{day:02d}T00:00:00+0000"}
    if status != "done":
        return {**record, "reason": "because"}
    known = {} if data is None else {"fingerprint": data}
    losses = [loss + 0.01 * k for k in range(5)]
    trials = [
        {"train_size": 70, "test_size": 30, "losses": {"zero_one": x},
         "confusion": [[0.5 - x, x], [0.0, 0.5]]}
        for x in losses
    ]  # fmt: skip
    about = {"name": Path(path).stem, "classes": ["a", "b"], "examples": 100, **known}
    return {**record, "dataset": about, "trials": trials}


def these(*cells: dict[str, Any]) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        for number, record in enumerate(cells):
            put(folder / "outputs" / "cells" / f"{number:016x}" / "record.json", record)
        header = "measure,dataset,algo,sigma,mean,sem\n"
        (folder / "r.csv").write_text(f"{header}zero_one,mine,{ARGMAX},0.2,0.4,0.01\n")

    return prepare


EDITED = these(cell(), cell(PLUGIN, B, 0.1))
BOTH = these(*(cell(algo, data, 0.1, day) for day, data in ((1, A), (2, B))
               for algo in (ARGMAX, PLUGIN)))  # fmt: skip
AGGREGATE, RANK = ("aggregate", "outputs"), ("significance", "outputs")
PAIR = (*RANK, "--pair", PLUGIN, ARGMAX)
COMPARE = ("compare", "outputs", "--reference", "r.csv")
TWO = "different data have the name mine: mine [a1b2c3] (1 cell), mine [d4e5f6] (1 cell)"
IN_FULL = "mine [a1b2c30] (1 cell), mine [a1b2c31] (1 cell)"
CSV = ("--format", "csv")

ATTACKS = [
    Attack("aggregate: an edited file", AGGREGATE, "notice", TWO, EDITED),
    Attack("aggregate: both names", AGGREGATE, "ran", "mine [d4e5f6]  nclr_plugin  0.120", EDITED),
    Attack("aggregate: nothing is best", AGGREGATE, "ran", "over 5 trials.\n", EDITED),
    Attack("csv: an edited file", (*AGGREGATE, *CSV), "notice", TWO, EDITED),
    Attack("csv: names", (*AGGREGATE, *CSV), "ran", "\nzero_one,mine [d4e5f6],nclr_pl", EDITED),
    Attack("json", (*AGGREGATE, "--format", "json"), "notice", TWO, EDITED),
    Attack("another number", (*AGGREGATE, "--value", "seconds.fit"), "notice", TWO, EDITED),
    Attack("pair: an edited file", PAIR, "refused", "no cell that both have solved", EDITED),
    Attack("pair: each on its own data", PAIR, "ran", "mine [d4e5f6]  0.2    5  0.120", BOTH),
    Attack("rank: an edited file", RANK, "notice", TWO, EDITED),
    Attack("rank: two data sets", RANK, "notice", "(2 cells), mine [d4e5f6] (2 cells)", BOTH),
    Attack("rank over sigma", (*RANK, "--over", "sigma"), "notice", TWO, EDITED),
    Attack("compare: an edited file", COMPARE, "notice", TWO, these(cell(), cell(data=B, loss=.1))),
    Attack("compare: both", COMPARE, "ran", "mine [d4e5f6]", these(cell(), cell(data=B, loss=.1))),
    Attack("where the name is", (*AGGREGATE, "--where", "dataset=mine"), "notice", TWO, EDITED),
    Attack("where the data is", (*AGGREGATE, "--where", "dataset=mine [d4e5f6]"), "ran",
           "mine     nclr_plugin  0.120", EDITED),
    Attack("where no such data is", (*AGGREGATE, "--where", "dataset=mine [0a0a0a]"), "refused",
           "'mine [0a0a0a]' is not known", EDITED),
    Attack("where one digit is given", (*AGGREGATE, "--where", "dataset=mine [a]"), "refused",
           "'mine [a]' is not known", EDITED),
    Attack("the same six digits", AGGREGATE, "notice", IN_FULL,
           these(cell(), cell(PLUGIN, NEAR))),
    Attack("three data", AGGREGATE, "notice", "mine [0f0f0f] (1 cell), mine [a1b2c3] (1 cell)",
           these(cell(), cell(data=B), cell(data=C))),
    Attack("older data are not replaced", AGGREGATE, "notice", TWO,
           these(cell(), cell(data=B, day=2))),
    Attack("the same data are replaced", AGGREGATE, "notice", "left out: 1 older record",
           these(cell(), cell(day=2))),
    Attack("one does not say its data", AGGREGATE, "notice", "1 cell does not say which data of",
           these(cell(), cell(PLUGIN, None))),
    Attack("two do not say their data", AGGREGATE, "notice", "2 cells do not say",
           these(cell(), cell(PLUGIN, None), cell("fw", ""))),
    Attack("which of two data is not said", AGGREGATE, "notice", "mine [unknown] (1 cell)",
           these(cell(), cell(data=B), cell(PLUGIN, None))),
    Attack("a failed cell of either", AGGREGATE, "ran", "1 failed: because",
           these(cell(), cell(data=B), cell(PLUGIN, status="failed"))),
    Attack("a failed cell, run again", AGGREGATE, "notice", "left out: 1 older record",
           these(cell(status="failed"), cell(day=2))),
    Attack("the fingerprint is an escape", AGGREGATE, "notice", "dataset.fingerprint: ",
           these(cell(), cell(data="\x1b[2J"))),
    Attack("the fingerprint is a number", AGGREGATE, "notice", "dataset.fingerprint: 3; expected",
           these(cell(), cell(data=3))),
    Attack("two seeds", (*AGGREGATE, "--where", "seed=0,1"), "notice", TWO,
           these(cell(seed=0), cell(PLUGIN, B, seed=1))),
    Attack("two paths", AGGREGATE, "ran", "mine (dataset.path=b/mine.csv)",
           these(cell(), cell(data=B, path="b/mine.csv"))),
    Attack("a file with such a name", AGGREGATE, "ran", "mine [a1b2c3] (dataset=",
           these(cell(), cell(data=B), cell(data=C, path="mine [a1b2c3].csv"))),
    Attack("report: an edited file", ("report", "outputs"), "notice", TWO, EDITED, slow=True),
    Attack("figures: an edited file", ("figures", "outputs", "--out", "f"), "notice", TWO, EDITED,
           slow=True, seconds=60),
]  # fmt: skip
