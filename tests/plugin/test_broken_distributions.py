"""A distribution that is broken: a command says so, and it is not in the way of others."""

import json
import os
import subprocess
import sys
from pathlib import Path

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


def run(site: Path, *argv: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ncbench", *argv],
        cwd=site,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


def test_it_is_explained_and_not_used(tmp_path: Path) -> None:
    install(tmp_path, "without-type", UNTYPED)
    listing = json.loads(run(tmp_path, "plugins", "--json"))
    assert {p["distribution"] for p in listing["plugins"]} == {"ncbench"}
    assert [SAYS in problem["error"] for problem in listing["problems"]] == [True]
    assert f"problem: without-type 1.0, entry point main: {SAYS}" in run(tmp_path, "plugins")
    refused = run(tmp_path, "algo=untyped", code=2)
    assert "algorithm 'untyped' is not known" in refused
    assert "without-type" in refused
    assert "see python -m ncbench plugins" in refused
