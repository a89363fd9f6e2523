"""The rooms of ncbench, and who may import whom: the contracts in pyproject.toml."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = ("ncbench", "ncbench.core", "ncbench.data", "ncbench.learning", "ncbench.noise_estimation")
LINT = Path(sys.executable).with_name("lint-imports")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts of the packages in a folder, or of the installed ones."""
    return subprocess.run(
        [LINT, "--no-cache", "--config", ROOT / "pyproject.toml"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_import_goes_down() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout


FORBIDDEN = {
    "ncbench/core/measure.py": "ncbench.report.export",
    "ncbench/results/frame.py": "ncbench.cli.main",
    "ncbench/theory.py": "ncbench.own_labels",  # of the same layer
    "ncbench/own_labels/page.py": "ncbench.report",
    "ncbench/testing/shared.py": "ncbench.own_labels",
    "ncbench_plugins/noise/matrices.py": "ncbench.run",
}


def test_forbidden_imports_are_found(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "ncbench", tmp_path / "ncbench")
    shutil.copytree(ROOT / "plugins", tmp_path / "ncbench_plugins")
    for file, forbidden in FORBIDDEN.items():
        path = tmp_path / file
        path.write_text(f"{path.read_text()}\nimport {forbidden}\n")
    done = lint(tmp_path)
    assert done.returncode == 1, done.stdout
    broken = done.stdout.split("Broken contracts")[1]
    rooms, _, rest = broken.partition("The bench wing does not import own_labels\n")
    wings, _, plugins = rest.partition("Plug-ins import ncbench and its public rooms only\n")
    assert "A room imports only rooms below it" in rooms
    for file, forbidden in FORBIDDEN.items():
        importer = file.removesuffix(".py").replace("/", ".")
        where = rooms
        if importer.startswith("ncbench_plugins"):
            where = plugins
        elif importer.startswith("ncbench.testing"):  # above own_labels, but in the other wing
            where = wings
        assert f"{importer} -> {forbidden}" in where, broken


def plugin_imports() -> list[tuple[str, str, list[str]]]:
    """Return file, module and names of each import of ncbench in the shipped plug-ins."""
    found = []
    for path in sorted((ROOT / "plugins").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ncbench"):
                names = [alias.name for alias in node.names]
                found.append((str(path.relative_to(ROOT)), str(node.module), names))
    return found


def test_plugins_import_what_rooms_export() -> None:
    imports = plugin_imports()
    assert len(imports) > 50
    for file, module, names in imports:
        if module in ("ncbench.errors", "ncbench.types") or module.startswith("ncbench_plugins"):
            continue
        assert module in PUBLIC, f"{file} imports {module}"
        exported = import_module(module).__all__
        assert set(names) <= set(exported), f"{file}: {module} does not export all of {names}"


def test_a_plugin_imports_no_other_plugin() -> None:
    for path in sorted((ROOT / "plugins").rglob("*.py")):
        if path.name == "__init__.py":  # which collects the plug-ins of its folder
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not node.level, f"{path}: imports a sibling"
                assert not (node.module or "").startswith("ncbench_plugins"), path


def test_few_modules_are_in_no_room() -> None:
    assert len(list((ROOT / "ncbench").glob("*.py"))) <= 6


def test_a_room_says_what_it_is_for_and_exports_names_that_exist() -> None:
    for room in sorted(path.parent.name for path in (ROOT / "ncbench").glob("*/__init__.py")):
        module = import_module(f"ncbench.{room}")
        assert len((module.__doc__ or "").strip().splitlines()[0]) > 15, room
        # Nothing imports the top.
        assert room == "cli" or module.__all__, room
        assert not [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)]
