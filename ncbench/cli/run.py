"""Run one cell or a sweep, and print the results."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ncbench.config.compose import compose_cell, compose_sweep, readable, use_plugin_files
from ncbench.config.hydra_session import HydraSession, answer, open_session, parse_arguments
from ncbench.config.schema import register
from ncbench.errors import NcbenchError, counted
from ncbench.run import CellFolder, identified
from ncbench.run.sweep import Sweep, run_job


def main(argv: Sequence[str]) -> int:
    """Run ``python -m ncbench`` without a subcommand; return the exit code."""
    args = parse_arguments(argv)
    args.overrides = use_plugin_files(readable(args.overrides))
    register()
    if args.only_asks:
        answer(args, run_job)
        return 0
    with open_session(args.config_dir, args.config_name, args.overrides) as session:
        run = _run_sweep if args.multirun else _run_cell
        return run(session, args.overrides)


def _run_cell(session: HydraSession, overrides: Sequence[str]) -> int:
    config = identified(compose_cell(session, overrides), sys.argv[1:])

    from ncbench.run import result_line
    from ncbench.run.cell import run_alone

    folder = CellFolder(config)
    _notice_edited([folder])
    found = "  (found finished)" if folder.finished() else ""
    with _at_most(config["timeout"]):
        record = run_alone(config)
    print(result_line(record) + found)
    print(f"Record:  {folder.record}")
    return 0


def _run_sweep(session: HydraSession, overrides: Sequence[str]) -> int:
    # Compose and check every cell before anything runs.
    composed = compose_sweep(session, overrides)
    resolved = [identified(config, sys.argv[1:]) for config in composed.cells]
    cells = list({config["id"]: config for config in resolved}.values())  # without duplicates
    for sign in ("\\", "${"):
        if sign in cells[0]["output_dir"]:  # Hydra would read it as something else
            raise NcbenchError(f"output_dir={cells[0]['output_dir']}: a sweep cannot use {sign}")
    # The process id separates the folders of sweeps that start in the same second.
    name = f"{time.strftime('%Y-%m-%dT%H-%M-%S')}-{os.getpid()}"
    folder = Path(cells[0]["output_dir"]) / "sweeps" / name
    if folder.exists():  # one process may start two sweeps in a second, too: tests do
        folder = folder.with_name(f"{name}-{time.time_ns() % 10**9:09d}")
    sweep = Sweep(folder, cells, sys.argv[1:])
    _notice_edited([CellFolder(config) for config in cells])
    sweep.begin()
    # SIGTERM, as sent by batch systems, must act like Ctrl-C, so that launchers end their jobs.
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, signal.default_int_handler)

    from ncbench.run import watched

    try:
        with watched(sweep.folder):
            if sweep.waiting:
                sweep.launch(session, composed.first)
    except KeyboardInterrupt:
        sweep.stop()
        kept = "Stopped; finished cells and trials are kept."
        print(f"\n{kept} Resume with: {sweep.resume_command}", file=sys.stderr)
        return 130
    suite = any(name.startswith("suite/") for name in composed.experiments)
    return _print_results(sweep, suite)


@contextlib.contextmanager
def _at_most(seconds: float | None) -> Iterator[None]:
    """Raise NcbenchError in a block that takes longer."""

    def end(*_: Any) -> None:
        raise NcbenchError(f"the cell took longer than timeout={seconds:g}; nothing is recorded")

    if seconds is None:
        yield
        return
    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _notice_edited(folders: Sequence[CellFolder]) -> None:
    """Say which finished cells are run again, because the code of a plug-in was edited."""
    edited = [plugins for plugins in (folder.edited for folder in folders) if plugins]
    if edited:
        names = ", ".join(sorted({name for names in edited for name in names}))
        what = counted(len(edited), "finished cell is", "finished cells are")
        print(f"ncbench: {what} run again: the code of {names} has changed", file=sys.stderr)


def _print_results(sweep: Sweep, suite: bool) -> int:
    """Print the table of a sweep and its failures; return 1 if a cell failed or did not run.

    The table is also written to the sweep's folder, as table.csv, table.md and table.tex. A suite
    has too many cells to read: the leaderboard is printed instead.
    """
    from ncbench.report import TABLE_FORMATS, Results, leaderboard_sections, print_failures
    from ncbench.results import FrameBuilder, boards, solutions_of
    from ncbench.show import print_sections, write

    builder, outcome = FrameBuilder(), sweep.outcome()
    for record in outcome.records:
        with contextlib.suppress(ValueError):  # leave incomplete records out of the table
            builder.add(record)
    for line in builder.told_apart():  # a file was edited while the sweep ran
        print(f"ncbench: {line}", file=sys.stderr)
    results = Results.of(builder)
    print()
    ranked = []
    if suite:
        ranked = boards(solutions_of(outcome.records, FrameBuilder()))
        print_sections(leaderboard_sections(ranked, {}))
    if len(results.frame):
        if not ranked:
            results.grid().print()
        for form in ("csv", "md", "tex"):
            write(TABLE_FORMATS[form](results), sweep.folder / f"table.{form}")
    print_failures(outcome.failed)
    if outcome.kept:
        print(
            f"{outcome.kept} of them had finished before: the old records are kept, and the new "
            f"tracebacks are in {sweep.folder}/<number>.json"
        )
    if outcome.missing:
        what = counted(outcome.missing, "cell was", "cells were")
        print(f"{what} not run. Resume with: {sweep.resume_command}")
    if len(results.frame):
        print(f"\nTable:   {sweep.folder}/table.csv, .md and .tex")
    folder = sweep.configs[0]["output_dir"]
    print(f"Records: {folder}/cells")
    if suite and not ranked:
        print(f"Beside the published methods: python -m ncbench leaderboard --add {folder}")
    sweep.tell_observers(outcome)
    statuses = {record.status for record in outcome.records}
    if statuses == {"skipped"} and not outcome.failed and not outcome.missing:
        raise NcbenchError("every cell was skipped, so nothing was run; the reasons are above")
    return 1 if outcome.failed or outcome.missing else 0
