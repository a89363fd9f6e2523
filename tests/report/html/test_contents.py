"""What the page concludes from its records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from made_up import figure_frame

from ncbench.report.html import contents
from ncbench.results.best import marked
from ncbench.results.series import plain

Make = Callable[..., dict[str, Any]]


def test_wins_count_the_lowest_mean_of_each_problem(make_record: Make) -> None:
    losses = {("a", 0.1): (0.1, 0.2), ("a", 0.4): (0.3, 0.2), ("b", 0.1): (0.1, 0.1)}
    records = [
        make_record(algo, dataset, sigma, [loss])
        for (dataset, sigma), both in losses.items()
        for algo, loss in zip(("ncfw", "fw"), both, strict=True)
    ]
    (found,) = contents.conclusions(figure_frame(records))
    assert found["problems"] == 3
    wins = {algorithm["name"]: algorithm["wins"] for algorithm in found["algorithms"]}
    assert wins == {"ncfw": 2, "fw": 2}  # on b they are tied


def test_the_conclusion_says_who_is_best_and_how_surely(make_record: Make) -> None:
    losses = {"ncfw": [0.1, 0.11, 0.12], "close": [0.1, 0.12, 0.13], "far": [0.5, 0.51, 0.53]}
    records = [
        make_record(algo, sigma=sigma, losses=values)
        for algo, values in losses.items()
        for sigma in (0.1, 0.2)
    ]
    (found,) = contents.conclusions(figure_frame(records))
    assert found["words"] == (
        "ncfw has the lowest mean loss in 2 of 2 problems (a data set with a sigma). That may be "
        "chance against close in 2 of them. The other differences are beyond chance. Mean loss, "
        "over 2 problems: ncfw 0.110, close 0.117, far 0.513."
    )
    (alone,) = contents.conclusions(figure_frame(records[:2]))
    assert alone["words"].startswith("No two algorithms have solved the same problem")


def test_the_conclusion_agrees_with_the_marks_of_the_tables(make_record: Make) -> None:
    # Alone, the first problem would tell the two apart; ten comparisons do not.
    losses = {"ncfw": [0.10, 0.11, 0.12, 0.11], "fw": [0.15, 0.18, 0.17, 0.19]}
    records = [
        make_record(algo, f"d{k}", losses=values)
        for algo, values in losses.items()
        for k in range(10)
    ]
    (one,) = contents.conclusions(figure_frame([r for r in records if own(r) == "d0"]))
    assert "All differences are beyond chance." in one["words"]
    frame = figure_frame(records)
    assert set(marked(plain(frame))["mark"]) == {"best", "level"}
    (ten,) = contents.conclusions(frame)
    assert "That may be chance against fw in 10 of them." in ten["words"]


def own(record: dict[str, Any]) -> str:
    return str(record["config"]["dataset"]["name"])
