"""Our numbers beside the paper's, on its own data, noise and splits."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from needs import PAPER_TABLES

SIGMAS = "sigma=0.1,0.2,0.3,0.4"


def beside_the_paper(ncbench: Callable, pdflatex: Callable) -> pd.DataFrame:
    """Return our means and the paper's, cell by cell."""
    ours = pd.DataFrame(json.loads(ncbench("aggregate", "outputs", "--format", "json").out))
    assert set(ours["status"]) == {"done"}
    the_table_is_right(ncbench, ours, pdflatex)
    paper = pd.read_csv(PAPER_TABLES)
    keys = ["measure", "dataset", "algo", "sigma"]
    both = ours.merge(paper, on=keys, suffixes=("", "_paper"))
    assert len(both) == len(ours)
    return both.assign(difference=both["mean"] - both["mean_paper"])


def the_table_is_right(ncbench: Callable, ours: pd.DataFrame, pdflatex: Callable) -> None:
    """Check the aggregate against one made from the raw JSON, and its LaTeX with pdflatex."""
    rows = {row["id"]: row for row in ours.to_dict("records")}
    latex = ncbench("aggregate", "outputs", "--format", "tex").out
    paths = list(Path("outputs").rglob("record.json"))
    assert len(paths) == len(rows)
    for path in paths:
        record = json.loads(path.read_text())
        measure = record["config"]["measure"]["name"]
        losses = [trial["losses"][measure] for trial in record["trials"]]
        mean = sum(losses) / 5
        ratio = record["trials"][0]["test_size"] / record["trials"][0]["train_size"]
        sem = math.sqrt(sum((loss - mean) ** 2 for loss in losses) / 4 * (1 / 5 + ratio))
        row = rows[record["id"]]
        assert (row["mean"], row["sem"]) == pytest.approx((mean, sem), rel=1e-9)
        assert f"{mean:.3f} ({sem:.3f})" in latex.replace("\\textbf{", "").replace("}", "")
    packages = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
    Path("table.tex").write_text(f"{packages}{latex}\\end{{document}}\n")
    pdflatex(Path("table.tex").absolute())


@pytest.mark.slow(reason="the paper's experiments on its own data")
def test_vehicle_as_in_the_paper(ncbench: Callable, shared_data: Path, pdflatex: Callable) -> None:
    data = ("dataset=vehicle", "noise=recorded", f"data_dir={shared_data}")
    options = ("-m", *data, SIGMAS, "cpe=logistic")  # the paper's learner
    # Of fw and bs, which share code with ncfw and ncbs, docs/data/reproduction.csv has the cells.
    assert ncbench(*options, "algo=ncfw", "measure=h_mean,q_mean,g_mean").code == 0
    assert ncbench(*options, "algo=ncbs", "measure=micro_f1").code == 0
    both = beside_the_paper(ncbench, pdflatex)
    assert len(both) == 16
    assert both["difference"].abs().max() <= 0.02
    assert both["difference"].abs().mean() <= 0.005
    assert (both.groupby("measure")["difference"].mean() <= 0.004).all()


@pytest.mark.slow(reason="the paper's experiments on its own data")
def test_forward_is_well_ahead_of_the_paper(
    ncbench: Callable, shared_data: Path, pdflatex: Callable
) -> None:
    options = ("dataset=satimage", "noise=random", "noise.recorded=true", f"data_dir={shared_data}")
    more = ("sigma=0.4", "algo=ncbs", "algo.sample_split=none", "cpe=forward", "measure=micro_f1")
    assert ncbench("-m", *options, *more).code == 0
    (difference,) = beside_the_paper(ncbench, pdflatex)["difference"]
    assert difference < -0.08  # 0.292 is published


@pytest.mark.slow(reason="the paper's experiments on its own data")
@pytest.mark.parametrize("dataset", ["pageblocks", "satimage", "abalone"])
def test_ncbs_with_the_papers_cpe_learner_is_level_with_the_paper(
    dataset: str, ncbench: Callable, shared_data: Path, pdflatex: Callable
) -> None:
    options = (f"dataset={dataset}", "noise=recorded", f"data_dir={shared_data}", "cpe=logistic")
    assert ncbench("-m", *options, "sigma=0.4", "algo=ncbs", "measure=micro_f1").code == 0
    (difference,) = beside_the_paper(ncbench, pdflatex)["difference"]
    assert difference <= 0.003  # three digits are printed, and rounded


@pytest.mark.slow(reason="the paper's experiments on its own data")
def test_figure_1_at_ten_thousand_examples(ncbench: Callable) -> None:
    published = {0.1: 0.790, 0.4: 0.804}  # Micro F1 by sigma; the least possible is 0.783
    # Uncorrected BS is above: 0.798 and 0.835.
    above = {0.1: 0.005, 0.4: 0.01}
    small = ("dataset.train=10000", "sigma=0.1,0.4", "trials=3")
    assert ncbench("-m", "+experiment=paper/figure1_micro_f1", *small).code == 0
    rows = json.loads(ncbench("aggregate", "outputs", "--format", "json").out)
    assert {row["sigma"] for row in rows} == set(published)
    for row in rows:
        assert 0.783 < row["mean"] <= published[row["sigma"]] + above[row["sigma"]]
