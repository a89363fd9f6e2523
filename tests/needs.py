"""What to do where a program that a test needs is missing."""

from __future__ import annotations

import os

import pytest


def unavailable(reason: str) -> None:
    """Skip, aloud, what needs a program that is not here; where all must be here, fail."""
    if os.environ.get("NCBENCH_NEED_TOOLS"):
        pytest.fail(reason)
    pytest.skip(f"NOT TESTED: {reason}")
