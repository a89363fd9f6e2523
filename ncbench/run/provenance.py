"""Where a result comes from: versions, commit, machine, command."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
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


def provenance(command: list[str], threads: int, plugins: Iterable[str] = ()) -> dict[str, Any]:
    """Return the provenance of a record.

    Parameters
    ----------
    command : list of str
        The arguments of ``python -m ncbench``.
    threads : int
        Number of BLAS and OpenMP threads.
    plugins : names of distributions
        Those whose plug-ins ran; the versions of what they require are recorded too.
    """
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%S+0000", time.gmtime()),
        "command": command,
        "threads": threads,
        "host": platform.node(),
        "cpu": _cpu(),
        "instructions": instructions(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": _versions(frozenset(plugins), "torch" in sys.modules),
        **_commit(),
    }


@cache
def _versions(plugins: frozenset[str], with_torch: bool) -> dict[str, str]:
    """Return the versions of our packages and of what plug-ins require.

    A plug-in file declares no requirements, but torch, if it is used, matters for its numbers.
    """
    names = [
        *PACKAGES,
        *["torch"] * with_torch,
        *(n for plugin in sorted(plugins) for n in (plugin, *_required(plugin))),
    ]
    found = {}
    for package in names:
        with contextlib.suppress(PackageNotFoundError):  # a file, or an extra not installed
            found[package] = version(package)
    return found


def _required(distribution: str) -> list[str]:
    """Return the names of the packages that a distribution requires, also for its extras."""
    with contextlib.suppress(PackageNotFoundError):
        wanted = requires(distribution) or []
        return sorted({re.split(r"[^\w.-]", text, maxsplit=1)[0] for text in wanted})
    return []


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
def instructions() -> str:
    """Return the instruction sets that numpy and BLAS have chosen for this processor.

    They decide in which order sums are rounded. Two processors with one name may differ in them.

    Examples
    --------
    >>> instructions()  # doctest: +SKIP
    'numpy X86_V3, openblas Haswell'
    """
    # Imported here, so that reading records does not need it.
    import numpy as np
    import scipy.linalg  # noqa: F401  # loads its own BLAS, which is then listed
    from threadpoolctl import threadpool_info

    simd = np.show_config(mode="dicts").get("SIMD Extensions", {})
    found = ["baseline", *simd.get("baseline", []), *simd.get("found", [])]
    blas = {
        f"{library['internal_api']} {library.get('architecture', '')}"
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }
    return ", ".join([f"numpy {found[-1]}", *sorted(blas)])


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
