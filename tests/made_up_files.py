"""Records made up for tests, as files of a folder."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import Any

import numpy as np

from ncbench.run.record import SCHEMA

ALGOS, DATASETS, SIGMAS = ("ncfw", "fw", "ncbs"), ("iris", "wine", "<b>a_b|50%"), (0.1, 0.2)


def confusions(rng: np.random.Generator, n: int) -> list[list[list[float]]]:
    """Return n confusion matrices of three classes."""
    return [rng.dirichlet(np.ones(9)).reshape(3, 3).tolist() for _ in range(n)]


def complete(record: dict[str, Any], identity: str) -> dict[str, Any]:
    """Return a record with made-up entries for the fields that it lacks."""
    whole = {"schema": SCHEMA, "id": identity, "status": "done", "seconds": 1.0, **record}
    trials = [
        {
            "trial": k,
            "confusion": [[0.5, 0.0], [0.0, 0.5]],
            "seconds": {"fit": 1.0},
            **(trial if isinstance(trial, dict) else {}),
        }
        for k, trial in enumerate(whole.get("trials") or [])
    ]
    if whole["status"] == "done" and trials:
        n = len(trials[0]["confusion"])
        T = np.eye(n).tolist()
        classes = [str(k) for k in range(n)]
        about = {"name": "made up", "classes": classes, "examples": 100}
        whole = {"dataset": about, "noise_matrix": T, **whole}
        whole["trials"] = [{"noise_matrix_estimate": T, **trial} for trial in trials]
    return whole


def put(path: Path, record: dict[str, Any]) -> dict[str, Any]:
    """Write a record as a file, with the fields that it lacks; its folder is its id."""
    whole = complete(record, path.parent.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole))
    return whole


def write(folder: Path, **changes: Any) -> dict[str, Any]:
    """Write a record below a folder."""
    identity = f"{len(list(folder.rglob('record.json'))):016x}"
    path = folder / "cells" / identity / "record.json"
    return put(path, {"provenance": {"time": "2026"}, **changes})


def name(record: dict[str, Any], kind: str) -> str:
    return str(record["config"][kind]["name"])


def by_hand(values: list[float]) -> str:
    mean = sum(values) / len(values)
    return f"{mean:.3f} ({statistics.stdev(values) * math.sqrt(1 / len(values) + 3 / 7):.3f})"


def write_sweep(folder: Path) -> list[dict[str, Any]]:
    """Write records of a sweep: one cell skipped, one failed, one missing."""
    rng = np.random.default_rng(0)
    written = []
    for dataset in DATASETS:
        for sigma in SIGMAS:
            for algo in ALGOS:
                config = {"measure": {"name": "q_mean"}, "dataset": {"name": dataset}}
                config |= {"algo": {"name": algo, "max_iter": 9}, "sigma": sigma, "seed": 0}
                if (dataset, algo) == ("iris", "ncbs"):
                    write(folder, config=config, status="skipped", reason="does_not & fit")
                elif (dataset, sigma, algo) == ("wine", 0.1, "fw"):
                    write(folder, config=config, status="failed", reason="ValueError: <oh> $no")
                elif (dataset, sigma, algo) != ("wine", 0.2, "fw"):
                    trials = [
                        {
                            "trial": k,
                            "train_size": 70,
                            "test_size": 30,
                            "losses": {"q_mean": float(rng.random()), "zero_one": 0.5},
                            "confusion": confusion,
                            "diagnostics": {"iterations": 10 * k, "path": {"gap": [1.0]}},
                            "seconds": {"fit": 0.25 * k},
                        }
                        for k, confusion in enumerate(confusions(rng, 5))
                    ]
                    written.append(write(folder, config=config, trials=trials))
    return written
