"""The numbers that commands print stay what they are, from one version to the next."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden.commands import HERE, NUMBERS, entries, output, prepare


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    prepare(folder)
    return folder


@pytest.mark.xdist_group("golden")
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_what_they_were(folder: Path, name: str) -> None:
    golden = dict(entries((HERE / "numbers" / name).read_text(), name))
    now = dict(entries(output(folder, NUMBERS[name]), name))
    assert golden
    assert now.keys() == golden.keys()
    for place, value in golden.items():
        # Another processor may add in another order.
        same = pytest.approx(value, rel=1e-6, abs=1e-9) if isinstance(value, float) else value
        assert now[place] == same, place
