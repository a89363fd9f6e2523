"""Plug-ins that attack the process of their cell, what it shares, and the cells beside it.

The rows of a table are cells of one sweep, in which the harmless ones must be done as if they were
alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest

import pytest
from attacks.attack import time_limit
from commands import run

PLUGIN = """
import atexit, builtins, contextlib, ctypes, gc, json, multiprocessing, os, random, resource
import shutil, signal, subprocess, sys, tempfile, threading, time, warnings
import numpy as np
from ncbench import NcbenchError, NoisyLabelClassifier, hookimpl

ATTACKS = {attacks}


class Own(BaseException):
    pass


class Attacks(NoisyLabelClassifier):
    def __init__(self, row: int):
        self.row = row

    def _fit(self, X, y, noise):
        exec(ATTACKS[self.row], globals())

    def _predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


@hookimpl
def ncbench_algorithms():
    return {{"attacks": Attacks}}
"""
SWEEP = (
    *("-m", "plugins_from=attacks.py", "algo=attacks", "dataset=iris", "trials=1"),
    *("cpe=logistic", "cpe.C=1.0", "cache=false"),
)
VERDICTS = ("failed", "done")


@dataclass(frozen=True)
class Row:
    """What a plug-in does, and what the line of its cell says."""

    name: str
    attack: str
    says: str = "h_mean 1.0000, 1 trial"
    verdict: str = "failed"


def harmless(name: str, attack: str) -> Row:
    return Row(name, attack, verdict="done")


CELLS = (
    # How a process can end
    Row("os._exit(0)", "os._exit(0)", "the process of this cell ended with code 0"),
    Row("os._exit(7)", "os._exit(7)", "the process of this cell ended with code 7"),
    Row("sys.exit", "sys.exit('done')", "SystemExit: done"),
    Row("KeyboardInterrupt", "raise KeyboardInterrupt", "KeyboardInterrupt: "),
    Row("an exception of its own", "raise Own('mine')", "Own: mine"),
    Row("GeneratorExit", "raise GeneratorExit('no')", "GeneratorExit: no"),
    Row("SIGKILL", "os.kill(os.getpid(), signal.SIGKILL)", "was killed by SIGKILL"),
    Row("SIGTERM", "os.kill(os.getpid(), signal.SIGTERM)", "was killed by SIGTERM"),
    Row("abort", "os.abort()", "was killed by SIGABRT"),
    Row("a null pointer", "ctypes.string_at(0)", "was killed by SIGSEGV"),
    Row("an alarm", "signal.setitimer(signal.ITIMER_REAL, 0.1)\ntime.sleep(30)",
        "was killed by SIGALRM"),
    Row("no memory", "resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))\nnp.ones(10**10)",
        "MemoryError: Unable to allocate"),
    Row("no more files", "resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))\nopen('x')",
        "Too many open files"),
    Row("numpy patched", "np.argmax = np.bincount = np.linalg.inv = None",
        "TypeError: 'NoneType' object is not callable"),
    Row("builtins patched", "builtins.sorted = builtins.len = None",
        "the process of this cell ended with code 1"),
    Row("json patched", "json.dumps = lambda *a, **k: 1 / 0", "ZeroDivisionError: "),
    Row("all descriptors closed", "os.closerange(3, 512)\nraise NcbenchError('closed')",
        "the process of this cell ended with code 1"),
    Row("endless recursion", "def deeper(): deeper()\ndeeper()", "RecursionError"),
    Row("an exception without text", "raise Exception", "Exception: "),
    Row("an exception whose text raises",
        "class Odd(Exception):\n    def __str__(self): return 1 / 0\nraise Odd", "Odd: "),
    Row("the server of all cells killed", "os.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(30)",
        "the process of this cell ended with code 255"),
    # What a process can leave behind
    harmless("another working directory", "os.chdir(tempfile.mkdtemp())"),
    harmless("a working directory that is gone",
             "folder = tempfile.mkdtemp()\nos.chdir(folder)\nos.rmdir(folder)"),
    harmless("the environment emptied", "os.environ.clear()"),
    harmless("warnings as errors", "warnings.simplefilter('error')"),
    harmless("numpy raises on underflow", "np.seterr(all='raise')"),
    harmless("random states set", "random.seed(0)\nnp.random.seed(0)"),
    harmless("the import path emptied", "sys.path.clear()"),
    harmless("modules of ours deleted",
             "for name in [name for name in sys.modules if name.startswith('ncbench.run')]:"
             "\n    del sys.modules[name]"),
    harmless("a thread that does not end",
             "threading.Thread(target=time.sleep, args=(60,)).start()"),
    harmless("a process that does not end",
             "multiprocessing.Process(target=time.sleep, args=(60,)).start()"),
    harmless("a process that holds the pipes",
             "subprocess.Popen(['sleep', '20'], close_fds=False)"),
    harmless("an exit handler that raises", "atexit.register(lambda: 1 / 0)"),
    harmless("standard streams closed", "sys.stdout.close()\nsys.stderr.close()"),
    harmless("no garbage collection", "gc.disable()\ngc.freeze()"),
    harmless("nothing", "pass"),
    harmless("a fork whose child returns, too", "if os.fork() == 0:\n    os._exit(0)"),
)  # fmt: skip
ENDLESS = (
    Row("no end", "while True: pass", "took longer than timeout=2"),
    Row("sleeping through a timeout", "time.sleep(60)", "took longer than timeout=2"),
    Row("SIGTERM ignored, and no end",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass",
        "took longer than timeout=2"),
    harmless("nothing", "pass"),
)  # fmt: skip


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, str]]:
    """Return a function that runs the sweep of a table, and returns the line of each row."""

    @cache
    def sweep(rows: tuple[Row, ...], *more: str) -> dict[str, str]:
        folder = tmp_path_factory.mktemp("cells")
        (folder / "attacks.py").write_text(PLUGIN.format(attacks=[row.attack for row in rows]))
        # Beside a cell that fails is one that must be done.
        failed, done = ([k for k, row in enumerate(rows) if row.verdict == v] for v in VERDICTS)
        order = [k for pair in zip_longest(failed, done) for k in pair if k is not None]
        with time_limit(200):
            ended = run(folder, *SWEEP, f"algo.row={','.join(map(str, order))}", *more)
        assert ended.code == 1, ended.out + ended.err
        assert "Traceback" not in ended.out + ended.err
        found = re.findall(r"^\[\d+/\d+\] (.* algo\.row=(\d+): .*)$", ended.out, re.MULTILINE)
        return {rows[int(k)].name: line for line, k in found}

    return sweep


def check(row: Row, line: str, record_property: Callable[[str, object], None]) -> None:
    verdict = line.split()[0]
    record_property("verdict", {"done": "ran"}.get(verdict, verdict))
    assert (verdict, row.says in line) == (row.verdict, True), line


@pytest.mark.xdist_group("attacks on cells")
@pytest.mark.parametrize("row", CELLS, ids=lambda row: row.name)
def test_a_plug_in_harms_its_own_cell_at_most(
    row: Row, lines: Callable, record_property: Callable[[str, object], None]
) -> None:
    check(row, lines(CELLS)[row.name], record_property)


@pytest.mark.slow(reason="each waits for the time limit")
@pytest.mark.xdist_group("attacks on cells")
@pytest.mark.parametrize("row", ENDLESS, ids=lambda row: row.name)
def test_a_cell_without_end_is_ended(
    row: Row, lines: Callable, record_property: Callable[[str, object], None]
) -> None:
    check(row, lines(ENDLESS, "timeout=2")[row.name], record_property)
