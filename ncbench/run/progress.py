"""Progress of a sweep, shown while it runs, and progress bars."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct

from ncbench.errors import counted
from ncbench.files import read_bytes
from ncbench.run.record import describe_cell
from ncbench.run.typed_json import parse


def result_line(record: Mapping[str, Any]) -> str:
    """Return one line about a finished cell."""
    cell = describe_cell(record["config"])
    if record["status"] != "done":
        return f"{record['status']:<8} {cell}: {record['reason']}"
    measure = record["config"]["measure"]["name"]
    losses = [trial["losses"][measure] for trial in record["trials"]]
    mean = sum(losses) / len(losses)
    result = f"{measure}{_background(record)} {mean:.4f}"
    trials = counted(len(losses), "trial")
    return f"done     {cell}: {result}, {trials}, {record['seconds']:.1f} s"


def _background(record: Mapping[str, Any]) -> str:
    """Return the name of a measure's background class, if the configuration has its number."""
    number, classes = record["config"]["measure"].get("background"), record["dataset"]["classes"]
    if not isinstance(number, int) or classes[number] == str(number):
        return ""  # the description of the cell already has the name
    return f" (background {classes[number]})"


Thing = TypeVar("Thing")

STOP = "stop"
"""The file in a sweep's folder that keeps more cells from starting."""

_INTERVAL = 0.25


class SweepFile(Struct):
    """``sweep.json``: the cells of a sweep, and the process that started it."""

    command: list[str]
    cells: list[str]
    started: Annotated[float, Meta(ge=0, le=2**40)]
    host: str
    pid: Annotated[int, Meta(ge=1, le=2**31 - 1)]


class CellState(Struct):
    """The state of a started cell: running, found, done, skipped or failed."""

    state: str
    time: float
    # Of a running cell.
    cell: str = ""
    host: str = ""
    # Of a cell that has ended.
    line: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Progress:
    """The progress of a sweep.

    Parameters
    ----------
    total : int
        The number of cells.
    states : mapping
        The state of each started cell, by number.
    started : float
        The start time, in seconds since 1970.
    gone : str, optional
        The host of a sweep that was interrupted: cells that ran there no longer run.

    Examples
    --------
    >>> states = {0: CellState("done", 20.0), 1: CellState("running", 10.0, host="here")}
    >>> print(Progress(3, states, 10.0))
    1 done, 0 failed, 0 skipped, 0 found finished, 1 running, 2 remaining, about 20 s left
    >>> print(Progress(3, states, 10.0, gone="here"))
    1 done, 0 failed, 0 skipped, 0 found finished, 0 running (1 interrupted), 2 remaining
    """

    total: int
    states: Mapping[int, CellState]
    started: float
    gone: str | None = None

    @classmethod
    def read(cls, folder: Path) -> Progress:
        """Read a sweep's folder; a state that cannot be read counts as not started."""
        about = read_sweep(folder)
        return cls(len(about.cells), {}, about.started).newer(folder)

    def newer(self, folder: Path) -> Progress:
        """Return the progress of now; only cells that had not ended are read again."""
        states = {n: state for n, state in self.states.items() if state.state != "running"}
        for name in os.listdir(folder):
            number, _, suffix = name.partition(".")
            if suffix == "json" and number.isdecimal() and int(number) not in states:
                with contextlib.suppress(ValueError):
                    states[int(number)] = _read(folder / name, CellState)
        return replace(self, states=states)

    def count(self, *states: str) -> int:
        """Return the number of cells in one of these states."""
        return sum(state.state in states for state in self.states.values())

    @property
    def running(self) -> list[CellState]:
        """The states of the running cells."""
        started = [state for state in self.states.values() if state.state == "running"]
        return [state for state in started if self.gone is None or state.host != self.gone]

    @property
    def ended(self) -> int:
        """The number of cells that need no more work."""
        return self.count("done", "failed", "skipped", "found")

    @property
    def seconds_left(self) -> float | None:
        """The remaining time at the pace of the cells run so far."""
        run = self.count("done", "failed")
        ends = [each.time for each in self.states.values() if each.state in ("done", "failed")]
        if not run or self.ended == self.total or self.gone is not None:
            return None
        passed = max(0.0, max(ends) - self.started)  # a clock may be set back
        return passed / run * (self.total - self.ended)

    def __str__(self) -> str:
        parts = [f"{self.count('done')} done", f"{self.count('failed')} failed"]
        parts += [f"{self.count('skipped')} skipped", f"{self.count('found')} found finished"]
        interrupted = self.count("running") - len(self.running)
        note = f" ({interrupted} interrupted)" if interrupted else ""
        parts += [f"{len(self.running)} running{note}", f"{self.total - self.ended} remaining"]
        left = self.seconds_left
        return ", ".join(parts) + (f", about {_duration(left)} left" if left is not None else "")


def read_sweep(folder: Path) -> SweepFile:
    """Read ``sweep.json``; raise ValueError, with file and field, if it is damaged."""
    return _read(folder / "sweep.json", SweepFile)


def _read(path: Path, kind: type[Thing]) -> Thing:
    return parse(read_bytes(path), kind, str(path))


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours} h {minutes} min"
        if hours
        else f"{minutes} min {rest} s"
        if minutes
        else f"{rest} s"
    )


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[None]:
    """Show the progress of the sweep in a folder until the block ends."""
    show = _bar if sys.stdout.isatty() else _log
    ended = threading.Event()
    thread = threading.Thread(target=show, args=(folder, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _ticks(folder: Path, ended: threading.Event) -> Iterator[Progress]:
    """Yield the progress at regular intervals, and once more after the end."""
    progress = Progress.read(folder)
    while not ended.wait(_INTERVAL):
        progress = progress.newer(folder)
        yield progress
    yield progress.newer(folder)


def _news(progress: Progress, reported: set[int]) -> Iterator[str]:
    for number in sorted(progress.states.keys() - reported):
        state = progress.states[number]
        if state.state != "running":
            reported.add(number)
            found = "  (found finished)" if state.state == "found" else ""
            yield f"[{len(reported)}/{progress.total}] {state.line}{found}"


def _log(folder: Path, ended: threading.Event) -> None:
    reported: set[int] = set()
    for progress in _ticks(folder, ended):
        for news in _news(progress, reported):
            with contextlib.suppress(OSError):  # a full device: the end of the sweep reports it
                print(news, flush=True)


def _bar(folder: Path, ended: threading.Event) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(highlight=False)
    reported: set[int] = set()
    with Live(console=console, refresh_per_second=4, transient=True) as live:
        for progress in _ticks(folder, ended):
            for news in _news(progress, reported):
                console.print(Text(news))
            live.update(_panel(progress, console.width))


def _panel(progress: Progress, width: int) -> Any:
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    panel = Table.grid()
    panel.add_row(ProgressBar(total=progress.total, completed=progress.ended, width=min(60, width)))
    panel.add_row(Text(str(progress)))
    for state in progress.running[:8]:
        panel.add_row(Text(f"  {state.cell}", style="dim"))
    return panel


def with_bar(things: Iterable[Thing], what: str, total: int | None = None) -> Iterable[Thing]:
    """Iterate over things with a progress bar on standard error, if that is a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    if not console.is_terminal:  # rich before 14 ends even a disabled bar with a line
        return things
    return track(things, what, total=total, console=console, transient=True)


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Show on standard error, if that is a terminal, that this is being done, and for how long."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as shown:
        shown.add_task(what, total=None)
        yield
