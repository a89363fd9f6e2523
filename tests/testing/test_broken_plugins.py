"""Each check catches the plug-ins that are broken in its own way, and says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from ncbench.testing import Build, ContractError, checks_for
from ncbench.testing.contract import MODULES, run_check

PLUGINS = {kind: import_module(f"broken_plugins.{name}") for kind, name in MODULES.items()}
CASES = [
    pytest.param(kind, check, sentence, target, id=f"{kind}-{check}-{target.__name__}")
    for kind, module in PLUGINS.items()
    for check, plugins in module.BROKEN.items()
    for sentence, target in plugins.items()
]
GOOD = [
    pytest.param(kind, target, id=f"{kind}-{target.__name__}")
    for kind, module in PLUGINS.items()
    for target in module.GOOD
]


@pytest.mark.parametrize(("kind", "check", "sentence", "target"), CASES)
def test_broken_plugin_is_caught_by_the_check_meant_for_it(
    kind: str, check: str, sentence: str, target: Callable[..., Any]
) -> None:
    by_name = {check.name: check for check in checks_for(kind)}
    result = run_check(by_name[check], Build(kind, target))
    assert result.status == "failed"
    assert re.search(sentence, result.message), result.message


@pytest.mark.parametrize(("kind", "target"), GOOD)
def test_good_plugin_keeps_its_contract(kind: str, target: Callable[..., Any]) -> None:
    results = [run_check(check, Build(kind, target)) for check in checks_for(kind)]
    assert [r for r in results if r.status not in ("ok", "not applicable")] == []


@pytest.mark.parametrize("kind", PLUGINS)
def test_every_check_has_a_plugin_that_it_must_catch(kind: str) -> None:
    assert set(PLUGINS[kind].BROKEN) == {check.name for check in checks_for(kind)}


def test_a_check_raises_what_is_wrong_and_how_to_mend_it() -> None:
    gradient = {check.name: check for check in checks_for("measure")}["gradient"]
    broken = PLUGINS["measure"].GradientAtFixedPriors
    with pytest.raises(ContractError, match=r"gradient\[.*\. To fix it: derive psi with all"):
        gradient(Build("measure", broken))
