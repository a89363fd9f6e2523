"""Shows how a sweep goes: a bar in a terminal, a line for each cell in a log."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ncbench.run.sweep import Progress

_INTERVAL = 0.25


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[None]:
    """Report on the sweep in a folder until the block ends."""
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
    """Yield the progress from time to time, and once more after the end."""
    while not ended.wait(_INTERVAL):
        yield Progress.read(folder)
    yield Progress.read(folder)


def _news(progress: Progress, told: set[int]) -> Iterator[str]:
    for number, state in sorted(progress.states.items()):
        if number not in told and state["state"] != "running":
            told.add(number)
            found = "  (found finished)" if state["state"] == "found" else ""
            yield f"[{len(told)}/{progress.total}] {state['line']}{found}"


def _log(folder: Path, ended: threading.Event) -> None:
    told: set[int] = set()
    for progress in _ticks(folder, ended):
        for news in _news(progress, told):
            print(news, flush=True)


def _bar(folder: Path, ended: threading.Event) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(highlight=False)
    told: set[int] = set()
    with Live(console=console, refresh_per_second=4, transient=True) as live:
        for progress in _ticks(folder, ended):
            for news in _news(progress, told):
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
        panel.add_row(Text(f"  {state['cell']}", style="dim"))
    return panel
