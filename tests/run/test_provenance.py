"""Where a record came from."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from made_up_files import install

from ncbench.run import written
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


def test_packages_include_what_a_plugins_distribution_requires(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = "Requires-Dist: deep-learner[gpu]>=2; python_version>'3'\n"
    for name, requirement in (("my-net", needs), ("deep-learner", "")):
        install(tmp_path, name, "", "2.5", requires=requirement)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "deep-learner" not in provenance([], 1)["packages"]
    packages = provenance([], 1, ["my-net", "mine.py"])["packages"]
    assert packages["deep-learner"] == packages["my-net"] == "2.5"
    assert "mine.py" not in packages
