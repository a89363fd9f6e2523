"""Plug-ins that attack the process of their cell, what it shares, and the cells beside it.

Each row is a sweep of two cells: that of the plug-in, and ``cpe_argmax``, which must be done.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attacks.attack import Attack

PLUGIN = """
import atexit, builtins, contextlib, ctypes, gc, json, multiprocessing, os, random, resource
import shutil, signal, subprocess, sys, tempfile, threading, time, warnings
import numpy as np
from ncbench import NcbenchError, NoisyLabelClassifier, hookimpl
from ncbench.errors import NotApplicable


class Own(BaseException):
    pass


class Attacks(NoisyLabelClassifier):
    def _fit(self, X, y, noise):
        {attack}

    def _predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


@hookimpl
def ncbench_algorithms():
    return {{"attacks": Attacks}}
"""

SWEEP = (
    *("-m", "plugins_from=attacks.py", "algo=attacks,cpe_argmax", "dataset=iris", "trials=1"),
    *("cpe=logistic", "cpe.C=1.0", "cache=false"),
)


def plugin(attack: str) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        lines = attack.replace("\n", "\n        ")
        (folder / "attacks.py").write_text(PLUGIN.format(attack=lines))

    return prepare


def fails(name: str, attack: str, says: str, *more: str, slow: bool = False) -> Attack:
    return Attack(name, (*SWEEP, *more), "failed", says, plugin(attack), slow=slow, seconds=60)


def harmless(name: str, attack: str, *more: str, slow: bool = False) -> Attack:
    done = "[2/2] done "
    return Attack(name, (*SWEEP, *more), "ran", done, plugin(attack), slow=slow, seconds=60)


ATTACKS = [
    # How a process can end
    fails("os._exit(0)", "os._exit(0)", "the process of this cell ended with code 0"),
    fails("os._exit(7)", "os._exit(7)", "the process of this cell ended with code 7"),
    fails("sys.exit", "sys.exit('done')", "SystemExit: done"),
    fails("KeyboardInterrupt", "raise KeyboardInterrupt", "KeyboardInterrupt: "),
    fails("an exception of its own", "raise Own('mine')", "Own: mine"),
    fails("GeneratorExit", "raise GeneratorExit('no')", "GeneratorExit: no"),
    fails("SIGKILL", "os.kill(os.getpid(), signal.SIGKILL)", "was killed by SIGKILL"),
    fails("SIGTERM", "os.kill(os.getpid(), signal.SIGTERM)", "was killed by SIGTERM"),
    fails("abort", "os.abort()", "was killed by SIGABRT"),
    fails("a null pointer", "ctypes.string_at(0)", "was killed by SIGSEGV"),
    fails("an alarm", "signal.alarm(1)\ntime.sleep(30)", "was killed by SIGALRM", slow=True),
    fails("no end", "while True: pass", "took longer than timeout=2", "timeout=2", slow=True),
    fails("sleeping through a timeout", "time.sleep(60)", "longer than timeout=2", "timeout=2",
          slow=True),
    fails("SIGTERM ignored, and no end",
          "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass",
          "longer than timeout=2", "timeout=2", slow=True),
    fails("no memory", "resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))\nnp.ones(10**10)",
          "MemoryError: Unable to allocate"),
    fails("no more files", "resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))\nopen('x')",
          "Too many open files"),
    fails("numpy patched", "np.argmax = np.bincount = np.linalg.inv = None",
          "TypeError: 'NoneType' object is not callable"),
    fails("builtins patched", "builtins.sorted = builtins.len = None",
          "the process of this cell ended with code 1"),
    fails("json patched", "json.dumps = lambda *a, **k: 1 / 0", "ZeroDivisionError: "),
    fails("all descriptors closed", "os.closerange(3, 512)\nraise NcbenchError('closed')",
          "the process of this cell ended with code 1"),
    fails("endless recursion", "def deeper(): deeper()\ndeeper()", "RecursionError"),
    fails("an exception without text", "raise Exception", "Exception: "),
    fails("an exception whose text raises",
          "class Odd(Exception):\n    def __str__(self): return 1 / 0\nraise Odd", "Odd: "),
    fails("the server of all cells killed", "os.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(30)",
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
    harmless("a fork whose child returns, too",
             "if os.fork() == 0:\n    os._exit(0)"),
]  # fmt: skip
