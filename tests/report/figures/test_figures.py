"""Each figure shows the numbers of the records, and says why if it cannot be drawn."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest
from drawn import Make, line, sigma_records
from made_up import figure_frame
from made_up_files import typed

from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.cells import (
    confusion_matrices,
    confusions,
    frank_wolfe_path,
    stage_times,
)
from ncbench.report.figures.losses import loss_against_sample_size, loss_against_sigma
from ncbench.report.figures.ranks import critical_difference
from ncbench.report.figures.style import saved
from ncbench.results.significance import rankings


def test_corrected_confusion_is_clean_for_a_known_noise_matrix_and_noisy_for_none(
    make_record: Make,
) -> None:
    record = make_record(sigma=0.2, losses=[0.1, 0.2])
    for trial in record["trials"]:
        trial["confusion"] = [[0.4, 0.1], [0.2, 0.3]]
    clean, noisy, corrected = confusions(typed(record)).values()
    assert noisy == pytest.approx(np.array([[0.36, 0.14], [0.24, 0.26]]))  # T C by hand
    assert corrected == pytest.approx(clean)
    for trial in record["trials"]:
        trial["noise_matrix_estimate"] = [[1, 0], [0, 1]]
    assert confusions(typed(record))["corrected"] == pytest.approx(noisy)


def test_confusion_matrices_show_shares_of_each_label_that_fit_their_cells(
    make_record: Make,
) -> None:
    record = make_record(sigma=0.2, losses=[0.1])
    record["trials"][0]["confusion"] = [[0.4, 0.1], [0.2, 0.3]]
    record["dataset"]["classes"] = ["malignant", "versicolor"]
    figure = confusion_matrices(figure_frame([record]), [typed(record)], side=1.5)
    figure.draw_without_rendering()
    panel = figure.axes[0]
    assert [text.get_text() for text in panel.texts] == ["0.80", "0.20", "0.40", "0.60"]
    cell = panel.get_window_extent().width / 2
    assert all(text.get_window_extent().width < cell for text in panel.texts)


def test_names_of_a_critical_difference_diagram_are_led_to_their_ranks(make_record: Make) -> None:
    losses = [[0.1, 0.2, 0.3, 0.4]] * 9 + [[0.2, 0.1, 0.4, 0.3]]
    records = [
        make_record(algo, f"data{k}", losses=[loss])
        for k, row in enumerate(losses)
        for algo, loss in zip("abcd", row, strict=True)
    ]
    (ranking,) = rankings(figure_frame(records))
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
    (of_one,) = rankings(figure_frame(records[:2]))
    with pytest.raises(NothingToDraw, match="two or more data sets"):
        critical_difference(of_one)


def test_the_path_is_that_of_the_record_with_negative_gaps_hollow(make_record: Make) -> None:
    record = make_record("fw", losses=[0.3])
    upper, lower = frank_wolfe_path(figure_frame([record]), [typed(record)]).axes
    assert line(upper, "series-0-objective-0").get_ydata() == pytest.approx([0.9, 0.5, 0.3])
    assert line(lower, "series-0-gap-0").get_ydata() == pytest.approx([0.5, 0.1, 0.01])
    (marks,) = lower.collections
    assert [bool(colour[3]) for colour in marks.get_facecolors()] == [True, True, False]
    record["trials"][0]["diagnostics"] = {}
    with pytest.raises(NothingToDraw, match="no cell has a Frank-Wolfe path"):
        frank_wolfe_path(figure_frame([record]), [typed(record)])


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
    with pytest.raises(NothingToDraw, match=r"dataset\.train=100"):
        loss_against_sample_size(figure_frame(sigma_records(make_record)))


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


def test_stages_add_up_to_the_time_of_a_trial(make_record: Make) -> None:
    records = [make_record(algo, losses=[0.3, 0.4]) for algo in ("fw", "ncfw")]
    for record in records:
        for trial in record["trials"]:
            trial["seconds"]["of_a_plugin"] = 0.5
    (axes,) = stage_times(figure_frame(records), [*map(typed, records)]).axes
    widths = {bar.patches[0].get_gid(): bar.patches[0].get_width() for bar in axes.containers}
    assert widths == pytest.approx(
        {"stage-t_estimate": 0.1, "stage-cpe": 0.3, "stage-optimise": 0.6, "stage-rest": 0.1,
         "stage-evaluate": 0.2, "stage-other": 0.5}
    )  # fmt: skip
