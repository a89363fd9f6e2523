"""Records made up for tests, as files of a folder."""

from __future__ import annotations

import json
import math
import statistics
import textwrap
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ncbench.run.record import SCHEMA, Record

ALGOS, DATASETS, SIGMAS = ("ncfw", "fw", "ncbs"), ("iris", "wine", "<b>a_b|50%"), (0.1, 0.2)


def confusions(rng: np.random.Generator, n: int) -> list[list[list[float]]]:
    """Return n confusion matrices of three classes."""
    return [rng.dirichlet(np.ones(9)).reshape(3, 3).tolist() for _ in range(n)]


def confusion_of(loss: float) -> list[list[float]]:
    """Return a confusion matrix of two classes that has this loss by every shipped measure."""
    return [[(1 - loss) / 2, loss / 2], [loss / 2, (1 - loss) / 2]]


def _loss(trial: Any, record: dict[str, Any]) -> float:
    try:
        return float(trial["losses"][record["config"]["measure"]["name"]])
    except (KeyError, TypeError, ValueError):
        return 0.0


def losses_of(confusion: list[list[float]]) -> dict[str, float]:
    """Return Q-mean and zero-one loss, by their definitions."""
    C = np.array(confusion)
    q_mean = np.sqrt(np.mean((1 - np.diagonal(C) / C.sum(axis=1)) ** 2))
    return {"q_mean": float(q_mean), "zero_one": float(1 - np.trace(C))}


def complete(record: dict[str, Any], identity: str) -> dict[str, Any]:
    """Return a record with made-up entries for the fields that it lacks."""
    whole = {"schema": SCHEMA, "id": identity, "status": "done", "seconds": 1.0, **record}
    trials = [
        {
            "trial": k,
            "confusion": confusion_of(_loss(trial, whole)),
            "seconds": {"fit": 1.0},
            **(trial if isinstance(trial, dict) else {}),
        }
        for k, trial in enumerate(whole.get("trials") or [])
    ]
    if whole["status"] != "done":
        whole["trials"] = []
    elif trials:
        n = len(trials[0]["confusion"])
        T = np.eye(n).tolist()
        classes = [str(k) for k in range(n)]
        sizes = (t.get("train_size", 0) + t.get("test_size", 0) for t in trials)
        about = {"name": "", "classes": classes, "examples": max(100, *sizes)}
        whole = {"noise_matrix": T, **whole, "dataset": {**about, **whole.get("dataset", {})}}
        whole["trials"] = [{"noise_matrix_estimate": T, **trial} for trial in trials]
    return whole


def typed(record: dict[str, Any]) -> Record:
    """Return a record, with the fields that it lacks, as if it had been read."""
    return msgspec.convert(complete(record, str(record.get("id", "0" * 16))), Record)


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
                            "losses": losses_of(confusion),
                            "confusion": confusion,
                            "diagnostics": {"iterations": 10 * k, "path": {"gap": [1.0]}},
                            "seconds": {"fit": 0.25 * k},
                        }
                        for k, confusion in enumerate(confusions(rng, 5))
                    ]
                    written.append(write(folder, config=config, trials=trials))
    return written


def install(
    folder: Path, name: str, source: str, version: str = "1.0", module: str = "", requires: str = ""
) -> None:
    """Make up a distribution with one module, which has its name unless another is given."""
    module = module or name.replace("-", "_")
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (folder / f"{module}.py").write_text(textwrap.dedent(source))
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}"
    (info / "METADATA").write_text(metadata)
    (info / "entry_points.txt").write_text(f"[ncbench]\nmain = {module}\n")
    return module
