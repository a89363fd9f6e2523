"""What a plug-in can change in its process, so that other code computes something else."""

from __future__ import annotations

import locale
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import sklearn

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
