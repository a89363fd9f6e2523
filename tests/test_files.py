"""Locks among processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ncbench.errors import NcbenchError
from ncbench.files import locked

HOLD = """
import sys, time
from pathlib import Path
from ncbench.files import locked
folder = Path(sys.argv[1])
for _ in range(20):
    with locked(folder / "lock"):
        mine = folder / "inside"
        mine.touch(exist_ok=False)  # fails if another one is inside
        time.sleep(0.002)
        mine.unlink()
"""


def side_by_side(processes: int, code: str, folder: Path) -> None:
    """Run the same code in several processes at once; all must end well."""
    command = [sys.executable, "-c", code, str(folder)]
    started = [
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(processes)
    ]
    for process in started:
        _, error = process.communicate(timeout=60)
        assert process.returncode == 0, error


def test_only_one_of_many_is_inside(tmp_path: Path) -> None:
    side_by_side(4, HOLD, tmp_path)
    assert list(tmp_path.iterdir()) == []


IN_TURN = """
import sys
from ncbench.run import CellFolder
cell = CellFolder({"output_dir": sys.argv[1], "id": "id"})
for _ in range(200):
    with cell.locked():
        pass
"""


def test_a_folder_that_is_taken_away_empty_is_made_again_by_who_waits(tmp_path: Path) -> None:
    side_by_side(3, IN_TURN, tmp_path)
    assert list((tmp_path / "cells").iterdir()) == []


@pytest.mark.parametrize("what", ["folder", "link"])
def test_what_cannot_be_locked_is_said(what: str, tmp_path: Path) -> None:
    path, target = tmp_path / ".lock", tmp_path / "mine"
    target.write_text("mine")
    path.mkdir() if what == "folder" else path.symlink_to(target)
    with pytest.raises(NcbenchError, match=r"\.lock: cannot be locked: "), locked(path):
        pass
    assert target.read_text() == "mine"
