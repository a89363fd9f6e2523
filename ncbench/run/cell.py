"""Run one cell and write its record: done, skipped with a reason, or failed with a traceback."""

from __future__ import annotations

import contextlib
import json
import sys
import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ncbench.errors import NcbenchError, NotApplicable
from ncbench.files import is_full
from ncbench.plugin import get_registry, observers, use_files
from ncbench.plugin.code import own_line
from ncbench.run.folder import CellFolder, cell_id, new_record, plugin_code, plugin_versions
from ncbench.run.problem import Cell, fixed_test_part
from ncbench.run.record import describe_cell
from ncbench.run.trial import losses, prepare, run_trial
from ncbench.types import Config

CHECKING = 10.0
"""Seconds for which trials that an interrupted run has kept are run again, beyond the last one."""


class StaleTrials(NcbenchError):
    """A trial that an interrupted run has kept does not come out the same again."""


def run_alone(config: Config) -> dict[str, Any]:
    """Run a single cell; errors are raised, and bad input writes nothing."""
    folder = CellFolder(config)
    finished = folder.finished(say=True)
    if finished:
        return finished
    cell = prepare(config)
    try:
        return _complete(cell, folder)
    except StaleTrials as stale:
        raise NcbenchError(f"{stale}; run the command again") from stale
    except BaseException as error:
        observers.run_finished(_failed(config, error))
        raise


def run_in_sweep(config: Config) -> dict[str, Any]:
    """Run a cell of a sweep; errors become its record, and the sweep goes on."""
    folder = CellFolder(config)
    finished = folder.finished()
    if finished:
        return finished
    try:
        _use_plugins(config)
        return _complete(prepare(config), folder)
    except StaleTrials:
        raise
    except NotApplicable as unfit:
        record = new_record(config, "skipped", reason=str(unfit))
    except BaseException as error:  # Ctrl-C does not get here: whatever it is, a plug-in raised it
        record = _failed(config, error)
        if is_full(error):  # there is no space for a record
            return record
    outcome = folder.write_failure(record)
    observers.run_finished(record)
    return outcome


def _failed(config: Config, error: BaseException) -> dict[str, Any]:
    reason = f"{type(error).__name__}: {_text(error)}"
    own = isinstance(error, Exception) and not isinstance(error, NcbenchError) and own_line(error)
    if own:
        reason += f" ({own})"
    return new_record(config, "failed", reason=reason, traceback=traceback.format_exc())


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as odd:  # of a plug-in's own class
        return f"its text raises {type(odd).__name__}"


def _use_plugins(config: Config) -> None:
    """Load the plug-ins of a cell; raise if their versions are not those in its id."""
    use_files(config["plugins_from"])
    now = plugin_versions(config)
    for kind, then in config["plugins"].items():
        if now[kind] != then:
            raise NcbenchError(
                f"{kind}={config[kind]['name']} was from {then} when the sweep started and is from "
                f"{now[kind]} now; start the sweep again"
            )
    code = plugin_code(config)
    for kind, then in config["code"].items():
        if code[kind] != then:
            raise NcbenchError(
                f"the code of {kind}={config[kind]['name']} was edited after the sweep started; "
                "start the sweep again"
            )


def run_trials(cell: Cell, folder: CellFolder) -> list[dict[str, Any]]:
    """Run the trials of a cell, except for those already in the folder."""
    # Cells that run in parallel must not compete for cores, and results must not depend on it.
    with threadpool_limits(cell.config["threads"]):
        kept = {**_shared_trials(cell), **_resumed(cell, folder)}
        for number in range(cell.config["trials"]):
            if number not in kept:
                kept[number] = _run(cell, number)
                folder.keep_trial(kept[number])
                observers.trial_finished(cell.config, kept[number])
    return [kept[number] for number in range(cell.config["trials"])]


def run_in_reverse(cell: Cell) -> list[dict[str, Any]]:
    """Run all trials of a cell, the last one first; return them in order."""
    with threadpool_limits(cell.config["threads"]):
        trials = [_run(cell, number) for number in reversed(range(cell.config["trials"]))]
    return trials[::-1]


def _run(cell: Cell, number: int) -> dict[str, Any]:
    with contextlib.chdir("."):  # a plug-in may change the working directory
        return run_trial(cell, number)


def _resumed(cell: Cell, folder: CellFolder) -> dict[int, dict[str, Any]]:
    """Return the trials that an interrupted run has kept, if they can be repeated.

    A plug-in that remembers earlier trials would now go on without them. The last trial is run
    again, before any other, and then those before it, in reverse, for some seconds: on few rows,
    one trial may come out the same by chance. Raises StaleTrials, and deletes the trials, if one
    differs.
    """
    kept = folder.trials()
    uncached = replace(cell, config={**cell.config, "cache": False})
    started = time.monotonic()
    for number in sorted(kept, reverse=True):
        if number != max(kept) and time.monotonic() - started > CHECKING:
            break
        if _numbers(_run(uncached, number)) != _numbers(kept[number]):
            folder.forget_trials()
            raise StaleTrials(
                f"{describe_cell(cell.config)}: trial {number}, which an interrupted run had kept, "
                "differs when it is run again, so the kept trials are deleted"
            )
    return kept


def _numbers(trial: Mapping[str, Any]) -> Any:
    """Return all that a trial stores but times, as a file would have it."""
    return json.loads(json.dumps({k: v for k, v in trial.items() if k != "seconds"}))


def _shared_trials(cell: Cell) -> dict[int, dict[str, Any]]:
    """Return the trials of the same cell for another measure, if the algorithm does not take one.

    The predictions of such an algorithm do not depend on the measure, so its losses can be
    computed from the stored confusion matrices, if these are of the same data: a data set of a
    plug-in may have changed since.
    """
    config, registry = cell.config, get_registry()
    if config["force"] or registry.takes("algo", config["algo"]["name"], "measure"):
        return {}
    for name in registry.names("measure"):
        if name == config["measure"]["name"]:
            continue
        parameters = registry.plugin("measure", name).parameters
        twin = {**config, "measure": {"name": name, **{p.name: p.default for p in parameters}}}
        finished = CellFolder({**twin, "code": plugin_code(twin), "id": cell_id(twin)}).finished()
        if not finished or finished["status"] != "done":
            continue
        about = finished["dataset"]
        same = cell.dataset.fingerprint, [*cell.dataset.classes]
        if (about.get("fingerprint"), about["classes"]) == same:
            return {
                trial["trial"]: {**trial, **losses(cell, np.array(trial["confusion"]))}
                for trial in finished["trials"]
            }
    return {}


def _complete(cell: Cell, folder: CellFolder) -> dict[str, Any]:
    config, dataset, noise = cell.config, cell.dataset, cell.noisy.noise_matrix
    fixed = fixed_test_part(dataset, config["test_size"])
    with folder.locked():
        finished = folder.finished()  # another process may have finished it meanwhile
        if finished:
            return finished
        if config["force"]:
            folder.forget_trials()
        observers.run_started(config)
        started = time.monotonic()
        record = new_record(
            config,
            "done",
            dataset={
                "name": dataset.name,
                "classes": list(dataset.classes),
                "examples": len(dataset.y),
                "checked": len(dataset.checked),
                "features": dataset.X.shape[1],
                "source": dataset.source,
                "fingerprint": dataset.fingerprint,
                "distribution_known": dataset.true_posterior is not None,
            },
            noise_matrix=noise and noise.matrix.tolist(),
            noise={"class_conditional": cell.noisy.class_conditional, "labels": len(cell.noisy.y)},
            test_part="random" if fixed is None else "fixed",
            trials=_run_or_forget(cell, folder),
            seconds=time.monotonic() - started,
            peak_memory_mb=_peak_memory_mb(),
        )
        folder.write(record)
    observers.run_finished(record)
    return record


def _run_or_forget(cell: Cell, folder: CellFolder) -> list[dict[str, Any]]:
    """Run the trials; if one of them raises, delete all that were kept.

    The code will be fixed, and the next run must not reuse trials of the broken code. A cell that
    was interrupted by Ctrl-C, a kill or a full disk keeps its trials and resumes.
    """
    try:
        return run_trials(cell, folder)
    except (Exception, SystemExit) as error:
        if not is_full(error):
            folder.forget_trials()
        raise


def _peak_memory_mb() -> float | None:
    """Return the peak resident memory of this process, or None if the system cannot tell."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)
