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
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncbench.config.compose import quoted
from ncbench.errors import NcbenchError, already_said, notice_once, say_once
from ncbench.files import is_full, read_json, write_json
from ncbench.plugin import observers, use_files
from ncbench.run.archive import read_record
from ncbench.run.folder import CellFolder, new_record
from ncbench.run.progress import STOP, Progress, result_line
from ncbench.run.record import Record, describe_cell

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from ncbench.config.hydra_session import HydraSession
    from ncbench.types import Config

# Run each cell of a sweep in a process of its own.


def run_apart(config: Config) -> dict[str, Any]:
    """Run a cell in a new process and return its summary: id, status, reason and a line of text."""
    answer, reason, keep_trials = _answer(config)
    if answer.get("again"):
        # The trials that were kept are gone; what they left in caches must not come back.
        answer, reason, keep_trials = _answer({**config, "cache": False})
    if not reason:
        return answer
    record = new_record(config, "failed", reason=reason)
    outcome = record
    try:
        outcome = CellFolder(config).write_failure(record, keep_trials=keep_trials)
    except (NcbenchError, OSError) as error:
        # The other cells go on, unless nothing can be written anywhere. That this one failed is in
        # the folder of the sweep.
        if is_full(error.__cause__ or error):
            raise
    with contextlib.suppress(NcbenchError):  # the file of an observer may be missing too
        use_files(config["plugins_from"])
    observers.run_finished(record)
    return summary(outcome)


def _answer(config: Config) -> tuple[dict[str, Any], str, bool]:
    """Return what the process of a cell answers, or why it does not and whether to keep trials."""
    # Paths in a configuration are relative to where the sweep was started.
    process, receiver = start(_run, str(Path.cwd()), config, already_said)
    try:
        # The pipe may stay open after the process has ended, because processes that it started may
        # hold it.
        if not wait([receiver, process.sentinel], config.get("timeout")):
            return {}, f"the cell took longer than timeout={config['timeout']:g}", True
        with contextlib.suppress(EOFError, OSError):  # it was killed
            if receiver.poll():
                answer, said = receiver.recv()
                already_said.update(said)
                return answer, answer.get("ended", ""), False
        process.join()
    finally:
        process.kill()
        process.join()
        receiver.close()
    code = process.exitcode
    by = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    # A killed process may have run out of memory, and the next run can resume. Code that ends
    # its own process has to be fixed first, so its trials are deleted.
    return {}, f"the process of this cell {by}", code < 0


def start(function: Callable[..., None], *arguments: Any) -> tuple[Any, Connection]:
    """Call a function in a new process; its last argument is the connection to answer by."""
    receiver, sender = _context().Pipe(duplex=False)
    process = _context().Process(  # type: ignore[attr-defined]
        target=function, args=(*arguments, sender)
    )
    with _without_ctrl_c():
        for wait_before_next in (0.1, 0.5, 2.0, None):
            try:
                process.start()
                break
            except (EOFError, ConnectionError):  # a cell has just killed the server of all cells
                if wait_before_next is None:
                    raise
                time.sleep(wait_before_next)  # until it is known to be gone; a new one is started
    sender.close()
    return process, receiver


@cache
def _context() -> BaseContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    resource_tracker.ensure_running()  # now, because it ends with SIGINT unblocked
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["ncbench.run.preload"])
    return context


@contextlib.contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Let what is started in this block never receive SIGINT.

    Ctrl-C in a terminal reaches the whole process group, but the sweep decides when its cells end.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    allowed = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, allowed)


def summary(record: dict[str, Any]) -> dict[str, Any]:
    """Return what a sweep needs to know about a finished cell."""
    # If a failure does not replace the record, its traceback is stored only here.
    traced = {"traceback": record["traceback"]} if "traceback" in record else {}
    return {
        **traced,
        "id": record["id"],
        "status": record["status"],
        "reason": record.get("reason", ""),
        "line": result_line(record),
    }


def _run(folder: str, config: Config, said: set[str], answers: Connection) -> None:
    """Run a cell, in its process."""
    # Ignored as well as blocked, because a library may unblock signals.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    already_said.update(said)
    warnings.showwarning = _warn_once  # type: ignore[assignment]
    code = 1
    try:
        os.chdir(folder)
        answers.send((_outcome(config), already_said))
        code = 0
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)  # threads and processes that a plug-in has left must not keep it


def _outcome(config: Config) -> dict[str, Any]:
    from ncbench.run.cell import StaleTrials, run_in_sweep

    try:
        return summary(run_in_sweep(config))
    except StaleTrials as stale:
        notice_once(f"{stale}; all trials are run anew")
        return {"again": True}
    except BaseException as error:  # such as no memory, or no file, for a record
        return {"ended": f"{type(error).__name__}: {error}"}


def _end_with_parent() -> None:
    """End this process when the one that waits for the cell has ended."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)  # finished cells are already written


def _warn_once(message: Any, category: Any, filename: str, lineno: int, *_: Any) -> None:
    """Print a warning of Python, once for all cells that a job runs."""
    say_once(warnings.formatwarning(message, category, filename, lineno).rstrip("\n"))


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
        records: list[Record] = []
        failed: list[Record] = []
        kept = missing = 0
        for number, config in enumerate(self.configs):
            state, record = states.get(number), None
            with contextlib.suppress(ValueError):
                record = read_record(CellFolder(config).record)
                records.append(record)
            if state and state.state == "failed":  # even if an earlier run has left a record
                # Without the command, which may have characters that no record's settings have.
                settings = {key: config[key] for key in config if key != "command"}
                about = {"id": config["id"], "config": settings, "reason": state.reason}
                failed.append(Record(status="failed", **about))
                kept += record is not None and record.status == "done"
            elif record is None:
                missing += 1
            elif record.status == "failed":
                failed.append(record)
        return Outcome(records, failed, kept, missing)

    def tell_observers(self, outcome: Outcome) -> None:
        """Notify the observers of all cells that the sweep has finished."""
        status = {config["id"]: "missing" for config in self.configs}
        status |= {record.id: record.status for record in outcome.records}
        status |= {failure.id: "failed" for failure in outcome.failed}
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

    records: list[Record]
    failed: list[Record]
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
