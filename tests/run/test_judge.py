"""Losses from noisy held-out labels: how close they are to those of clean labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commands import records_in
from sklearn.datasets import load_iris

from ncbench import NoiseMatrix, load
from ncbench.core import expected_confusion
from ncbench.data import random_matrix
from ncbench.noise_estimation import HeldOut

CENTERS = 1.5 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def draw(m: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return clean labels of three classes, and the prediction of the nearest center."""
    y = rng.choice(3, size=m, p=[0.5, 0.3, 0.2])
    X = CENTERS[y] + 0.7 * rng.normal(size=(m, 2))
    nearest = ((X[:, None] - CENTERS) ** 2).sum(axis=2).argmin(axis=1)
    return y, np.eye(3)[nearest]


@pytest.mark.slow(reason="100 samples with 200 resamples each")
def test_intervals_cover_the_loss_on_clean_labels() -> None:
    # The loss of the distribution, from a sample so large that its error does not matter.
    measures = {name: load("measure", name)() for name in ("h_mean", "g_mean", "micro_f1")}
    C = expected_confusion(*draw(400_000, np.random.default_rng(0)))
    covered = dict.fromkeys(measures, 0)
    repetitions = 100
    for k in range(repetitions):
        rng = np.random.default_rng([k, 1])
        T = NoiseMatrix(random_matrix(3, 0.2, rng))
        y, predicted = draw(300, rng)
        found = HeldOut(T, T.draw_labels(y, rng), np.arange(300), predicted)
        for name, (low, high) in found.intervals(measures).items():
            covered[name] += low <= measures[name](C) <= high
    for name, count in covered.items():
        assert 0.85 <= count / repetitions <= 0.95, (name, count)


def test_labels_without_noise_give_the_confusion_matrix_as_it_is() -> None:
    y, predicted = draw(500, np.random.default_rng(0))
    found = HeldOut(NoiseMatrix.identity(3), y, np.arange(500), predicted)
    np.testing.assert_allclose(found.confusion, expected_confusion(y, predicted), atol=1e-12)


def test_several_labels_of_an_example_count_each() -> None:
    y, predicted = draw(500, np.random.default_rng(0))
    rows = np.repeat(np.arange(500), 3)
    thrice = HeldOut(NoiseMatrix.identity(3), y[rows], rows, predicted)
    once = HeldOut(NoiseMatrix.identity(3), y, np.arange(500), predicted)
    np.testing.assert_allclose(thrice.confusion, once.confusion, atol=1e-12)
    measures = {"h_mean": load("measure", "h_mean")()}
    # Examples are resampled, not labels: three equal labels say no more than one.
    widths = [np.ptp(found.intervals(measures)["h_mean"]) for found in (once, thrice)]
    assert widths[1] == pytest.approx(widths[0], rel=0.3)


def test_losses_are_corrected_where_no_label_is_clean(ncbench: Callable, tmp_path: Path) -> None:
    iris = load_iris()
    flip = np.random.default_rng(0).random(150) < 0.2
    labels = np.where(flip, (iris.target + 1) % 3, iris.target)
    pd.DataFrame(iris.data).assign(label=labels).to_csv(tmp_path / "mine.csv", index=False)
    options = ("dataset=file", "dataset.path=mine.csv", "dataset.noisy_target=label", "trials=2")
    quick = ("algo=cpe_argmax", "cpe=logistic", "cpe.C=1.0", "t_estimator=identity")
    swept = ncbench("-m", *options, *quick, "sigma=0.1,0.2")
    assert swept.code == 0
    assert "sigma=0.2 is not used: the labels of this data are noisy already" in swept.err
    assert swept.out.count("done ") == 1
    table = swept.out[swept.out.index("\n\n") :].strip().splitlines()
    assert table[0].startswith("These losses are estimates: no clean test labels are known")
    assert "(cautious_map)" in table[0]
    aggregated = ncbench("aggregate", "outputs", "--format", "md").out
    assert aggregated.startswith("These losses are estimates")
    (record,) = records_in(tmp_path)
    assert record["dataset"]["checked"] == 0
    assert record["noise_matrix"] is None
    for trial in record["trials"]:
        judged = trial["judged"]
        T = NoiseMatrix(judged["noise_matrix"])
        raw = T.correct_confusion(np.array(judged["noisy_confusion"]))
        np.testing.assert_allclose(np.array(trial["confusion"]), raw, atol=0.08)
        low, high = judged["intervals"]["h_mean"]
        assert low <= trial["losses"]["h_mean"] <= high
        assert trial["noise_matrix_diagnostics"]["T_error"] is None
