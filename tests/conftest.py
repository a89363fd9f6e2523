"""Fixtures shared by the tests."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from needs import unavailable

from ncbench.__main__ import main
from ncbench.plugin.registry import use_files

SHARED = Path(__file__).resolve().parents[2] / "shared"


@dataclass
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def ncbench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Outcome]]:
    """Run ``python -m ncbench ...`` from an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)

    def run(*argv: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["ncbench", *argv])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return Outcome(int(stop.value.code or 0), captured.out, captured.err)

    yield run
    use_files([])  # what a command took from files is not for the next test


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder with the paper's real data and noise; skip where there is none."""
    if not (SHARED / "data" / "vehicle.npz").is_file():
        pytest.skip("the paper's real data is not beside the checkout (../shared/data)")
    return SHARED / "data"


@pytest.fixture(scope="session")
def paper_tables() -> Path:
    """Return the paper's published tables as CSV; skip where there are none."""
    if not (SHARED / "paper" / "tables.csv").is_file():
        pytest.skip("the paper's tables are not beside the checkout (../shared/paper)")
    return SHARED / "paper" / "tables.csv"


@pytest.fixture(scope="session")
def make_record() -> Callable[..., dict[str, Any]]:
    """Return a function that makes up the record of a cell with two classes."""

    def make(
        algo: str = "fw", dataset: str = "iris", sigma: float = 0.1, losses: Sequence[float] = (),
        measure: str = "h_mean", train_size: int = 100, **more: Any,
    ) -> dict[str, Any]:  # fmt: skip
        config = {
            "measure": {"name": measure}, "dataset": {"name": dataset}, "algo": {"name": algo},
            "sigma": sigma, "output_dir": "outputs",
        }  # fmt: skip
        config.update(more.pop("config", {}))
        T = [[1 - sigma, sigma], [sigma, 1 - sigma]]
        trials = [
            {
                "trial": k, "train_size": train_size, "test_size": 50,
                "losses": {measure: loss},
                "confusion": [[0.4, 0.1], [0.2, 0.3]],
                "noise_matrix_estimate": T,
                "diagnostics": {
                    "path": {
                        "step": [1, 10, 100], "objective": [0.9, 0.5, loss],
                        "gap": [0.5, 0.1, -0.01],
                    }
                },
                "seconds": {
                    "t_estimate": 0.1, "fit": 1.0, "evaluate": 0.2, "cpe": 0.3, "optimise": 0.6,
                },
            }
            for k, loss in enumerate(losses)
        ]  # fmt: skip
        identity = hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:16]
        return {
            "schema": 1, "id": identity, "status": "done", "config": config,
            "plugins": {"algo": "ncbench 0.1.0"},
            "dataset": {"name": dataset, "classes": ["no", "yes"], "examples": 150},
            "noise_matrix": T, "trials": trials, "seconds": 1.0,
            "provenance": {
                "time": "2026-01-01T00:00:00+0000", "command": ["-m", f"dataset={dataset}"],
                "python": "3.11.0", "packages": {"ncbench": "0.1.0", "numpy": "2.0.0"},
                "host": "somewhere", "git_commit": "0123456789abcdef", "git_dirty": False,
            },
            **more,
        }  # fmt: skip

    return make


@pytest.fixture
def pdflatex() -> Callable[[Path], None]:
    """Return a function that compiles a LaTeX file and fails if that does."""

    def compiles(path: Path) -> None:
        if shutil.which("pdflatex") is None:
            unavailable("pdflatex is not installed")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", path.name]
        done = subprocess.run(
            command, cwd=path.parent, capture_output=True, text=True, errors="replace", check=False
        )
        assert done.returncode == 0, done.stdout[-2000:]
        assert path.with_suffix(".pdf").stat().st_size > 10_000

    return compiles
