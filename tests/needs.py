"""What tests need that may not be here, and what to do then."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
SLOW_AND_BAD = ROOT / "tests" / "plugin_packages" / "slow-and-bad" / "slow_and_bad.py"
"""A plug-in file with algorithms that are slow, that raise, that exit, and that are killed."""
PAPER_TABLES = ROOT / "ncbench" / "results" / "paper.csv"


def unavailable(reason: str) -> None:
    """Skip, aloud, what needs a program that is not here; where all must be here, fail."""
    if os.environ.get("NCBENCH_NEED_TOOLS"):
        pytest.fail(reason)
    pytest.skip(f"NOT TESTED: {reason}")


def shared(name: str) -> Path:
    """Return a file or folder of ``../shared``; skip a test that needs it where there is none."""
    if not (SHARED / name).exists():
        pytest.skip(f"NOT TESTED: needs ../shared/{name}, which is not beside this checkout")
    return SHARED / name
