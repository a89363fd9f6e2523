"""Run the cells of a sweep in a child process, so that a killed cell does not end the sweep.

The worker reads configurations as lines of JSON from its standard input, and answers each with a
line on a pipe. It runs many cells, because importing scikit-learn takes seconds. It ends when its
input ends, so that no computation outlives the sweep.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import math
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncbench.errors import NcbenchError
from ncbench.plugin import observers, use_files
from ncbench.run.describe import result_line
from ncbench.run.record import CellFolder, new_record

if TYPE_CHECKING:
    from ncbench.types import Config


class Worker:
    """Run cells in a child process; start a new one if it is killed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._answers: Any = None

    def run(self, config: Config) -> dict[str, Any]:
        """Run a cell and return its summary: id, status, reason and a line of text."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            # Paths in a configuration are relative to where the sweep was started.
            self._process.stdin.write(json.dumps([str(Path.cwd()), config]) + "\n")
            self._process.stdin.flush()
            answer = self._answer(config.get("timeout"))
        except BrokenPipeError:
            answer = ""
        except TimeoutError:
            self.stop()
            return _ended(config, f"the cell took longer than timeout={config['timeout']:g}", True)
        if answer:
            return dict(json.loads(answer))
        code = self._process.wait()
        by = (
            f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        )
        # A killed process may have run out of memory, and the next run can resume. Code that ends
        # its own process has to be fixed first, so its trials are deleted.
        return _ended(config, f"the process of this cell {by}", code < 0)

    def _answer(self, seconds: float | None) -> str:
        """Wait for a line; return an empty text if the child has ended.

        The pipe may stay open after that, because processes that the child started may hold it.
        """
        assert self._process is not None
        latest = time.monotonic() + (seconds or math.inf)
        while True:
            if time.monotonic() > latest:
                raise TimeoutError
            ended = self._process.poll() is not None
            if select.select([self._answers], [], [], 0 if ended else 0.5)[0]:
                return str(self._answers.readline())
            if ended:
                return ""

    def stop(self) -> None:
        """Kill the child process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._answers.close()
            if self._process.stdin:
                with contextlib.suppress(OSError):  # the child may not have read everything
                    self._process.stdin.close()
            self._process = None

    def _start(self) -> None:
        read, write = os.pipe()
        # Ctrl-C in a terminal reaches the whole process group, but the sweep decides when its
        # worker ends. The child inherits the blocked signal, so it never receives one.
        allowed = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "ncbench.run.worker", str(write)],
                stdin=subprocess.PIPE,
                pass_fds=[write],
                text=True,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, allowed)
        os.close(write)
        self._answers = os.fdopen(read)


@cache
def get_worker() -> Worker:
    """Return the worker of this process, which serves all its launcher jobs in turn."""
    worker = Worker()
    atexit.register(worker.stop)
    return worker


def _ended(config: Config, reason: str, keep_trials: bool) -> dict[str, Any]:
    record = new_record(config, "failed", reason=reason)
    outcome = CellFolder(config).write_failure(record, keep_trials=keep_trials)
    with contextlib.suppress(NcbenchError):  # the file of an observer may be missing too
        use_files(config["plugins_from"])
    observers.run_finished(record)
    return summary(outcome)


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


def _serve(answers: int) -> None:
    from ncbench.run.cell import run_in_sweep

    # Ignored as well as blocked, because a library may unblock signals.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    waiting: queue.Queue[str] = queue.Queue()
    # The thread below reads a copy of sys.stdin. Otherwise it would hold the lock of sys.stdin, and
    # processes that a plug-in starts would wait for it.
    requests = os.fdopen(os.dup(sys.stdin.fileno()))
    sys.stdin = open(os.devnull)  # noqa: SIM115
    os.dup2(sys.stdin.fileno(), 0)

    def read() -> None:
        for request in requests:
            waiting.put(request)
        os._exit(0)  # the sweep has ended; finished cells are already written

    threading.Thread(target=read, daemon=True).start()
    with os.fdopen(answers, "w") as stream:
        while True:
            folder, config = json.loads(waiting.get())
            os.chdir(folder)
            record = run_in_sweep(config)
            stream.write(json.dumps(summary(record)) + "\n")
            stream.flush()


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
