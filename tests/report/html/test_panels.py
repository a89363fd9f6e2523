"""Panels of the page: how many figures, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ncbench.report.html import panels
from ncbench.results.series import results

Make = Callable[..., dict[str, Any]]


def test_figures_are_bounded_in_number_and_that_is_said(
    make_record: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [make_record("fw", name, losses=[0.1]) for name in "abc"]
    monkeypatch.setattr(panels, "MOST", 1)
    first = panels.chapters(results(records), records)[0]
    assert [panel.dataset for panel in first.panels] == ["a"]
    assert first.not_drawn == ["2 more; python -m ncbench figures draws all"]
