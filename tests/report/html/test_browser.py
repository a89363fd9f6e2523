"""The report page and the page of diagnose in a real browser, from disk, with the network off.

Chromium and playwright are needed. Where they are missing these tests are skipped, with the
reason; with NCBENCH_NEED_TOOLS=1 in the environment they fail instead.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drawn import Make, keep, write_page
from made_up_diagnosis import write_made_up_diagnosis

from ncbench.own_labels.estimate_text import WHOLE

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow(reason="needs Chromium; the pages as files are always tested"),
    pytest.mark.xdist_group("browser"),
]

NASTY = "<script>alert(1)</script>"

# Of the texts in a figure: those whose boxes overlap by more than a pixel both ways.
OVERLAPS = """svg => {
  const texts = Array.from(svg.querySelectorAll('text'), node => {
    const { left, right, top, bottom } = node.getBoundingClientRect();
    return { said: node.textContent, left, right, top, bottom };
  });
  const found = [];
  texts.forEach((a, i) => texts.slice(i + 1).forEach(b => {
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    // A line of a font is higher than its letters.
    if (across > 1 && down > 0.35 * Math.min(a.bottom - a.top, b.bottom - b.top)) {
      found.push(`${a.said} | ${b.said}`);
    }
  }));
  return { found, count: texts.length };
}"""


# Parts of tables and figures that are out of sight or out of their place, and words on two lines.
# A name may go on after a hyphen or an equals sign; hashes are not words.
FAULTS = """() => {
  const faults = [];
  const name = node => `${node.tagName} ${node.textContent.trim().slice(0, 40)}`;
  const seen = node => node.getClientRects().length > 0;
  for (const box of document.querySelectorAll('.scroll, figure, td, th')) {
    if (seen(box) && box.scrollWidth > box.clientWidth + 1) faults.push(`wider: ${name(box)}`);
  }
  for (const cell of document.querySelectorAll('td, th')) {
    const { left, right, width } = cell.getBoundingClientRect();
    const out = left < 0 || right > innerWidth || width < 5;
    if (seen(cell) && out) faults.push(`hidden: ${name(cell)}`);
  }
  const texts = 'h1, h2, h3, nav a, .tiles li, .words, th, td:not(.id)';
  for (const element of document.querySelectorAll(texts)) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const word of node.data.matchAll(/[^\\s=-]+/g)) {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const lines = new Set(Array.from(range.getClientRects(), box => Math.round(box.top)));
        if (lines.size > 1) faults.push(`broken: ${word[0]}`);
      }
    }
  }
  const entries = '#table td, #table th, .heat td, .heat th';
  const cells = Array.from(document.querySelectorAll(entries)).filter(seen);
  const boxes = cells.map(cell => cell.getBoundingClientRect());
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, k) => {
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    const pair = `${name(cells[i])} | ${name(cells[i + 1 + k])}`;
    if (across > 1 && down > 1) faults.push(`overlap: ${pair}`);
  }));
  return faults;
}"""


# The smallest contrast between a text of a heat map and its background.
CONTRAST = """() => {
  const rgb = color => {
    const parts = color.match(/[\\d.]+/g).map(Number);
    return color.startsWith('color(srgb') ? parts.slice(0, 3) : parts.slice(0, 3).map(c => c / 255);
  };
  const light = color => rgb(color)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  return Math.min(...Array.from(document.querySelectorAll('.heat td'), cell => {
    const style = getComputedStyle(cell);
    const [a, b] = [light(style.color), light(style.backgroundColor)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  }));
}"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, make_record: Make) -> Path:
    """Write the page of 2 measures x 2 data sets x 2 algorithms x 3 sigmas, one cell failed."""
    folder = tmp_path_factory.mktemp("browser")
    for measure in ("h_mean", "q_mean"):
        for dataset in (NASTY, "wine"):
            for k, sigma in enumerate((0.1, 0.2, 0.4)):
                for algo, loss in (("ncfw", 0.3 - 0.1 * k), ("fw", 0.9 / (k + 1))):
                    record = make_record(algo, dataset, sigma, [loss, loss + 0.02], measure)
                    if (measure, dataset, algo, k) == ("h_mean", "wine", "fw", 1):
                        said = {"reason": f"boom {NASTY}", "traceback": f"Trace {NASTY}"}
                        record |= {"status": "failed", "trials": [], **said}
                    keep(folder / "outputs", record)
    return write_page(folder / "outputs", folder / "report.html")


def expect_shown(page: Any, text: str) -> None:
    """Wait until the filters have been applied."""
    from playwright.sync_api import expect

    expect(page.locator("#shown")).to_have_text(text)


class Opened:
    """A page, and everything that should not have happened in it."""

    def __init__(self, browser: Any, path: Path, width: int = 1280, scheme: str = "light") -> None:
        self.context = browser.new_context(
            offline=True, color_scheme=scheme, viewport={"width": width, "height": 800}
        )
        self.page = self.context.new_page()
        self.trouble: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.trouble.append(message.text))
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.trouble.append("dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def column(self, table: str, number: int) -> list[str]:
        """Return the texts of a column, in the rows that are shown."""
        cells = self.page.locator(f"{table} tbody tr:visible td:nth-child({number})")
        return [text.strip() for text in cells.all_inner_texts()]


@pytest.fixture
def opened(browser: Any, report: Path) -> Iterator[Opened]:
    opened = Opened(browser, report)
    yield opened
    assert opened.trouble == []
    assert opened.requests[0] == report.as_uri()
    assert all(url.startswith(("file:", "data:")) for url in opened.requests)
    opened.context.close()


def test_it_opens_from_disk_and_a_script_in_a_name_does_nothing(opened: Opened) -> None:
    page = opened.page
    assert page.title().startswith("ncbench report")
    assert page.locator("#shown").inner_text() == "24 of 24 cells"  # so its own script has run
    assert page.evaluate("document.scripts.length") == 1
    assert opened.column("#table table", 2).count(NASTY) == 4
    assert page.locator("figure svg text").filter(has_text="alert(1)").count() > 0
    page.locator(".failure summary").click()
    assert page.locator(".failure pre").inner_text() == f"Trace {NASTY}"


def test_sorting_goes_by_number_both_ways_with_what_has_none_last(opened: Opened) -> None:
    page = opened.page
    mean = page.locator("#cells th button", has_text="mean")
    place = 5  # measure, data set, algo, sigma, mean
    for order in ("ascending", "descending"):
        mean.click()
        page.locator(f"#cells th[aria-sort={order}]").wait_for()  # a click may be heard a bit later
        shown = opened.column("#cells table", place)
        numbers = [float(text) for text in shown if text != "–"]
        assert numbers == sorted(numbers, reverse=order == "descending")
        assert (len(numbers), shown[-1]) == (23, "–")
    page.locator("#cells th button", has_text="algo").click()
    algorithms = opened.column("#cells table", 3)
    assert algorithms == sorted(algorithms)


def test_filters_hold_for_tables_and_figures(opened: Opened) -> None:
    page = opened.page
    figures = page.locator("figure:visible")
    before = figures.count()
    page.select_option("#measure", "q_mean")
    assert set(opened.column("#table table", 1)) == {"q_mean"}
    assert page.locator("#shown").inner_text() == "12 of 24 cells"
    assert figures.count() == before / 2
    page.select_option("#dataset", NASTY)
    assert set(opened.column("#cells table", 2)) == {NASTY}
    assert page.locator("#shown").inner_text() == "6 of 24 cells"
    page.select_option("#measure", "")
    page.select_option("#dataset", "")
    page.fill("#text", "wine failed")
    expect_shown(page, "1 of 24 cells")
    page.fill("#text", "")
    expect_shown(page, "24 of 24 cells")
    page.locator(".algorithms summary").click()
    line = page.locator("figure svg [data-series='0']").first
    assert line.is_visible()
    page.locator(".chip", has_text="fw").first.click()
    assert not line.is_visible()
    assert set(opened.column("#cells table", 3)) == {"ncfw"}


def test_a_point_says_what_it_is_and_leads_to_its_record(opened: Opened, report: Path) -> None:
    page = opened.page
    point = page.locator("figure svg a").first
    point.scroll_into_view_if_needed()
    point.hover()
    assert "mean " in page.locator("#tip").inner_text()
    link = page.locator("#table td a").first
    assert (report.parent / link.get_attribute("href")).is_file()
    link.click()
    page.wait_for_url("**/record.json")
    assert '"schema"' in page.content()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_labels_do_not_overlap_and_the_page_fits(
    browser: Any, report: Path, width: int, scheme: str, tmp_path: Path
) -> None:
    opened = Opened(browser, report, width, scheme)
    assert opened.page.evaluate("document.documentElement.scrollWidth") == width
    drawn = opened.page.locator("figure svg")
    assert drawn.count() >= 16
    for number in range(drawn.count()):
        svg = drawn.nth(number)
        svg.scroll_into_view_if_needed()
        measured = svg.evaluate(OVERLAPS)
        assert measured["count"] >= 5
        assert measured["found"] == [], svg.get_attribute("aria-label")
    shot = tmp_path / "figure.png"
    drawn.first.screenshot(path=str(shot))
    assert _differing_colours(shot) > 10  # lines, bands and text: not a blank
    background = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, background[4:-1].split(","))) < 300) == (scheme == "dark")
    assert opened.trouble == []
    opened.context.close()


SIZES = ((1280, "screen"), (390, "screen"), (703, "print"))
"""Widths in pixels: a screen, a phone, and A4 without its margins."""


def faults(opened: Opened, width: int, media: str) -> list[str]:
    """Return what is hidden, broken or too wide on a page of this width."""
    opened.page.set_viewport_size({"width": width, "height": 800})
    opened.page.emulate_media(media=media)
    # Chromium shrinks a page that is too wide for a sheet; then nothing is 703 px wide.
    assert opened.page.evaluate("document.documentElement.scrollWidth") == width
    return list(opened.page.evaluate(FAULTS))


@pytest.mark.parametrize("sigmas", [4, 11])
def test_long_names_break_nothing_and_rows_of_skipped_cells_are_left_out(
    browser: Any, sigmas: int, tmp_path: Path, make_record: Make
) -> None:
    for measure, dataset, algo, k in itertools.product(
        ("h_mean", "micro_f1"), ("breast_cancer", "pageblocks"),
        ("ncfw", "ncbs", "nclr_forward", "nclr_backward"), range(sigmas),
    ):  # fmt: skip
        record = make_record(algo, dataset, round(k / 25, 2), [0.2, 0.22, 0.25], measure)
        if algo == ("ncbs" if measure == "h_mean" else "ncfw"):
            reason = f"algo={algo} cannot optimize {measure}"
            record |= {"status": "skipped", "trials": [], "reason": reason}
        keep(tmp_path / "outputs", record)
    opened = Opened(browser, write_page(tmp_path / "outputs", tmp_path / "report.html"))
    for width, media in SIZES:
        assert faults(opened, width, media) == []
    assert opened.page.locator("#table tbody td.number").count() == 12 * sigmas
    assert "ncbs" not in opened.column("#table table", 3)[:6]
    assert opened.column("#cells table", 3).count("ncbs") == 4 * sigmas
    assert "4 rows are left out because all cells are skipped" in opened.page.inner_text("#table")
    words = opened.page.locator(".words").all_inner_texts()
    assert len(words) == 2
    assert words[0].startswith("h_mean: ncfw has the lowest mean loss in ")
    opened.context.close()


def _differing_colours(path: Path) -> int:
    from PIL import Image  # matplotlib needs it too

    with Image.open(path) as image:
        return len(image.convert("RGB").getcolors(1 << 24) or ())


def test_a_thousand_cells_stay_usable(browser: Any, tmp_path: Path, make_record: Make) -> None:
    for k in range(1200):
        done = {} if k < 4 else {"status": "skipped", "reason": "cannot", "trials": []}
        keep(tmp_path, make_record(f"algo{k % 40}", f"data{k // 40}", losses=[0.1], **done))
    write_page(tmp_path, tmp_path / "report.html")
    started = time.perf_counter()
    opened = Opened(browser, tmp_path / "report.html")
    page = opened.page
    page.fill("#text", "data7 algo12")
    expect_shown(page, "1 of 1200 cells")
    page.locator("#cells summary").click()
    page.locator("#cells th button", has_text="data set").click()
    assert opened.column("#cells table", 2) == ["data7"]
    assert time.perf_counter() - started < 15  # some 2 s, on a machine with nothing else to do
    assert opened.trouble == []
    opened.context.close()


WINES = ("barolo", "grignolino", "barbera")
LONG = ("Iris-versicolor of the coast", "b", NASTY, *(f"class_number_{k}" for k in range(9)))
MANY = tuple(f"class number {k}" for k in range(60))


@pytest.mark.parametrize("classes", [WINES, LONG, MANY], ids=["3", "long", "60"])
def test_a_diagnosis_can_be_read_at_every_width_in_both_themes_and_on_paper(
    browser: Any, classes: tuple[str, ...], tmp_path: Path
) -> None:
    path, n = tmp_path / "diagnosis.html", len(classes)
    people = [f"the {k}th person who gave labels" for k in range(14)] if n > 3 else []
    write_made_up_diagnosis(path, classes, people=people)
    for scheme in ("light", "dark"):
        opened = Opened(browser, path, scheme=scheme)
        assert opened.page.evaluate("document.scripts.length") == 0
        assert opened.page.evaluate(CONTRAST) >= 4.5  # WCAG AA
        assert opened.page.locator(".heat td").count() == (2 * n**2 if n <= WHOLE else 0)
        for width, media in SIZES:
            found = faults(opened, width, media)
            assert [fault for fault in found if "script>" not in fault] == []  # not a word
        assert opened.trouble == []
        assert opened.requests == [path.as_uri()]
        opened.page.pdf(path=str(tmp_path / "page.pdf"), format="A4")
        assert 2 <= (tmp_path / "page.pdf").read_bytes().count(b"/Type /Page\n") <= 12
        opened.context.close()
