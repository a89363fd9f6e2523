"""Records whose parts contradict each other: each is named and left out, and the rest goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from attacks.attack import Attack
from attacks.damage import put
from made_up_files import complete, confusion_of, put as put_file

AGGREGATE = ("aggregate", "outputs")
LAST = "0" * 15 + "1"


def cell(algo: str, **more: Any) -> dict[str, Any]:
    config: dict[str, Any] = {"measure": {"name": "h_mean"}, "algo": {"name": algo}, "trials": 2}
    config |= {"dataset": {"name": "iris"}, "sigma": 0.1, "seed": 0, "test_size": 0.3}
    trials = [
        {"train_size": 70, "test_size": 30, "losses": {"h_mean": loss, "zero_one": loss},
         "confusion": confusion_of(loss), "seconds": {"fit": 1.0}}
        for loss in (0.2, 0.3)
    ]  # fmt: skip
    about = {"time": "2026-01-01T00:00:00+0000"}
    return {"config": {**config, **more}, "trials": trials, "provenance": about, "seconds": 1.0,
            "test_part": "random"}  # fmt: skip


def beside(keys: str, value: Any, *more: tuple[str, Any]) -> Callable[[Path], None]:
    """Return what writes a good record, and one with changed entries."""

    def prepare(folder: Path) -> None:
        good, bad = (folder / "outputs" / "cells" / f"{k:016x}" / "record.json" for k in (0, 1))
        put_file(good, cell("fw"))
        record = complete(cell("ncfw"), LAST)
        for key, entry in ((keys, value), *more):
            record = put(key, entry)(record)
        put_file(bad, record)

    return prepare


def older(time: str) -> Callable[[Path], None]:
    """Return what writes a record, and one of the same cell with another time and other losses."""

    def prepare(folder: Path) -> None:
        beside("config.algo.name", "fw", ("provenance.time", time))(folder)

    return prepare


def of_another_measure(name: str, **parameters: Any) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        measure = {"name": name, **parameters}
        losses = {"h_mean": 0.9, name: 0.9}
        both = [(f"trials.{k}.losses", losses) for k in (0, 1)]
        beside("config.measure", measure, *both)(folder)

    return prepare


def without_code(folder: Path) -> None:
    beside("trials.0.losses.h_mean", 0.0)(folder)
    path = folder / "outputs" / "cells" / LAST / "record.json"
    path.write_text(path.read_text().replace('"status"', '"code": {"measure": "0"}, "status"'))


H, C = "trials.0.losses.h_mean", "trials.0.confusion"
SIZES = "trials.0.train_size"
CHANGES: dict[str, tuple[str, Any, str]] = {
    "a loss of -5": (H, -5.0, "losses.h_mean: -5; its confusion matrix gives 0.2"),
    "a loss of 0": (H, 0.0, "losses.h_mean: 0; its confusion matrix gives 0.2"),
    "a loss a little lower": (H, 0.1999, "losses.h_mean: 0.1999; its confusion matrix gives 0.2"),
    "a huge loss": (H, 1.7e308, "losses.h_mean: 1.7e+308"),
    "a loss at the limit": (H, 1e100, "its confusion matrix gives 0.2"),
    "the last loss": ("trials.1.losses.h_mean", 0.1, "trials[1].losses.h_mean: 0.1; its confusion"),
    "another confusion matrix": (C, confusion_of(0.4), "its confusion matrix gives 0.4"),
    "a confusion matrix of counts": (C, [[40, 10], [10, 40]], "confusion: sums to 100; expected 1"),
    "an empty confusion matrix": (C, [[0, 0], [0, 0]], "confusion: sums to 0; expected 1"),
    "a huge confusion matrix": (C, [[1e308, 1e308], [0, 0]], "confusion[0][0]: 1e+308"),
    "a huge estimate of T": ("trials.0.noise_matrix_estimate", [[1e300] * 2] * 2, "estimate[0][0]"),
    "a confusion matrix of other numbers": (C, [[-3, 4], [4, -4]], "its confusion matrix gives"),
    "a large training part": (SIZES, 7000, "train_size 7000 and test_size 30 of 100 examples"),
    "a large test part": ("trials.1.test_size", 31, "trials[1]: train_size 70 and test_size 31 of"),
    "a small test part": ("trials.0.test_size", 3, "expected a sum of 100"),
    "fewer examples": ("dataset.examples", 99, "and test_size 30 of 99 examples"),
    "more examples": ("dataset.examples", 1000, "expected a sum of 1000"),
    "the year 2999": ("provenance.time", "2999-01-01T00:00:00+0000", "no more than a day from now"),
    "the year 9999": ("provenance.time", "9999-12-31T23:59:59-2359", "no more than a day from now"),
    "negative seconds of a trial": ("trials.0.seconds.fit", -1.0, "trials[0].seconds.fit: -1.0"),
    "negative seconds": ("seconds", -1e-9, "seconds: -1e-09; expected a finite number, 0 or more"),
    "huge seconds": ("trials.0.seconds.fit", 1.7e308, "trials[0].seconds.fit: 1.7e+308"),
    "a theory of huge numbers": ("trials.0.theory", {"regret": 1e200}, "trials[0].theory.regret"),
}

ATTACKS = [
    *(
        Attack(name, AGGREGATE, "notice", says, beside(keys, value))
        for name, (keys, value, says) in CHANGES.items()
    ),
    Attack("the rest goes on", AGGREGATE, "ran", "iris     fw    0.250", beside(H, -5.0)),
    Attack("a newer record dated 2999", AGGREGATE, "notice", "provenance.time: 2999",
           older("2999-01-01T00:00:00+0000")),
    Attack("a time that is not one", AGGREGATE, "notice", "left out: 1 older record",
           older("9" * 30)),
    Attack("another loss, where it is used", (*AGGREGATE, "--value", "zero_one"), "notice",
           "losses.zero_one: 0; its confusion matrix gives 0.2",
           beside("trials.0.losses.zero_one", 0.0)),
    Attack("a huge number of an algorithm", (*AGGREGATE, "--value", "diagnostics.gap"), "refused",
           "diagnostics.gap", beside("trials.0.diagnostics", {"gap": 1e308})),
    Attack("a measure that is gone", AGGREGATE, "notice", "matrices: measure gone is not installed",
           of_another_measure("gone")),
    Attack("a parameter that is gone", AGGREGATE, "notice", "or does not take these parameters",
           of_another_measure("micro_f1", beta=2)),
    Attack("a class that is gone", AGGREGATE, "notice", "confusion: micro_f1 cannot be computed",
           of_another_measure("micro_f1", background=7)),
    Attack("a measure of a file", AGGREGATE, "notice", "measure cost reads a file, which may",
           of_another_measure("cost", path="costs.csv")),
    Attack("other code of a shipped measure", AGGREGATE, "notice", "gives 0.2", without_code),
    Attack("no sizes", AGGREGATE, "ran", "iris     fw", beside(SIZES, 70, ("test_part", "fixed"))),
    Attack("rerun: a loss of 0", ("rerun", "outputs", LAST), "refused", "confusion matrix gives",
           beside(H, 0.0)),
]  # fmt: skip
