"""Ways to break a distribution: each is explained, and none is in the way of a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ALGORITHM = """
from ncbench import hookimpl


class Mine:
    '''Predicts class 0.'''

    def __init__(self, share: float = 1.0):
        self.share = share


@hookimpl
def ncbench_algorithms():
    return {"NAME": Mine}
"""

BROKEN = {
    "takes-a-name": (
        ALGORITHM.replace("NAME", "taken"),
        "algorithm 'taken' is registered by also-takes-it 1.0 and takes-a-name 1.0; "
        "uninstall one of them, or choose with algo=taken@also-takes-it or algo=taken@takes-a-name",
    ),
    "also-takes-it": (
        ALGORITHM.replace("NAME", "taken"),
        "algorithm 'taken' is registered by also-takes-it 1.0 and takes-a-name 1.0; "
        "uninstall one of them, or choose with algo=taken@also-takes-it or algo=taken@takes-a-name",
    ),
    "without-type": (
        ALGORITHM.replace("share: float", "share").replace("NAME", "untyped"),
        "parameter 'share' of without_type.Mine has no type hint; give it one of bool, int",
    ),
    "needs-a-newer-core": (
        "from ncbench import something_new\n",
        "this is ncbench 0.1.0: another version may have it",
    ),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all of them installed in it."""
    site = tmp_path_factory.mktemp("site")
    for name, (source, _) in BROKEN.items():
        module = name.replace("-", "_")
        (site / f"{module}.py").write_text(source)
        info = site / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[ncbench]\n{module} = {module}\n")
    return site


def run(site: Path, folder: Path, *argv: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ncbench", *argv],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


def test_each_is_explained(site: Path, tmp_path: Path) -> None:
    listing = json.loads(run(site, tmp_path, "plugins", "--json"))
    problems = {p["distribution"]: p for p in listing["problems"]}
    assert problems.keys() == BROKEN.keys()
    others = {p["name"] for p in listing["plugins"] if p["distribution"] != "ncbench"}
    assert others == {"taken@takes-a-name", "taken@also-takes-it"}
    text = run(site, tmp_path, "plugins")
    for name, (_, message) in BROKEN.items():
        assert message in problems[name]["error"]
        entry_point = name.replace("-", "_")
        assert f"problem: {name} 1.0, entry point {entry_point}: " in text
        assert message in text


@pytest.mark.slow(reason="runs beside broken packages; that each is explained is always tested")
def test_none_is_in_the_way(site: Path, tmp_path: Path) -> None:
    cell = ("algo=cpe_argmax", "cpe=logistic", "cpe.C=1", "dataset=iris", "trials=1")
    out = run(site, tmp_path, *cell)
    assert out.startswith("done ")
    (record,) = tmp_path.rglob("record.json")
    assert json.loads(record.read_text())["plugins"]["algo"] == "ncbench 0.1.0"


@pytest.mark.slow(reason="runs beside broken packages; that each is explained is always tested")
def test_using_one_says_what_is_wrong(site: Path, tmp_path: Path) -> None:
    err = run(site, tmp_path, "algo=untyped", code=2)
    assert "algorithm 'untyped' is not known" in err
    assert "without-type" in err
    assert "see python -m ncbench plugins" in err
