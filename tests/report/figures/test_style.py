"""What all figures share: series that differ without color, labels that do not overlap."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from drawn import Make
from made_up_files import typed
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from ncbench.report.figures.files import figures
from ncbench.report.figures.style import drawing, line_style

NASTY = "<script>alert(1)</script> & $x_1^2$ " + "a_very_long_name_without_a_break" * 2


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
    return [
        (what, figure)
        for what, figure in figures([*map(typed, records)])
        if isinstance(figure, Figure)
    ]


@pytest.mark.slow(reason="draws every figure")
def test_no_two_labels_overlap_and_none_is_cut_off(make_record: Make) -> None:
    drawn = every_figure(make_record, NASTY)
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
