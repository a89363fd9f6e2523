"""Where a result comes from: versions, commit, machine, command."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    "ncbench",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "pluggy",
    "hydra-core",
    "omegaconf",
)


def provenance(command: list[str], threads: int) -> dict[str, Any]:
    """Return the provenance of a record.

    Parameters
    ----------
    command : list of str
        The arguments of ``python -m ncbench``.
    threads : int
        Number of BLAS and OpenMP threads.
    """
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%S+0000", time.gmtime()),
        "command": command,
        "threads": threads,
        "host": platform.node(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": _versions(),
        **_commit(),
    }


@cache
def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


@cache
def _commit() -> dict[str, Any]:
    """Return commit and dirty flag of the git checkout that this code runs from, if any."""
    source = Path(sys.modules["ncbench"].__file__ or "").parent
    git = ["git", "-C", str(source)]
    try:
        top = _output([*git, "rev-parse", "--show-toplevel"])
        if Path(top).resolve() != source.parent.resolve():  # an environment inside another project
            return {"git_commit": None, "git_dirty": None}
        dirty = bool(_output([*git, "status", "--porcelain", "--untracked-files=no"]))
        return {"git_commit": _output([*git, "rev-parse", "HEAD"]), "git_dirty": dirty}
    except (OSError, subprocess.SubprocessError):
        return {"git_commit": None, "git_dirty": None}


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20)
    return done.stdout.strip()
