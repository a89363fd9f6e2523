"""Fixtures shared by the tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ncbench.__main__ import main
from ncbench.registry import use_files

SHARED = Path(__file__).resolve().parents[2] / "shared"


@dataclass
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def ncbench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Outcome]]:
    """Run ``python -m ncbench ...`` from an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)

    def run(*argv: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["ncbench", *argv])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return Outcome(int(stop.value.code or 0), captured.out, captured.err)

    yield run
    use_files([])  # what a command took from files is not for the next test


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder with the paper's real data and noise; skip where there is none."""
    if not (SHARED / "data" / "vehicle.npz").is_file():
        pytest.skip("the paper's real data is not beside the checkout (../shared/data)")
    return SHARED / "data"


@pytest.fixture(scope="session")
def paper_tables() -> Path:
    """Return the paper's published tables as CSV; skip where there are none."""
    if not (SHARED / "paper" / "tables.csv").is_file():
        pytest.skip("the paper's tables are not beside the checkout (../shared/paper)")
    return SHARED / "paper" / "tables.csv"
