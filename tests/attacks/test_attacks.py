"""Run the tables of attacks; ``attack.py`` says how to add to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from attacks.attack import Attack, judge


def rows() -> Iterator[Any]:
    for path in sorted(Path(__file__).parent.glob("table_*.py")):
        group = path.stem.removeprefix("table_")
        for attack in import_module(f"attacks.{path.stem}").ATTACKS:
            marks = (
                [pytest.mark.slow(reason="like a row that always runs, or takes seconds")]
                if attack.slow
                else []
            )
            yield pytest.param(attack, id=f"{group}: {attack.name}", marks=marks)


@pytest.mark.parametrize("attack", list(rows()))
def test_attack(
    attack: Attack,
    ncbench: Callable,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    if attack.prepare:
        attack.prepare(tmp_path)
    verdict, printed = judge(ncbench, attack, tmp_path)
    record_property("verdict", verdict)
    assert verdict == attack.verdict, printed
    assert attack.says in printed


def command(outcome: Exception | str) -> Callable[..., Any]:
    """Return a command that raises, or that exits with code 0 and prints nothing."""

    def run(*_: str) -> Any:
        if isinstance(outcome, Exception):
            raise outcome
        return type("Outcome", (), {"code": 0, "out": outcome, "err": ""})

    return run


@pytest.mark.parametrize(
    ("outcome", "expected", "verdict"),
    [
        (KeyError("losses"), "refused", "traceback"),
        ("a table", "refused", "quiet"),
        ("a table", "notice", "quiet"),
        ("a table", "ran", "ran"),
    ],
)
def test_the_judge_tells_wrong_answers(
    outcome: Any, expected: str, verdict: str, tmp_path: Path
) -> None:
    row = Attack("row", (), expected, "table")
    assert judge(command(outcome), row, tmp_path)[0] == verdict


def test_the_judge_ends_a_hang_and_sees_what_was_written(tmp_path: Path) -> None:
    def hangs() -> None:
        while True:
            pass

    row = Attack("row", (), "refused", "no", seconds=0.05)
    assert judge(hangs, row, tmp_path)[0] == "hang"

    def writes() -> Any:
        (tmp_path / "half").write_text("half")
        return type("Outcome", (), {"code": 2, "out": "", "err": "ncbench: no"})

    assert judge(writes, row, tmp_path)[0] == "refused, but wrote"
