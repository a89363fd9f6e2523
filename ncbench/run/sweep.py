"""Start the cells of a sweep, and track their states.

The folder of a sweep, ``output_dir/sweeps/<time>-<pid>/``, holds ``sweep.json`` (command, cells),
``configs.json``, ``groups.json`` (the cells of each job), ``<number>.json`` with the state of each
started cell, at the end the table, and ``stop`` if no more cells may start. Every process writes
its own files, so that all launchers, on one machine or many, report in the same way.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
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

from ncbench.config.overrides import quoted
from ncbench.errors import NcbenchError
from ncbench.files import is_full, read_json, write_json
from ncbench.plugin import observers
from ncbench.run.describe import describe_cell
from ncbench.run.progress import STOP, Progress
from ncbench.run.record import CellFolder, read_record
from ncbench.run.worker import run_apart, summary

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from ncbench.config.hydra_session import HydraSession
    from ncbench.types import Config


JOBS = "groups.json"
"""The file in a sweep's folder that lists the cells of each job."""


@dataclass
class Sweep:
    """The cells and the folder of a sweep, in the process that started it.

    Parameters
    ----------
    folder : Path
    configs : list
        The resolved configurations of all cells.
    command : list of str
        The arguments of ``python -m ncbench``.
    """

    folder: Path
    configs: Sequence[Config]
    command: Sequence[str]
    waiting: list[int] = field(default_factory=list)

    def begin(self) -> None:
        """Write the folder, and find the cells that are already finished."""
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
            finished = CellFolder(config).finished(say=True)
            if finished:
                note(self.folder, number, {**summary(finished), "state": "found"})
            else:
                self.waiting.append(number)

    @property
    def resume_command(self) -> str:
        """The command that resumes this sweep."""
        return f"python -m ncbench {shlex.join(self.command)}"

    def launch(self, session: HydraSession, overrides: Sequence[str]) -> None:
        """Hand the unfinished cells to Hydra's launcher, one or more per job.

        The overrides choose the launcher; a job reads its own cells from the sweep's folder.
        """
        size = self.configs[0]["cells_per_job"]
        if size == 0:
            size = len(self.waiting) if session.runs_in_this_process(overrides) else 1
        jobs = [self.waiting[i : i + size] for i in range(0, len(self.waiting), size)]
        write_json(self.folder / JOBS, jobs)
        folder = f"hydra.sweep.dir={quoted(str(self.folder))}"
        _jobs_ended_by[os.getpid()] = []
        session.launch(run_job, [*overrides, folder], len(jobs))
        for error in _jobs_ended_by[os.getpid()]:
            if is_full(error):
                raise error
            raise NcbenchError(f"{error.filename}: {error.strerror}; the sweep cannot go on")

    def outcome(self) -> Outcome:
        """Read the records and states of all cells."""
        states = Progress.read(self.folder).states
        records: list[dict[str, Any]] = []
        failed: list[Mapping[str, Any]] = []
        kept = missing = 0
        for number, config in enumerate(self.configs):
            state, record = states.get(number, {"state": "missing"}), None
            with contextlib.suppress(ValueError):
                record = read_record(CellFolder(config).record)
                records.append(record)
            if state["state"] == "failed":  # even if an earlier run has left a record
                failed.append({"id": config["id"], "config": config, "reason": state["reason"]})
                kept += record is not None and record["status"] == "done"
            elif record is None:
                missing += 1
            elif record["status"] == "failed":
                failed.append(record)
        return Outcome(records, failed, kept, missing)

    def tell_observers(self, outcome: Outcome) -> None:
        """Notify the observers of all cells that the sweep has finished."""
        status = {config["id"]: "missing" for config in self.configs}
        status |= {record["id"]: record["status"] for record in outcome.records}
        status |= {failure["id"]: "failed" for failure in outcome.failed}
        about = {"folder": str(self.folder), "command": list(self.command), "cells": status}
        asked = {json.dumps(config["observers"]): config["observers"] for config in self.configs}
        for names in asked.values():
            observers.sweep_finished(about, names)

    def stop(self) -> None:
        """Start no more cells, on any machine."""
        (self.folder / STOP).touch()


@dataclass(frozen=True)
class Outcome:
    """The outcome of a sweep: its records, and the cells that failed or did not run."""

    records: list[dict[str, Any]]
    failed: list[Mapping[str, Any]]
    kept: int
    """The number of failed cells that have a finished record from an earlier run."""
    missing: int


def run_job(cfg: DictConfig) -> None:
    """Run the cells of one job, in the process that the launcher chose."""
    from hydra.core.hydra_config import HydraConfig

    folder = Path(HydraConfig.get().sweep.dir)
    try:
        run_cells(folder, read_json(folder / JOBS)[cfg.job])
    except OSError as error:
        if os.getpid() not in _jobs_ended_by:
            raise
        _jobs_ended_by[os.getpid()].append(error)  # Hydra would print a traceback


_jobs_ended_by: dict[int, list[OSError]] = {}
"""What ended jobs in the process of the sweep: a full disk, or a folder that is gone."""


def note(folder: Path, number: int, state: Mapping[str, Any]) -> None:
    """Write the state of a cell: running, found, done, skipped or failed."""
    write_json(folder / f"{number}.json", {**state, "time": time.time()})


def run_cells(folder: Path, numbers: Sequence[int]) -> None:
    """Run cells of a sweep, one after the other, each in a process of its own."""
    configs = read_json(folder / "configs.json")
    end_with_the_sweep(read_json(folder / "sweep.json")["pid"])
    for number in numbers:
        if (folder / STOP).exists():
            return
        config = configs[number]
        about = {"cell": describe_cell(config), "host": platform.node()}
        note(folder, number, {**about, "id": config["id"], "state": "running"})
        result = run_apart(config)
        note(folder, number, {**result, "state": result["status"]})
        if result["status"] == "failed" and config["on_error"] == "raise":
            (folder / STOP).touch()


@cache
def end_with_the_sweep(pid: int) -> None:
    """End this process soon after the sweep's process, if that started it.

    Launchers with a pool of processes leave them running when they are killed. The sweep may be
    gone before the first cell, so its process need not be the parent any more.
    """
    started_by = multiprocessing.parent_process()
    if started_by is None or started_by.pid != pid:
        return

    def watch() -> None:
        while os.getppid() == pid:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
