"""Attacks on ncbench, as rows of a table.

A table is a module ``table_<group>.py`` in this folder with a list ``ATTACKS``. ``test_attacks.py``
finds it by its name and runs every row in this process, in an empty folder. To add a group, add a
file; to add a case, add a row:

    Attack("sigma is text", ("sigma=much",), "refused", "expected a number")

The verdict says how ncbench must answer:

- ``refused``: exit code 2 (1 if the machine is at fault: a full disk, no rights), one message that
  begins with ``ncbench: ``, and nothing written or changed below the folder;
- ``notice``: the command does its work and says on standard error what is wrong;
- ``ran``: the input is harmless and is used; ``says`` is in the output;
- ``failed``: a sweep in which some cell fails with the words of ``says`` and another one is done,
  or a check that fails with these words while others pass;
- ``differs``: ``rerun`` finds other numbers and exits with code 1.

``says`` must be part of what was printed. Three answers are always wrong, whatever a row expects:
``traceback`` (an exception nobody caught), ``hang`` (longer than ``seconds``) and ``quiet`` (exit
code 0 without the words). The end of pytest's output counts the verdicts.
"""

from __future__ import annotations

import contextlib
import os
import signal
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Attack:
    """One case.

    Parameters
    ----------
    name : str
        What is attacked, in a few words; unique in its table.
    argv : tuple of str
        The arguments of ``python -m ncbench``.
    verdict : {"refused", "notice", "ran", "failed", "differs"}
    says : str
        A part of the message.
    prepare : callable, optional
        Writes the hostile files; it is called with the folder that the command runs in.
    slow : bool
        Run with ``--all`` only: for rows that start processes or fit for seconds.
    seconds : float
        The time limit.
    """

    name: str
    argv: tuple[str, ...]
    verdict: str
    says: str
    prepare: Callable[[Path], Any] | None = None
    slow: bool = False
    seconds: float = 20.0


class Hang(BaseException):
    """Raised in a command that exceeds its time limit."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise Hang in this thread after some seconds."""

    def stop(*_: Any) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def judge(run: Callable[..., Any], attack: Attack, folder: Path) -> tuple[str, str]:
    """Run an attack; return the verdict and what was printed."""
    before = _contents(folder)
    try:
        with time_limit(attack.seconds):
            outcome = run(*attack.argv)
    except Hang:
        return "hang", f"no answer within {attack.seconds:g} s"
    except Exception:
        return "traceback", traceback.format_exc()
    printed = f"{outcome.out}\n--- standard error, exit code {outcome.code}:\n{outcome.err}"
    if "Traceback (most recent call last)" in outcome.err:
        return "traceback", printed
    if outcome.code == 1 and attack.verdict == "failed":
        pairs = (("] done ", "] failed "), ("\n  ok ", "\n  FAILED "))
        good = any(one in outcome.out and other in outcome.out for one, other in pairs)
        return "failed" if good and attack.says in outcome.out else "not failed alone", printed
    if outcome.code == 1 and attack.verdict == "differs":
        found = " differences in " in outcome.out or ": 1 difference in " in outcome.out
        same = _contents(folder) == before
        return "differs" if found and same else "no difference, or wrote", printed
    if outcome.code in (1, 2):
        if not outcome.err.startswith("ncbench: "):
            return "refused without a message", printed
        if _contents(folder) != before:
            return "refused, but wrote", printed
        return "refused", printed
    if outcome.code == 0 and attack.says in outcome.err:
        return "notice" if attack.verdict == "notice" else "ran", printed
    if outcome.code == 0 and attack.verdict == "ran" and attack.says in outcome.out:
        return "ran", printed
    return "quiet" if outcome.code == 0 else f"exit code {outcome.code}", printed


def _contents(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of every file below a folder, but not of compiled plug-ins."""
    found = {}
    for where, folders, names in os.walk(folder):
        if "__pycache__" in folders:
            folders.remove("__pycache__")
        for name in names:
            about = os.lstat(os.path.join(where, name))
            found[os.path.join(where, name)] = (about.st_size, about.st_mtime_ns)
    return found
