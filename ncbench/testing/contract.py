"""Contract checks: their input, how they run, and their results."""

from __future__ import annotations

import inspect
import pickle
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NoReturn

import numpy as np

from ncbench.core import noise_matrix
from ncbench.data import dataset
from ncbench.errors import NcbenchError
from ncbench.plugin import KINDS, as_arguments, parameters_of


class ContractError(AssertionError):
    """A violated contract: what is wrong, the value, and how to fix it."""


class NotChecked(Exception):
    """The reason why a plug-in cannot be checked, such as a missing data file."""


class DoesNotApply(Exception):
    """The reason why a promise does not concern a plug-in, such as its declared family."""


FLOAT32 = 1e-5
"""Differences up to this size are rounding: a float32 network differs from batch to batch."""


def broken(wrong: str, fix: str) -> NoReturn:
    """Raise ContractError.

    Examples
    --------
    >>> broken("the loss is 1.5, above 1", "divide by its largest value")
    Traceback (most recent call last):
    ...
    ncbench.testing.contract.ContractError: the loss is 1.5, above 1. To fix it: divide by its \
largest value
    """
    raise ContractError(" ".join(f"{wrong}. To fix it: {fix}".split()))


def unpickled(thing: Any) -> Any:
    """Return a fitted estimator or a measure after pickling and unpickling."""
    try:
        return pickle.loads(pickle.dumps(thing))
    except Exception as error:
        broken(
            f"pickling raises {type(error).__name__}: {error}",
            "do not keep a lambda, open file or local class in an attribute",
        )


@dataclass(frozen=True)
class Build:
    """A plug-in under test; call it with the arguments that the core supplies to its kind.

    Parameters
    ----------
    kind : str
        Config group, such as ``measure``.
    target : class or function
        The registered class or function.
    arguments : mapping
        Parameters that differ from the defaults. May include arguments that the core supplies, such
        as ``data_dir``; they replace those of the checks.
    name : str
        Registered name.

    Examples
    --------
    >>> def made(folds: int = 2, random_state: int | None = None):
    ...     return folds, random_state
    >>> build = Build("cpe", made, {"folds": 5})
    >>> build(random_state=0)
    (5, 0)
    """

    kind: str
    target: Callable[..., Any]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""

    def __call__(self, **supplied: Any) -> Any:
        """Build the plug-in. Drops supplied arguments that its signature does not have.

        Raises NotChecked if the plug-in raises NcbenchError for its parameters, such as the path of
        a file that does not exist.
        """
        wanted = inspect.signature(self.target).parameters
        given = {**supplied, **self.arguments}
        core = KINDS[self.kind].supplied
        used = {k: v for k, v in given.items() if k in wanted or k not in core}
        named = self.arguments.keys() - core  # of others no type is known
        used = as_arguments(used, parameters_of(self.target, wanted.keys() - named))
        try:
            return self.target(**used)
        except NcbenchError as error:
            made_something_bad(error)
            raise NotChecked(f"{self} cannot be built with these parameters: {error}") from error

    def __str__(self) -> str:
        return f"{self.kind}={self.name or getattr(self.target, '__name__', self.target)}"

    @cached_property
    def missing(self) -> list[str]:
        """Required parameters that were not given, as on the command line: ``noise.path=...``."""
        return [
            f"{self.kind}.{parameter.name}=... ({parameter.type})"
            for parameter in parameters_of(self.target, KINDS[self.kind].supplied)
            if parameter.required and parameter.name not in self.arguments
        ]


def made_something_bad(error: NcbenchError) -> None:
    """Raise ContractError if the core rejected the plug-in's output, not the plug-in its input.

    Examples
    --------
    >>> try:
    ...     noise_matrix.NoiseMatrix([[0.9, 0.1], [0.3, 0.7]])
    ... except NcbenchError as error:
    ...     made_something_bad(error)
    Traceback (most recent call last):
    ...
    ncbench.testing.contract.ContractError: noise matrix: column 0 sums to 1.2, not 1 \
(T[i, j] = P(noisy = i | clean = j), so columns sum to 1; yours has rows that do: transpose it)
    """
    refused_in = traceback.extract_tb(error.__traceback__)[-1].filename
    if refused_in in (dataset.__file__, noise_matrix.__file__):
        raise ContractError(str(error)) from error


CheckFunction = Callable[[Build], None]


@dataclass(frozen=True)
class Check:
    """One promise of the contract and the function that checks it."""

    name: str
    about: str
    function: CheckFunction

    @classmethod
    def of(cls, function: CheckFunction) -> Check:
        """Build from a function ``check_<name>``; its docstring's first line is the promise."""
        about = (inspect.getdoc(function) or "").split("\n")[0].rstrip(".")
        return cls(function.__name__.removeprefix("check_"), about, function)

    def __call__(self, build: Build) -> None:
        """Check a plug-in. Raises ContractError, NotChecked, DoesNotApply, or what it raises."""
        if build.missing:
            raise NotChecked(f"{build} needs {' and '.join(build.missing)}")
        self.function(build)


Status = Literal["ok", "failed", "not checked", "not applicable"]


@dataclass(frozen=True)
class Result:
    """Result of one check of one plug-in."""

    plugin: str
    check: str
    about: str
    status: Status
    message: str = ""


def run_check(check: Check, build: Build) -> Result:
    """Run one check; an error in the plug-in is a failure that names the error and the line."""

    def result(status: Status, message: str = "") -> Result:
        return Result(str(build), check.name, check.about, status, message)

    try:
        with _global_random_state_kept():
            check(build)
    except NotChecked as reason:
        return result("not checked", str(reason))
    except DoesNotApply as reason:
        return result("not applicable", str(reason))
    except ContractError as error:
        return result("failed", str(error))
    except (Exception, SystemExit) as error:
        return result("failed", raised(error, build.target))
    return result("ok")


def raised(error: BaseException, target: object = None) -> str:
    """Describe an error and its line, in the plug-in's own code if possible.

    Examples
    --------
    >>> try:
    ...     {}["colour"]
    ... except KeyError as error:
    ...     print(raised(error))
    it raised KeyError: 'colour' (<doctest ncbench.testing.contract.raised[0]>, line 2)
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(_home(target))]
    where = (own or list(frames))[-1]
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return f"it raised {what} ({where.filename}, line {where.lineno})"


def _home(target: object) -> str:
    """Return the package folder or the file that a class or function comes from."""
    module = sys.modules.get(getattr(target, "__module__", "").partition(".")[0])
    folders = list(getattr(module, "__path__", []))
    return folders[0] if folders else getattr(module, "__file__", None) or "nowhere"


class _global_random_state_kept:  # noqa: N801  (reads as a statement)
    """Restore numpy's global generator: checks reseed it to detect plug-ins that use it."""

    def __enter__(self) -> None:
        self._state = np.random.get_state()  # noqa: NPY002

    def __exit__(self, *_: object) -> None:
        np.random.set_state(self._state)  # noqa: NPY002
