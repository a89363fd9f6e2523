"""Run trials, cells and sweeps, and store their records.

Import ``cell``, ``rerun`` and ``sweep`` by their paths: they need scikit-learn or Hydra.
"""

from ncbench.run.archive import (
    SUFFIX,
    is_archive,
    pack,
    published,
    read_configs,
    read_record,
    record_paths,
    unpack,
)
from ncbench.run.folder import CellFolder, identified
from ncbench.run.progress import (
    STOP,
    Progress,
    SweepFile,
    read_sweep,
    result_line,
    watched,
    with_bar,
    working,
)
from ncbench.run.record import (
    ESTIMATED,
    IGNORED,
    KNOWN,
    PROBLEM,
    Record,
    Trial,
    check_loss,
    describe_cell,
    written,
)
from ncbench.run.typed_json import LARGEST

__all__ = [
    "ESTIMATED", "IGNORED", "KNOWN", "LARGEST", "PROBLEM", "STOP", "SUFFIX", "CellFolder",
    "Progress", "Record", "SweepFile", "Trial", "check_loss", "describe_cell", "identified",
    "is_archive", "pack", "published", "read_configs", "read_record", "read_sweep", "record_paths",
    "result_line", "unpack", "watched", "with_bar", "working", "written",
]  # fmt: skip
