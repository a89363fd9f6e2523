"""The pages of the documentation: their code blocks, and whether a command prints what they say."""

from __future__ import annotations

import re

import pytest
from needs import ROOT

FENCED = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def read(page: str) -> str:
    """Return the text of a page, given its path in the project."""
    return (ROOT / page).read_text()


def blocks(page: str, language: str) -> list[str]:
    """Return the fenced blocks of a page in one language; ``""`` are commands."""
    return [text for found, text in FENCED.findall(read(page)) if found == language]


def block(page: str, language: str, containing: str) -> str:
    """Return the only such block that contains a text."""
    (found,) = [text for text in blocks(page, language) if containing in text]
    return found


def alike(said: str, found: str) -> bool:
    """Whether two texts have the same words: numbers may differ a little between machines."""
    if NUMBER.sub("", said).split() != NUMBER.sub("", found).split():
        return False
    numbers, others = ([float(n) for n in NUMBER.findall(text)] for text in (said, found))
    return numbers == pytest.approx(others, rel=0.3, abs=0.05)
