"""Run trials, cells and sweeps, and store their records.

Import ``cell``, ``rerun`` and ``sweep`` by their paths: they need scikit-learn or Hydra.
"""

from ncbench.run.archive import SUFFIX, is_archive, pack, published, unpack
from ncbench.run.consistency import check_loss, not_comparable
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
from ncbench.run.record_schema import LARGEST

__all__ = [
    "LARGEST", "NOT_IDENTITY", "STOP", "SUFFIX", "CellFolder", "Progress", "check_loss",
    "describe_cell", "identified", "is_archive", "not_comparable", "pack", "published",
    "read_configs", "read_record", "read_sweep", "record_paths", "result_line", "unpack",
    "watched", "with_bar", "working",
]  # fmt: skip
