"""Records of several versions of a plug-in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from made_up_files import write


def test_versions_of_a_plugin_are_not_mixed_in_silence(ncbench: Callable, tmp_path: Path) -> None:
    for number, version in enumerate(["c957c85ff523"] * 5 + ["0123456789ab"]):
        for algo, plugin in (("rule", f"rule.py {version}"), ("fw", "ncbench 0.1.0")):
            config = {"measure": {"name": "q_mean"}, "dataset": {"name": f"d{number}"}}
            config |= {"algo": {"name": algo}, "sigma": 0.1}
            write(
                tmp_path,
                config=config,
                trials=[{"trial": 0, "losses": {"q_mean": 0.5}}],
                plugins={"algo": plugin, "dataset": "ncbench 0.1.0"},
                provenance={"time": f"2026-01-01T00:00:0{number}+0000"},
            )
    said = "5 of 12 cells have another version or code than the newest of rule.py; run them again."
    assert said in ncbench("aggregate", ".", "--format", "md").out
    out = ncbench("aggregate", ".").out
    assert said in " ".join(out.split())
    assert "ncbench 0.1.0" not in out
    assert "version" not in ncbench("aggregate", ".", "--where", "algo=fw").out
