"""Run trials, cells and sweeps, and store their records.

Import ``cell``, ``rerun`` and ``sweep`` by their paths: they need scikit-learn or Hydra.
"""

from ncbench.run.progress import (
    STOP,
    Progress,
    describe_cell,
    read_sweep,
    result_line,
    watched,
    with_bar,
    working,
)
from ncbench.run.record import (
    NOT_IDENTITY,
    SUFFIX,
    CellFolder,
    identified,
    is_archive,
    pack,
    published,
    read_configs,
    read_record,
    record_paths,
    unpack,
)
from ncbench.run.record_schema import LARGEST, check_loss, not_comparable

__all__ = [
    "LARGEST", "NOT_IDENTITY", "STOP", "SUFFIX", "CellFolder", "Progress", "check_loss",
    "describe_cell", "identified", "is_archive", "not_comparable", "pack", "published",
    "read_configs", "read_record", "read_sweep", "record_paths", "result_line", "unpack",
    "watched", "with_bar", "working",
]  # fmt: skip
