"""A record's parts agree with each other, and no published record is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from made_up_files import typed

from ncbench.run import published, unpack
from ncbench.run.record import Record, check_consistency, check_loss

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def record(make_record: Any) -> Record:
    return typed(make_record(losses=[0.25]))


def test_a_loss_may_differ_by_rounding(record: Record) -> None:
    check_consistency(record, NOW)
    record.trials[0].losses["h_mean"] += 1e-9  # another processor rounds differently
    check_consistency(record, NOW)


def test_negative_entries_of_an_estimate_are_no_contradiction(record: Record) -> None:
    trial = record.trials[0]
    trial.confusion = [[0.55, -0.05], [0.1, 0.4]]
    trial.losses["zero_one"] = 0.05
    check_loss(record, trial, "zero_one", "trial")


def test_a_date_is_no_more_than_a_day_ahead(record: Record) -> None:
    for time, refused in (
        ("2026-03-02T11:59:59+0000", False),
        ("2026-03-02T12:00:01+0000", True),
        ("2026-03-02T02:00:00-1200", True),  # 14:00 UTC
        ("tomorrow", False),  # it is not a time, and counts as older than all
    ):
        record.provenance["time"] = time
        if not refused:
            check_consistency(record, NOW)
            continue
        with pytest.raises(ValueError, match="no more than a day from now"):
            check_consistency(record, NOW)


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_every_published_record_is_consistent() -> None:
    found = list(unpack(published()))  # which checks each
    assert len(found) > 6000
    assert not [each for each in found if isinstance(each, ValueError)]
