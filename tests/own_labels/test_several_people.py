"""The labels of several people: which are wrong, in Python and on the command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import average_precision_score
from sklearn.naive_bayes import GaussianNB

from ncbench import NcbenchError, NoiseCorrectedClassifier, NoiseMatrix, find_label_issues
from ncbench.data import Annotations
from ncbench.learning.joint_noise import true_label_posterior
from ncbench.noise_estimation import dawid_skene
from ncbench.own_labels.issues import true_labels_of_people

NAMES = np.array(["setosa", "versicolor", "virginica"])
PEOPLE = ("ann", "bob", "eve")


def three_people(*shares: float) -> tuple[Any, Any, pd.DataFrame]:
    """Return iris, its classes, and the labels of three people who leave a fifth out."""
    rng = np.random.default_rng(0)
    iris = load_iris()
    wrong = rng.random((150, 3)) < shares
    other = (iris.target[:, None] + rng.integers(1, 3, size=(150, 3))) % 3
    said = pd.DataFrame(NAMES[np.where(wrong, other, iris.target[:, None])], columns=list(PEOPLE))
    return iris.data, NAMES[iris.target], said.where(rng.random((150, 3)) < 0.8)


def test_features_and_people_find_more_wrong_labels_than_either() -> None:
    X, truth, said = three_people(0.25, 0.35, 0.45)
    y = said.bfill(axis=1).iloc[:, 0].fillna("setosa").to_numpy(dtype=str)  # the first who spoke
    wrong = y != truth
    alone = find_label_issues(X, y, "confident_joint", GaussianNB(), random_state=0)
    both = find_label_issues(X, y, cpe=GaussianNB(), annotations=said, random_state=0)
    codes = said.apply(lambda column: pd.Categorical(column, NAMES).codes).to_numpy()
    rows, who = np.nonzero(codes >= 0)
    given = Annotations(rows, who, codes[rows, who], PEOPLE)
    people = dawid_skene(given, 150, 3).posterior
    without = 1 - people[np.arange(150), np.searchsorted(NAMES, y)]
    precision = average_precision_score(wrong, both["p_wrong"])
    assert precision > average_precision_score(wrong, alone["p_wrong"]) + 0.02
    assert precision > average_precision_score(wrong, without) + 0.02
    assert (both["likeliest"] == truth).mean() > (NAMES[people.argmax(axis=1)] == truth).mean()
    assert both["p_wrong"].mean() == pytest.approx(wrong.mean(), abs=0.1)
    # A checked label is certain.
    some = np.arange(150) % 3 == 0
    more = {"annotations": said, "clean": np.where(some, truth, None), "random_state": 0}
    told = find_label_issues(X, y, cpe=GaussianNB(), **more)
    np.testing.assert_array_equal(told["p_wrong"][some], wrong[some])
    assert (told["likeliest"] == truth)[some].all()
    with pytest.raises(NcbenchError, match="annotations is for an estimate of the noise"):
        NoiseCorrectedClassifier("g_mean", np.eye(3)).fit(X, y, annotations=said)


def test_the_posterior_is_that_of_the_last_learner_and_the_people() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(2, size=60)
    labels = np.where(rng.random((60, 3)) < 0.2, 1 - truth[:, None], truth[:, None])
    rows, who = np.divmod(np.arange(180), 3)
    kept = rows < 50  # nobody labels the last ten
    given = Annotations(rows[kept], who[kept], labels.ravel()[kept], PEOPLE)
    y, noise = labels[:, 0], NoiseMatrix([[0.8, 0.3], [0.2, 0.7]])
    told: list[Any] = []
    eta = np.where(np.eye(2)[truth] == 1, 0.7, 0.3)

    def learned(labels: Any, T: NoiseMatrix) -> Any:
        told.append((labels, T))
        return eta

    found = true_labels_of_people(given, y, noise, learned)
    assert len(told) == 2
    for labels, _ in told:
        np.testing.assert_array_equal(labels[50:], y[50:])
    first, T = told[0]
    crowd = dawid_skene(given, 60, 2)
    np.testing.assert_array_equal(first[:50], crowd.labels_given(given)[:50])
    counted = np.eye(2)[first[:50]].T @ crowd.posterior[:50]
    np.testing.assert_allclose(T.matrix, counted / counted.sum(axis=0))
    np.testing.assert_allclose(found[:50], dawid_skene(given, 60, 2, prior=eta).posterior[:50])
    np.testing.assert_allclose(found[50:], true_label_posterior(eta, y, noise)[50:])


@pytest.fixture
def table(tmp_path: Path) -> pd.DataFrame:
    X, truth, said = three_people(0.1, 0.2, 0.3)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(**said)
    frame.loc[[0, 7], list(PEOPLE)] = None  # nobody labels two rows
    frame["truth"] = pd.Series(truth).where(np.arange(150) % 4 == 0)
    frame.to_csv(tmp_path / "mine.csv", index=False)
    return frame


def test_issues_of_several_people_are_those_of_the_most_probable_labels(
    ncbench: Callable, table: pd.DataFrame, tmp_path: Path
) -> None:
    options = ("--drop", "truth", "--cpe", "logistic", "--out", "issues.csv", "--show", "3")
    done = ncbench("issues", "mine.csv", "--annotators", "ann,bob,eve", *options)
    assert done.code == 0, done.err
    assert "'mine.csv': 2 rows have no label: left out" in done.err
    assert done.out.splitlines()[1] == "`ncbench diagnose` says whether this is known."
    assert " of 148 labels are wrong: " in done.out
    header = done.out.splitlines()[3].split()
    assert header[:6] == ["rank", "row", "line", "label", "agree", "likeliest"]
    found = pd.read_csv(tmp_path / "issues.csv").sort_values("row")
    rows = found["row"].to_numpy() - 1
    assert {0, 7}.isdisjoint(rows)
    assert (found["line"] == found["row"] + 1).all()
    said = table.loc[rows, list(PEOPLE)].reset_index(drop=True)
    label = found["label"].reset_index(drop=True)
    assert found["agree"].tolist() == said.eq(label, axis=0).sum(axis=1).tolist()
    assert found["labels"].tolist() == said.notna().sum(axis=1).tolist()
    assert found["agree"].min() == 1  # a label that nobody gave is none
    # The number is that of the list, and of the truth.
    number = int(done.out.split()[1])
    assert number == pytest.approx(found["p_wrong"].sum(), abs=0.51)
    truth = NAMES[load_iris().target][rows]
    assert number == pytest.approx((found["label"].to_numpy() != truth).sum(), abs=5)
    wrong = found["label"].to_numpy() != truth
    assert average_precision_score(wrong, found["p_wrong"]) > 0.7
    long = [(k + 1, who, table[who][k]) for k in range(150) for who in PEOPLE]
    people = pd.DataFrame(long, columns=["row", "who", "label"]).dropna()
    people.to_csv(tmp_path / "long.csv", index=False)
    table.drop(columns=list(PEOPLE)).to_csv(tmp_path / "mine.csv", index=False)
    same = ncbench("issues", "mine.csv", "--annotations", "long.csv", *options)
    assert same.out == done.out


def test_a_classifier_is_fitted_to_the_labels_of_several_people(
    ncbench: Callable, table: pd.DataFrame, tmp_path: Path
) -> None:
    fit = ("fit", "mine.csv", "--annotators", "ann,bob,eve", "--cpe", "logistic")
    done = ncbench(*fit, "--clean-column", "truth", "--out", "model.skops")
    assert done.code == 0, done.err
    assert "by dawid_skene. Of those that several people gave, a row has the most" in done.out
    predicted = ncbench("predict", "model.skops", "mine.csv", "--out", "p.csv")
    assert predicted.code == 0, predicted.err
    labels = pd.read_csv(tmp_path / "p.csv")["predicted"]
    assert (labels == NAMES[load_iris().target]).mean() > 0.85
    evaluated = ncbench("evaluate", "model.skops", "mine.csv", "--clean-column", "truth")
    assert evaluated.code == 0, evaluated.err
    refused = ncbench("evaluate", "model.skops", "mine.csv", "--target", "ann")
    assert refused.code == 2
    assert "that of the most probable label of several people" in refused.err


def test_what_is_wrong_with_the_labels_of_people_is_said_in_one_line(
    ncbench: Callable, table: pd.DataFrame
) -> None:
    for options, message in (
        ((), "one of the arguments --target --annotators --annotations is required"),
        (
            ("--annotators", "ann,bob", "--noise-matrix", "none"),
            "the labels of several people are for an estimate of the noise",
        ),
        (("--annotators", "ann"), "no example has more than one label"),
        (("--annotators", ""), "no column of labels is named"),
        (
            ("--annotators", "ann,bob", "--t-estimator", "hoc"),
            "those of several are weighed by the method of Dawid and Skene",
        ),
    ):
        done = ncbench("issues", "mine.csv", *options)
        assert done.code == 2
        assert message in done.err
        assert "Traceback" not in done.err


def test_a_forgotten_person_is_pointed_out(
    ncbench: Callable, table: pd.DataFrame, tmp_path: Path
) -> None:
    done = ncbench("issues", "mine.csv", "--annotators", "ann,bob", "--cpe", "logistic")
    assert done.code == 0, done.err
    for column in ("eve", "truth"):
        assert f"column {column!r} is a feature, but its values are names of classes" in done.err
    assert "name it among --annotators" in done.err


def test_numbers_with_gaps_are_the_classes_of_text() -> None:
    X, truth, said = three_people(0.1, 0.2, 0.3)
    y = np.searchsorted(NAMES, truth).astype(str)
    numbers = said.apply(
        lambda column: pd.Series(column).map({n: float(k) for k, n in enumerate(NAMES)})
    )
    issues = find_label_issues(X, y, cpe=GaussianNB(), annotations=numbers, random_state=0)
    assert issues["p_wrong"].mean() < 0.1
    with pytest.raises(NcbenchError, match="labels such as 'setosa', y such as '0', and none in"):
        find_label_issues(X, y, annotations=said)


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_the_noise_of_all_labels_is_not_that_of_one_column(
    ncbench: Callable, table: pd.DataFrame, tmp_path: Path
) -> None:
    people = ("--annotators", "ann,bob,eve", "--drop", "truth", "--bootstrap", "0", "--json")
    estimated = ncbench("estimate-noise", "mine.csv", *people)
    (tmp_path / "T.json").write_text(estimated.out)
    table.dropna(subset=["ann"]).to_csv(tmp_path / "ann.csv", index=False)
    options = ("--target", "ann", "--drop", "bob,eve,truth", "--cpe", "logistic")
    done = ncbench("fit", "ann.csv", *options, "--noise-matrix", "T.json", "--out", "m.skops")
    assert done.code == 0, done.err
    assert "T.json: this is the noise of all labels of 3 people" in done.err


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_a_page_about_the_labels_of_several_people(
    ncbench: Callable, table: pd.DataFrame, tmp_path: Path
) -> None:
    two = table[table.index < 100]  # setosa and versicolor
    two = two.where(two != "virginica")
    two.to_csv(tmp_path / "mine.csv", index=False)
    done = ncbench("diagnose", "mine.csv", "--annotators", "ann,bob,eve", "--clean-column", "truth")
    assert done.code == 0, done.err
    assert "labels are wrong" in done.out
    page = (tmp_path / "diagnosis.html").read_text()
    assert "3 people gave labels" in page
    assert " of 3)</td>" in page
    rows = re.search(r'<p class="rows">([^<]*)</p>', page)
    if rows:
        checked = set(np.flatnonzero(two["truth"].notna()) + 1)
        assert checked.isdisjoint(map(int, rows[1].split(", ")))
