"""Run trials, cells and sweeps, and store their records.

Import ``cell``, ``rerun`` and ``sweep`` by their paths: they need scikit-learn or Hydra.
"""

from ncbench.run.archive import SUFFIX, is_archive, pack, published, unpack
from ncbench.run.describe import describe_cell, result_line
from ncbench.run.progress import STOP, Progress, read_sweep, watched, with_bar, working
from ncbench.run.record import (
    NOT_IDENTITY,
    CellFolder,
    identified,
    read_configs,
    read_record,
    record_paths,
)

__all__ = [
    "NOT_IDENTITY", "STOP", "SUFFIX", "CellFolder", "Progress", "describe_cell",
    "identified", "is_archive", "pack", "published", "read_configs", "read_record", "read_sweep",
    "record_paths", "result_line", "unpack", "watched", "with_bar", "working",
]  # fmt: skip
