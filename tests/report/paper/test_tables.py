"""``ncbench paper``: our numbers beside the published ones, in the paper's layout."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from made_up_files import put
from needs import shared

from ncbench.report.paper.tables import published


def write(
    folder: Path, measure: str, dataset: str, algo: str, sigma: float, mean: float, **more: Any
) -> None:
    """Write a record of two trials with this mean and standard error 0.01."""
    config = {"measure": {"name": measure}, "dataset": {"name": dataset, **more}, "sigma": sigma}
    config["algo"] = {"name": algo}
    trials = [
        {
            "trial": k,
            "losses": {measure: loss},
            "train_size": more.get("train", 100),
            "test_size": 9,
        }
        for k, loss in enumerate((mean - 0.01, mean + 0.01))
    ]
    name = f"{measure}-{dataset}-{algo}-{sigma}-{more.get('train', '')}"
    path = folder / "cells" / name / "record.json"
    put(path, {"config": config, "trials": trials})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return records beside the paper's Table 2, vehicle, sigma 0.1: FW 0.255, NCFW 0.254."""
    write(tmp_path, "h_mean", "vehicle", "fw", 0.1, 0.255)
    write(tmp_path, "h_mean", "vehicle", "ncfw", 0.1, 0.200)
    write(tmp_path, "h_mean", "vehicle", "nc_selected", 0.1, 0.300)
    write(tmp_path, "h_mean", "iris", "ncfw", 0.1, 0.1)  # not in the paper
    for train, loss in ((100, 0.7), (1000, 0.6)):
        write(tmp_path, "q_mean", "synthetic", "ncfw", 0.1, loss, train=train)
    return tmp_path


def test_the_published_numbers_are_the_papers() -> None:
    theirs = pd.read_csv(shared("paper/tables.csv")).drop(columns="bold")
    pd.testing.assert_frame_equal(published("tables"), theirs)


def test_ours_beside_the_papers(ncbench: Callable, folder: Path) -> None:
    assert ncbench("paper", ".", "--out", "paper.md").code == 0
    text = (folder / "paper.md").read_text()
    # (0.200 - 0.254) / sqrt(0.01^2 + 0.007^2) = -4.4
    assert "|  | NCFW | **0.200 (0.010)** | 0.254 (0.007) | -4.4 |" in text
    assert "| vehicle | FW | 0.255 (0.010) | 0.255 (0.005) | +0.0 |" in text
    # Beside the paper's NCFW too: (0.300 - 0.254) / 0.0122 = +3.8
    assert "|  | selected | 0.300 (0.010) | 0.254 (0.007) | +3.8 |" in text
    assert "NCFW beside the paper's NCFW, 1 cell: mean lower in 1, " in text
    assert "NCFW has a lower mean than our FW in 1 of 1." in text
    assert "98 cells of the paper are not among the records." in text  # 100 but for FW and NCFW
    assert "iris" not in text
    assert "| q\\_mean | 0.1 | 0.700 (0.011) | 0.650 | 0.600 (0.010) | 0.546 |" in text
    assert "Table 3" not in text  # no record of Micro F1
    svg = (folder / "paper-figure1.svg").read_text()
    assert svg.count("<svg") == 1
    theirs = svg.partition('<g id="paper-0">')[2].partition("</g>\n   <g id=")[0]
    assert theirs.count("<use") == 4  # the paper's means of Q-mean at sigma 0.1
    assert "| sum | 6 | 6 |" in text  # seconds of six trials on vehicle


def test_as_a_page(ncbench: Callable, folder: Path) -> None:
    assert ncbench("paper", ".", "--out", "paper.html").code == 0
    text = (folder / "paper.html").read_text()
    assert "<td><b>0.200 (0.010)</b></td>" in text
    assert text.count("<svg") == 1
    assert not any(f'{key}="http' in text for key in ("src", "href"))  # nothing is fetched


def test_as_latex(ncbench: Callable, folder: Path, pdflatex: Callable) -> None:
    assert ncbench("paper", ".", "--out", "paper.tex").code == 0
    pdflatex(folder / "paper.tex")


def test_bad_input(ncbench: Callable, folder: Path) -> None:
    for options, message in {
        (".", "--out", "paper.doc"): "ends in .html, .md or .tex",
        ("nowhere", "--out", "p.md"): "no such folder",
    }.items():
        outcome = ncbench("paper", *options)
        assert outcome.code == 2
        assert message in outcome.err
    (folder / "empty").mkdir()
    nothing = ncbench("paper", str(folder / "empty"), "--out", "a.html")
    assert (nothing.code, "contains no records" in nothing.err) == (2, True), nothing.err
    for out in ("taken.md", "taken.html"):
        (folder / out).mkdir(exist_ok=True)
        blocked = ncbench("paper", str(folder), "--out", str(folder / out))
        assert (blocked.code, "cannot be written: Is a directory" in blocked.err) == (2, True)
    shutil.rmtree(folder / "cells")
    write(folder, "h_mean", "iris", "ncfw", 0.1, 0.1)
    outcome = ncbench("paper", ".", "--out", "p.md")
    assert (outcome.code, "no records of the paper's" in outcome.err) == (2, True)
    assert not (folder / "p.md").exists()


def test_one_trial_has_no_standard_error(ncbench: Callable, folder: Path) -> None:
    for path in folder.rglob("record.json"):
        record = json.loads(path.read_text())
        path.write_text(json.dumps({**record, "trials": record["trials"][:1]}))
    assert ncbench("paper", ".", "--out", "paper.md").code == 0
    text = (folder / "paper.md").read_text()
    assert "| q\\_mean | 0.1 | 0.690 | 0.650 | 0.590 | 0.546 |" in text
    assert "|  | NCFW | **0.190** | 0.254 (0.007) | - |" in text
    assert "nan" not in text
    assert "inf" not in text
