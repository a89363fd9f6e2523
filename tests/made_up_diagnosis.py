"""A page about labels with made-up numbers: no learner is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ncbench import NoiseMatrix
from ncbench.data import TableEncoder
from ncbench.noise_estimation import Performance
from ncbench.noise_estimation.share import Share
from ncbench.own_labels import Gain, NoiseEstimate, OwnData
from ncbench.own_labels.noise_estimate import Annotator, Rival
from ncbench.own_labels.page import write_diagnosis

SHARE = 0.27
OPEN = "between 22% and 33%: check 120 rows drawn at random to know"


def made_up_noise(classes: Sequence[str], rows: int = 400, **more: Any) -> NoiseEstimate:
    """Return an estimate with symmetric noise."""
    n = len(classes)
    T = np.full((n, n), SHARE / (n - 1)) + (1 - SHARE - SHARE / (n - 1)) * np.eye(n)
    given: dict[str, Any] = {
        "counts": np.bincount(np.arange(rows) % n, minlength=n),
        "low": T * 0.8,
        "high": np.minimum(T * 1.2, 1),
        "share": Share(SHARE, 0.22, 0.33),
        "rivals": [Rival("hoc", "neighbors have the same class", 0.3)],
        "verdict": OPEN,
        "doubts": ["estimate-noise --plan 0.06 lists the rows to check"],
    }
    about: dict[str, Any] = {
        "data": "wine", "estimator": "held_out_map", "classes": classes, "features": 3,
        "resamples": 0,
    }  # fmt: skip
    return NoiseEstimate(NoiseMatrix(T), **about, **{**given, **more})


def made_up_gain(measure: str, corrected: float, plain: float, error: float = 0.01) -> Gain:
    losses = [
        Performance(measure, loss, loss - 0.05, loss + 0.05, 400, True, False)
        for loss in (corrected, plain)
    ]
    difference = plain - corrected
    return Gain(*losses, difference, difference - error, difference + error)


def made_up_person(name: str, n: int) -> Annotator:
    """Return somebody who calls a fifth of class 1 class 0."""
    confusion = np.eye(n)
    confusion[:2, 1] = 0.2, 0.8
    return Annotator(name, 120, Share(0.9, 0.85, 0.95), confusion, (40,) * n)


def made_up_issues(classes: Sequence[str], rows: int = 400) -> pd.DataFrame:
    wrong = np.linspace(0.97, 0.01, rows)
    row = np.arange(1, rows + 1)
    return pd.DataFrame(
        {
            "row": row,
            "line": row + 1,
            "label": np.resize(classes, rows),
            "likeliest": np.resize(np.roll(classes, 1), rows),
            "p_wrong": wrong,
            "expected_issues": wrong.cumsum(),
            "expected_precision": wrong.cumsum() / row,
        }
    )


def write_made_up_diagnosis(
    path: Path, classes: Sequence[str], rows: int = 400, people: Sequence[str] = (), **more: Any
) -> None:
    """Write a page with these classes, and these people who gave labels."""
    table = pd.DataFrame(
        {
            "alcohol": np.linspace(11, 15, rows),
            "color_intensity": np.where(np.arange(rows) % 7 == 0, np.nan, np.arange(rows) / 9),
            "organic": np.resize(["yes", "no"], rows),
            "sample": [f"W-{k}" for k in range(rows)],
        }
    )
    encoder = TableEncoder().fit(table)
    y = np.arange(rows) % len(classes)
    X = encoder.transform(table)
    data = OwnData("wine", X, y, tuple(classes), encoder=encoder, lines=np.arange(2, rows + 2))
    gains = [
        made_up_gain("g_mean", 0.2, 0.25),
        made_up_gain("micro_f1", 0.31, 0.3, error=0.002),
        made_up_gain("zero_one", 0.2, 0.2),
    ]
    annotators = [made_up_person(name, len(classes)) for name in people]
    noise = made_up_noise(classes, rows, annotators=annotators, **more)
    issues = made_up_issues(classes, rows)
    if people:
        issues = issues.assign(agree=2, labels=3)
    command = "python -m ncbench diagnose wine.csv --target label"
    write_diagnosis(path, data, noise, issues, gains, command)
