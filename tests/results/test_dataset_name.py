"""Files are data sets, in tables, ranks and figures."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from made_up import figure_frame as series, record, results, tidy

from ncbench.results.significance import rankings

FILES = [f"data/{letter}.csv" for letter in "abcdefghijklm"]


def of_file(path: str, losses: list[float] | None, algo: str = "ncfw", **more: Any) -> dict:
    dataset = {"name": "file", "path": path, "target": "label"}
    return record(losses, dataset=dataset, algo={"name": algo}, **more)


@pytest.fixture
def thirteen() -> list[dict]:
    each = [(path, 0.1 * i) for i, path in enumerate(FILES)]
    ours = [of_file(path, [loss, loss + 0.01]) for path, loss in each]
    return ours + [of_file(path, [loss + 0.02, loss + 0.03], "fw") for path, loss in each]


def test_thirteen_files_are_thirteen_data_sets(thirteen: list[dict]) -> None:
    (ranking,) = rankings(tidy(thirteen))
    assert ranking.ranks is not None
    assert ranking.ranks.n_datasets == 13
    assert ranking.ranks.differ  # 13 of 13


def test_tables_and_figures_name_files(thirteen: list[dict]) -> None:
    found = results(thirteen)
    assert found.frame["dataset"].unique().tolist() == list("abcdefghijklm")
    assert "dataset.path" not in found.frame.columns  # the name says it
    assert "dataset.target=label" in found.grid().text()
    assert series(thirteen)["problem"].unique().tolist() == list("abcdefghijklm")


def test_the_name_that_the_data_has_itself_comes_first() -> None:
    done = of_file("x.csv.gz", [0.1, 0.2]) | {"dataset": {"name": "x"}}
    skipped = of_file("x.csv.gz", None, algo="bs", status="skipped")
    for records in ([done, skipped], [skipped, done]):
        assert tidy(records)["dataset"].tolist() == ["x", "x"]


def test_a_filter_takes_the_name_of_the_file_or_of_the_plug_in(thirteen: list[dict]) -> None:
    everything = [*thirteen, record([0.1])]
    assert tidy(everything, where={"dataset": ["b"]})["dataset"].tolist() == ["b", "b"]
    assert len(tidy(everything, where={"dataset": ["file"]})) == 26


def test_sizes_are_of_one_data_set() -> None:
    sizes = [{"name": "synthetic", "train": train} for train in (100, 1000)]
    frame = tidy([record([0.1], dataset=dataset) for dataset in sizes])
    assert frame["dataset"].tolist() == ["synthetic"] * 2
    assert frame["dataset.train"].tolist() == [100, 1000]


def test_data_that_is_drawn_for_each_seed_is_one_data_set() -> None:
    def drawn(name: str) -> pd.DataFrame:
        named = {"name": name}
        return tidy(
            record([0.1], dataset=named, seed=seed) | {"dataset": {"fingerprint": letter * 64}}
            for seed, letter in enumerate("ab")
        )

    assert drawn("synthetic")["dataset"].tolist() == ["synthetic"] * 2
    assert drawn("iris")["dataset"].tolist() == ["iris [aaaaaa]", "iris [bbbbbb]"]
