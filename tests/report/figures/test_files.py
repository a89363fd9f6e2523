"""Figures as files, and the command that writes them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import made_up
import pytest
from made_up import figure_frame
from made_up_files import typed

from ncbench.report.figures.files import Kind, figures, kinds

FAST = ("cpe=logistic", "cpe.C=1.0")


@pytest.mark.slow(reason="draws every figure, as SVG and PNG")
def test_the_command_writes_what_the_records_allow(ncbench: Any, tmp_path: Path) -> None:
    for dataset, algo in itertools.product(("iris", "wine"), ("ncfw", "fw")):
        ncbench(f"dataset={dataset}", f"algo={algo}", "algo.max_iter=20", "trials=2", *FAST)
    done = ncbench("figures", "outputs", "--out", "drawn")
    assert done.code == 0, done.err
    names = {path.name for path in (tmp_path / "drawn").iterdir()}
    assert {"loss_against_sigma.svg", "critical_difference-h_mean.png"} <= names
    assert {"frank_wolfe_path.png", "stage_times.svg"} <= names
    assert "confusion_matrices-02-h_mean-wine.svg" in names
    assert "not drawn: loss_against_sample_size: every data set has only one" in done.out
    for path in (tmp_path / "drawn").iterdir():
        content = path.read_bytes()
        if path.suffix == ".png":
            assert content.startswith(b"\x89PNG")
        else:
            ElementTree.fromstring(content)


def test_the_command_refuses_in_words(
    ncbench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no such folder" in ncbench("figures", "nowhere", "--out", "drawn").err
    ncbench(
        *("dataset=iris", "algo=cpe_argmax", "sigma=0.2", "trials=1", "output_dir=made/here"), *FAST
    )
    absent = ncbench("figures", "made", "--out", "drawn", "--sigma", "0.77")
    assert (absent.code, absent.out) == (2, "")
    assert "--sigma 0.77: no record has it; they have 0.2" in absent.err
    (tmp_path / "made" / "taken" / "stage_times.svg").mkdir(parents=True)
    blocked = ncbench("figures", "made", "--out", "made/taken")
    assert blocked.code == 2
    assert "--out made/taken/stage_times.svg: cannot be written: Is a directory" in blocked.err
    monkeypatch.setattr("ncbench.report.figures.find_spec", lambda name: None)
    refused = ncbench("figures", ".", "--out", "drawn")
    assert refused.code == 2
    assert "pip install 'ncbench[report]'" in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_more_panels_than_can_be_read_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncbench.report.figures.files.MOST_PANELS", 1)
    records = [made_up.record([0.1], dataset={"name": name}) for name in ("iris", "wine", "digits")]
    drawn = []

    def listed(*given: Any, **options: Any) -> list[Kind]:
        return [
            kind._replace(draw=lambda rows, kind=kind: drawn.append((kind.name, rows)))
            for kind in kinds(*given, **options)
        ]

    monkeypatch.setattr("ncbench.report.figures.files.kinds", listed)
    names = dict(figures([*map(typed, records)]))
    assert "3 combinations of measure and problem, of which" in str(names["other panels"])
    assert sum(name.startswith("confusion_matrices") for name in names) == 1
    assert all(rows["problem"].nunique() <= 1 for name, rows in drawn if "critical" not in name)


def test_noisy_test_labels_are_not_called_clean() -> None:
    records = [made_up.record([0.1])]
    frame = figure_frame(records)
    of_clean, *_ = kinds(frame, records)
    assert of_clean.about.startswith("Mean loss on the clean test part; bands")
    of_noisy, *_ = kinds(frame.assign(judged="held_out_map"), records)
    assert of_noisy.about.startswith("Mean loss; where no clean test labels are known, an estimate")
