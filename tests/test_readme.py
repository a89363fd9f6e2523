"""The README's examples work as they stand there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
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


def test_the_plugin_example_installs_and_is_in_the_table(tmp_path: Path) -> None:
    source, site = tmp_path / "source", tmp_path / "site"
    source.mkdir()
    (source / "balanced_rule.py").write_text(block("python", "BalancedRule"))
    (source / "pyproject.toml").write_text(block("toml", "balanced-rule"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site)]
    subprocess.run([*pip, str(source)], check=True)

    def run(*argv: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "ncbench", *argv],
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(site),
                "NCBENCH_CACHE_HOME": str(tmp_path / "cache"),
            },
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    listing = json.loads(run("plugins", "--json"))
    (mine,) = [p for p in listing["plugins"] if p["distribution"] == "balanced-rule"]
    assert (mine["kind"], mine["name"], mine["version"]) == ("algo", "balanced_rule", "0.1")
    table = run("-m", "algo=nclr_plugin,balanced_rule", "dataset=wine", "sigma=0.1,0.4")
    assert re.search(r"balanced_rule +0\.\d{3} \(0\.\d{3}\)", table)
    run("-m", "algo=balanced_rule", "algo.power=0.5,1.0", "dataset=wine")
    records = [json.loads(path.read_text()) for path in tmp_path.rglob("record.json")]
    assert {record["plugins"]["algo"] for record in records} == {
        "ncbench 0.1.0",
        "balanced-rule 0.1",
    }


def test_every_plugin_the_readme_names_exists_and_the_other_way_round() -> None:
    from ncbench.registry import KINDS, get_registry

    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| (.*) \|$", README, flags=re.MULTILINE))
    for kind in KINDS:
        named = set(re.findall(r"`(\w+)`", rows[kind]))
        assert named == set(get_registry().names(kind)), kind
