"""Which records are outdated."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from ncbench.plugin import get_registry
from ncbench.results.read import Found, outdated

KINDS = {"noise": "none", "cpe": "logistic", "t_estimator": "known", "measure": "h_mean"}


def cell(name: str, day: int, code: str) -> Found:
    config: dict[str, Any] = {kind: {"name": plugin} for kind, plugin in KINDS.items()}
    config |= {"dataset": {"name": "iris"}, "algo": {"name": "ncfw"}, "sigma": 0.1}
    config |= {"seed": 0, "test_size": 0.3}
    time = {"time": f"2026-01-{day:02d}T00:00:00+0000"}
    record = {"config": config, "code": {"algo": code}, "provenance": time}
    return Found(Path(name, "record.json"), record)


def test_the_newest_record_is_kept_in_any_order_unless_it_is_of_older_code() -> None:
    now = get_registry().code("algo", "ncfw")
    for order in itertools.permutations([cell("a", 1, now), cell("b", 2, "x"), cell("c", 3, now)]):
        assert sorted(str(one.folder) for one in outdated(order)) == ["a", "b"]
    (one,) = outdated([cell("b", 2, "x"), Found(Path("d", "record.json"), {"config": {}})])
    assert (str(one.folder), one.why) == ("b", "edited since: algo=ncfw")
