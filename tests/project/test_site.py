"""The built site: its links, and its pages in a real browser, from disk.

``python3 dev.py docs`` builds it into ``site/``; ``NCBENCH_SITE`` names another folder. Where there
is none, these tests are skipped, with the reason.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urlparse

import pytest
from needs import ROOT

import ncbench

SITE = Path(os.environ.get("NCBENCH_SITE", ROOT / "site")).absolute()
MUST_HAVE = (
    *("docs/index", "docs/tutorial", "docs/gallery/index", "docs/plugins", "docs/api", "README"),
    *("docs/commands", "docs/reproduction", "docs/theory", "docs/releases", "CHANGELOG"),
)


def in_chromium(test: Any) -> Any:
    """Mark a test that opens pages."""
    for mark in (
        pytest.mark.browser,
        pytest.mark.slow(reason="opens pages in Chromium"),
        pytest.mark.xdist_group("browser"),
    ):
        test = mark(test)
    return test


class Page(HTMLParser):
    """The addresses that a page refers to, and the anchors it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.addresses: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value or "")
            elif name in ("href", "src"):
                self.addresses.add(value or "")

    def outside(self) -> set[str]:
        """Return what a browser would load from elsewhere."""
        return {address for address in self.addresses if urlparse(address).netloc}


@pytest.fixture(scope="module")
def pages() -> dict[Path, Page]:
    if not (SITE / "index.html").exists():
        pytest.skip(f"NOT TESTED: there is no site in {SITE.name}/: python3 dev.py docs builds it")
    return {path: Page(path) for path in sorted(SITE.rglob("*.html"))}


def broken_links(pages: dict[Path, Page]) -> Iterator[str]:
    for path, page in pages.items():
        for address in page.addresses - page.outside():
            file, anchor = urldefrag(address.partition("?")[0] if "#" not in address else address)
            target = (path.parent / unquote(file)).resolve() if file else path
            if urlparse(address).scheme not in ("", "file"):  # data:, mailto:
                continue
            if not target.is_file():
                yield f"{path.name}: {address} is not there"
            elif anchor and target in pages and unquote(anchor) not in pages[target].anchors:
                yield f"{path.name}: {address} has no such heading"


def test_no_internal_link_is_broken(pages: dict[Path, Page]) -> None:
    assert list(broken_links(pages)) == []
    assert sum(len(page.addresses) for page in pages.values()) > 1000


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text('<p id="b"><a href="#b"></a><a href="#c"></a><img src="d.png"></p>')
    assert len(list(broken_links({path: Page(path)}))) == 2


def test_the_pages_that_people_look_for_are_there(pages: dict[Path, Page]) -> None:
    assert not {name for name in MUST_HAVE if SITE / f"{name}.html" not in pages}
    scripts = list((ROOT / "examples" / "gallery").glob("*.py"))
    assert not {
        path.stem for path in scripts if SITE / f"docs/gallery/{path.stem}.html" not in pages
    }


def test_the_reference_has_every_public_name() -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    assert set(re.findall(r"^   ncbench\.(\w+)$", page, re.MULTILINE)) >= set(ncbench.__all__)


class Opened:
    """A page of the site, and whatever went wrong in it."""

    def __init__(self, browser: Any, width: int) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900})
        self.page = self.context.new_page()
        self.trouble: list[str] = []
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on(
            "console", lambda said: said.type == "error" and self.trouble.append(said.text)
        )
        self.page.on("request", self.asked)

    def asked(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.trouble.append(request.url)

    def is_dark(self) -> bool:
        color = self.page.evaluate("getComputedStyle(document.body).backgroundColor")
        lightness = sum(map(int, re.findall(r"\d+", color)[:3])) / (3 * 255)
        assert not 0.2 < lightness < 0.8
        return lightness < 0.5


@pytest.fixture(params=[390, 1280])
def opened(
    request: pytest.FixtureRequest, browser: Any, pages: dict[Path, Page]
) -> Iterator[Opened]:
    """Open a window as wide as that of a phone or of a laptop, and look for trouble at the end."""
    opened = Opened(browser, request.param)
    yield opened
    opened.context.close()
    assert opened.trouble == []


@in_chromium
def test_every_page_fits_and_loads_light_and_dark(opened: Opened, pages: dict[Path, Page]) -> None:
    faults = []
    for path in pages.keys() - {SITE / "index.html"}:
        opened.page.goto(path.as_uri())
        for scheme in ("light", "dark"):
            opened.page.emulate_media(color_scheme=scheme)
            if opened.is_dark() != (scheme == "dark"):
                faults.append(f"{path.name} is not {scheme}")
            if opened.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                faults.append(f"{path.name} is wider than the window")
        if opened.page.evaluate(
            "Array.from(document.images).some(image => image.complete && !image.naturalWidth)"
        ):
            faults.append(f"{path.name} lacks a picture")
    assert faults == []


@in_chromium
def test_formulas_and_the_picture_of_the_rooms_are_drawn(opened: Opened) -> None:
    opened.page.goto((SITE / "docs" / "architecture.html").as_uri())
    (picture,) = opened.page.locator(".mermaid svg:visible").all()
    assert "from records to numbers" in picture.text_content()
    assert picture.bounding_box()["height"] > 300
    opened.page.goto((SITE / "docs" / "results.html").as_uri())
    formulas = opened.page.locator("math")
    assert formulas.count() >= 15
    assert formulas.first.bounding_box()["height"] > 5
    assert "$" not in opened.page.locator("article").inner_text()
