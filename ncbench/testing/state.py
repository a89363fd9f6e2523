"""The check that a plug-in keeps nothing from one use to the next.

A run uses a plug-in several times in one process, for the trials of a cell. What it computes must
not depend on what it computed before. To compare, new processes run the same steps in other orders.
"""

from __future__ import annotations

import locale
import os
import pickle
import random
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import sklearn
from threadpoolctl import threadpool_limits

from ncbench.errors import NcbenchError
from ncbench.plugin import files_in_use, get_registry, use_files
from ncbench.run.sweep import start
from ncbench.testing.contract import (
    MODULES,
    Build,
    ContractError,
    DoesNotApply,
    NotChecked,
    broken,
    raised,
)
from ncbench.testing.shared import FLOAT32

# What a plug-in can change in its process, so that other code computes something else.

_ABSENT = object()
_SHOWN = 60  # characters of a value

_PACKAGES = frozenset({"builtins", "math", "ncbench", "numpy", "random", "scipy", "sklearn"})
"""Packages that all plug-ins compute with."""


def settings() -> dict[str, Any]:
    """Return the settings of this process, by name."""
    name, *rest = np.random.get_state(legacy=True)  # noqa: NPY002  (looks, does not draw)
    return {
        "numpy's global random state": (name, *(np.asarray(part).tolist() for part in rest)),
        "Python's global random state": random.getstate(),
        "numpy.geterr()": np.geterr(),
        "numpy.get_printoptions()": np.get_printoptions(),
        "sklearn.get_config()": sklearn.get_config(),
        "warnings.filters": list(warnings.filters),
        "the working directory": os.getcwd(),
        "sys.path": list(sys.path),
        "sys.stdout": sys.stdout,
        "sys.stderr": sys.stderr,
        "the recursion limit": sys.getrecursionlimit(),
        "the locale": locale.setlocale(locale.LC_ALL),
        "the set of threads": sorted(thread.name for thread in threading.enumerate()),
        **{f"the handler of {s.name}": signal.getsignal(s) for s in signal.Signals},
        **{f"os.environ[{key!r}]": value for key, value in os.environ.items()},
    }


def functions() -> dict[str, Any]:
    """Return the functions, classes and methods of the packages that all plug-ins use, by name."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in _PACKAGES or module is None:
            continue
        found[name] = module
        for key, value in list(vars(module).items()):
            if callable(value):
                found[f"{name}.{key}"] = value
            if isinstance(value, type) and value.__module__ == name:
                found |= {f"{name}.{key}.{k}": v for k, v in _methods(value)}
    return found


def _methods(cls: type) -> Iterator[tuple[str, Any]]:
    for key, value in vars(cls).items():
        if callable(value) or isinstance(value, property | classmethod | staticmethod):
            yield key, value


def changed_settings(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Say what of the settings is not as before.

    Examples
    --------
    >>> changed_settings({"os.environ['A']": "1"}, {"os.environ['A']": "2", "os.environ['B']": "3"})
    ["os.environ['A'] was '1' and is '2'", "os.environ['B'] was not there and is '3'"]
    """
    return [
        f"{name} {_change(before.get(name, _ABSENT), after.get(name, _ABSENT))}"
        for name in {**before, **after}
        if before.get(name, _ABSENT) != after.get(name, _ABSENT)
    ]


def _change(then: Any, now: Any) -> str:
    texts = ["not there" if value is _ABSENT else repr(value) for value in (then, now)]
    if max(map(len, texts)) > _SHOWN:
        return "is not as before"
    return f"was {texts[0]} and is {texts[1]}"


def replaced_functions(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Say which functions are others than before; what was imported since is left out.

    Examples
    --------
    >>> replaced_functions({"numpy.sum": sum, "numpy.max": max}, {"numpy.sum": max})
    ['numpy.sum was replaced', 'numpy.max was removed']
    """
    return [
        f"{name} was {'replaced' if name in after else 'removed'}"
        for name, value in before.items()
        if after.get(name, _ABSENT) is not value
    ]


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
