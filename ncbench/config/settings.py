"""The configuration keys that are not config groups, with their defaults and help texts."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

MISSING: Any = "???"  # OmegaConf's marker for a required value


def _setting(default: Any, help: str) -> Any:
    about = {"help": help, "default": default}
    if isinstance(default, list):
        return field(default_factory=default.copy, metadata=about)
    return field(default=default, metadata=about)


@dataclass
class Settings:
    """Schema of the configuration; each group holds the chosen plug-in and its parameters."""

    dataset: Any = MISSING
    noise: Any = MISSING
    cpe: Any = MISSING
    t_estimator: Any = MISSING
    measure: Any = MISSING
    algo: Any = MISSING
    sigma: float = _setting(0.1, "noise level: the probability that a label is wrong")
    trials: int = _setting(5, "number of train/test splits")
    test_size: float = _setting(0.3, "fraction of the examples used for testing")
    seed: int = _setting(0, "random seed of splits, noise and everything else")
    data_dir: str = _setting("data", "folder that contains the data sets")
    output_dir: str = _setting("outputs", "folder to write records to")
    threads: int = _setting(1, "number of BLAS and OpenMP threads in each cell")
    cache: bool = _setting(
        True, "share class probabilities and estimates of T, in output_dir/cache"
    )
    cache_limit: float = _setting(2.0, "maximum size of output_dir/cache/cpe, in GB")
    theory: bool = _setting(False, "record the terms of the regret bounds (dataset=synthetic)")
    force: bool = _setting(False, "run finished cells again")
    on_error: str = _setting("record", "when a cell fails: record it and go on, or raise and stop")
    timeout: float | None = _setting(None, "most seconds a cell may take; null: no limit")
    cells_per_job: int = _setting(0, "cells in each launcher job; 0: all (basic), 1 (others)")
    plugins_from: Any = _setting([], "Python files with plug-ins: a.py or [a.py,b.py]")  # noqa: RUF009
    observers: Any = _setting([], "plug-ins that are told about each run, such as [mlflow]")  # noqa: RUF009

    # The number of the job, set by the sweep itself.
    job: Any = None
    # The old name of cells_per_job, until ncbench 0.3.
    group: Any = None


SETTINGS = {f.name: f for f in fields(Settings) if f.metadata}
"""The keys that are not config groups."""
