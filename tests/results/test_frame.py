"""From records to tables."""

from __future__ import annotations

import io
import json
import math
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ncbench.errors import NcbenchError
from ncbench.report.export import Results
from ncbench.results.config_key import written
from ncbench.results.frame import LEADING, FrameBuilder, keys_of, tidy
from ncbench.results.read import each_record
from ncbench.results.significance import Pair
from ncbench.results.trial_value import Value
from ncbench.run.provenance import provenance
from ncbench.run.record import SCHEMA, CellFolder


def record(losses: list[float] | None, status: str = "done", **config: Any) -> dict[str, Any]:
    base: dict[str, Any] = {"measure": {"name": "h_mean"}, "dataset": {"name": "iris"}}
    base |= {"algo": {"name": "ncfw", "max_iter": 9}, "sigma": 0.1, "seed": 0, "output_dir": "x"}
    trials = [{"losses": {"h_mean": loss, "q_mean": 0.0}} for loss in losses or []]
    reason = {} if status == "done" else {"reason": "because"}
    return {"status": status, "config": base | config, "trials": trials, **reason}


def results(records: list[dict[str, Any]], value: str = "loss", **layout: Any) -> Results:
    cells = FrameBuilder(Value(value))
    for each in records:
        cells.add(each)
    return Results.of(cells, **layout)


def table(records: list[dict[str, Any]]) -> str:
    return results(records).grid().text()


def other_keys(frame: pd.DataFrame) -> list[str]:
    return [key for key in keys_of(frame) if key not in LEADING]


def test_mean_and_standard_error_by_hand() -> None:
    row = tidy([record([0.1, 0.2, 0.6])]).iloc[0]
    assert row["n"] == 3
    assert row["mean"] == pytest.approx(0.3)
    variance = (0.2**2 + 0.1**2 + 0.3**2) / 2  # ddof 1
    assert row["sem"] == pytest.approx(math.sqrt(variance / 3))


def test_skipped_and_failed_cells_have_no_mean() -> None:
    frame = tidy([record(None, "skipped", sigma=0.2), record(None, "failed"), record([0.5])])
    assert frame["mean"].notna().tolist() == [status == "done" for status in frame["status"]]


def test_only_keys_that_vary_within_a_plugin_are_shown() -> None:
    other = {"name": "ncbs", "max_iter": 200, "sample_split": "crossfit"}
    assert other_keys(tidy([record([0.1]), record([0.2], algo=other)])) == []
    varied = {"name": "ncfw", "max_iter": 10}
    assert other_keys(tidy([record([0.1]), record([0.2], algo=varied)])) == ["algo.max_iter"]
    assert other_keys(tidy([record([0.1]), record([0.2], seed=1)])) == ["seed"]
    assert other_keys(tidy([record([0.1]), record([0.2], output_dir="y")])) == []


def test_the_table_marks_the_best_and_what_is_missing() -> None:
    fw = {"algo": {"name": "fw", "max_iter": 9}}
    text = table(
        [
            record([0.1, 0.3]),
            record([0.5, 0.7], **fw),
            record([0.5, 0.7], sigma=0.4),
            record(None, "failed", sigma=0.4, **fw),
            record([0.25], sigma=0.2),
        ]
    )
    lines = {line.split()[-4:][0]: line for line in text.splitlines()[1:3]}
    assert "0.200 (0.100)*" in text
    assert "0.600 (0.100)*" in text  # alone at sigma 0.4: fw failed there
    assert "0.250 n=1*" in text
    assert text.count("*") == 3 + 1  # three best cells, and the legend
    assert "1 failed: because" in text
    assert any(" - " in line for line in lines.values())  # fw has no cell at sigma 0.2


def test_the_best_is_sought_among_equals_only() -> None:
    text = table(
        [
            record([0.1], dataset={"name": "file", "path": "a.csv"}),
            record([0.5], dataset={"name": "file", "path": "b.csv"}),
            record([0.6], dataset={"name": "file", "path": "b.csv"}, algo={"name": "fw"}),
        ]
    )
    assert "0.100*" in text
    assert "0.500*" in text
    assert "0.600*" not in text
    assert "over 1 trial;" in text


def test_cells_that_differ_in_their_number_of_trials_are_cells_of_their_own() -> None:
    fw = {"name": "fw", "max_iter": 9}
    records = [
        record([0.2, 0.4], trials=2),
        record([0.8, 0.9], trials=2, algo=fw),
        record([0.3, 0.3, 0.3], trials=3),
        record([0.1], trials=1, algo=fw),
    ]
    assert other_keys(tidy(records)) == ["trials"]
    lines = [line.split() for line in table(records).splitlines()[1:5]]
    assert lines == [
        ["h_mean", "iris", "fw", "1", "0.100", "n=1*"],  # alone with one trial
        ["2", "0.850", "(0.050)~"],
        ["ncfw", "2", "0.300", "(0.100)*"],
        ["3", "0.300", "(0.000)", "n=3*"],
    ]


def test_foreign_and_broken_files_are_reported_and_ignored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = {"schema": SCHEMA, "id": "a", **record([0.1])}
    CellFolder({"output_dir": tmp_path, "id": "a"}).write(good)
    for name, content in {"b": '{"schema"', "c": "[1]", "d": '{"schema": 999}'}.items():
        (tmp_path / "cells" / name).mkdir()
        (tmp_path / "cells" / name / "record.json").write_text(content)
    assert list(each_record([str(tmp_path)])) == [good]
    reported = capsys.readouterr().err.splitlines()
    assert len(reported) == 3
    assert all(line.startswith("ignored: ") for line in reported)
    assert "999" in reported[2]


def test_a_record_is_replaced_whole(tmp_path: Path) -> None:
    for loss in (0.1, 0.2):
        folder = CellFolder({"output_dir": tmp_path, "id": "a"})
        folder.write({"schema": SCHEMA, "id": "a", **record([loss])})
    (only,) = each_record([str(tmp_path)])
    assert only["trials"][0]["losses"]["h_mean"] == 0.2
    assert [path.name for path in (tmp_path / "cells" / "a").iterdir()] == ["record.json"]


def test_confusion_matrices_that_nobody_asked_for_are_not_kept() -> None:
    def records() -> Iterator[dict[str, Any]]:
        for seed in range(40):
            one = record([0.1] * 5, seed=seed)
            for trial in one["trials"]:
                trial["confusion"] = [[1.0 + seed + i + j for i in range(60)] for j in range(60)]
            yield one

    one = sum(sys.getsizeof(number) for number in range(257, 257 + 5 * 60 * 60))
    tracemalloc.start()
    try:
        frame = tidy(records())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(frame) == 40
    assert peak < 10 * one  # one record at a time, and not forty


def test_long_reading_shows_a_bar_to_whoever_watches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for number in range(501):
        folder = CellFolder({"output_dir": tmp_path, "id": str(number)})
        folder.path.mkdir(parents=True)
        folder.record.write_text(json.dumps({"schema": SCHEMA, **record([0.1], seed=number)}))
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(sys, "stderr", stream)
        assert len(list(each_record([str(tmp_path)]))) == 501
        assert ("Reading records" in stream.getvalue()) == stream.isatty()


def test_numbers_that_differ_by_rounding_do_not_hide_each_other() -> None:
    # As records written before sigma was rounded have it: other noise, so another problem.
    fw = {"algo": {"name": "fw", "max_iter": 9}}
    records = [record([0.1, 0.3], sigma=0.3), record([0.8, 0.9], sigma=0.1 + 0.2, **fw)]
    text = table(records)
    assert "sigma=0.3 " in text
    assert "sigma=0.30000000000000004" in text
    assert "0.200 (0.100)" in text
    assert "0.850 (0.050)" in text
    with pytest.raises(NcbenchError, match="no cell that both have solved"):
        Pair.of(tidy(records), "ncfw", "fw")


def test_a_place_that_is_taken_shows_both_cells() -> None:
    records = [record([loss], seed=seed) for loss, seed in ((0.25, "1"), (0.75, 1))]
    assert "0.250* / 0.750" in table(records)


def test_a_whole_number_is_the_same_configuration_as_int_and_float() -> None:
    cells = FrameBuilder(Value())
    for k in (1, 1.0):
        cells.add(record([k / 4], algo={"name": "ncfw", "k": k}))
    assert (len(cells), cells.left_out) == (1, 1)


def test_records_say_the_time_in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")  # 5:30 ahead
    time.tzset()
    try:
        seconds, text = written(provenance([], 1)["time"])
    finally:
        monkeypatch.undo()
        time.tzset()
    assert text.endswith("+0000")
    assert abs(seconds - time.time()) < 60
