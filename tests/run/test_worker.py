"""The process that runs the cells of a sweep."""

from __future__ import annotations

import signal
import subprocess

import pytest

from ncbench.run.worker import Worker


def test_a_worker_is_deaf_to_ctrl_c_from_its_start() -> None:
    worker = Worker()
    worker._start()
    process = worker._process
    assert process is not None
    process.send_signal(signal.SIGINT)  # it is still importing
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=1.5)
    worker.stop()
