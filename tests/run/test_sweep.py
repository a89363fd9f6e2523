"""Sweeps that survive: kills, failures, company, and a second start."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from commands import records_in, run_apart
from needs import SLOW_AND_BAD

from ncbench.run.sweep import end_with_the_sweep

QUICK = ("dataset=iris", "trials=2", f"plugins_from={SLOW_AND_BAD}")
JOBLIB = ("hydra/launcher=joblib", "hydra.launcher.n_jobs=2")


class Sweeper:
    """Runs ncbench in an empty folder, with the plug-ins of the tests.

    ``run`` does so in this process, whose worker has imported everything already; ``start`` and
    ``run_apart`` in processes of their own, which can be killed.
    """

    def __init__(self, folder: Path, ncbench: Callable) -> None:
        self.folder = folder
        self.fits = folder / "fits"  # a line for each fit of algo=slow: see conftest.py
        self.mark = {"STARTED_BY": str(folder)}
        self._ncbench = ncbench

    def run(self, *argv: str, code: int = 0) -> str:
        done = self._ncbench(*argv)
        assert done.code == code, done.out + done.err
        return str(done.out + done.err)

    def start(self, *argv: str, quiet: bool = False) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "ncbench", *argv],
            cwd=self.folder,
            env={**os.environ, **self.mark},
            stdout=subprocess.DEVNULL if quiet else subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run_apart(self, *argv: str, code: int | None = 0, fault: str | None = None) -> str:
        faults = {"NCBENCH_FAULT": fault} if fault else {}
        return run_apart(self.folder, *argv, code=code, **self.mark, **faults)

    def records(self, output_dir: str = "outputs") -> dict[str, dict[str, Any]]:
        return {record["id"]: record for record in records_in(self.folder / output_dir / "cells")}

    def done(self) -> int:
        return sum(record["status"] == "done" for record in self.records().values())

    def count_fits(self) -> int:
        return len(self.fits.read_text().splitlines()) if self.fits.exists() else 0

    def wait_for_fits(self, number: int = 1) -> None:
        deadline = time.time() + 60
        while self.count_fits() < number and time.time() < deadline:
            time.sleep(0.02)


@pytest.fixture
def sweeper(tmp_path: Path, ncbench: Callable) -> Sweeper:
    return Sweeper(tmp_path, ncbench)


def numbers(record: dict[str, Any]) -> list[Any]:
    return [{k: v for k, v in trial.items() if k != "seconds"} for trial in record["trials"]]


def _left_behind(sweeper: Sweeper) -> list[str]:
    """Return the processes of ``start`` that still run; none can be told off Linux."""
    mark = "STARTED_BY={STARTED_BY}".format(**sweeper.mark).encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def nothing_is_left_behind(sweeper: Sweeper) -> bool:
    """Wait for the processes of a killed sweep to end."""
    deadline = time.time() + 20
    while _left_behind(sweeper) and time.time() < deadline:
        time.sleep(0.1)
    return _left_behind(sweeper) == []


def no_cell_ran_again_after_it_was_done(sweeper: Sweeper) -> bool:
    finished = {
        record["config"]["algo"]["number"]: path.stat().st_mtime
        for path in (sweeper.folder / "outputs" / "cells").rglob("record.json")
        for record in [json.loads(path.read_text())]
    }
    fits = [entry.split() for entry in sweeper.fits.read_text().splitlines()]
    return all(float(moment) <= finished[int(number)] for number, _, moment in fits)


def table(sweeper: Sweeper, output_dir: str = "outputs") -> Any:
    return json.loads(sweeper.run("aggregate", output_dir, "--format", "json"))


# A sweep of two cells with two trials each is killed at each of these points in turn, and
# started again. ``NCBENCH_FAULT`` kills whichever process gets there: that of the cell, and the
# sweep's own. With each point: the sweep's exit code, and how many cells are done and how many fits
# were made by then. A cell that is resumed repeats the trials that were kept.
KILLS = [
    ("writing sweep.json", -signal.SIGKILL, 0, 0),
    ("locked .lock", -signal.SIGKILL, 0, 0),  # the cell's process, then the sweep's own
    ("written trial-0.json", 1, 0, 1),  # the cell fails, and its first trial is kept
    ("writing record.json", -signal.SIGKILL, 0, 3),  # neither its record nor that of its failure
    ("written 0.json#2", -signal.SIGKILL, 1, 5),  # between two cells: the first is noted as done
    ("written record.json", 0, 2, 7),  # the cell's process alone: what it has written counts
]


@pytest.mark.slow(reason="six kills, each of a process")
def test_a_sweep_survives_a_kill_at_every_point_and_repeats_kept_trials(sweeper: Sweeper) -> None:
    command = ("-m", *QUICK, "algo=slow", "algo.number=0,1", "algo.seconds=0", "on_error=raise")
    for point, code, done, fits in KILLS:
        out = sweeper.run_apart(*command, code=code, fault=point)
        assert (point, sweeper.done(), sweeper.count_fits()) == (point, done, fits), out
        assert nothing_is_left_behind(sweeper)
    sweeper.run(*command)
    assert no_cell_ran_again_after_it_was_done(sweeper)
    assert not [*sweeper.folder.rglob("trial-*.json"), *sweeper.folder.rglob(".lock")]
    assert sweeper.run(*command).count("(found finished)") == 2
    assert sweeper.count_fits() == 7
    sweeper.run(*command, "output_dir=undisturbed")
    rows = table(sweeper)
    assert len(rows) == 2
    assert rows == table(sweeper, "undisturbed")


@pytest.mark.slow(reason="four processes with joblib")
def test_a_parallel_sweep_survives_kills_at_locks_and_records(sweeper: Sweeper) -> None:
    command = ("-m", *QUICK, "algo=slow", "algo.number=0,1,2,3", "algo.seconds=0.1")
    # Where two cells at once can be in each other's way. Which of them gets there first is not
    # known: only what must hold is asked.
    for point in ("locked .lock", "writing record.json", "written record.json"):
        sweeper.run_apart(*command, *JOBLIB, fault=point, code=None)
        assert nothing_is_left_behind(sweeper), point
    sweeper.run_apart(*command, *JOBLIB)
    assert [record["status"] for record in sweeper.records().values()] == ["done"] * 4
    assert no_cell_ran_again_after_it_was_done(sweeper)
    sweeper.run(*command, "output_dir=undisturbed")
    rows = table(sweeper)
    assert len(rows) == 4
    assert rows == table(sweeper, "undisturbed")


@pytest.mark.slow(reason="waits for processes to end")
@pytest.mark.parametrize("launcher", [(), JOBLIB], ids=["basic", "joblib"])
def test_a_cell_under_way_ends_with_its_sweep(launcher: tuple[str, ...], sweeper: Sweeper) -> None:
    # Two cells for two processes: one that never had a cell ends by joblib's own timeout.
    slow = ("algo=slow", "algo.number=0,1", "algo.seconds=60")
    process = sweeper.start("-m", *QUICK, *slow, *launcher, quiet=True)
    sweeper.wait_for_fits(2 if launcher else 1)
    process.kill()
    process.wait()
    assert nothing_is_left_behind(sweeper)


def test_a_process_of_a_sweep_that_is_gone_before_its_first_cell_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = threading.Event()
    monkeypatch.setattr(os, "_exit", lambda code: ended.set())
    monkeypatch.setattr(os, "getppid", lambda: 1)
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: SimpleNamespace(pid=4242))
    end_with_the_sweep(4242)
    assert ended.wait(5)


def test_cells_that_raise_exit_or_are_killed_leave_the_others_alone(sweeper: Sweeper) -> None:
    quick = (*QUICK, "cpe=logistic", "cpe.C=1.0")
    out = sweeper.run("-m", *quick, "algo=raises,exits,killed,cpe_argmax,nclr_plugin", code=1)
    by_name = {r["config"]["algo"]["name"]: r for r in sweeper.records().values()}
    assert {name: record["status"] for name, record in by_name.items()} == {
        **dict.fromkeys(["raises", "exits", "killed"], "failed"),
        **dict.fromkeys(["cpe_argmax", "nclr_plugin"], "done"),
    }
    assert "RuntimeError: no luck" in by_name["raises"]["traceback"]
    assert by_name["exits"]["reason"] == "SystemExit: 3"
    assert "SIGKILL" in by_name["killed"]["reason"]
    failures = out[out.index("failed            measure") :]
    for name in ("raises", "exits", "killed"):
        assert by_name[name]["id"] in failures

    # Failed cells run again; finished ones are found.
    out = sweeper.run("-m", *quick, "algo=raises,cpe_argmax", code=1)
    assert out.count("(found finished)") == 1
    assert "failed   measure=h_mean dataset=iris noise=random sigma=0.1 algo=raises" in out


def test_on_error_raise_stops_at_the_first(sweeper: Sweeper) -> None:
    command = ("-m", *QUICK, "algo=raises,cpe_argmax", "on_error=raise")
    out = sweeper.run(*command, code=1)
    assert [r["status"] for r in sweeper.records().values()] == ["failed"]
    assert "1 cell was not run. Resume with: python -m ncbench -m dataset=iris" in out


def test_finished_cells_are_found_and_force_runs_them_again(sweeper: Sweeper) -> None:
    command = ("-m", *QUICK, "algo=slow", "algo.seconds=0", "algo.number=0,1")
    sweeper.run(*command)
    before = {name: numbers(record) for name, record in sweeper.records().items()}
    assert sweeper.run(*command).count("(found finished)") == 2
    assert sweeper.count_fits() == 4
    sweeper.run(*command, "force=true")
    assert sweeper.count_fits() == 8
    assert {name: numbers(record) for name, record in sweeper.records().items()} == before
    # A cell alone is found too, and the other way round.
    single = (*QUICK, "algo=slow", "algo.seconds=0", "algo.number=1")
    assert "done" in sweeper.run(*single)
    assert sweeper.count_fits() == 8


@pytest.mark.slow(reason="two processes; locks among processes are always tested")
def test_two_identical_sweeps_at_once(sweeper: Sweeper) -> None:
    cells = ",".join(map(str, range(8)))
    command = ("-m", *QUICK, "algo=slow", f"algo.number={cells}", "algo.seconds=0.1")
    both = [sweeper.start(*command) for _ in range(2)]
    for process in both:
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0, out
    assert len(list((sweeper.folder / "outputs" / "sweeps").iterdir())) == 2
    records = sweeper.records()
    assert len(records) == 8
    assert {record["status"] for record in records.values()} == {"done"}
    # They waited for each other: every trial was run once.
    assert sweeper.count_fits() == 16


def test_ctrl_c_ends_at_once_and_says_how_to_go_on(sweeper: Sweeper) -> None:
    command = ("-m", *QUICK, "algo=slow", "algo.number=0,1", "algo.seconds=60")
    process = sweeper.start(*command)
    sweeper.wait_for_fits()
    status = sweeper.run("status", "outputs")
    assert "2 cells" in status
    assert "1 running, 2 remaining" in status
    assert "algo=slow" in status
    pressed = time.time()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert time.time() - pressed < 5
    assert process.returncode == 130
    assert f"Resume with: python -m ncbench {' '.join(command)}" in out
    status = sweeper.run("status", "outputs")
    assert "0 running (1 interrupted), 2 remaining\n" in status  # and no time left
    assert "This sweep was stopped" in status


def test_cells_can_be_grouped_into_jobs(sweeper: Sweeper) -> None:
    sweeper.run("-m", *QUICK, "algo=slow", "algo.seconds=0", "algo.number=0,1,2", "cells_per_job=2")
    (groups,) = (sweeper.folder / "outputs" / "sweeps").rglob("groups.json")
    assert json.loads(groups.read_text()) == [[0, 1], [2]]
    assert sweeper.done() == 3


def test_a_record_says_where_it_came_from(sweeper: Sweeper) -> None:
    command = (*QUICK, "algo=slow", "algo.seconds=0", "seed=3")
    sweeper.run(*command)
    (record,) = sweeper.records().values()
    provenance = record["provenance"]
    assert provenance["command"] == [*command]
    assert {"host", "cpu", "cores", "threads", "python", "time", "git_commit"} <= set(provenance)
    assert provenance["packages"]["scikit-learn"]
    assert record["config"]["seed"] == 3
