"""docs/data/ has the long tables of the pages: each is linked, and summaries agree with it."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from needs import ROOT

DOCS = ROOT / "docs"
FILES = sorted((DOCS / "data").glob("*.csv"))


def test_every_file_is_linked_and_every_link_has_its_file() -> None:
    pages = "".join(path.read_text() for path in DOCS.rglob("*.md"))
    linked = set(re.findall(r"data/(\w+\.csv)\)", pages))
    assert linked == {path.name for path in FILES}
    assert all(pd.read_csv(path).notna().any().all() for path in FILES)


def test_the_summary_of_noise_estimates_is_that_of_all_cases() -> None:
    cases = pd.read_csv(DOCS / "data" / "noise_estimates.csv")
    cases["relative"] = (cases["estimated_share"] - cases["share"]).abs() / cases["share"]
    row = r"^\|(?: (\w+) \| \d+)?[ |]+`?(\w+)`? \| (\d+)% \| (\d+) of (\d+) \|$"
    page = (DOCS / "noise_estimates.md").read_text()
    group, found = "", 0
    for name, estimator, median, worse, of in re.findall(row, page, re.MULTILINE):
        group, found = name or group, found + 1
        rows = cases[(cases["group"] == group) & (cases["estimator"] == estimator)]
        counts = len(rows), (rows["worse_than_no_correction"] == "yes").sum()
        assert counts == (int(of), int(worse)), group
        assert 100 * rows["relative"].median() == pytest.approx(int(median), abs=0.55), group
    assert found == len(cases.groupby(["group", "estimator"])) - 1  # without cautious_map
    said_of = {"held_out_map": "{} of {} cases", "cleanlab": "{} of the {} cases"}
    for estimator, said in said_of.items():
        rows = cases[cases["estimator"] == estimator]
        worse = (rows["worse_than_no_correction"] == "yes").sum()
        assert said.format(worse, len(rows)) in " ".join(page.split())


def test_counts_of_the_reproduction_are_those_of_its_cells() -> None:
    cells = pd.read_csv(DOCS / "data" / "reproduction.csv")
    assert len(cells) == 480
    page = (DOCS / "reproduction.md").read_text()
    small = cells[(cells["data"] != "covtype") & cells["algorithm"].isin(["NCFW", "NCBS"])]
    for cpe in ("logistic", "forward"):
        chosen = small[small["cpe"] == cpe]
        above = (chosen["mean"] - chosen["paper_mean"]).round(3)
        row = rf"NCFW and NCBS, `cpe={cpe}` \| (\d+) \| (\d+) "
        lower, level = map(int, re.findall(row, page)[0])
        assert len(chosen) == 64
        assert (above < 0).sum() <= lower <= (above <= 0).sum()  # three digits are stored
        assert (above <= chosen["paper_se"]).sum() == level
