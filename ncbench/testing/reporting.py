"""``python -m ncbench check``: contract checks on the command line."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable
from textwrap import indent
from typing import Any

from ncbench.config import schema
from ncbench.config.hydra_errors import explained
from ncbench.config.hydra_session import parse_override
from ncbench.errors import NcbenchError, UnknownName
from ncbench.plugin import KINDS, Plugin, parameters_of
from ncbench.testing.contract import Build, Check, run_check
from ncbench.testing.selection import Arguments, checks_for, find, select

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
    found = find(what)
    builds = select(what, _arguments(found.plugins, settings))
    totals: Counter[str] = Counter()
    for problem in found.problems:
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
