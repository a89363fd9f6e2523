"""Means of records by cell, as figures draw them."""

from __future__ import annotations

from collections.abc import Callable

from made_up import figure_frame


def test_the_newest_copy_is_not_the_one_with_the_latest_local_clock(make_record: Callable) -> None:
    copies = [
        make_record(losses=[loss], provenance={"time": f"2026-10-25T{time}"})
        for loss, time in ((0.5, "02:10:00+0100"), (0.25, "02:50:00+0200"))
    ]
    assert figure_frame(copies)[["mean", "record"]].values.tolist() == [[0.5, 0]]
