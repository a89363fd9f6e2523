"""Labels by people: noise=annotators, annotators_simulated, t_estimator=dawid_skene."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import records_in
from needs import shared

from ncbench import Dataset, NcbenchError, load
from ncbench.data import Annotations
from ncbench.noise_estimation import dawid_skene


def people(m: int = 400, n: int = 3, seed: int = 0) -> Dataset:
    """Return examples with the labels of three people: good, fair and poor."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n, size=m)
    labels = np.column_stack(
        [np.where(rng.random(m) < wrong, (y + 1) % n, y) for wrong in (0.1, 0.3, 0.45)]
    )
    rows, who = np.divmod(np.arange(3 * m), 3)
    given = Annotations(rows, who, labels.ravel(), ("good", "fair", "poor"))
    classes = tuple("abc"[:n])
    return Dataset(X=rng.normal(size=(m, 2)), y=y, classes=classes, name="p", annotations=given)


def test_each_use_trains_on_its_own_labels() -> None:
    data = people()
    made = {
        use: load("noise", "annotators")(use=use).corrupt(data, 0.0, np.random.default_rng(0))
        for use in ("one", "all", "majority", "dawid_skene")
    }
    assert {use: len(noisy.y) for use, noisy in made.items()} == {
        **{"one": 400, "all": 1200, "majority": 400, "dawid_skene": 400}
    }
    wrong = {use: float(np.mean(noisy.y != data.y[noisy.rows])) for use, noisy in made.items()}
    assert wrong["dawid_skene"] < wrong["majority"] < wrong["one"]
    assert wrong["all"] == pytest.approx(wrong["one"], abs=0.06)
    assert all(noisy.noise_matrix is None for noisy in made.values())
    assert data.annotations is not None
    given = set(zip(data.annotations.rows.tolist(), data.annotations.labels.tolist(), strict=True))
    assert set(zip(made["one"].rows.tolist(), made["one"].y.tolist(), strict=True)) <= given


def test_examples_without_a_label_are_not_trained_on() -> None:
    data = people()
    assert data.annotations is not None
    some = data.annotations.of(np.arange(100))
    rows, y = (
        load("noise", "annotators")(use="all")
        .corrupt(
            Dataset(X=data.X, y=data.y, classes=data.classes, name="p", annotations=some),
            0.0,
            np.random.default_rng(0),
        )
        .of(np.arange(90, 200))
    )
    assert set(rows) == set(range(90, 100))
    assert len(y) == 30


@pytest.mark.parametrize("use", ["all", "dawid_skene"])
def test_the_estimate_is_the_t_of_the_labels_that_are_trained_on(
    use: str, ncbench: Callable, tmp_path: Path
) -> None:
    options = ("dataset=iris", "noise=annotators_simulated", f"noise.use={use}", "sigma=0.3")
    options = (*options, "noise.labels=5", "t_estimator=dawid_skene", "algo=cpe_argmax", "trials=1")
    assert ncbench(*options, "cpe=logistic", "cpe.C=1.0").code == 0
    (record,) = records_in(tmp_path)
    T = np.array(record["trials"][0]["noise_matrix_estimate"])
    wrong = 1 - np.diagonal(T).mean()
    expected = {"all": 0.3, "dawid_skene": 0.05}[use]
    assert wrong == pytest.approx(expected, abs=0.08)
    assert (record["noise_matrix"] is None) == (use == "dawid_skene")


def test_simulated_people_err_as_often_as_sigma_says() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(6000) % 3
    data = Dataset(X=np.zeros((6000, 1)), y=y, classes=("a", "b", "c"), name="p")
    noisy = load("noise", "annotators_simulated")(use="all", people=40).corrupt(data, 0.3, rng)
    wrong = noisy.y != y[noisy.rows]
    assert wrong.mean() == pytest.approx(0.3, abs=0.03)
    assert noisy.annotations is not None
    each = [wrong[noisy.annotations.annotators == k].mean() for k in range(40)]
    assert min(each) < 0.22
    assert max(each) > 0.38


def test_noise_needs_the_labels_it_is_made_of() -> None:
    for name, y, message in (
        ("annotators", [0, 1, 0, 1], "has no labels by annotators"),
        ("random", [0, 1, -1, -1], "2 of 4 examples have none"),
    ):
        data = Dataset(X=np.zeros((4, 1)), y=np.array(y), classes=("a", "b"), name="p")
        with pytest.raises(NcbenchError, match=message):
            load("noise", name)().corrupt(data, 0.1, np.random.default_rng(0))


def test_songs_labeled_by_people(ncbench: Callable, tmp_path: Path) -> None:
    folder = shared("data/music_genre.npz").parent
    data = load("dataset", "music_genre")(data_dir=str(folder))
    given: Any = data.annotations
    crowd = dawid_skene(given, len(data.y), 10)
    labeled = np.unique(given.rows)
    assert float(np.mean(crowd.labels[labeled] == data.y[labeled])) >= 0.78
    counted = np.zeros((10, 10))
    np.add.at(counted, (given.labels, data.y[given.rows]), 1.0)
    counted /= counted.sum(axis=0)
    assert np.abs(crowd.pooled - counted).mean() <= 0.02
    quick = ("cpe=logistic", "cpe.C=0.1", "algo=cpe_argmax", "trials=2")
    options = ("dataset=music_genre", f"data_dir={folder}", "t_estimator=identity", *quick)
    assert ncbench(*options).code == 0
    (record,) = records_in(tmp_path)
    assert (record["config"]["noise"]["name"], record["config"]["sigma"]) == ("annotators", 0.0)
    assert (record["noise"]["class_conditional"], record["test_part"]) == (None, "fixed")
    assert [trial["test_size"] for trial in record["trials"]] == [300, 300]
    assert [trial["train_size"] for trial in record["trials"]] == [630, 630]
    assert record["trials"][0]["confusion"] != record["trials"][1]["confusion"]
    table = ncbench("aggregate", "outputs").out
    assert table.startswith("Tested on the same 300 examples with clean labels in every trial;")
    known = ncbench(*options, "t_estimator=known")
    assert known.code == 2
    assert "needs the noise matrix, which nobody knows" in known.err
