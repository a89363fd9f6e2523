"""Each check catches the plug-ins that are broken in its own way, and says what is wrong."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from ncbench.testing import Build, ContractError, checks_for
from ncbench.testing.contract import MODULES, run_check

PLUGINS = {kind: import_module(f"broken_plugins.{name}") for kind, name in MODULES.items()}
KIND = pytest.mark.parametrize("kind", PLUGINS)


@KIND
def test_broken_plugins_are_caught_by_the_check_meant_for_them(kind: str) -> None:
    by_name = {check.name: check for check in checks_for(kind)}
    for check, broken in PLUGINS[kind].BROKEN.items():
        for sentence, target in broken.items():
            result = run_check(by_name[check], Build(kind, target))
            assert result.status == "failed", (check, target)
            assert re.search(sentence, result.message), result.message


@KIND
def test_good_plugins_keep_their_contract(kind: str) -> None:
    for target in PLUGINS[kind].GOOD:
        results = [run_check(check, Build(kind, target)) for check in checks_for(kind)]
        bad = [r for r in results if r.status not in ("ok", "not applicable")]
        assert bad == [], target


def test_every_check_has_a_plugin_that_it_must_catch() -> None:
    for kind, module in PLUGINS.items():
        assert set(module.BROKEN) == {check.name for check in checks_for(kind)}


def test_a_check_raises_what_is_wrong_and_how_to_mend_it() -> None:
    gradient = {check.name: check for check in checks_for("measure")}["gradient"]
    broken = PLUGINS["measure"].GradientAtFixedPriors
    with pytest.raises(ContractError, match=r"gradient\[.*\. To fix it: derive psi with all"):
        gradient(Build("measure", broken))
