"""A record's parts agree with each other, and no published record is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from made_up_files import typed

from ncbench.run import published, unpack
from ncbench.run.record import Record, check_consistency, check_loss, measure_of

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def record(make_record: Any) -> Record:
    return typed(make_record(losses=[0.25]))


def test_a_loss_is_that_of_its_confusion_matrix(record: Record) -> None:
    check_consistency(record, NOW)
    record.trials[0].losses["h_mean"] += 1e-9  # another processor rounds differently
    check_consistency(record, NOW)
    record.trials[0].losses["h_mean"] = -5.0
    with pytest.raises(ValueError, match=r"h_mean: -5; its confusion matrix gives 0.25"):
        check_consistency(record, NOW)


def test_negative_entries_of_an_estimate_are_no_contradiction(record: Record) -> None:
    trial = record.trials[0]
    trial.confusion = [[0.55, -0.05], [0.1, 0.4]]
    trial.losses["zero_one"] = 0.05
    check_loss(record, trial, "zero_one", "trial")


@pytest.mark.parametrize(
    ("time", "refused"),
    [
        ("2026-03-02T11:59:59+0000", False),
        ("2026-03-02T12:00:01+0000", True),
        ("2026-03-02T02:00:00-1200", True),  # 14:00 UTC
        ("tomorrow", False),  # it is not a time, and counts as older than all
    ],
)
def test_a_date_is_no_more_than_a_day_ahead(time: str, refused: bool, record: Record) -> None:
    record.provenance["time"] = time
    if not refused:
        check_consistency(record, NOW)
        return
    with pytest.raises(ValueError, match="no more than a day from now"):
        check_consistency(record, NOW)


def test_sizes_sum_to_the_examples_unless_the_test_part_is_fixed(record: Record) -> None:
    trial = record.trials[0]
    assert (trial.train_size, trial.test_size) == (100, 50)
    for part, train, refused in (
        ("random", 100, False), ("random", 99, True), ("random", 1000, True),
        ("fixed", 90, False), ("fixed", 101, True),
    ):  # fmt: skip
        record.test_part, trial.train_size = part, train
        if not refused:
            check_consistency(record, NOW)
            continue
        with pytest.raises(ValueError, match="of 150 examples; expected a sum"):
            check_consistency(record, NOW)


def test_what_cannot_be_computed_is_not_compared(record: Record) -> None:
    assert record.unchecked == ""
    for measure, why in (
        ({"name": "gone"}, "not installed"),
        ({"name": "micro_f1", "beta": 2}, "does not take these parameters"),
        ({"name": "cost", "path": "costs.csv"}, "may have changed"),
    ):
        record.config["measure"] = measure
        psi, said = measure_of(record, measure["name"])
        assert psi is None
        assert why in said


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_every_published_record_is_consistent() -> None:
    found = list(unpack(published()))  # which checks each
    assert len(found) > 6000
    assert not [each for each in found if isinstance(each, ValueError)]
