"""Critical difference diagrams."""

from __future__ import annotations

import numpy as np
import pytest
from drawn import Make
from made_up import figure_frame

from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.ranks import critical_difference
from ncbench.results.series import plain
from ncbench.results.significance import rankings


def test_names_of_a_critical_difference_diagram_are_led_to_their_ranks(make_record: Make) -> None:
    losses = [[0.1, 0.2, 0.3, 0.4]] * 9 + [[0.2, 0.1, 0.4, 0.3]]
    records = [
        make_record(algo, f"data{k}", losses=[loss])
        for k, row in enumerate(losses)
        for algo, loss in zip("abcd", row, strict=True)
    ]
    (ranking,) = rankings(plain(figure_frame(records)))
    ranks = ranking.ranks
    assert ranks is not None
    assert ranks.average_ranks == pytest.approx({"a": 1.1, "b": 1.9, "c": 3.1, "d": 3.9})
    (axes,) = critical_difference(ranking).axes
    leaders = [line for line in axes.get_lines() if len(line.get_xdata()) == 3]
    starts = np.array([leader.get_xdata()[0] for leader in leaders])
    average = np.array(list(ranks.average_ranks.values()))
    slope, intercept = np.polyfit(average, starts, 1)
    assert starts == pytest.approx(slope * average + intercept)
    bars = [line.get_xdata() for line in axes.get_lines() if line.get_linewidth() == 3.5]
    assert ranks.groups == (("a", "b"), ("b", "c"), ("c", "d"))
    for bar, middle in zip(bars, (1.5, 2.5, 3.5), strict=True):
        assert (np.mean(bar) - intercept) / slope == pytest.approx(middle)


def test_one_data_set_has_no_diagram(make_record: Make) -> None:
    records = [make_record(algo, losses=[0.1]) for algo in ("ncfw", "fw")]
    (ranking,) = rankings(plain(figure_frame(records)))
    with pytest.raises(NothingToDraw, match="two or more data sets"):
        critical_difference(ranking)
