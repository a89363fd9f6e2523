"""Run each cell of a sweep in a process of its own.

What plug-ins leave behind in a process (globals, a patched numpy, a random state, memory) then
reaches no other cell, and a killed cell does not end the sweep. The processes are forked by a
server that has imported what all cells need (``preload``) and computed nothing, by
``multiprocessing``'s forkserver. Where there is no such server, as on Windows, each process is a
new interpreter.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncbench.errors import NcbenchError, already_said, notice_once, say_once
from ncbench.files import is_full
from ncbench.plugin import observers, use_files
from ncbench.run.describe import result_line
from ncbench.run.record import CellFolder, new_record

if TYPE_CHECKING:
    from ncbench.types import Config


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
