"""Runs one cell and keeps what came of it: done, skipped with a reason, or failed with a trace."""

from __future__ import annotations

import platform
import sys
import time
import traceback
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from threadpoolctl import threadpool_limits

from ncbench.errors import NotApplicable
from ncbench.experiment import Config, check_fit, prepare, run_trial
from ncbench.records import SCHEMA, cell_id, plugin_versions, write_record


def run_alone(config: Config) -> dict[str, Any]:
    """Run a cell by itself: errors are raised, and then nothing is written."""
    record = _run(config)
    write_record(config["output_dir"], record)
    return record


def run_in_sweep(config: Config) -> dict[str, Any]:
    """Run a cell of a sweep: whatever happens becomes its record, and the sweep goes on."""
    try:
        check_fit(config)
    except NotApplicable as reason:
        record = _record(config, status="skipped", reason=str(reason))
    else:
        try:
            record = _run(config)
        except (Exception, SystemExit) as error:
            record = _record(
                config,
                status="failed",
                reason=f"{type(error).__name__}: {error}",
                traceback=traceback.format_exc(),
            )
    write_record(config["output_dir"], record)
    return record


def _run(config: Config) -> dict[str, Any]:
    started = time.time()
    cell = prepare(config)
    dataset = cell.dataset
    # Cells that run side by side must not fight over cores, and numbers must not depend on them.
    with threadpool_limits(config["threads"]):
        trials = [run_trial(cell, trial) for trial in range(config["trials"])]
    return _record(
        config,
        status="done",
        dataset={
            "name": dataset.name,
            "classes": list(dataset.classes),
            "examples": len(dataset.y),
            "features": dataset.X.shape[1],
            "source": dataset.source,
            "fingerprint": dataset.fingerprint,
        },
        noise_matrix=cell.noisy.noise_matrix.T.tolist(),
        trials=trials,
        seconds=time.time() - started,
        peak_memory_mb=_peak_memory_mb(),
    )


def _record(config: Config, *, status: str, **more: Any) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "id": cell_id(config),
        "status": status,
        "config": dict(config),
        "plugins": plugin_versions(config),
        **more,
        "provenance": _provenance(),
    }


def _peak_memory_mb() -> float | None:
    """Return the largest resident size this process has had; None where it cannot be asked."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def _provenance() -> Mapping[str, Any]:
    packages = ("ncbench", "numpy", "scipy", "scikit-learn", "hydra-core")
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "python": platform.python_version(),
        "packages": {package: version(package) for package in packages},
        "host": platform.node(),
        "command": sys.argv[1:],
    }
