"""Select plug-ins and their checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from ncbench.errors import UnknownName
from ncbench.plugin import KINDS, Plugin, Problem, get_registry
from ncbench.testing.contract import Build, Check, DoesNotApply, NotChecked

MODULES = {
    "dataset": "datasets",
    "noise": "noise_models",
    "cpe": "cpe_learners",
    "t_estimator": "t_estimators",
    "measure": "measures",
    "algo": "algorithms",
}
"""Module with the checks of each kind."""

Arguments = Mapping[str, Mapping[str, Any]]
"""Parameters by plug-in: ``{"noise=matrix": {"path": "T.csv"}}``."""


def checks_for(kind: str) -> list[Check]:
    """Return the checks of a kind, in the order they run.

    Examples
    --------
    >>> [check.name for check in checks_for("measure")][:3]
    ['is_a_loss', 'inputs_unchanged', 'family']
    """
    if kind not in KINDS:
        raise UnknownName.among("kind of plug-in", kind, KINDS)
    module = import_module(f"ncbench.testing.{MODULES[kind]}")
    return [Check.of(function) for function in module.CHECKS]


class Found(NamedTuple):
    """Plug-ins that match a name, and problems that kept others from being registered."""

    plugins: list[Plugin]
    problems: list[Problem]


def find(what: str) -> Found:
    """Look up ``kind=name``, the name of a plug-in of any kind, or a distribution."""
    registry = get_registry()
    kind, equals, name = what.partition("=")
    if equals:
        if kind not in KINDS:
            raise UnknownName.among("kind of plug-in", kind, KINDS)
        return Found([registry.plugin(kind, name)], [])
    every = registry.plugins()
    plugins = [p for p in every if p.name == what or _same(p.distribution, what)]
    problems = [p for p in registry.problems if _same(p.distribution, what)]
    if not plugins and not problems:
        known = {p.name for p in every} | {p.distribution for p in every}
        raise UnknownName.among("plug-in or distribution", what, known)
    return Found(plugins, problems)


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
        for p in find(what).plugins
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


def _same(distribution: str, name: str) -> bool:
    return _normal(distribution) == _normal(name)


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
