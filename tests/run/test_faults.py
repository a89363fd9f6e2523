"""Full disks, clocks that are set back, and cells that take too long."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import records_in
from needs import SLOW_AND_BAD

QUICK = ("dataset=iris", "algo=cpe_argmax", "cpe=logistic", "cpe.C=1.0", "trials=2")
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("mode", [(), ("-m",)])
def test_a_full_disk_is_one_message_and_the_same_command_completes(
    mode: tuple[str, ...], ncbench: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    sync = os.fsync

    def fill(descriptor: int) -> None:
        if str(tmp_path) in str(Path(f"/proc/self/fd/{descriptor}").resolve()):
            written.append(descriptor)
        if len(written) > 1:  # one trial of a single run; the first file of a sweep
            raise FULL
        sync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fill)
        outcome = ncbench(*mode, *QUICK, "cache=false")
    assert outcome.code == 1
    assert outcome.err.count("\n") == 1
    assert "No space left on device; finished cells and trials are kept; free space" in outcome.err
    assert not list(tmp_path.rglob("*.tmp"))
    assert records_in(tmp_path) == []
    assert len(list(tmp_path.rglob("trial-*.json"))) == (not mode)
    assert ncbench(*QUICK, "cache=false").code == 0
    assert [record["status"] for record in records_in(tmp_path)] == ["done"]


PLUGINS = """
import errno, os
import numpy as np
from ncbench import NoisyLabelClassifier, hookimpl


class Fills(NoisyLabelClassifier):
    "Raises as on a full disk."

    def _fit(self, X, y, noise):
        if not os.path.exists("freed"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.n_ = noise.n

    def _predict_proba(self, X):
        return np.full((len(X), self.n_), 1 / self.n_)


@hookimpl
def ncbench_algorithms():
    return {"fills": Fills}
"""


@pytest.mark.slow(reason="two sweeps; a full disk in one process is always tested")
def test_a_full_disk_in_a_worker_leaves_no_record_and_the_sweep_completes_later(
    ncbench: Callable, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(PLUGINS)
    command = ("-m", *QUICK, "plugins_from=own.py", "algo=fills")
    outcome = ncbench(*command)
    assert outcome.code == 1
    assert "No space left on device" in outcome.out
    assert "Traceback" not in outcome.out + outcome.err
    assert records_in(tmp_path) == []
    (tmp_path / "freed").touch()
    assert ncbench(*command).code == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
def test_output_to_a_full_device_is_one_message() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "ncbench", "--version"]
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
    assert "No space left on device" in run.stderr


def test_a_cell_alone_that_takes_too_long_is_ended(ncbench: Callable, tmp_path: Path) -> None:
    command = (*QUICK, f"plugins_from={SLOW_AND_BAD}", "algo=slow", "algo.seconds=60")
    started = time.monotonic()
    alone = ncbench(*command, "timeout=0.5")
    assert alone.code == 2
    assert "the cell took longer than timeout=0.5" in alone.err
    assert time.monotonic() - started < 40


def test_the_timeout_is_not_part_of_a_cell(ncbench: Callable) -> None:
    assert ncbench(*QUICK, "timeout=100").code == 0
    assert "found finished" in ncbench(*QUICK).out


def test_a_clock_that_is_set_back_gives_no_negative_seconds(
    ncbench: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [time.time()]

    def back() -> float:
        now[0] -= 3600
        return now[0]

    with monkeypatch.context() as patch:
        patch.setattr(time, "time", back)
        assert ncbench(*QUICK).code == 0
    assert records_in(tmp_path)[0]["seconds"] >= 0
