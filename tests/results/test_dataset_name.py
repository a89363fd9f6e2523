"""Files are data sets, in tables, ranks and figures."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from made_up import figure_frame as series, record, results, table, tidy
from made_up_files import typed

from ncbench.errors import NcbenchError
from ncbench.results.best import marked
from ncbench.results.frame import FrameBuilder
from ncbench.results.reference import Comparison
from ncbench.results.significance import Pair, rankings

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


def test_files_of_the_same_name_stay_apart() -> None:
    text = table([of_file("old/x.csv", [0.1, 0.2]), of_file("new/x.csv", [0.3, 0.4])])
    assert "x (dataset.path=old/x.csv)" in text
    assert "x (dataset.path=new/x.csv)" in text


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


def on(fingerprint: str | None, losses: list[float], algo: str = "ncfw", **more: Any) -> dict:
    known = {} if fingerprint is None else {"fingerprint": fingerprint}
    made = of_file("mine.csv", losses, algo, **more)
    return made | {"dataset": {"name": "mine", **known}}


def test_different_data_of_one_name_are_not_paired() -> None:
    edited = [on("a" * 64, [0.4, 0.5]), on("b" * 64, [0.1, 0.2], "fw")]
    frame = tidy(edited)
    assert frame["dataset"].tolist() == ["mine [aaaaaa]", "mine [bbbbbb]"]
    assert marked(frame)["mark"].tolist() == ["", ""]
    with pytest.raises(NcbenchError, match="no cell that both have solved"):
        Pair.of(frame, "ncfw", "fw")
    (ranking,) = rankings(frame)
    assert ranking.left_out == 2
    assert series(edited)["problem"].tolist() == ["mine [aaaaaa]", "mine [bbbbbb]"]


def test_a_newer_record_of_other_data_does_not_replace_an_older_one() -> None:
    days = ({"provenance": {"time": f"2026-01-0{k}T00:00:00+0000"}} for k in (1, 2))
    old, new = on("a" * 64, [0.4]) | next(days), on("b" * 64, [0.1]) | next(days)
    assert tidy([old, new])["mean"].tolist() == tidy([new, old])["mean"].tolist() == [0.4, 0.1]
    same = on("a" * 64, [0.3]) | {"provenance": new["provenance"]}
    assert tidy([old, same])["mean"].tolist() == [0.3]


def test_a_record_without_a_fingerprint_has_the_only_one_of_its_name() -> None:
    before = on(None, [0.4])
    cells = FrameBuilder()
    for each in (before, on("a" * 64, [0.1], "fw")):
        cells.add(typed(each))
    assert cells.frame()["dataset"].tolist() == ["mine", "mine"]
    (line,) = cells.told_apart()
    assert line.startswith("1 cell does not say which data of the name mine was used")
    cells.add(typed(on("b" * 64, [0.1], "bs")))
    names = ["mine [bbbbbb]", "mine [aaaaaa]", "mine [unknown]"]
    assert sorted(cells.frame()["dataset"]) == sorted(names)
    assert tidy([before, on(None, [0.1], "fw")])["dataset"].tolist() == ["mine", "mine"]


def test_a_failed_record_is_replaced_by_a_newer_one_that_knows_its_data() -> None:
    failed = of_file("mine.csv", None, status="failed")
    (status,) = tidy([failed, on("a" * 64, [0.4])])["status"]
    assert status == "done"


def test_data_that_is_drawn_for_each_seed_is_one_data_set() -> None:
    def drawn(name: str) -> pd.DataFrame:
        named = {"name": name}
        return tidy(
            record([0.1], dataset=named, seed=seed) | {"dataset": {"fingerprint": letter * 64}}
            for seed, letter in enumerate("ab")
        )

    assert drawn("synthetic")["dataset"].tolist() == ["synthetic"] * 2
    assert drawn("iris")["dataset"].tolist() == ["iris [aaaaaa]", "iris [bbbbbb]"]


def test_a_published_table_is_compared_with_all_data_of_the_name() -> None:
    row = {"measure": "h_mean", "dataset": "mine", "algo": "ncfw", "sigma": 0.1}
    published = pd.DataFrame([row | {"mean": 0.3, "sem": 0.1}])
    frame = tidy([on("a" * 64, [0.4, 0.5]), on("b" * 64, [0.1, 0.2])])
    cells = Comparison.of(frame, published).cells
    assert cells["dataset"].tolist() == ["mine [aaaaaa]", "mine [bbbbbb]"]
    assert cells["ours"].round(2).tolist() == [0.45, 0.15]
