"""A sweep: which cells it has, what has become of them, and what is said about it.

The folder of a sweep, ``output_dir/sweeps/<time>-<pid>/``, holds ``sweep.json`` (command, cells)
and one ``<number>.json`` for each cell that was started: its state. Every process writes files of
its own, so that all launchers, on one machine or many, report in the same way.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shlex
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncbench.config.defaults import shipped_choices, short
from ncbench.config.settings import SETTINGS
from ncbench.errors import NcbenchError
from ncbench.files import write_json
from ncbench.plugin.registry import KINDS, get_registry
from ncbench.run.record import RECORD, CellFolder, read_record
from ncbench.run.worker import get_worker, summary

if TYPE_CHECKING:
    from ncbench.types import Config


def describe(config: Config) -> str:
    """Return a cell in a few words: what is always said, and whatever is not as by default."""
    cell = " ".join(f"{key}={config[key]['name']}" for key in ("measure", "dataset", "noise"))
    cell = f"{cell} sigma={config['sigma']:g} algo={config['algo']['name']}"
    return " ".join([cell, *(f"{key}={short(value)}" for key, value in _unusual(config).items())])


def _unusual(config: Config) -> dict[str, Any]:
    found = {}
    for kind in ("cpe", "t_estimator"):
        if config[kind]["name"] != shipped_choices()[kind]:
            found[kind] = config[kind]["name"]
    for kind in KINDS:
        try:
            parameters = get_registry().plugin(kind, config[kind]["name"]).parameters
        except NcbenchError:  # a record's plug-in need not be installed here
            continue
        for parameter in parameters:
            value = config[kind].get(parameter.name, parameter.default)
            if value != parameter.default:
                found[f"{kind}.{parameter.name}"] = value
    for key in ("test_size", "seed"):
        if config[key] != SETTINGS[key].metadata["default"]:
            found[key] = config[key]
    return found


def line(record: Mapping[str, Any]) -> str:
    """Return one line about a finished cell."""
    cell = describe(record["config"])
    if record["status"] != "done":
        return f"{record['status']:<8} {cell}: {record['reason']}"
    measure = record["config"]["measure"]["name"]
    losses = [trial["losses"][measure] for trial in record["trials"]]
    mean = sum(losses) / len(losses)
    said = f"{measure}{_background(record)} {mean:.4f}"
    if len(losses) > 1:
        variance = sum((loss - mean) ** 2 for loss in losses) / (len(losses) - 1)
        said += f" ({(variance / len(losses)) ** 0.5:.4f})"
    trials = "1 trial" if len(losses) == 1 else f"{len(losses)} trials"
    return f"done     {cell}: {said}, {trials}, {record['seconds']:.1f} s"


def _background(record: Mapping[str, Any]) -> str:
    """Say which class a measure takes for the background, where its number would not."""
    number, classes = record["config"]["measure"].get("background"), record["dataset"]["classes"]
    if not isinstance(number, int) or classes[number] == str(number):
        return ""  # a name is among the cell's parameters
    return f" (background {classes[number]})"


@dataclass
class Sweep:
    """A sweep's folder, written by the command that started it.

    Parameters
    ----------
    folder : Path
    configs : list
        Resolved configurations of all cells, in order.
    command : list of str
        The arguments of ``python -m ncbench``.
    """

    folder: Path
    configs: Sequence[Config]
    command: Sequence[str]
    waiting: list[int] = field(default_factory=list)

    def begin(self) -> None:
        """Write the folder; cells that are finished already are noted and wait no more."""
        about = {
            "command": list(self.command),
            "cells": [config["id"] for config in self.configs],
            "started": time.time(),
            "host": platform.node(),
            "pid": os.getpid(),
        }
        write_json(self.folder / "sweep.json", about)
        write_json(self.folder / "configs.json", list(self.configs))
        for number, config in enumerate(self.configs):
            found = None
            if not config["force"]:
                found = CellFolder(config["output_dir"], config["id"]).finished()
            if found:
                note(self.folder, number, {**summary(found), "state": "found"})
            else:
                self.waiting.append(number)

    def go_on(self) -> str:
        """Return the command that goes on with this sweep."""
        return f"python -m ncbench {shlex.join(self.command)}"


def note(folder: Path, number: int, state: Mapping[str, Any]) -> None:
    """Note the state of a cell: running, found, done, skipped or failed."""
    write_json(folder / f"{number}.json", {**state, "time": time.time()})


def run_cells(folder: Path, numbers: Sequence[int]) -> None:
    """Run cells of a sweep, one after the other, in a worker process."""
    configs = json.loads((folder / "configs.json").read_text())
    _end_with_the_sweep(json.loads((folder / "sweep.json").read_text())["pid"])
    for number in numbers:
        if (folder / "stop").exists():
            return
        config = configs[number]
        about = {"cell": describe(config), "host": platform.node()}
        note(folder, number, {**about, "id": config["id"], "state": "running"})
        result = get_worker().run(config)
        note(folder, number, {**result, "state": result["status"]})
        if result["status"] == "failed" and config["on_error"] == "raise":
            (folder / "stop").touch()


@cache
def _end_with_the_sweep(pid: int) -> None:
    """End this process soon after the sweep's own, if it was started by that.

    Launchers that keep a pool of processes leave them behind when they are killed.
    """
    if os.getppid() != pid:
        return

    def watch() -> None:
        while os.getppid() == pid:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@dataclass(frozen=True)
class Progress:
    """How far a sweep has come.

    Parameters
    ----------
    total : int
        How many cells it has.
    states : mapping
        Of the cells that were started, by number.
    started : float
        When, in seconds since 1970.
    gone : str, optional
        The host of a sweep that has ended before its time: what ran there runs no more.

    Examples
    --------
    >>> states = {0: {"state": "done", "time": 20.0}, 1: {"state": "running", "host": "here"}}
    >>> print(Progress(3, states, 10.0))
    1 done, 0 failed, 0 skipped, 0 found finished, 1 running, 2 remaining, about 20 s left
    >>> print(Progress(3, states, 10.0, gone="here"))
    1 done, 0 failed, 0 skipped, 0 found finished, 0 running (1 interrupted), 2 remaining
    """

    total: int
    states: Mapping[int, Mapping[str, Any]]
    started: float
    gone: str | None = None

    @classmethod
    def read(cls, folder: Path) -> Progress:
        """Read a sweep's folder; whatever is not readable yet is not started yet."""
        about = json.loads((folder / "sweep.json").read_text())
        states = {}
        for path in folder.glob("*.json"):
            if path.stem.isdigit():
                with contextlib.suppress(OSError, ValueError):
                    states[int(path.stem)] = json.loads(path.read_text())
        return cls(len(about["cells"]), states, about["started"])

    def count(self, *states: str) -> int:
        """Return how many cells are in one of these states."""
        return sum(state["state"] in states for state in self.states.values())

    @property
    def running(self) -> list[Mapping[str, Any]]:
        """The states of the cells under way."""
        started = [state for state in self.states.values() if state["state"] == "running"]
        return [state for state in started if self.gone is None or state["host"] != self.gone]

    @property
    def ended(self) -> int:
        """How many cells need no more work."""
        return self.count("done", "failed", "skipped", "found")

    @property
    def seconds_left(self) -> float | None:
        """Time left at the pace of the cells that were run so far."""
        run = self.count("done", "failed")
        ends = [s["time"] for s in self.states.values() if s["state"] in ("done", "failed")]
        if not run or self.ended == self.total or self.gone is not None:
            return None
        pace = float(max(ends) - self.started) / run
        return pace * (self.total - self.ended)

    def __str__(self) -> str:
        parts = [f"{self.count('done')} done", f"{self.count('failed')} failed"]
        parts += [f"{self.count('skipped')} skipped", f"{self.count('found')} found finished"]
        interrupted = self.count("running") - len(self.running)
        said = f" ({interrupted} interrupted)" if interrupted else ""
        parts += [f"{len(self.running)} running{said}", f"{self.total - self.ended} remaining"]
        left = self.seconds_left
        return ", ".join(parts) + (f", about {_duration(left)} left" if left is not None else "")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours} h {minutes} min"
        if hours
        else f"{minutes} min {rest} s"
        if minutes
        else f"{rest} s"
    )


def finish(sweep: Sweep) -> int:
    """Print the table of a sweep and its failures; return the exit code: 1 if a cell failed.

    The table is also kept in the sweep's folder, as table.csv, table.md and table.tex.
    """
    from ncbench.report.export import FORMS, Results, write
    from ncbench.report.failures import print_failures
    from ncbench.results.frame import Cells
    from ncbench.results.trial_value import Value

    cells = Cells(Value())
    states = Progress.read(sweep.folder).states
    failed: list[Mapping[str, Any]] = []
    kept = missing = 0
    for number, config in enumerate(sweep.configs):
        state = states.get(number, {"state": "missing"})
        path = CellFolder(config["output_dir"], config["id"]).path / RECORD
        try:
            record = read_record(path)
            cells.add(record)
        except ValueError:
            record = None
        if state["state"] == "failed":  # whatever record there is of an earlier run
            failed.append({"id": config["id"], "config": config, "reason": state["reason"]})
            kept += record is not None and record["status"] == "done"
        elif record is None:
            missing += 1
        elif record["status"] == "failed":
            failed.append(record)
    print()
    results = Results.of(cells)
    if len(results.frame):
        results.grid().print()
        for form in ("csv", "md", "tex"):
            write(FORMS[form](results), sweep.folder / f"table.{form}")
    print_failures(failed)
    if kept:
        print(
            f"{kept} of them had been done before: those records stay; the new tracebacks are in "
            f"{sweep.folder}/<number>.json"
        )
    if missing:
        print(f"{missing} cells were not run. Go on with: {sweep.go_on()}")
    if len(results.frame):
        print(f"\nTable:   {sweep.folder}/table.csv, .md and .tex")
    print(f"Records: {sweep.configs[0]['output_dir']}/cells")
    return 1 if failed or missing else 0
