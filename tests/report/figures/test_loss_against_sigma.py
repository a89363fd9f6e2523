"""Figures: what is drawn are the numbers of the records, and labels do not overlap."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from drawn import Make, line, sigma_records
from made_up import figure_frame

from ncbench.report.figures.losses import loss_against_sigma
from ncbench.report.figures.style import saved


def test_means_and_bands_are_those_of_the_trials_and_a_gap_is_not_bridged(
    make_record: Make,
) -> None:
    figure = loss_against_sigma(figure_frame(sigma_records(make_record)))
    (axes,) = figure.axes
    fw, ncfw = line(axes, "series-0"), line(axes, "series-1")
    assert ncfw.get_xdata() == pytest.approx([0.1, 0.2, 0.4])
    assert ncfw.get_ydata() == pytest.approx([0.2, 0.3, 0.5])
    assert fw.get_ydata() == pytest.approx([0.6, math.nan, 0.6], nan_ok=True)
    # Two losses 0.2 apart have standard error 0.1; test parts half as large as the training parts
    # make that sqrt(1 + 2 / 2) times as much.
    bands = {band.get_gid(): band for band in axes.collections}
    edges = bands["series-1-band"].get_paths()[0].vertices[:, 1]
    assert (edges.min(), edges.max()) == pytest.approx(
        (0.2 - 0.1 * math.sqrt(2), 0.5 + 0.1 * math.sqrt(2))
    )
    assert len(bands["series-0-points"].get_offsets()) == 2
    assert "failed: fw at 0.2" in axes.get_xlabel()


def test_cells_that_differ_in_a_parameter_are_series_and_in_their_noise_panels(
    make_record: Make,
) -> None:
    records = [
        make_record(losses=[0.1], config={"noise": {"name": noise}, "cpe": {"name": cpe}})
        for noise in ("symmetric", "pair_flip")
        for cpe in ("logistic", "boosting")
    ]
    frame = figure_frame(records)
    assert set(frame["series"]) == {"fw cpe=logistic", "fw cpe=boosting"}
    assert set(frame["problem"]) == {"iris, noise=symmetric", "iris, noise=pair_flip"}
    assert len(loss_against_sigma(frame).axes) == 2


def test_a_name_is_text_in_the_svg_and_the_file_is_the_same_each_time(make_record: Make) -> None:
    records = [make_record("fw", "<b>&$x$", losses=[0.1, 0.2])]
    first, again = (saved(loss_against_sigma(figure_frame(records)), "svg") for _ in range(2))
    assert first == again
    root = ElementTree.fromstring(first)
    assert "h_mean, <b>&$x$" in [text for node in root.iter() if (text := node.text)]
