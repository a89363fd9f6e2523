"""What the page concludes from its records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ncbench.report.html import contents

Make = Callable[..., dict[str, Any]]


def test_wins_count_the_lowest_mean_of_each_problem(make_record: Make) -> None:
    from ncbench.results.series import results

    losses = {("a", 0.1): (0.1, 0.2), ("a", 0.4): (0.3, 0.2), ("b", 0.1): (0.1, 0.1)}
    records = [
        make_record(algo, dataset, sigma, [loss])
        for (dataset, sigma), both in losses.items()
        for algo, loss in zip(("ncfw", "fw"), both, strict=True)
    ]
    (found,) = contents.conclusions(results(records))
    assert found["problems"] == 3
    wins = {algorithm["name"]: algorithm["wins"] for algorithm in found["algorithms"]}
    assert wins == {"ncfw": 2, "fw": 2}  # on b they are tied
