"""``new-plugin``: a package is written whole, under a name that can be, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ncbench.errors import NcbenchError
from ncbench.plugin.scaffold import write_package


def test_the_command_says_what_comes_next(ncbench: Callable, tmp_path: Path) -> None:
    outcome = ncbench("new-plugin", "my-noise", "--kind", "noise")
    assert outcome.code == 0
    assert outcome.out.splitlines()[1:] == [
        "  python -m pip install ./my-noise",
        "  python -m ncbench check my-noise",
        "  python -m ncbench -m algo=ncfw,fw noise=random,my_noise sigma=0.1,0.4",
    ]
    written = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
    assert written == [
        *("my-noise/README.md", "my-noise/pyproject.toml"),
        *("my-noise/src/my_noise/__init__.py", "my-noise/src/my_noise/method.py"),
        *("my-noise/tests/test_contract.py", "my-noise/tests/test_method.py"),
    ]
    again = ncbench("new-plugin", "my-noise")
    assert (again.code, again.out) == (2, "")
    assert "my-noise already exists" in again.err


def test_names_that_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    invalid = ("My-Method", "9lives", "a--b", "../up", "class", "")
    for name, fragment in {
        **dict.fromkeys(invalid, "not a valid package name"),
        "ncfw": "algo=ncfw is already registered",
        "numpy": "a module numpy can already be imported",
        "json": "a module json can already be imported",
        "taken": "taken already exists",
    }.items():
        with pytest.raises(NcbenchError, match=fragment):
            write_package(name, "algorithm")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_nothing_is_left_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def full(self: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(NcbenchError, match="cannot be written: No space left on device"):
        write_package("mine", "measure")
    assert list(tmp_path.iterdir()) == []
