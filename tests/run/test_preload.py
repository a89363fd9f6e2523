"""The server that cells are forked from has imported what all need, and computed nothing."""

from __future__ import annotations

import json
import subprocess
import sys

PROBE = """
import json, sys, threading
import numpy as np
before = np.random.get_state()[1].tolist()
import ncbench.run.preload
print(json.dumps({
    "modules": sorted(sys.modules),
    "threads": threading.active_count(),
    "drawn": np.random.get_state()[1].tolist() != before,
}))
"""


def test_the_server_has_the_shipped_plugins_one_thread_and_no_drawn_numbers() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, timeout=120
    )
    found = json.loads(done.stdout)
    shipped = {f"ncbench_plugins.{room}" for room in ("algorithms", "cpe", "measures", "noise")}
    assert shipped <= {*found["modules"]}
    assert not {"mlflow", "cleanlab", "matplotlib"} & {*found["modules"]}
    assert found["threads"] == 1  # a fork copies no other thread, and what it held stays locked
    assert not found["drawn"]
