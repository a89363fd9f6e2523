"""The catalogue of plug-ins: remembers, notices changes, never breaks."""

from __future__ import annotations

import os
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from ncbench.plugin import Registry
from ncbench.plugin.signature import Catalogue

SOURCE = '''
from ncbench import hookimpl
print("imported")

class Noise:
    """Some noise."""
    def __init__(self, level: float = {level}, kinds: list[float] = [1.0], why: str | None = None):
        pass

@hookimpl
def ncbench_noise_models():
    return {{"some": Noise}}
'''


@pytest.fixture
def point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EntryPoint:
    (tmp_path / "some_plugin.py").write_text(SOURCE.format(level=0.5))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield EntryPoint("some", "some_plugin", "ncbench")
    sys.modules.pop("some_plugin", None)


def registry(point: EntryPoint, tmp_path: Path) -> Registry:
    sys.modules.pop("some_plugin", None)
    return Registry([point], Catalogue(tmp_path / "cache" / "catalogue.json"))


def test_a_known_plugin_is_listed_without_import_and_loaded_when_used(
    point: EntryPoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = registry(point, tmp_path).plugins()
    assert capsys.readouterr().out == "imported\n"
    again = registry(point, tmp_path)
    assert again.plugins() == first
    assert capsys.readouterr().out == ""
    assert again.target("noise", "some").__name__ == "Noise"
    assert capsys.readouterr().out == "imported\n"


def test_an_edited_plugin_is_described_anew(point: EntryPoint, tmp_path: Path) -> None:
    assert registry(point, tmp_path).plugins()[0].parameters[0].default == 0.5
    source = tmp_path / "some_plugin.py"
    source.write_text(SOURCE.format(level=0.7))
    os.utime(source, (1, 1))
    assert registry(point, tmp_path).plugins()[0].parameters[0].default == 0.7


def test_a_damaged_catalogue_is_made_anew(point: EntryPoint, tmp_path: Path) -> None:
    first = registry(point, tmp_path).plugins()
    for content in ("", "[]", "{", '{":some=some_plugin": 3}', "null"):
        (tmp_path / "cache" / "catalogue.json").write_text(content)
        assert registry(point, tmp_path).plugins() == first


def test_a_folder_that_cannot_be_written_only_costs_time(point: EntryPoint, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert [plugin.name for plugin in registry(point, tmp_path).plugins()] == ["some"]
