"""Names from strangers: in tables, pages, figures and file names they are text, nothing else."""

from __future__ import annotations

import csv
import io
import os
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from made_up_files import write

NAMES = {
    "HTML": "<img src=x onerror=alert(9)>",
    "script": "</script><script>alert(1)</script>",
    "Markdown": "a | b [c](javascript:alert(1)) `d`",
    "TeX": "\\input{/etc/passwd}$_^#%&~",
    "formula": "=cmd|'/c calc'!A0",
    "plus": "+1+1",
    "minus": "-2+3",
    "at": "@SUM(1+1)",
    "path": "../../../../tmp/evil",
    "absolute": "/etc/evil",
    "quotes": "\"'><svg/onload=alert(1)>",
}
DRAWN = ("HTML", "TeX", "path", "quotes")
"""The names of figures and pages, which take seconds."""

COMMANDS = {
    "csv": ("aggregate", "outputs", "--format", "csv"),
    "md": ("aggregate", "outputs", "--format", "md"),
    "tex": ("aggregate", "outputs", "--format", "tex"),
    "table": ("aggregate", "outputs"),
    "compare": ("compare", "outputs", "--reference", "reference.csv", "--format", "csv"),
    "html": ("report", "outputs", "--out", "out/r.html"),
    "svg": ("figures", "outputs", "--out", "out/figures", "--format", "svg"),
}


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Write records whose data set, algorithm, parameter and reason are such names."""
    drawn = "form" in request.fixturenames and request.getfixturevalue("form") in ("html", "svg")
    for name in [name for key, name in NAMES.items() if key in DRAWN or not drawn]:
        for sigma in (0.1, 0.2):
            config = {"measure": {"name": "h_mean"}, "dataset": {"name": name}, "sigma": sigma}
            config |= {"algo": {"name": name, "path": name}, "seed": 0}
            trials = [{"losses": {"h_mean": 0.25}}, {"losses": {"h_mean": 0.5}}]
            write(tmp_path / "outputs", config=config, trials=trials)
        failed = {**config, "seed": 1, "algo": {"name": "fw"}}
        write(tmp_path / "outputs", config=failed, status="failed", reason=name)
    (tmp_path / "reference.csv").write_text("measure,dataset,algo,sigma,mean,sem\n" + "".join(
        f'h_mean,"{name}","{name}",0.1,0.5,0.1\n' for name in NAMES.values() if '"' not in name
    ))  # fmt: skip
    (tmp_path / "out").mkdir()
    return tmp_path


class Tags(HTMLParser):
    """Names of elements, and of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes |= {name for name, _ in attributes}


def check(form: str, out: str, folder: Path) -> None:
    if form in ("csv", "compare"):
        cells = [cell for row in csv.reader(io.StringIO(out)) for cell in row]
        assert not [c for c in cells if c[:1] in "=+@-\t\r" and c and not c[1:2].isdecimal()]
        assert "'=cmd|'/c calc'!A0" in cells
        assert "'-2+3" in cells
    elif form == "md":
        assert "<img" not in out
        assert "](javascript" not in out.replace("\\]", "")
    elif form == "tex":
        assert "\\input" not in out
        assert "\\textbackslash" in out
    elif form == "html":
        page = Tags((folder / "out" / "r.html").read_text())
        assert page.elements.count("script") == 1
        assert "img" not in page.elements
        assert not {name for name in page.attributes if name.startswith("on")}
    elif form == "svg":
        drawn = sorted((folder / "out" / "figures").glob("*.svg"))
        assert drawn
        for path in drawn:
            names = {element.tag.rpartition("}")[2] for element in ET.parse(path).iter()}
            assert not names & {"script", "img", "foreignObject"}, path


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(
            f,
            marks=[pytest.mark.slow(reason="draws figures; tables always run")]
            * (f in ("html", "svg")),
        )
        for f in COMMANDS
    ],
)
def test_a_name_is_text(
    form: str, ncbench: Callable, folder: Path, record_property: Callable[[str, object], None]
) -> None:
    outside = {entry.name for entry in os.scandir(folder.parent)} | {"plugin-cache"}
    before = {path for path in folder.rglob("*") if "out" not in path.relative_to(folder).parts}
    outcome = ncbench(*COMMANDS[form])
    assert outcome.code == 0, outcome.err
    record_property("verdict", "ran")
    check(form, outcome.out, folder)
    now = {path for path in folder.rglob("*") if "out" not in path.relative_to(folder).parts}
    assert now == before
    assert {entry.name for entry in os.scandir(folder.parent)} <= outside


@pytest.mark.parametrize("kind", ["fifo", "link", "loose link"])
def test_out_is_written_through(kind: str, ncbench: Callable, folder: Path) -> None:
    out = folder / "special"
    if kind == "fifo":
        os.mkfifo(out)
        reader = os.open(out, os.O_RDONLY | os.O_NONBLOCK)
    else:
        out.symlink_to(folder / "target")
        if kind == "link":
            (folder / "target").write_text("before")
    assert ncbench("aggregate", "outputs", "--out", "special", "--format", "csv").code == 0
    if kind == "fifo":
        assert out.is_fifo()
        content = os.read(reader, 1 << 16)
        os.close(reader)
    else:
        assert out.is_symlink()
        content = (folder / "target").read_bytes()
    assert content.startswith(b"measure,dataset,algo,sigma")
