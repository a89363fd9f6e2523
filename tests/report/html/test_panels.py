"""Panels of the page: how many figures, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Make = Callable[..., dict[str, Any]]


def test_figures_are_bounded_in_number_and_that_is_said(
    make_record: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    from made_up import figure_frame
    from made_up_files import typed

    from ncbench.report.html import panels

    records = [make_record("fw", name, losses=[0.1]) for name in "abc"]
    monkeypatch.setattr(panels, "MOST", 1)
    first = panels.chapters(figure_frame(records), [*map(typed, records)])[0]
    assert [panel.dataset for panel in first.panels] == ["a"]
    assert first.not_drawn == ["2 more; python -m ncbench figures draws all"]


def test_noisy_test_labels_are_not_called_clean(make_record: Make) -> None:
    from made_up import figure_frame
    from made_up_files import typed

    from ncbench.report.html import panels

    records = [make_record("fw", losses=[0.1])]
    frame = figure_frame(records)
    of_clean = panels.chapters(frame, [*map(typed, records)])[0]
    assert of_clean.about.startswith("Mean loss on the clean test part; bands")
    of_noisy = panels.chapters(frame.assign(judged="held_out_map"), [*map(typed, records)])[0]
    assert of_noisy.about.startswith("Mean loss; where no clean test labels are known, an estimate")
