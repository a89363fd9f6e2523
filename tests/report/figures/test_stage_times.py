"""Where the time of a trial goes."""

from __future__ import annotations

import pytest
from drawn import Make
from made_up import figure_frame
from made_up_files import typed

from ncbench.report.figures.cells import stage_times


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
