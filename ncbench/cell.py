"""Runs one cell and keeps what came of it: done, skipped with a reason, or failed with a trace."""

from __future__ import annotations

import inspect
import sys
import time
import traceback
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ncbench.errors import NotApplicable
from ncbench.experiment import Cell, Config, losses, prepare, run_trial
from ncbench.records import CellFolder, cell_id, new_record
from ncbench.registry import get_registry


def run_alone(config: Config) -> dict[str, Any]:
    """Run a cell by itself: errors are raised; bad input writes nothing."""
    folder = CellFolder(config["output_dir"], config["id"])
    found = None if config["force"] else folder.finished()
    return found or _complete(prepare(config), folder)


def run_in_sweep(config: Config) -> dict[str, Any]:
    """Run a cell of a sweep: whatever happens becomes its record, and the sweep goes on."""
    folder = CellFolder(config["output_dir"], config["id"])
    found = None if config["force"] else folder.finished()
    if found:
        return found
    try:
        return _complete(prepare(config), folder)
    except NotApplicable as unfit:
        record = new_record(config, "skipped", reason=str(unfit))
    except (Exception, SystemExit) as error:
        folder.forget_trials()  # the code will be mended: its trials are not those of the next run
        reason = f"{type(error).__name__}: {error}"
        record = new_record(config, "failed", reason=reason, traceback=traceback.format_exc())
    folder.write(record)
    return record


def run_trials(cell: Cell, folder: CellFolder | None = None) -> list[dict[str, Any]]:
    """Run the trials of a cell, but for those that the folder already has."""
    kept = {**_shared_trials(cell), **folder.trials()} if folder else {}
    trials = []
    # Cells that run side by side must not fight over cores, and numbers must not depend on them.
    with threadpool_limits(cell.config["threads"]):
        for number in range(cell.config["trials"]):
            if number not in kept:
                kept[number] = run_trial(cell, number)
                if folder:
                    folder.keep_trial(kept[number])
            trials.append(kept[number])
    return trials


def _shared_trials(cell: Cell) -> dict[int, dict[str, Any]]:
    """Return the trials of the same cell for another measure, if the algorithm is not told it.

    What such an algorithm predicts does not depend on the measure, and the confusion matrix of
    each trial is kept: its losses follow.
    """
    config, registry = cell.config, get_registry()
    algorithm = registry.target("algo", config["algo"]["name"])
    if config["force"] or "measure" in inspect.signature(algorithm).parameters:
        return {}
    for name in registry.names("measure"):
        if name == config["measure"]["name"]:
            continue
        parameters = registry.plugin("measure", name).parameters
        twin = {**config, "measure": {"name": name, **{p.name: p.default for p in parameters}}}
        found = CellFolder(config["output_dir"], cell_id(twin)).finished()
        if found and found["status"] == "done":
            return {
                trial["trial"]: {**trial, "losses": losses(cell, np.array(trial["confusion"]))}
                for trial in found["trials"]
            }
    return {}


def _complete(cell: Cell, folder: CellFolder) -> dict[str, Any]:
    config, dataset = cell.config, cell.dataset
    started = time.time()
    with folder.mine():
        if config["force"]:
            folder.forget_trials()
        else:
            found = folder.finished()  # another process may have just done it
            if found:
                return found
        record = new_record(
            config,
            "done",
            dataset={
                "name": dataset.name,
                "classes": list(dataset.classes),
                "examples": len(dataset.y),
                "features": dataset.X.shape[1],
                "source": dataset.source,
                "fingerprint": dataset.fingerprint,
            },
            noise_matrix=cell.noisy.noise_matrix.T.tolist(),
            trials=run_trials(cell, folder),
            seconds=time.time() - started,
            peak_memory_mb=_peak_memory_mb(),
        )
        folder.write(record)
    return record


def _peak_memory_mb() -> float | None:
    """Return the largest resident size this process has had; None where it cannot be asked."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)
