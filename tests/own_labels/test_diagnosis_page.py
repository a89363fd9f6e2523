"""The page about the labels of a user's file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_up_diagnosis import write_made_up_diagnosis

from ncbench.noise_estimation.share import CANNOT_TELL

NASTY = '"><script>alert(1)</script>&'


def test_names_of_the_file_are_escaped_and_nothing_is_loaded(tmp_path: Path) -> None:
    write_made_up_diagnosis(tmp_path / "page.html", [NASTY, "'b' onload=alert(1)", "c" * 500])
    page = (tmp_path / "page.html").read_text()
    assert "<script" not in page
    assert "&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;" in page
    assert not re.findall(r"(?:src|href)=[\"'](?!#)", page)
    assert "script-src 'none'" in page
    assert not re.findall(r'<[^>]* onload=[^"]*>', re.sub(r'"[^"]*"', '""', page))


def test_what_the_page_says(tmp_path: Path) -> None:
    write_made_up_diagnosis(tmp_path / "page.html", ["barolo", "barbera", "dolcetto"])
    text = " ".join(re.sub(r"<[^>]*>", " ", (tmp_path / "page.html").read_text()).split())
    for said in (
        "Wrong labels of 400: between 22% and 33%: check 120 rows drawn at random to know.",
        "Classes that overlap and wrong labels look alike, so labels leave this open.",
        "Correcting for the noise lowers the estimated loss of G-mean from 0.250 to 0.200 but "
        "raises the estimated loss of Micro F1 from 0.300 to 0.310; for the other measures no "
        "difference can be told; this rests on an estimate that the labels leave open.",
        "look at the 196 labels that are more probably wrong than right",
        "The verdict: between 22% and 33%: check 120 rows drawn at random to know",
        "30%, if neighbors have the same class (hoc)",
        "1 (line 2) barolo dolcetto 97% 97%",
        "numbers alcohol, color_intensity",
        "sample (id or text: different in each row)",
        "73 58–88",  # T and its interval, in percent
        "the first 196: more probably wrong than right",
    ):
        assert said in text, said
    assert "the first 400" not in text  # the share of all wrong labels is that of T


def test_where_labels_cannot_tell_no_number_is_promised(tmp_path: Path) -> None:
    verdict = f"{CANNOT_TELL}: the features do not predict them (held-out accuracy 37%)"
    more = {"verdict": verdict, "rivals": (), "pairs": np.array([[8, 1], [1, 10]])}
    write_made_up_diagnosis(tmp_path / "page.html", ["barolo", "barbera"], **more)
    page = (tmp_path / "page.html").read_text().partition("<main>")[2]
    for absent in ("heat", "27%", "probably wrong", "P(wrong)", "loss, corrected", "To know"):
        assert absent not in page, absent
    text = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    assert f"The verdict: {verdict} Any number of these labels may be wrong" in text
    assert "Of the 20 labels checked so far, 10.0% [" in text
    assert re.search(r"check \d+ more labels drawn at random .* Rows, counted from 1", text)


@pytest.mark.parametrize(("n", "whole"), [(12, True), (13, False)])
def test_a_large_matrix_is_its_most_frequent_mistakes(n: int, whole: bool, tmp_path: Path) -> None:
    write_made_up_diagnosis(tmp_path / "page.html", [f"k{k}" for k in range(n)], rows=400 * n)
    page = (tmp_path / "page.html").read_text()
    assert page.count('<table class="heat') == (2 if whole else 0)
    assert ("The most frequent mistakes" in page) != whole
    text = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    # 27% of the 400 labels of each class, evenly over the others.
    found = re.findall(r"k\d+ k\d+ 9 2% \(", text)
    assert len(found) == (0 if whole else 15)


def test_people_who_gave_labels_are_listed(tmp_path: Path) -> None:
    names = [NASTY, *(f"person {k}" for k in range(11))]
    write_made_up_diagnosis(tmp_path / "page.html", ["barolo", "barbera"], people=names)
    page = (tmp_path / "page.html").read_text()
    assert "<script" not in page
    text = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    for said in (
        "12 people gave labels",
        "Annotators: the best 5 and the worst 5 of 12, by the labels of all:",
        "person 0 120 90.0% [85.0%, 95.0%] barbera labeled barolo, 20%",
        "1 (line 2) barolo (2 of 3) barbera",
        "issues FILE --annotators COLUMNS",
        "P(wrong) rests on what people said, and on features of other rows",
    ):
        assert said in text, said
    assert "person 5 " not in text


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_the_command_writes_the_page_of_a_file(ncbench: Callable, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=150)
    wrong = rng.random(150) < 0.2
    table = pd.DataFrame(rng.normal(size=(150, 2)) + 4 * truth[:, None], columns=["a", "b"])
    table["seen"] = "2026-01-31"
    table["label"] = np.array(["no", "<b>yes</b>"])[np.where(wrong, 1 - truth, truth)]
    table["checked"] = np.where(np.arange(150) < 30, np.array(["no", "<b>yes</b>"])[truth], None)
    table.to_csv(tmp_path / "mine.csv", index=False)
    done = ncbench("diagnose", "mine.csv", "--target", "label", "--clean-column", "checked")
    assert done.code == 0, done.err
    assert re.match(r"About (1\d|2\d)% of the 150 labels are wrong", done.out)
    assert "written: diagnosis.html" in done.err
    page = (tmp_path / "diagnosis.html").read_text()
    assert done.out.strip() in page.replace("\u00a0", " ")
    assert "<b>yes" not in page
    assert "seen (dates)" in page
    listed = [int(row) for row in re.findall(r">(\d+) \(line \d+\)</td>", page)]
    assert min(listed) > 30  # the others were checked
    assert wrong[np.array(listed) - 1].mean() > 0.7


def test_what_cannot_work_is_refused_before_anything_is_computed(
    ncbench: Callable, tmp_path: Path
) -> None:
    (tmp_path / "mine.csv").write_text("a,label\n1.5,x\n2.5,y\n3.5,x\n4.5,y\n")
    for options, message in (
        (("--target", "lable"), "no column 'lable'; did you mean 'label'?"),
        (("--target", "label", "--out", "mine.csv"), "expected a name that ends in .html"),
        (("--target", "label", "--background", "z"), "class 'z' is not known. Known: x, y"),
    ):
        done = ncbench("diagnose", "mine.csv", *options)
        assert done.code == 2
        assert message in done.err
        assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]
