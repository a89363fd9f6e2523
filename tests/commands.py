"""Commands that a table or a fixture runs once, for many tests, and what they leave behind."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ncbench.cli.main import main
from ncbench.errors import already_said
from ncbench.plugin import use_files


@dataclass
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


def run(folder: Path, *argv: str) -> Outcome:
    """Run ``python -m ncbench ...`` from a folder, in this process."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    already_said.clear()  # a command has a process of its own
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        patch.object(sys, "argv", ["ncbench", *argv]),
    ):
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        finally:
            use_files([])  # what a command took from files is not for the next one
    return Outcome(code, out.getvalue(), err.getvalue())


def run_apart(folder: Path, *argv: str, code: int | None = 0, **environment: str) -> str:
    """Run ``python -m ncbench ...`` in a process of its own; return all that it has printed."""
    done = subprocess.run(
        [sys.executable, "-m", "ncbench", *argv],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def records_in(folder: Path) -> list[dict[str, Any]]:
    """Return the records of the cells below a folder, in the order of their ids."""
    return [json.loads(path.read_text()) for path in sorted(folder.rglob("record.json"))]
