"""The best of a group of cells."""

from __future__ import annotations

from made_up import record, table


def test_the_best_is_sought_among_equals_only() -> None:
    text = table(
        [
            record([0.1], dataset={"name": "file", "path": "a.csv"}),
            record([0.5], dataset={"name": "file", "path": "b.csv"}),
            record([0.6], dataset={"name": "file", "path": "b.csv"}, algo={"name": "fw"}),
        ]
    )
    assert "0.100*" in text
    assert "0.500*" in text
    assert "0.600*" not in text
    assert "over 1 trial;" in text
