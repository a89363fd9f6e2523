"""The list of failed cells a sweep ends with."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from made_up_files import typed

from ncbench.report.tables import print_failures


def test_each_failure_is_a_row_with_the_first_line_of_its_reason(
    make_record: Callable, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = [
        make_record("ncfw", "iris", 0.1, status="failed", reason="ValueError: no\nmore of it"),
        make_record("fw", "wine", 0.25, status="failed", reason="killed by SIGKILL"),
    ]
    print_failures([*map(typed, failed)])
    rows = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert rows[0].split() == ["failed", "measure", "dataset", "sigma", "algo", "reason"]
    body = [line.split() for line in rows if line.startswith(failed[0]["id"][:4])]
    assert body == [[failed[0]["id"], "h_mean", "iris", "0.1", "ncfw", "ValueError:", "no"]]
    assert any(
        line.split()[:5] == [failed[1]["id"], "h_mean", "wine", "0.25", "fw"] for line in rows
    )
    assert "more of it" not in " ".join(rows)


def test_nothing_is_said_of_no_failures(capsys: pytest.CaptureFixture[str]) -> None:
    print_failures([])
    assert capsys.readouterr().out == ""
