"""The path of Frank-Wolfe, as its record has it."""

from __future__ import annotations

import pytest
from drawn import Make, line
from made_up import figure_frame
from made_up_files import typed

from ncbench.report.figures import NothingToDraw
from ncbench.report.figures.cells import frank_wolfe_path


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
