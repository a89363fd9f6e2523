"""The hash of a plug-in's code follows its imports, as far as they can be edited."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from ncbench.plugin import get_registry
from ncbench.plugin.code import code_of_file, code_of_module, is_own, own_line


def test_what_a_file_imports_from_its_folder_is_part_of_its_code(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("from .deep import value\n")
    (tmp_path / "package" / "deep.py").write_text("import numpy\nvalue = 1\n")
    (tmp_path / "package" / "unused.py").write_text("")
    (tmp_path / "helper.py").write_text("import rule\n")  # in a circle
    rule = tmp_path / "rule.py"
    rule.write_text("import package\ndef f():\n    from helper import g\n")
    for edited, changes in (
        ("rule.py", True),
        ("helper.py", True),  # imported inside a function
        ("package/__init__.py", True),
        ("package/deep.py", True),  # imported by the package, relative to it
        ("package/unused.py", False),
    ):
        before = code_of_file(rule)
        (tmp_path / edited).write_text((tmp_path / edited).read_text() + "more = 2\n")
        assert (code_of_file(rule) != before) == changes, edited


def test_a_module_of_an_installed_package_does_not_depend_on_its_neighbors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "two_rules"
    package.mkdir()
    for name, text in {"__init__": "", "one": "from . import base", "two": "", "base": ""}.items():
        (package / f"{name}.py").write_text(text)
    one, two = code_of_module("two_rules.one"), code_of_module("two_rules.two")
    (package / "base.py").write_text("x = 1")
    assert code_of_module("two_rules.one") != one
    assert code_of_module("two_rules.two") == two


def test_python_itself_and_broken_files_do_no_harm(tmp_path: Path) -> None:
    assert not is_own("functools")
    assert not is_own("no_such_module")
    assert code_of_module("no_such_module") == ""
    broken = tmp_path / "broken.py"
    broken.write_text("def f(:")
    assert code_of_file(broken)


def test_shipped_plug_ins_have_code_by_module() -> None:
    registry = get_registry()
    assert registry.code("algo", "ncfw") == registry.code("algo", "fw") != ""
    assert registry.code("algo", "ncfw") != registry.code("algo", "ncbs")


def test_packages_installed_elsewhere_have_versions_and_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "lib" / "site-packages"  # of the user, or below a virtual environment
    site.mkdir(parents=True)
    monkeypatch.syspath_prepend(site)
    (tmp_path / "mine.py").write_text("import big_library\n")
    (site / "big_library.py").write_text("A = 1\n")
    before = code_of_file(tmp_path / "mine.py")
    (site / "big_library.py").write_text("A = 23\n")
    assert code_of_file(tmp_path / "mine.py") == before


def test_an_error_is_located_in_own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fails.py").write_text("import json\n\ndef f():\n    json.loads('{')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="property name") as raised:
        import_module("fails").f()
    del sys.modules["fails"]
    assert own_line(raised.value) == "fails.py, line 4"
