"""A cell in a few words."""

from __future__ import annotations

from typing import Any

from ncbench.run import describe_cell


def test_a_cell_is_described_by_what_is_not_as_by_default() -> None:
    config: dict[str, Any] = {
        **{"measure": {"name": "h_mean"}, "dataset": {"name": "iris"}, "noise": {"name": "random"}},
        **{"algo": {"name": "ncfw", "max_iter": 5000}, "cpe": {"name": "logistic"}},
        **{"t_estimator": {"name": "known"}, "sigma": 0.1, "test_size": 0.3, "seed": 0},
    }
    usual = "measure=h_mean dataset=iris noise=random sigma=0.1 algo=ncfw"
    assert describe_cell(config) == usual
    assert describe_cell({**config, "cpe": {"name": "boosting"}}) == f"{usual} cpe=boosting"
    assert (
        describe_cell({**config, "t_estimator": {"name": "anchor"}})
        == f"{usual} t_estimator=anchor"
    )
    few = {**config, "algo": {"name": "ncfw", "max_iter": 50}, "seed": 1}
    assert describe_cell(few) == f"{usual} algo.max_iter=50 seed=1"
    path = {"name": "file", "path": "/a/very/long/way/to/the/folder/of/mine.csv"}
    assert describe_cell({**config, "dataset": path}).endswith(
        "dataset.path=...he/folder/of/mine.csv"
    )
    gone = {**config, "algo": {"name": "not_installed", "k": 1}}
    assert describe_cell(gone) == usual.replace("ncfw", "not_installed")
