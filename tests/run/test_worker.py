"""Each cell has a process of its own: no state of a plug-in reaches another cell."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from operator import methodcaller
from pathlib import Path

import pytest
from commands import records_in, run_apart

from ncbench.run import sweep as worker

HEAD = """
import sys, warnings
import numpy as np
from ncbench import NcbenchError, NoisyLabelClassifier, hookimpl


class Centroids(NoisyLabelClassifier):
    def _fit(self, X, y, noise):
        self.means_ = np.array([X[y == k].mean(axis=0) for k in range(noise.n)])

    def _predict_proba(self, X):
        distances = ((X[:, None, :] - self.means_) ** 2).sum(axis=2)
        return np.eye(len(self.means_))[distances.argmin(axis=1)]
"""

WARM = (
    HEAD
    + """
LAST = {}


class Warm(Centroids):
    'A warm start: the means of the last fit on other data are blended in.'

    def _fit(self, X, y, noise):
        super()._fit(X, y, noise)
        told = X.sum(), (y * np.arange(len(y))).sum()
        other, means = LAST.get(self.means_.shape, (told, None))
        if other != told:
            self.means_ = (self.means_ + means) / 2
        LAST[self.means_.shape] = told, self.means_


@hookimpl
def ncbench_algorithms():
    return {"warm": Warm}
"""
)

REMEMBERS = (
    HEAD
    + """
import multiprocessing, os, signal
from ncbench.errors import notice_once

SEEN = {}
FITS = []


class Chatty(Centroids):
    'Says something in a cell of a sweep; is killed in its fifth fit if a file says so.'

    def _fit(self, X, y, noise):
        if multiprocessing.parent_process():
            notice_once("the moon is full")
            warnings.warn("the tide is high")
        super()._fit(X, y, noise)
        FITS.append(len(X))
        if len(FITS) == 5 and os.path.exists("kill"):
            os.kill(os.getpid(), signal.SIGKILL)


class Within(Chatty):
    'The label of the nearest row that any trial has trained on.'

    def _fit(self, X, y, noise):
        super()._fit(X, y, noise)
        SEEN.update((row.tobytes(), label) for row, label in zip(X, y))
        self.X_, self.y_ = np.array([np.frombuffer(row) for row in SEEN]), [*SEEN.values()]

    def _predict_proba(self, X):
        nearest = ((X[:, None, :] - self.X_) ** 2).sum(axis=2).argmin(axis=1)
        return np.eye(len(self.classes_))[np.array(self.y_)[nearest]]


class Second(Chatty):
    'Is wrong in its second fit alone.'

    def _fit(self, X, y, noise):
        super()._fit(X, y, noise)
        if len(FITS) == 2:
            self.means_ = self.means_[::-1]


@hookimpl
def ncbench_algorithms():
    return {"within": Within, "second": Second}
"""
)


def losses(folder: Path) -> dict[str, list[float]]:
    """Return the losses of the trials of each finished cell."""
    return {
        record["id"]: [trial["losses"]["h_mean"] for trial in record["trials"]]
        for record in records_in(folder)
    }


def test_a_plug_in_that_keeps_state_gives_one_table_in_every_order(
    ncbench: Callable, tmp_path: Path
) -> None:
    (tmp_path / "warm.py").write_text(WARM)
    sweep = ("-m", "plugins_from=warm.py", "algo=warm", "trials=2")
    forwards, backwards = (
        ("dataset=iris,wine", "sigma=0.1,0.3"),
        ("dataset=wine,iris", "sigma=0.3,0.1"),
    )
    for folder, cells in (("one", forwards), ("other", backwards)):
        done = ncbench(*sweep, *cells, f"output_dir={folder}")
        assert done.code == 0, done.out + done.err
    one, other = losses(tmp_path / "one"), losses(tmp_path / "other")
    assert len(one) == 4
    assert one == other


def test_cells_of_plug_ins_that_remember_trials_are_run_anew_when_they_are_resumed(
    ncbench: Callable, tmp_path: Path
) -> None:
    (tmp_path / "remembers.py").write_text(REMEMBERS)
    sweep = ("-m", "plugins_from=remembers.py", "algo=within,second", "dataset=iris", "trials=5")
    assert ncbench(*sweep, "output_dir=whole").code == 0
    (tmp_path / "kill").touch()
    assert ncbench(*sweep, "output_dir=ended").code == 1
    (tmp_path / "kill").unlink()
    assert len([*tmp_path.glob("ended/cells/*/trial-*.json")]) == 8
    said = run_apart(tmp_path, *sweep, "output_dir=ended")
    # What the last trial does not show, an earlier one does.
    assert "trial 3, which an interrupted run had kept, differs when it is run again" in said
    assert "trial 2, which an interrupted run had kept, differs when it is run again" in said
    assert said.count("so the kept trials are deleted; all trials are run anew") == 2
    assert losses(tmp_path / "ended") == losses(tmp_path / "whole")
    # What several cells say is said once.
    assert said.count("ncbench: the moon is full\n") == 1
    assert said.count("UserWarning: the tide is high") == 1


@pytest.mark.slow(reason="two processes and two sweeps")
def test_a_cell_alone_has_no_other_process_to_begin_anew_in(
    ncbench: Callable, tmp_path: Path
) -> None:
    (tmp_path / "remembers.py").write_text(REMEMBERS)
    alone = ("plugins_from=remembers.py", "algo=within", "dataset=iris", "trials=4")
    run_apart(tmp_path, *alone, code=-signal.SIGKILL, NCBENCH_FAULT="written trial-2.json")
    refused = run_apart(tmp_path, *alone, code=2)
    assert refused.count("\n") == 1
    assert "so the kept trials are deleted; run the command again" in refused
    for again in ((), ("-m", "output_dir=sweep")):
        assert ncbench(*again, *alone).code == 0
    (whole,), (sweep,) = (losses(tmp_path / name).values() for name in ("outputs", "sweep"))
    assert whole == sweep


def test_a_cell_is_deaf_to_ctrl_c_from_its_start() -> None:
    process = worker._context().Process(target=time.sleep, args=(60,))
    with worker._without_ctrl_c():
        process.start()
    for _ in range(100):
        os.kill(process.pid, signal.SIGINT)
        process.join(0.01)
    assert process.is_alive()
    process.kill()
    process.join()


@pytest.mark.slow(reason="interpreters that import everything")
def test_without_a_fork_server_each_cell_is_a_new_interpreter(
    ncbench: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "warm.py").write_text(WARM)
    sweep = ("-m", "plugins_from=warm.py", "algo=warm", "trials=2", "dataset=iris,wine")
    assert ncbench(*sweep, "output_dir=forked").code == 0
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    worker._context.cache_clear()
    try:
        assert worker._context().get_start_method() == "spawn"
        assert ncbench(*sweep, "output_dir=spawned").code == 0
    finally:
        worker._context.cache_clear()
    assert losses(tmp_path / "spawned") == losses(tmp_path / "forked")


@pytest.mark.skipif(
    "forkserver" not in multiprocessing.get_all_start_methods(), reason="no forkserver here"
)
def test_the_next_cell_starts_right_after_the_server_of_all_was_killed() -> None:
    from multiprocessing import forkserver

    for kill in (True, False):
        process, receiver = worker.start(methodcaller("send", "done"))
        assert receiver.recv() == "done"
        process.join()
        if kill:
            os.kill(forkserver._forkserver._forkserver_pid, signal.SIGKILL)
