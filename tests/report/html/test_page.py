"""The report page as a file: what it says, and that it says it safely. See test_browser.py too."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pytest
from drawn import Make, keep, write_page
from made_up import figure_frame
from made_up_files import typed
from matplotlib.figure import Figure

from ncbench.files import write_json
from ncbench.report.figures.style import COLOURS
from ncbench.report.html import page as report, panels
from ncbench.report.html.panels import inline
from ncbench.results.best import marked

pytestmark = pytest.mark.xdist_group("report")  # so that one process makes the page

NASTY = "<script>alert(1)</script>"


class Elements(HTMLParser):
    """Every element of a page, and every text with the elements around it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and self._open:
            self.texts.setdefault(self._open[-1], []).append(data.strip())


def failed(make: Make, reason: str, **more: Any) -> dict[str, Any]:
    return make(**more, status="failed", reason=reason, traceback=f"Traceback\n{reason}", trials=[])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, make_record: Make) -> Path:
    """Write the page of a folder with one cell of every status, whatever their names."""
    place = tmp_path_factory.mktemp("report")
    folder = place / "my outputs #1"
    noise = {"config": {"noise": {"name": "random"}}}
    keep(
        folder,
        make_record("ncfw", NASTY, losses=[0.1, 0.3], **noise),
        failed(make_record, f"boom </pre>{NASTY}", algo="fw", dataset=NASTY, **noise),
        make_record("ncbs", NASTY, status="skipped", reason="cannot", trials=[], **noise),
    )
    config = {**make_record("bs", NASTY, **noise)["config"], "command": ["-m", "algo=bs"]}
    write_json(folder / "sweeps" / "now" / "configs.json", [{**config, "id": "0" * 16}])
    (folder / "cells" / "broken").mkdir()
    (folder / "cells" / "broken" / "record.json").write_text("{")
    write_json(folder / "cells" / "part" / "record.json", {"schema": 1, "id": "part"})
    return write_page(folder, place / "page" / "report.html")


@pytest.fixture
def page(place: Path) -> str:
    return place.read_text()


def test_every_status_is_visible_and_nothing_is_made_up(page: str) -> None:
    rows = re.findall(r"<tr data-measure.*?</tr>", page, flags=re.DOTALL)
    statuses = [re.search(r'data-status="(\w+)"', row)[1] for row in rows]  # type: ignore[index]
    assert sorted(statuses[:3]) == ["done", "failed", "missing"]  # the table
    assert sorted(statuses[3:]) == ["done", "failed", "missing", "skipped"]  # the cells
    numbers = [re.findall(r'data-value="([\d.]+)"', row) for row in rows[:3]]
    assert sorted(numbers) == [[], [], ["0.2"]]
    assert "1 row is left out because all cells are skipped" in page
    assert "0.200 (0.141)" in page
    assert page.count("ignored: ") == 2  # what is no JSON, and what is no whole record


def test_links_lead_to_the_records_from_where_the_page_is(page: str, place: Path) -> None:
    links = {
        attributes["href"]
        for tag, attributes in Elements(page).elements
        if tag == "a" and not attributes["href"].startswith("#")
    }
    assert len(links) == 3
    for link in links:
        record = json.loads((place.parent / unquote(link)).read_text())
        assert record["id"] in link


def test_whatever_users_named_is_text(page: str) -> None:
    found = Elements(page)
    scripts = [attributes for tag, attributes in found.elements if tag == "script"]
    assert scripts == [{}]  # the page's own
    assert NASTY in found.texts["td"]
    assert NASTY in found.texts["option"]
    assert f"Traceback\nboom </pre>{NASTY}" in found.texts["pre"]
    assert any(NASTY in text for text in found.texts["text"])  # in a figure


def test_the_page_asks_for_nothing_and_runs_its_own_script_alone(page: str) -> None:
    found = Elements(page)
    for tag, attributes in found.elements:
        assert tag not in ("link", "iframe", "object", "embed", "base", "form")
        assert not any(key.startswith("on") for key in attributes), attributes
        for key in ("src", "href", "xlink:href", "action"):
            assert not re.match(r"(https?:)?//|javascript:", attributes.get(key, "")), attributes
    assert not re.search(r"url\((?!#)|@import", page)
    script = re.search(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    policy = next(a["content"] for _, a in found.elements if "http-equiv" in a)
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_ids_are_unique_and_what_refers_to_them_finds_them(page: str) -> None:
    elements = Elements(page).elements
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    used = set(re.findall(r"url\(#([^)]+)\)", page)) | set(re.findall(r'href="#([^"]+)"', page))
    assert used <= set(ids)


def test_the_commands_that_made_it_and_where_are_said(page: str) -> None:
    found = Elements(page)
    assert "python -m ncbench -m algo=bs" in found.texts["pre"]
    assert {"somewhere", "0123456789abcdef", "ncbench 0.1.0, numpy 2.0.0"} <= set(found.texts["dd"])


def test_only_the_newest_record_is_shown_and_a_killed_process_has_no_traceback(
    ncbench: Any, tmp_path: Path, make_record: Make
) -> None:
    old, new = make_record(losses=[0.9]), make_record(losses=[0.1], id="f" * 16)
    new["provenance"]["time"] = "2026-01-02T00:00:00+0000"
    reason = "the process of this cell was killed by SIGKILL"
    killed = make_record("ncfw", status="failed", reason=reason)
    keep(tmp_path / "outputs", new, old, killed)
    assert ncbench("report", "outputs").code == 0
    page = (tmp_path / "report.html").read_text()
    assert "left out: 1 older" in page
    assert old["id"] not in page
    assert re.findall(r'data-value="(0\.[19])"', page) == ["0.1"] * 4  # with both sigmas
    said = Elements(page).texts["pre"]
    assert "No traceback: the process ended without one." in said


def test_a_page_that_cannot_be_made_leaves_the_old_one(
    ncbench: Any, tmp_path: Path, make_record: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(tmp_path / "outputs", make_record(losses=[0.1]))
    old = tmp_path / "report.html"
    old.write_text("old")
    refusals = {
        ("report", "nowhere"): "no such folder",
        ("report", "outputs/cells", "--out", "outputs"): "is a folder",
        ("report", "outputs", "--out", "report.html/page.html"): "cannot create the folder",
    }
    for command, said in refusals.items():
        refused = ncbench(*command)
        assert (refused.code, said in refused.err) == (2, True), refused.err
    monkeypatch.setattr("ncbench.report.figures.find_spec", lambda name: None)
    refused = ncbench("report", "outputs")
    assert refused.code == 2
    assert "matplotlib is not installed: pip install 'ncbench[report]'" in refused.err
    assert old.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"outputs", "report.html"}


@pytest.mark.slow(reason="draws every figure")
def test_what_is_not_available_any_more_costs_the_bayes_level_alone(
    ncbench: Any, tmp_path: Path, make_record: Make
) -> None:
    gone = [
        make_record(dataset="gone", losses=[0.1]),
        make_record(dataset="synthetic", losses=[0.2], config={"measure": {"name": "gone"}}),
        make_record(
            dataset="synthetic", measure="cost", losses=[0.3],
            config={"measure": {"name": "cost", "path": "gone.csv"}},
        ),
        make_record(
            dataset="synthetic", losses=[0.4],
            config={"dataset": {"name": "synthetic", "shade": 1}},
        ),
    ]  # fmt: skip
    gone[1]["trials"][0]["losses"] = {"gone": 0.2}
    for record in gone:
        record["trials"][0]["theory"] = {"regret": 0.1}
    keep(tmp_path / "outputs", *gone)
    done = ncbench("report", "outputs")
    assert done.code == 0, done.err
    assert done.err.count("no Bayes level of ") == 4
    assert "no Bayes level of h_mean on gone: dataset=gone: " in done.err
    page = (tmp_path / "report.html").read_text()
    assert page.count("no Bayes level of ") == 4
    assert "0.300" in page


# What the page concludes from its records.


def test_wins_count_the_lowest_mean_of_each_problem(make_record: Make) -> None:
    losses = {("a", 0.1): (0.1, 0.2), ("a", 0.4): (0.3, 0.2), ("b", 0.1): (0.1, 0.1)}
    records = [
        make_record(algo, dataset, sigma, [loss])
        for (dataset, sigma), both in losses.items()
        for algo, loss in zip(("ncfw", "fw"), both, strict=True)
    ]
    (found,) = report.conclusions(figure_frame(records))
    assert found["problems"] == 3
    wins = {algorithm["name"]: algorithm["wins"] for algorithm in found["algorithms"]}
    assert wins == {"ncfw": 2, "fw": 2}  # on b they are tied


def test_the_conclusion_says_who_is_best_and_how_surely(make_record: Make) -> None:
    losses = {"ncfw": [0.1, 0.11, 0.12], "close": [0.1, 0.12, 0.13], "far": [0.5, 0.51, 0.53]}
    records = [
        make_record(algo, sigma=sigma, losses=values)
        for algo, values in losses.items()
        for sigma in (0.1, 0.2)
    ]
    (found,) = report.conclusions(figure_frame(records))
    assert found["words"] == (
        "ncfw has the lowest mean loss in 2 of 2 problems (a data set with a sigma). That may be "
        "chance against close in 2 of them. The other differences are beyond chance. Mean loss, "
        "over 2 problems: ncfw 0.110, close 0.117, far 0.513."
    )
    (alone,) = report.conclusions(figure_frame(records[:2]))
    assert alone["words"].startswith("No two algorithms have solved the same problem")


def test_the_conclusion_agrees_with_the_marks_of_the_tables(make_record: Make) -> None:
    # Alone, the first problem would tell the two apart; ten comparisons do not.
    losses = {"ncfw": [0.10, 0.11, 0.12, 0.11], "fw": [0.15, 0.18, 0.17, 0.19]}
    records = [
        make_record(algo, f"d{k}", losses=values)
        for algo, values in losses.items()
        for k in range(10)
    ]
    (one,) = report.conclusions(figure_frame(records[::10]))
    assert "All differences are beyond chance." in one["words"]
    frame = figure_frame(records)
    assert set(marked(frame)["mark"]) == {"best", "level"}
    (ten,) = report.conclusions(frame)
    assert "That may be chance against fw in 10 of them." in ten["words"]


# Figures inside the page: unique ids, links of HTML, the page's own colors, and how many.


def figure() -> Figure:
    drawn, axes = plt.subplots()
    axes.plot([0, 1], [0, 1], color=COLOURS[1], gid="series-1-line")
    points = axes.scatter([0, 1], [0, 1], color=COLOURS[0])
    points.set_urls(["cells/a/record.json", "cells/b/record.json"])
    plt.close(drawn)
    return drawn


def test_ids_are_of_the_figure_and_what_refers_to_them_does() -> None:
    one, other = (ElementTree.fromstring(inline(figure(), name, "lines")) for name in ("a", "b"))
    ids = [{element.get("id") for element in root.iter()} - {None} for root in (one, other)]
    assert all(identity.startswith("a-") for identity in ids[0])
    assert not ids[0] & ids[1]
    text = inline(figure(), "a", "lines")
    referred = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', text)
    assert referred
    assert {one or other for one, other in referred} <= ids[0]


def test_series_can_be_hidden_points_lead_to_records_and_colours_are_the_pages() -> None:
    root = ElementTree.fromstring(inline(figure(), "a", "two lines & more"))
    label = "two lines & more"
    assert (root.tag, root.get("role"), root.get("aria-label")) == ("svg", "img", label)
    (line,) = [element for element in root.iter() if element.get("data-series")]
    assert (line.get("data-series"), line.get("id")) == ("1", "a-series-1-line")
    links = {element.get("href") for element in root.iter("a")}
    assert links == {"cells/a/record.json", "cells/b/record.json"}
    styles = " ".join(element.get("style", "") for element in root.iter())
    assert "var(--series-1)" in styles
    assert COLOURS[1] not in styles
    assert not list(root.iter("metadata"))


def test_figures_are_bounded_in_number_and_that_is_said(
    make_record: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [make_record("fw", name, losses=[0.1]) for name in "abc"]
    monkeypatch.setattr(panels, "MOST", 1)
    first = panels.chapters(figure_frame(records), [*map(typed, records)])[0]
    assert [panel.dataset for panel in first.panels] == ["a"]
    assert first.not_drawn == ["2 more; python -m ncbench figures draws all"]
