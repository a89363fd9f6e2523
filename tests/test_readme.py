"""The README's examples work as they stand there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

README = (Path(__file__).resolve().parents[1] / "README.md").read_text()


def block(language: str, containing: str) -> str:
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)
    (found,) = [text for text in blocks if containing in text]
    return found


def test_the_estimator_example_runs() -> None:
    names: dict[str, object] = {}
    exec(block("python", "load_wine"), names)
    assert names["ncfw"].predict(names["X"][:3]).tolist() == [0, 0, 0]  # type: ignore[attr-defined,index]


def test_the_plugin_example_is_in_the_table_and_keeps_its_contract(
    tmp_path: Path, ncbench: Callable
) -> None:
    (tmp_path / "balanced_rule.py").write_text(block("python", "BalancedRule"))
    commands = re.findall(r"python -m ncbench (.*balanced_rule.py.*?)(?: +#.*)?\n", README)
    assert len(commands) == 3
    sweep, parameter, check = (command.split() for command in commands)
    sweep = [argument.replace("ncfw", "nclr_plugin") for argument in sweep]  # which is faster
    table = ncbench(*sweep, "dataset=wine", "trials=2").out
    assert re.search(r"balanced_rule +0\.\d{3} \(0\.\d{3}\)", table)
    assert ncbench(*parameter, "dataset=wine", "trials=1").code == 0
    records = [json.loads(path.read_text()) for path in tmp_path.rglob("record.json")]
    assert {record["plugins"]["algo"].split()[0] for record in records} == {
        "ncbench",
        "balanced_rule.py",
    }
    outcome = ncbench(*check)
    assert (outcome.code, outcome.out.splitlines()[-1]) == (0, "11 ok")


def test_every_plugin_the_readme_names_exists_and_the_other_way_round() -> None:
    from ncbench.registry import KINDS, get_registry

    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| (.*) \|$", README, flags=re.MULTILINE))
    for kind in KINDS:
        named = set(re.findall(r"`(\w+)`", rows[kind]))
        assert named == set(get_registry().names(kind)), kind
