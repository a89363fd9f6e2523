"""Damaged records: every command names the file and the field, and goes on without it.

One real sweep has a cell for each kind of damage in ``damage.py``, and two that stay whole. Each
command then runs once over all of them, and every kind of damage is one attack on each command. The
sweep, started again, runs the damaged cells again and finds the same numbers.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attacks.attack import time_limit
from attacks.damage import DAMAGES, FILES, write_damaged

from ncbench.cli.main import main
from ncbench.files import read_json

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("damaged records")]

NAMES = [*DAMAGES, *FILES]
SWEEP = (
    "-m", "dataset=iris", "algo=cpe_argmax", "cpe=logistic", "cpe.C=1.0", "trials=2",
    f"sigma=range(0.001,{0.001 * (len(NAMES) + 2.5):.4f},0.001)", "seed=0",
)  # fmt: skip
OTHER = tuple("algo=nclr_plugin" if word == "algo=cpe_argmax" else word for word in SWEEP[:-2])
COMMANDS = {
    "aggregate": ("aggregate", "outputs"),
    "aggregate csv": ("aggregate", "outputs", "--format", "csv"),
    "aggregate tex": ("aggregate", "outputs", "--format", "tex"),
    "aggregate worst_class": ("aggregate", "outputs", "--value", "worst_class"),
    "aggregate seconds": ("aggregate", "outputs", "--value", "seconds.fit"),
    "significance": ("significance", "outputs"),
    "significance pair": ("significance", "outputs", "--pair", "nclr_plugin", "cpe_argmax"),
    "compare": ("compare", "outputs", "--reference", "reference.csv"),
    "report": ("report", "outputs", "--out", "r.html"),
    "figures": ("figures", "outputs", "--out", "figs", "--format", "png"),
    "sweep again": SWEEP,
}


def run(*argv: str) -> tuple[int, str]:
    """Run a command in this process; return its exit code and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        time_limit(300),
    ):
        patch.setattr(sys, "argv", ["ncbench", *argv])
        with pytest.raises(SystemExit) as stop:
            main()
    return int(stop.value.code or 0), err.getvalue()


def trials(path: Path) -> list[Any]:
    return [{**trial, "seconds": None} for trial in read_json(path)["trials"]]


class Damaged:
    """The folder, what each damaged record is to say, and what the commands said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        assert run(*SWEEP)[0] == 0
        (folder / "reference.csv").write_text(
            "measure,dataset,algo,sigma,mean,sem\nh_mean,iris,nclr_plugin,0.05,0.2,0.01\n"
        )
        chosen = sorted((folder / "outputs" / "cells").glob("*/record.json"))
        # Another algorithm beside the two cells that stay whole, and beside the reference.
        whole = ",".join(str(read_json(path)["config"]["sigma"]) for path in chosen[:2])
        assert run(*OTHER, f"sigma={whole},0.05", "seed=0")[0] == 0
        paths = sorted((folder / "outputs" / "cells").glob("*/record.json"))
        self.path = dict(zip(NAMES, chosen[2:], strict=False))
        assert len(self.path) == len(NAMES)
        self.before = {path: trials(path) for path in paths}
        self.says = {name: write_damaged(path, name) for name, path in self.path.items()}
        self.said = {name: run(*argv) for name, argv in COMMANDS.items()}


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Damaged]:
    folder = tmp_path_factory.mktemp("damaged")
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield Damaged(folder)
    finally:
        os.chdir(before)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", NAMES)
def test_it_is_named_and_left_out(
    command: str, name: str, damaged: Damaged, record_property: Callable[[str, object], None]
) -> None:
    code, err = damaged.said[command]
    assert code == 0, err
    where = damaged.path[name].relative_to(damaged.folder)
    (notice,) = [line for line in err.splitlines() if str(where) in line]
    record_property("verdict", "notice")
    assert f"{where}: " in notice
    assert damaged.says[name] in notice
    again = command == "sweep again"
    assert notice.endswith("the cell is run again") if again else notice.startswith("ignored: ")


def test_the_sweep_finds_the_same_numbers(damaged: Damaged) -> None:
    assert {path: trials(path) for path in damaged.before} == damaged.before


@pytest.mark.parametrize("name", NAMES)
def test_rerun_refuses_it(
    name: str,
    damaged: Damaged,
    ncbench: Callable,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    where = damaged.path[name]
    copy = tmp_path / "cells" / where.parent.name / "record.json"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(where.read_bytes())  # which the sweep has repaired
    says = write_damaged(copy, name)
    with time_limit(20):
        refused = ncbench("rerun", ".", where.parent.name)
    record_property("verdict", "refused")
    assert refused.code == 2
    assert says in refused.err
    assert refused.err.count("\n") == 1
