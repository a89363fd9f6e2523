"""``ncbench status``: print the progress of the sweeps of an output folder."""

from __future__ import annotations

import os
import platform
import shlex
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ncbench.errors import NcbenchError, counted, printable
from ncbench.run import STOP, Progress, read_sweep


def print_status(output_dir: str, *, every: bool) -> None:
    """Print the progress of the newest sweep of a folder, or of every sweep."""
    paths = sorted(
        Path(output_dir).glob("sweeps/*/sweep.json"), key=lambda path: path.stat().st_mtime
    )
    if not paths:
        raise NcbenchError(f"{output_dir}: contains no sweeps (looked for {output_dir}/sweeps/*/)")
    for path in paths if every else paths[-1:]:
        try:
            about = read_sweep(path.parent)
        except ValueError as error:
            print(f"ignored: {error}", file=sys.stderr)
            continue
        progress = Progress.read(path.parent)
        ended = _ended(path.parent, about)
        if ended:
            progress = replace(progress, gone=about["host"])
        began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(about["started"]))
        cells = counted(progress.total, "cell")
        print(printable(f"{path.parent.name}: {cells}, started {began} on {about['host']}"))
        print(printable(f"  python -m ncbench {shlex.join(about['command'])}"))
        print(f"  {progress}")
        if ended and progress.ended < progress.total:
            print("  This sweep was stopped; the command above resumes it.")
        for state in progress.running:
            since = max(0, round(time.time() - state["time"]))
            print(printable(f"  running for {since} s on {state['host']}: {state['cell']}"))
        for state in progress.states.values():
            if state["state"] == "failed":
                print(*(f"  {printable(line)}" for line in state["line"].split("\n")), sep="\n")


def _ended(folder: Path, about: Mapping[str, Any]) -> bool:
    """Whether a sweep has ended: it was stopped, or its process on this host is gone."""
    if (folder / STOP).exists():
        return True
    if about["host"] != platform.node():
        return False
    try:
        os.kill(about["pid"], 0)
    except OSError as error:  # another one for the process of another user
        return isinstance(error, ProcessLookupError)
    return False
