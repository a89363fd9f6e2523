"""A distribution that is broken: a command says so, and it is not in the way of others."""

import json
from pathlib import Path

from commands import run_apart
from made_up_files import install

UNTYPED = """
from ncbench import hookimpl


class Mine:
    def __init__(self, share=1.0): ...


@hookimpl
def ncbench_algorithms():
    return {"untyped": Mine}
"""
SAYS = "parameter 'share' of without_type.Mine has no type hint; give it one of bool, int"


def test_it_is_explained_and_not_used(tmp_path: Path) -> None:
    install(tmp_path, "without-type", UNTYPED)
    site = {"PYTHONPATH": str(tmp_path)}
    listing = json.loads(run_apart(tmp_path, "plugins", "--json", **site))
    assert {p["distribution"] for p in listing["plugins"]} == {"ncbench"}
    assert [SAYS in problem["error"] for problem in listing["problems"]] == [True]
    assert f"problem: without-type 1.0, entry point main: {SAYS}" in run_apart(
        tmp_path, "plugins", **site
    )
    refused = run_apart(tmp_path, "algo=untyped", code=2, **site)
    assert "algorithm 'untyped' is not known" in refused
    assert "without-type" in refused
    assert "Traceback" not in refused
    assert "see python -m ncbench plugins" in refused
