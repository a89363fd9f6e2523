"""Contract checks for each kind of plug-in.

A plug-in package tests itself with three lines::

    from ncbench.testing import parametrize_with_checks

    @parametrize_with_checks("my-distribution")
    def test_contract(check):
        check()

``python -m ncbench check NAME|DISTRIBUTION`` does the same on the command line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ncbench.plugin import get_registry
from ncbench.testing.contract import (
    Build,
    Check,
    ContractError,
    DoesNotApply,
    NotChecked,
    Result,
    checks_for,
    parametrize_with_checks,
    run_check,
    select,
)

__all__ = [
    "Build", "Check", "ContractError", "DoesNotApply", "NotChecked", "Result", "checks_for",
    "parametrize_with_checks", "run_checks", "select",
]  # fmt: skip


def run_checks(kind: str, name: str, **arguments: Any) -> Iterator[Result]:
    """Check a registered plug-in; yield one result per check.

    Parameters
    ----------
    kind : {"algo", "measure", "dataset", "noise", "cpe", "t_estimator"}
    name : str
        Registered name.
    **arguments
        Parameters of the plug-in that differ from the defaults.

    Examples
    --------
    >>> {result.check: result.status for result in run_checks("measure", "h_mean")}["convex"]
    'ok'
    """
    build = Build(kind, get_registry().target(kind, name), arguments, name)
    for check in checks_for(kind):
        yield run_check(check, build)
