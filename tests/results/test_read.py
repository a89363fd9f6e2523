"""Reading records: what is kept of them, and what is shown meanwhile."""

from __future__ import annotations

import io
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_up import record, tidy
from made_up_files import put

from ncbench.results.read import each_record


def test_confusion_matrices_that_nobody_asked_for_are_not_kept() -> None:
    def records() -> Iterator[dict[str, Any]]:
        for seed in range(40):
            one = record([0.1] * 5, seed=seed)
            for trial in one["trials"]:
                trial["confusion"] = [[1.0 + seed + i + j for i in range(60)] for j in range(60)]
            yield one

    one = sum(sys.getsizeof(number) for number in range(257, 257 + 5 * 60 * 60))
    tracemalloc.start()
    try:
        frame = tidy(records())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(frame) == 40
    assert peak < 10 * one  # one record at a time, and not forty


def test_long_reading_shows_a_bar_to_whoever_watches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for number in range(501):
        put(tmp_path / "cells" / str(number) / "record.json", record([0.1], seed=number))
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(sys, "stderr", stream)
        assert len(list(each_record([str(tmp_path)]))) == 501
        assert ("Reading records" in stream.getvalue()) == stream.isatty()
