"""docs/tutorial.md works as it stands there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from needs import ROOT
from pages import FENCED, alike, read

PAGE = read("docs/tutorial.md")


@pytest.mark.slow(reason="runs the whole tutorial")
def test_every_block_runs_and_prints_what_the_page_says(
    ncbench: Callable, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    names: dict[str, Any] = {}
    printed = ""
    for language, text in FENCED.findall(PAGE):
        lines = [line for line in text.splitlines() if line]
        if language == "python":
            exec(text, names)
            printed = capsys.readouterr().out
        elif language == "text":
            for line in lines:
                rank = re.match(r"\d+ +\d+ +\d+ ", line)  # close ones may change places
                assert rank or any(alike(line, other) for other in printed.splitlines()), line
        else:
            printed = ""
            for line in lines:
                done = ncbench(*shlex.split(line.removeprefix("python -m ncbench ")))
                assert done.code == 0, done.err
                printed += done.out
                if " diagnose " in line:
                    assert alike(" ".join(re.findall(r"^> (.*)$", PAGE, re.MULTILINE)), printed)
    assert (tmp_path / "diagnosis.html").is_file()
    losses = names["losses"]
    assert losses["ncbench"] < min(losses["plain"], losses["balanced"]) - 0.05


def test_its_pictures_are_there_and_small() -> None:
    pictures = [ROOT / "docs" / name for name in re.findall(r"!\[[^]]*\]\((.*?)\)", PAGE)]
    assert len(pictures) == 2
    assert sum(path.stat().st_size for path in pictures) < 300_000
