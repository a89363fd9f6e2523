"""Contract checks: their input, how they run, and their results."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from textwrap import indent
from typing import Any, Literal, NoReturn

import numpy as np

from ncbench.config import schema
from ncbench.config.config_files import explained
from ncbench.config.hydra_session import parse_override
from ncbench.core import noise_matrix
from ncbench.errors import NcbenchError, UnknownName
from ncbench.plugin import KINDS, Plugin, Problem, as_arguments, get_registry, parameters_of


class ContractError(AssertionError):
    """A violated contract: what is wrong, the value, and how to fix it."""


class NotChecked(Exception):
    """The reason why a plug-in cannot be checked, such as a missing data file."""


class DoesNotApply(Exception):
    """The reason why a promise does not concern a plug-in, such as its declared family."""


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
    from ncbench.data import dataset  # late: its room reads tables, and so imports pandas

    refused_in = traceback.extract_tb(error.__traceback__)[-1].filename
    if refused_in in (dataset.__file__, noise_matrix.__file__):
        raise ContractError(str(error)) from error


@dataclass(frozen=True)
class Check:
    """One promise of the contract and the function that checks it."""

    name: str
    about: str
    function: Callable[[Build], None]

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


@contextmanager
def _global_random_state_kept() -> Iterator[None]:
    """Restore numpy's global generator: checks reseed it to detect plug-ins that use it."""
    state = np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


# Select plug-ins and their checks.

MODULES = {
    "dataset": "datasets",
    "noise": "noise_models",
    "cpe": "cpe_learners",
    "t_estimator": "t_estimators",
    "measure": "measures",
    "algo": "algorithms",
}
"""Module with the checks of each kind: its functions ``check_<name>``, in the order they run.

The first line of a docstring is the promise.
"""

Arguments = Mapping[str, Mapping[str, Any]]
"""Parameters by plug-in: ``{"noise=matrix": {"path": "T.csv"}}``."""


def checks_for(kind: str) -> list[Check]:
    """Return the checks of a kind, in the order they run: its own, then those that all have.

    Examples
    --------
    >>> [check.name for check in checks_for("measure")][:3]
    ['is_a_loss', 'inputs_unchanged', 'family']
    """
    if kind not in KINDS:
        raise UnknownName.among("kind of plug-in", kind, KINDS)
    names = (MODULES[kind], "state", "trial")
    return [
        Check(name.removeprefix("check_"), _promise(function), function)
        for module in (import_module(f"ncbench.testing.{name}") for name in names)
        for name, function in vars(module).items()
        if name.startswith("check_")
    ]


def _promise(function: Callable[[Build], None]) -> str:
    return (inspect.getdoc(function) or "").split("\n")[0].rstrip(".")


def find(what: str) -> tuple[list[Plugin], list[Problem]]:
    """Look up ``kind=name``, the name of a plug-in of any kind, or a distribution.

    Returns the plug-ins, and the problems that kept others from being registered.
    """
    registry = get_registry()
    kind, equals, name = what.partition("=")
    if equals:
        if kind not in KINDS:
            raise UnknownName.among("kind of plug-in", kind, KINDS)
        return [registry.plugin(kind, name)], []
    every = registry.plugins()
    plugins = [p for p in every if p.name == what or _normal(p.distribution) == _normal(what)]
    problems = [p for p in registry.problems if _normal(p.distribution) == _normal(what)]
    if not plugins and not problems:
        known = {p.name for p in every} | {p.distribution for p in every}
        raise UnknownName.among("plug-in or distribution", what, known)
    return plugins, problems


def select(what: str, arguments: Arguments | None = None) -> list[Build]:
    """Return the plug-ins that match a name, ready to be checked.

    Parameters
    ----------
    what : str
        ``kind=name``, the name of a plug-in of any kind, or an installed distribution.
    arguments : mapping, optional
        Parameters by plug-in, such as ``{"noise=matrix": {"path": "T.csv"}}``.

    Examples
    --------
    >>> [str(build) for build in select("h_mean")]
    ['measure=h_mean']
    """
    given = arguments or {}
    target = get_registry().target
    return [
        Build(p.kind, target(p.kind, p.name), given.get(f"{p.kind}={p.name}", {}), p.name)
        for p in find(what)[0]
    ]


def parametrize_with_checks(*what: str, arguments: Arguments | None = None) -> Callable[..., Any]:
    """Parametrize a pytest test with the checks of plug-ins; its argument ``check`` runs one.

    A plug-in that cannot be checked, for instance because it needs parameters, is skipped. So is a
    check that does not apply to it.

    Parameters
    ----------
    *what : str
        Names of plug-ins or distributions, as for ``select``.
    arguments : mapping, optional
        Parameters by plug-in, such as ``{"noise=matrix": {"path": "T.csv"}}``.

    Examples
    --------
    >>> @parametrize_with_checks("measure=h_mean")
    ... def test_contract(check):
    ...     check()
    """
    import pytest

    def bound(check: Check, build: Build) -> Callable[[], None]:
        def run() -> None:
            try:
                check(build)
            except NotChecked as reason:
                pytest.skip(f"not checked: {reason}")
            except DoesNotApply as reason:
                pytest.skip(f"not applicable: {reason}")

        return run

    cases = [
        pytest.param(bound(check, build), id=f"{build}-{check.name}")
        for name in what
        for build in select(name, arguments)
        for check in checks_for(build.kind)
    ]
    return pytest.mark.parametrize("check", cases)


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


# ``python -m ncbench check``: contract checks on the command line.

_MARKS = {"ok": "ok    ", "failed": "FAILED", "not applicable": "-     "}
_STATUSES = ("ok", "failed", "not applicable", "not checked")


def check_plugins(what: str, settings: Iterable[str] = ()) -> int:
    """Check plug-ins, print the results, and return the exit code.

    Parameters
    ----------
    what : str
        Name of a plug-in or of a distribution.
    settings : sequence of str
        Parameters such as ``noise.path=T.csv``, for all plug-ins of the kind that have them, and
        ``data_dir=FOLDER``.
    """
    plugins, problems = find(what)
    builds = select(what, _arguments(plugins, settings))
    totals: Counter[str] = Counter()
    for problem in problems:
        print(f"{problem.distribution} {problem.version}, entry point {problem.entry_point}")
        print(f"  FAILED  loads: it can be imported and registered\n          {problem.error}")
        totals["failed"] += 1
    for build in builds:
        print(build)
        for check in checks_for(build.kind):
            status = _report(check, build)
            totals[status] += 1
            if status == "not checked":  # the other checks cannot run either
                break
    print(", ".join(f"{totals[s]} {s}" for s in _STATUSES if totals[s]))
    if totals["failed"]:
        return 1
    return 0 if totals["ok"] else 2


def _report(check: Check, build: Build) -> str:
    result = run_check(check, build)
    if result.status == "not checked":
        print(indent(f"not checked: {result.message}", "  "))
        keys = _keys(build)
        if keys:
            print(f"  It takes {', '.join(keys)}: python -m ncbench check {build} {keys[0]}=...")
    else:
        print(f"  {_MARKS[result.status]}  {check.name}: {check.about}", flush=True)
    if result.status == "failed":
        print(indent(result.message.replace(". To fix it: ", ".\nTo fix it: "), " " * 10))
    if result.status == "not applicable":
        print(indent(f"not applicable: {result.message}", " " * 10))
    return result.status


def _keys(build: Build) -> list[str]:
    """Return the plug-in's keys for the command line, required ones first."""
    parameters = parameters_of(build.target, KINDS[build.kind].supplied)
    ordered = sorted(parameters, key=lambda parameter: not parameter.required)
    keys = [f"{build.kind}.{parameter.name}" for parameter in ordered]
    return keys + ["data_dir"] * ("data_dir" in inspect.signature(build.target).parameters)


def _arguments(plugins: list[Plugin], settings: Iterable[str]) -> Arguments:
    """Return the parameters of each plug-in, validated as in a run."""
    given: dict[str, dict[str, Any]] = {f"{p.kind}={p.name}": {} for p in plugins}
    for key, value in _parsed(settings):
        kind, _, name = key.partition(".")
        supplied = key == "data_dir"
        takers = [
            p
            for p in plugins
            if (supplied and key in KINDS[p.kind].supplied)
            or (p.kind == kind and name in {parameter.name for parameter in p.parameters})
        ]
        if not takers:
            known = ["data_dir", *(f"{p.kind}.{q.name}" for p in plugins for q in p.parameters)]
            raise UnknownName.among("parameter", key, known)
        for p in takers:
            checked = {key: str(value)} if supplied else schema.resolve_parameters(p, {name: value})
            given[f"{p.kind}={p.name}"].update(checked)
    return given


def _parsed(settings: Iterable[str]) -> list[tuple[str, Any]]:
    with explained("expected KEY=VALUE: "):
        overrides = [parse_override(text) for text in settings]
    for override in overrides:
        if override.is_sweep_override():
            raise NcbenchError(f"{override.input_line}: give one value; a check is not a sweep")
    return [(override.key_or_group, override.value()) for override in overrides]
