"""The shell completes subcommands, options, keys, plug-ins and files."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

# What readline does: call the function, and offer names of files if it has nothing.
ASK = """
source ./script
COMP_WORDS=(ncbench %s) COMP_CWORD=%d
_ncbench
echo "${COMPREPLY[@]}"
complete -p ncbench
"""


@pytest.fixture
def complete(ncbench: Callable, tmp_path: Path) -> Callable[..., list[str]]:
    """Return a function that completes the last of some words."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    script = ncbench("completion")
    assert (script.code, script.err) == (0, "")
    (tmp_path / "script").write_text(script.out)

    def ask(*words: str) -> list[str]:
        quoted = " ".join(f"'{word}'" for word in words)
        run = ["bash", "--norc", "-c", ASK % (quoted, len(words))]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
        offered, _, how = done.stdout.partition("\n")
        assert how == "complete -o default -F _ncbench ncbench\n"  # else: names of files
        return offered.split()

    return ask


def test_the_shell_knows_subcommands_options_keys_and_plug_ins(
    complete: Callable[..., list[str]],
) -> None:
    started = time.perf_counter()
    assert complete("est") == ["estimate-noise"]
    assert time.perf_counter() - started < 0.5  # no Python is started: some 10 ms
    assert complete("estimate-noise", "--t") == ["--target", "--t-estimator"]
    assert complete("estimate-noise", "mi") == []
    assert complete("estimate-noise", "--t-estimator", "caut") == ["cautious_map"]
    assert complete("pred") == ["predict"]
    assert complete("fit", "--no") == ["--noise-matrix"]
    assert complete("fit", "--measure", "g_") == ["g_mean"]
    assert complete("evaluate", "model.skops", "mi") == []
    assert complete("alg") == ["algo="]
    assert complete("-m", "sigma", "=", "0.1", "meas") == ["measure="]
    assert complete("algo", "=", "ncb") == ["ncbs"]  # bash splits at the equals sign
    assert "ncfw" in complete("-m", "algo", "=")
