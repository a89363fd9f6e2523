"""The README's examples work as they stand there, and print what it says."""

from __future__ import annotations

import re
import runpy
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import records_in
from needs import ROOT
from pages import alike, block, blocks, read

README = "README.md"


def the_sweep() -> list[str]:
    command = block(README, "", "t_estimator=").replace("\\\n", "")
    return shlex.split(command.removeprefix("python -m ncbench "))


def test_it_is_short_and_begins_with_the_two_commands_that_set_everything_up() -> None:
    assert len(read(README).split()) <= 500
    demo, test = block(README, "", "dev.py").splitlines()
    assert blocks(README, "")[0].startswith(demo)
    assert demo.startswith("python3 dev.py demo ")
    assert test.startswith("python3 dev.py test ")
    sweep = runpy.run_path(str(ROOT / "dev.py"))["DEMO"]
    assert the_sweep() == sweep[2:]


def test_the_classifier_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    exec(block(README, "python", "NoiseCorrectedClassifier"), {})
    assert alike(block(README, "text", "wrong:"), capsys.readouterr().out)


def test_the_example_of_the_reference_prints_what_it_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    exec(*blocks("docs/api.md", "python"), {})
    assert [capsys.readouterr().out] == blocks("docs/api.md", "text")


@pytest.mark.slow(reason="estimates the noise ten times")
def test_the_sweep_prints_its_table(ncbench: Callable) -> None:
    printed = ncbench(*the_sweep()).out
    for line in block(README, "text", "measure").splitlines():
        assert any(alike(line, other) for other in printed.splitlines()), line


def test_the_plugin_example_is_in_the_table_and_keeps_its_contract(
    tmp_path: Path, ncbench: Callable
) -> None:
    (tmp_path / "balanced_rule.py").write_text(block(README, "python", "BalancedRule"))
    commands = re.findall(r"^python -m ncbench (.*balanced_rule.py.*)$", read(README), re.MULTILINE)
    sweep, parameter, check = (command.split() for command in commands)
    sweep = [argument.replace("ncfw", "nclr_plugin") for argument in sweep]  # which is faster
    table = ncbench(*sweep, "dataset=wine", "trials=2").out
    assert re.search(r"balanced_rule +0\.\d{3} \(0\.\d{3}\)", table)
    assert ncbench(*parameter, "dataset=wine", "trials=1").code == 0
    records = records_in(tmp_path)
    assert {record["plugins"]["algo"].split()[0] for record in records} == {
        "ncbench",
        "balanced_rule.py",
    }
    outcome = ncbench(*check)
    assert (outcome.code, outcome.out.splitlines()[-1]) == (0, "13 ok")
