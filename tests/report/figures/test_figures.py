"""Figures: what is drawn are the numbers of the records, and labels do not overlap."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.confusion_matrices import confusion_matrices, confusions
from ncbench.report.figures.critical_difference import critical_difference
from ncbench.report.figures.files import figures
from ncbench.report.figures.frank_wolfe_path import frank_wolfe_path
from ncbench.report.figures.loss_against_sample_size import loss_against_sample_size
from ncbench.report.figures.loss_against_sigma import loss_against_sigma
from ncbench.report.figures.stage_times import stage_times
from ncbench.report.figures.style import drawing, line_style, saved
from ncbench.results.series import plain, results
from ncbench.results.significance import rankings

Make = Callable[..., dict[str, Any]]

pytestmark = pytest.mark.filterwarnings("error:constrained_layout")

FAST = ("cpe=logistic", "cpe.C=1.0")
NASTY = "<script>alert(1)</script> & $x_1^2$ " + "a_very_long_name_without_a_break" * 2


def line(axes: Axes, name: str) -> Any:
    (found,) = [line for line in axes.get_lines() if line.get_gid() == name]
    return found


def sigma_records(make: Make, **more: Any) -> list[dict[str, Any]]:
    """Two algorithms at three sigmas; fw has failed at 0.2."""
    records = []
    for sigma in (0.1, 0.2, 0.4):
        records.append(make("ncfw", sigma=sigma, losses=[sigma, sigma + 0.2], **more))
        failed = {"status": "failed", "reason": "boom", "trials": []} if sigma == 0.2 else {}
        records.append(make("fw", sigma=sigma, losses=[0.5, 0.5, 0.8], **{**more, **failed}))
    return records


def test_means_and_bands_are_those_of_the_trials_and_a_gap_is_not_bridged(
    make_record: Make,
) -> None:
    figure = loss_against_sigma(results(sigma_records(make_record)))
    (axes,) = figure.axes
    fw, ncfw = line(axes, "series-0"), line(axes, "series-1")
    assert ncfw.get_xdata() == pytest.approx([0.1, 0.2, 0.4])
    assert ncfw.get_ydata() == pytest.approx([0.2, 0.3, 0.5])
    assert fw.get_ydata() == pytest.approx([0.6, math.nan, 0.6], nan_ok=True)
    # Two losses 0.2 apart have standard error 0.1, three as 0.5, 0.5, 0.8 have 0.1 too.
    bands = {band.get_gid(): band for band in axes.collections}
    edges = bands["series-1-band"].get_paths()[0].vertices[:, 1]
    assert (edges.min(), edges.max()) == pytest.approx((0.1, 0.6))
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
    frame = results(records)
    assert set(frame["series"]) == {"fw cpe=logistic", "fw cpe=boosting"}
    assert set(frame["problem"]) == {"iris, noise=symmetric", "iris, noise=pair_flip"}
    assert len(loss_against_sigma(frame).axes) == 2


def test_sample_sizes_are_on_a_log_axis_with_the_bayes_level(make_record: Make) -> None:
    records = [
        make_record("ncfw", "synthetic", sigma, [1 / math.log10(size)], "q_mean", size,
                    config={"dataset": {"name": "synthetic", "train": size}})
        for sigma in (0.1, 0.4)
        for size in (100, 1000, 10_000)
    ]  # fmt: skip
    for record in records:
        record["trials"][0]["theory"] = {"inverse_norm": 1.2}
    figure = loss_against_sample_size(results(records))
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    assert line(axes, "sigma-1").get_xdata() == pytest.approx([100, 1000, 10_000])
    assert line(axes, "sigma-1").get_ydata() == pytest.approx([1 / 2, 1 / 3, 1 / 4])
    assert line(axes, "bayes").get_ydata() == pytest.approx([0.526, 0.526], abs=1e-3)
    shown = [text.get_text() for text in figure.legends[0].get_texts()]
    assert shown == ["sigma 0.1", "sigma 0.4", "lowest possible (Bayes)"]


def test_one_sample_size_is_no_figure(make_record: Make) -> None:
    with pytest.raises(NothingToDraw, match=r"dataset\.train=100"):
        loss_against_sample_size(results(sigma_records(make_record)))


def test_names_of_a_critical_difference_diagram_are_led_to_their_ranks(make_record: Make) -> None:
    losses = [[0.1, 0.2, 0.3, 0.4]] * 9 + [[0.2, 0.1, 0.4, 0.3]]
    records = [
        make_record(algo, f"data{k}", losses=[loss])
        for k, row in enumerate(losses)
        for algo, loss in zip("abcd", row, strict=True)
    ]
    (ranking,) = rankings(plain(results(records)))
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
    (ranking,) = rankings(plain(results(records)))
    with pytest.raises(NothingToDraw, match="two or more data sets"):
        critical_difference(ranking)


def test_corrected_confusion_is_clean_for_a_known_noise_matrix_and_noisy_for_none(
    make_record: Make,
) -> None:
    record = make_record(sigma=0.2, losses=[0.1, 0.2])
    clean, noisy, corrected = confusions(record)
    assert noisy == pytest.approx(np.array([[0.36, 0.14], [0.24, 0.26]]))  # T C by hand
    assert corrected == pytest.approx(clean)
    for trial in record["trials"]:
        trial["noise_matrix_estimate"] = [[1, 0], [0, 1]]
    assert confusions(record).corrected == pytest.approx(noisy)


def test_confusion_matrices_show_shares_of_each_label(make_record: Make) -> None:
    record = make_record(sigma=0.2, losses=[0.1])
    figure = confusion_matrices(results([record]), [record])
    shown = [text.get_text() for text in figure.axes[0].texts]
    assert shown == ["0.80", "0.20", "0.40", "0.60"]


def test_the_path_is_that_of_the_record_with_negative_gaps_hollow(make_record: Make) -> None:
    record = make_record("fw", losses=[0.3])
    upper, lower = frank_wolfe_path(results([record]), [record]).axes
    assert line(upper, "series-0-objective-0").get_ydata() == pytest.approx([0.9, 0.5, 0.3])
    assert line(lower, "series-0-gap-0").get_ydata() == pytest.approx([0.5, 0.1, 0.01])
    (marks,) = lower.collections
    assert [bool(colour[3]) for colour in marks.get_facecolors()] == [True, True, False]
    record["trials"][0]["diagnostics"] = {}
    with pytest.raises(NothingToDraw, match="no cell has a path"):
        frank_wolfe_path(results([record]), [record])


def test_stages_add_up_to_the_time_of_a_trial(make_record: Make) -> None:
    records = [make_record(algo, losses=[0.3, 0.4]) for algo in ("fw", "ncfw")]
    for record in records:
        for trial in record["trials"]:
            trial["seconds"]["of_a_plugin"] = 0.5
    (axes,) = stage_times(results(records), records).axes
    widths = {bar.patches[0].get_gid(): bar.patches[0].get_width() for bar in axes.containers}
    assert widths == pytest.approx(
        {"stage-t_estimate": 0.1, "stage-cpe": 0.3, "stage-optimise": 0.6, "stage-rest": 0.1,
         "stage-evaluate": 0.2, "stage-other": 0.5}
    )  # fmt: skip


def test_the_first_series_differ_without_colour() -> None:
    looks = [line_style(k) for k in range(36)]
    assert len({(look["marker"], look["linestyle"]) for look in looks}) == 36


def texts(figure: Figure) -> list[tuple[str, Any]]:
    """Every text that is drawn, with the box it takes."""
    found: list[tuple[str, Any]] = []

    def draw(text: Text, renderer: Any) -> None:
        if text.get_visible() and text.get_text().strip():
            found.append((text.get_text(), text.get_window_extent(renderer)))

    with pytest.MonkeyPatch.context() as patch, drawing():
        figure.draw_without_rendering()  # which sets the layout
        patch.setattr(Text, "draw", draw)
        figure.draw(FigureCanvasAgg(figure).get_renderer())
    return found


def every_figure(make: Make, name: str) -> list[tuple[str, Figure]]:
    """All figures, with a name in the place of data sets, algorithms and classes."""
    records = []
    for dataset, algo, sigma in itertools.product((name, "wine"), (name, "ncfw"), (0.1, 0.11, 0.4)):
        for size in (100, 130, 10_000) if dataset == name and sigma == 0.1 else (100,):
            config = {"dataset": {"name": dataset, "train": size}}
            loss = 0.4 + 0.1 * (algo == "ncfw") + sigma / 10
            records.append(make(algo, dataset, sigma, [loss, loss], train_size=size, config=config))
            records[-1]["dataset"]["classes"] = [name, "yes"]
            if algo == "ncfw" and sigma == 0.4:
                records[-1] |= {"status": "failed", "reason": name, "trials": []}
    return [(what, figure) for what, figure in figures(records) if isinstance(figure, Figure)]


@pytest.mark.parametrize("name", [pytest.param("iris", marks=pytest.mark.slow), NASTY])
def test_no_two_labels_overlap_and_none_is_cut_off(make_record: Make, name: str) -> None:
    drawn = every_figure(make_record, name)
    assert len({what.split("-")[0] for what, _ in drawn}) == 6
    for what, figure in drawn:
        found = texts(figure)
        assert len(found) >= 5, what
        for (one, box), (other, its) in itertools.combinations(found, 2):
            across = min(box.x1, its.x1) - max(box.x0, its.x0)
            down = min(box.y1, its.y1) - max(box.y0, its.y0)
            assert min(across, down) < 0.5, f"{what}: {one!r} over {other!r}"
        page = figure.bbox
        for text, box in found:
            assert min(box.x0 - page.x0, page.x1 - box.x1) > -1, f"{what}: {text!r}"
            assert min(box.y0 - page.y0, page.y1 - box.y1) > -1, f"{what}: {text!r}"


def test_a_name_is_text_in_the_svg_and_the_file_is_the_same_each_time(make_record: Make) -> None:
    records = [make_record("fw", "<b>&$x$", losses=[0.1, 0.2])]
    first, again = (saved(loss_against_sigma(results(records)), "svg") for _ in range(2))
    assert first == again
    root = ElementTree.fromstring(first)
    assert "h_mean, <b>&$x$" in [text for node in root.iter() if (text := node.text)]


def test_the_command_writes_what_the_records_allow(ncbench: Any, tmp_path: Path) -> None:
    for dataset, algo in itertools.product(("iris", "wine"), ("ncfw", "fw")):
        ncbench(f"dataset={dataset}", f"algo={algo}", "algo.max_iter=20", "trials=2", *FAST)
    done = ncbench("figures", "outputs", "--out", "drawn")
    assert done.code == 0, done.err
    names = {path.name for path in (tmp_path / "drawn").iterdir()}
    assert {"loss_against_sigma.svg", "critical_difference-h_mean.png"} <= names
    assert {"frank_wolfe_path.png", "stage_times.svg"} <= names
    assert "confusion_matrices-02-h_mean-wine.svg" in names
    assert "not drawn: loss_against_sample_size: every data set has one sample size" in done.out
    for path in (tmp_path / "drawn").iterdir():
        content = path.read_bytes()
        if path.suffix == ".png":
            assert content.startswith(b"\x89PNG")
        else:
            ElementTree.fromstring(content)


def test_the_command_refuses_in_words(
    ncbench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no such folder" in ncbench("figures", "nowhere", "--out", "drawn").err
    ncbench(
        *("dataset=iris", "algo=cpe_argmax", "sigma=0.2", "trials=1", "output_dir=made/here"), *FAST
    )
    absent = ncbench("figures", "made", "--out", "drawn", "--sigma", "0.77")
    assert (absent.code, absent.out) == (2, "")
    assert "--sigma 0.77: no record has it; they have 0.2" in absent.err
    (tmp_path / "made" / "taken" / "stage_times.svg").mkdir(parents=True)
    blocked = ncbench("figures", "made", "--out", "made/taken")
    assert blocked.code == 2
    assert "--out made/taken/stage_times.svg: cannot be written: Is a directory" in blocked.err
    monkeypatch.setattr("ncbench.report.figures.find_spec", lambda name: None)
    refused = ncbench("figures", ".", "--out", "drawn")
    assert refused.code == 2
    assert "pip install 'ncbench[report]'" in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_the_newest_copy_is_not_the_one_with_the_latest_local_clock(make_record: Callable) -> None:
    copies = [
        make_record(losses=[loss], provenance={"time": f"2026-10-25T{time}"})
        for loss, time in ((0.5, "02:10:00+0100"), (0.25, "02:50:00+0200"))
    ]
    assert results(copies)[["mean", "record"]].values.tolist() == [[0.5, 0]]
