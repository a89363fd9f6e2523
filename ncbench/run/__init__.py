"""Run trials, cells and sweeps, and store their records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncbench.imports import lazy

if TYPE_CHECKING:
    from ncbench.run.cell import run_alone as run_alone
    from ncbench.run.describe import describe_cell as describe_cell, result_line as result_line
    from ncbench.run.progress import Progress as Progress, watched as watched, with_bar as with_bar
    from ncbench.run.record import (
        NOT_IDENTITY as NOT_IDENTITY,
        CellFolder as CellFolder,
        identified as identified,
        read_record as read_record,
        record_paths as record_paths,
    )
    from ncbench.run.sweep import STOP as STOP, Sweep as Sweep, run_job as run_job
    from ncbench.run.verify import rerun as rerun

__getattr__, __all__ = lazy(
    __name__,
    {
        "ncbench.run.cell": ["run_alone"],
        "ncbench.run.describe": ["describe_cell", "result_line"],
        "ncbench.run.progress": ["Progress", "watched", "with_bar"],
        "ncbench.run.record": [
            "CellFolder",
            "NOT_IDENTITY",
            "identified",
            "read_record",
            "record_paths",
        ],
        "ncbench.run.sweep": ["STOP", "Sweep", "run_job"],
        "ncbench.run.verify": ["rerun"],
    },
)
