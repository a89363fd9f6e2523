"""Listings: --help and plugins, which import no plug-in."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ncbench.cli.command import commands


def test_plugins_lists_the_six_kinds_all_from_ncbench(ncbench: Callable) -> None:
    listing = json.loads(ncbench("plugins", "--json").out)
    assert {plugin["kind"] for plugin in listing["plugins"]} == {
        *("dataset", "noise", "cpe", "t_estimator", "measure", "algo")
    }
    assert {plugin["distribution"] for plugin in listing["plugins"]} == {"ncbench"}
    assert all(plugin["summary"] and plugin["version"] for plugin in listing["plugins"])
    assert listing["problems"] == []
    text = ncbench("plugins").out
    for plugin in listing["plugins"]:
        assert f"  {plugin['name']} " in text
        for parameter in plugin["parameters"]:
            assert f"{plugin['kind']}.{parameter['name']}: " in text


def test_help_lists_keys_plugins_and_parameters(ncbench: Callable) -> None:
    text = ncbench("--help").out
    for expected in ("sigma=0.1", "trials=5", "output_dir=outputs", "ncfw", "algo.max_iter: int"):
        assert expected in text


def test_help_names_commands_that_exist(ncbench: Callable) -> None:
    texts = [ncbench(name, "--help").out for name in commands()]
    for command in re.findall("`ncbench ([^`]+)`", " ".join(" ".join(texts).split())):
        subcommand, *arguments = command.split()
        assert subcommand in commands()
        assert subcommand != "plugins" or not arguments, command


@pytest.mark.slow(reason="a process for each command")
def test_what_needs_no_plugin_code_imports_none(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from ncbench.cli.main import main\n"
        "for command in sys.argv[1:]:\n"
        "    sys.argv = ['ncbench', *command.split()]\n"
        "    try: main()\n"
        "    except SystemExit: pass\n"
        "    heavy = {'numpy', 'sklearn'} & {*sys.modules}\n"
        "    print('imported:', command, *sorted(heavy), file=sys.stderr)\n"
    )

    def imported(*commands: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", code, *commands],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"NCBENCH_CACHE_HOME": str(tmp_path), "PATH": ""},
            check=True,
        )
        return re.findall("^imported: (.*)", done.stderr, flags=re.MULTILINE)

    assert imported("plugins") == ["plugins numpy sklearn"]  # the catalogue is made
    light = ["plugins", "--help", "algo.max_iter=x", "aggregate --help", "fit a.csv --sead 3"]
    assert imported(*light) == light
