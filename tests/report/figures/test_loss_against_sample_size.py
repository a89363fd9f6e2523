"""The loss against the sample size, with the Bayes level."""

from __future__ import annotations

import math

import pytest
from drawn import Make, line, sigma_records
from made_up import figure_frame

from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.losses import loss_against_sample_size


def test_sample_sizes_are_on_a_log_axis_with_the_bayes_level(make_record: Make) -> None:
    records = [
        make_record("ncfw", "synthetic", sigma, [1 / math.log10(size)], "q_mean", size,
                    config={"dataset": {"name": "synthetic", "train": size}})
        for sigma in (0.1, 0.4)
        for size in (100, 1000, 10_000)
    ]  # fmt: skip
    for record in records:
        record["trials"][0]["theory"] = {"inverse_norm": 1.2}
    figure = loss_against_sample_size(figure_frame(records))
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    assert line(axes, "sigma-1").get_xdata() == pytest.approx([100, 1000, 10_000])
    assert line(axes, "sigma-1").get_ydata() == pytest.approx([1 / 2, 1 / 3, 1 / 4])
    assert line(axes, "bayes").get_ydata() == pytest.approx([0.526, 0.526], abs=1e-3)
    shown = [text.get_text() for text in figure.legends[0].get_texts()]
    assert shown == ["sigma 0.1", "sigma 0.4", "lowest possible (Bayes)"]


def test_one_sample_size_is_no_figure(make_record: Make) -> None:
    with pytest.raises(NothingToDraw, match=r"dataset\.train=100"):
        loss_against_sample_size(figure_frame(sigma_records(make_record)))
