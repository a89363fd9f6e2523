"""Where a record came from."""

from __future__ import annotations

import time

import pytest

from ncbench.results.config_key import written
from ncbench.run.provenance import provenance


def test_records_say_the_time_in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")  # 5:30 ahead
    time.tzset()
    try:
        seconds, text = written(provenance([], 1)["time"])
    finally:
        monkeypatch.undo()
        time.tzset()
    assert text.endswith("+0000")
    assert abs(seconds - time.time()) < 60
