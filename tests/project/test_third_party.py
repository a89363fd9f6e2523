"""Packages by third parties, installed for real: the example, and one new-plugin of each kind.

The environment is new, but for packages that ncbench depends on: those are found where the tests
find them, because installing them again takes minutes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from commands import records_in

from ncbench.plugin.scaffold import TEMPLATES, write_package

ROOT = Path(__file__).resolve().parents[2]
SHOWN = "algo=ncfw,ncminimax,my_algorithm"


class Environment:
    """A virtual environment with a folder to work in."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder / "venv", symlinks=True)
        self.python = folder / "venv" / "bin" / "python"
        (site,) = (folder / "venv" / "lib").glob("*/site-packages")
        borrowed = [path for path in sys.path if path.endswith("site-packages")]
        (site / "borrowed.pth").write_text("\n".join(borrowed))
        self.site = site
        self.folder = folder / "work"
        self.folder.mkdir()

    def run(self, *argv: str, code: int = 0) -> str:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        environment["NCBENCH_CACHE_HOME"] = str(self.folder)
        done = subprocess.run(
            [self.python, "-m", *argv],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def install(self, *what: str) -> None:
        how = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index")
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", *how]
        subprocess.run([*pip, *what], cwd=self.folder, check=True)


def copy(folder: Path, *names: str) -> Path:
    """Copy parts of this project: a build leaves files behind."""
    for name in names:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.mark.slow(reason="installs packages for real")
def test_packages_in_a_fresh_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = Environment(tmp_path)
    source = tmp_path / "ncbench"
    source.mkdir()
    copy(source, "pyproject.toml", "README.md", "ncbench", "plugins", "conf", "results")
    fresh.install("--ignore-installed", str(source))  # the tests' own is on the path too
    shutil.rmtree(source)

    # One package of each kind, and the example; nothing is edited.
    monkeypatch.chdir(fresh.folder)
    for kind in TEMPLATES:
        write_package(f"my-{kind.replace('_', '-')}", kind)
    example = copy(tmp_path, "examples") / "examples" / "ncbench-minimax"
    made = sorted(path.name for path in fresh.folder.glob("my-*"))
    fresh.install(*(f"./{name}" for name in made), str(example))
    assert sorted(path.name for path in fresh.site.glob("ncbench*")) == [
        *("ncbench", "ncbench-0.1.0.dist-info", "ncbench_conf"),
        *("ncbench_minimax", "ncbench_minimax-0.2.0.dist-info", "ncbench_plugins"),
        "ncbench_results",
    ]

    # They are listed with their distributions and versions, and pass their own tests.
    listing = json.loads(fresh.run("ncbench", "plugins", "--json"))
    assert listing["problems"] == []
    found = {
        (plugin["kind"], plugin["name"]): f"{plugin['distribution']} {plugin['version']}"
        for plugin in listing["plugins"]
        if plugin["distribution"] != "ncbench"
    }
    assert found == {
        **{(TEMPLATES[k].group, f"my_{k}"): f"my-{k.replace('_', '-')} 0.1.0" for k in TEMPLATES},
        **{("algo", name): "ncbench-minimax 0.2.0" for name in ("ncminimax", "minimax")},
        ("measure", "soft_worst_class"): "ncbench-minimax 0.2.0",
        ("noise", "by_frequency"): "ncbench-minimax 0.2.0",
    }
    tests = [f"{name}/tests" for name in made]
    options = ("-q", "-rs", "--import-mode=importlib", "-p", "no:cacheprovider")
    out = fresh.run("pytest", *options, *tests, str(example / "tests"))
    assert re.search(r"\d{3} passed", out)
    reasons = re.findall(r"SKIPPED .*?: (.*)", out)
    assert all(reason.startswith("not applicable") for reason in reasons), reasons
    assert "failed" not in fresh.run("ncbench", "check", "my-measure")

    # Swept beside ncfw.
    small = (
        "dataset=my_dataset",
        "dataset.examples=300",
        "trials=2",
        "noise=by_frequency",
        "measure=soft_worst_class",
    )
    out = fresh.run("ncbench", "-m", SHOWN, *small, "sigma=0.1,0.4", "cpe=my_cpe")
    for name in ("ncfw", "ncminimax", "my_algorithm"):
        assert re.search(rf"{name} +0\.\d+ \(0\.\d+\)[*~]? +0\.\d+ \(0\.\d+\)", out), out
    plugins = {r["config"]["algo"]["name"]: r["plugins"] for r in records_in(fresh.folder)}
    assert plugins["my_algorithm"]["algo"] == "my-algorithm 0.1.0"
    assert plugins["my_algorithm"]["cpe"] == "my-cpe 0.1.0"
    assert plugins["ncminimax"]["algo"] == "ncbench-minimax 0.2.0"
    assert plugins["ncfw"]["measure"] == "ncbench-minimax 0.2.0"

    # Installed editable, an edit is seen at once.
    fresh.install("--editable", str(example))
    assert not (fresh.site / "ncbench_minimax").exists()
    module = example / "src" / "ncbench_minimax" / "noise.py"
    module.write_text(module.read_text().replace("By frequency: a wrong", "Edited: a wrong"))
    assert "Edited: a wrong label is a guess" in fresh.run("ncbench", "plugins")
