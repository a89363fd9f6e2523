"""The check that a plug-in keeps nothing from one use to the next.

A run uses a plug-in several times in one process, for the trials of a cell. What it computes must
not depend on what it computed before. To compare, new processes run the same steps in other orders.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from ncbench.errors import NcbenchError
from ncbench.plugin import files_in_use, get_registry, use_files
from ncbench.run.worker import start
from ncbench.testing.contract import (
    FLOAT32,
    Build,
    ContractError,
    DoesNotApply,
    NotChecked,
    broken,
    raised,
)
from ncbench.testing.process_state import (
    changed_settings,
    functions,
    replaced_functions,
    settings,
)
from ncbench.testing.selection import MODULES

Answers = Mapping[str, Any]
"""What one step computes, by name: arrays or texts."""

Steps = Mapping[str, Callable[[], Answers]]
"""The steps of a kind, by what they are about. The module of each kind has ``steps(build, n)``."""

_KEEPS = (
    "keep what fit learns in attributes of self, and set all of them in each fit; nothing in a "
    "global, a class, a default argument, a cache or a file, and draw all random numbers from "
    "what the core supplies"
)
_RESTORE = (
    "pass settings as arguments, or set them for a block only (numpy.errstate, "
    "warnings.catch_warnings); never patch other packages; if a package does this when it is "
    "imported, import it at the top of your module"
)


def check_state(build: Build) -> None:
    """It keeps nothing from one use to the next, and leaves its process as it was."""
    forward, backward = _in_new_processes(build)
    *answers, again = forward.answers
    about = forward.about
    _require_same(
        answers[0], again, about[0], f"when computed again after {' and '.join(about[1:])}"
    )
    for name, answer, other in zip(about, answers, backward.answers[::-1], strict=True):
        _require_same(answer, other, name, f"in the reverse order, {about[-1]} first")
    changes = forward.changes
    if changes:
        more = f" (and {len(changes) - 5} more)" * (len(changes) > 5)
        broken(f"after its use, {'; '.join(changes[:5])}{more}", _RESTORE)


def _require_same(first: Answers, other: Answers, about: str, when: str) -> None:
    for name, value in first.items():
        now = other[name]
        if isinstance(value, str) or np.shape(value) != np.shape(now):
            if not np.array_equal(value, now):
                broken(f"its {name} for {about} is {now!r:.80} {when}, not {value!r:.80}", _KEEPS)
        elif not np.allclose(value, now, rtol=0, atol=FLOAT32, equal_nan=True):
            difference = np.abs(value - now).max()
            broken(f"its {name} for {about} differs by up to {difference:.3g} {when}", _KEEPS)


class _Computed(NamedTuple):
    """What a new process computes, step by step, and what of it is not as it was before."""

    about: Sequence[str]
    answers: Sequence[Answers]
    changes: list[str]


def _in_new_processes(build: Build) -> tuple[_Computed, _Computed]:
    """Run the steps and the first one again, and all in reverse, each in a new process."""
    # Which number of classes it accepts is tried here, so that the steps are its first use there.
    accepted = getattr(_module(build.kind), "accepted", lambda _: 3)
    n = accepted(build)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ends:
        answers = [_start(build, n, folder, reverse, ends) for reverse in (False, True)]
        forward, backward = map(_received, answers)
    return forward, backward


def _start(build: Build, n: int, folder: str, reverse: bool, ends: ExitStack) -> Connection:
    plugin = (build.kind, _sent(build), build.arguments, build.name, n)
    own = tempfile.mkdtemp(dir=folder)
    with _without_main():
        process, receiver = start(_answer, plugin, files_in_use(), str(Path.cwd()), own, reverse)
    for end in (receiver.close, process.join, process.kill):
        ends.callback(end)
    return receiver


def _sent(build: Build) -> bytes | None:
    """Return the class or function, or None if a new process finds it by its name."""
    with suppress(NcbenchError):  # there is none of this name
        if get_registry().target(build.kind, build.name) is build.target:
            return None
    try:
        return pickle.dumps(build.target)
    except Exception as error:
        raise _not_found(error) from error


def _not_found(error: Exception) -> DoesNotApply:
    return DoesNotApply(f"it is not registered, and a new process cannot import it: {error}")


@contextmanager
def _without_main() -> Iterator[None]:
    """Let what is started in this block not run the script again that has started this process."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _received(receiver: Connection) -> _Computed:
    try:
        answer: _Computed | Exception = receiver.recv()
    except (EOFError, OSError):
        broken("it ends its process", "raise an error instead")
    if isinstance(answer, Exception):
        raise answer
    return answer


def _answer(
    plugin: tuple[Any, ...], files: list[str], cwd: str, own: str, reverse: bool, sender: Connection
) -> None:
    """Run the steps, in a new process, and send what they compute."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever waits ends this process
    os.chdir(cwd)
    # So that no process finds what another one has left in the folder for temporary files.
    os.environ["TMPDIR"] = tempfile.tempdir = own
    try:
        sender.send(_outcome(plugin, files, reverse))
    finally:
        os._exit(0)  # threads that a plug-in has left must not keep it


def _outcome(plugin: tuple[Any, ...], files: list[str], reverse: bool) -> _Computed | Exception:
    kind, target, arguments, name, n = plugin
    module = _module(kind)  # imports what it uses, so that this is looked at, too
    # A plug-in may patch when it is imported. To look twice takes as long as some fits.
    functions_before = {} if reverse else functions()
    try:
        use_files(files)
        target = _found(kind, name, target)
        settings_before = settings()
        with threadpool_limits(1):  # as in a run
            steps: Steps = module.steps(Build(kind, target, arguments, name), n)
            about = list(steps)
            order = about[::-1] if reverse else [*about, about[0]]
            answers = [_copied(steps[name]()) for name in order]
        changes = changed_settings(settings_before, settings())
        if not reverse:
            changes += replaced_functions(functions_before, functions())
    except (ContractError, DoesNotApply, NotChecked) as error:
        return error
    except BaseException as error:  # whatever it is, the plug-in raised it
        return ContractError(raised(error, target))
    return _Computed(about, answers, changes)


def _found(kind: str, name: str, sent: bytes | None) -> Any:
    if sent is None:
        return get_registry().target(kind, name)
    try:
        return pickle.loads(sent)
    except Exception as error:
        raise _not_found(error) from error


def _module(kind: str) -> ModuleType:
    return import_module(f"ncbench.testing.{MODULES[kind]}")


def _copied(answers: Answers) -> Answers:
    """Return copies, because a plug-in may change later what it has returned."""
    return {
        name: value if isinstance(value, str) else np.array(value, dtype=np.float64)
        for name, value in answers.items()
    }
