"""``estimate-noise`` as a user meets it."""

from __future__ import annotations

import importlib.util
import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from ncbench import NcbenchError, NoiseMatrix, estimate_noise, load
from ncbench.noise_estimation import repair_estimate
from ncbench.noise_estimation.share import Share
from ncbench.own_labels import (
    OwnData,
    estimate_own_noise,
    one_label_each,
    plan,
    read_annotations,
)
from ncbench.own_labels.estimate_text import estimate_text
from ncbench.own_labels.noise_estimate import NoiseEstimate
from ncbench.own_labels.verdict import labels_to_check, uncertainty

T = np.array([[0.8, 0.1, 0.0], [0.15, 0.85, 0.1], [0.05, 0.05, 0.9]])
NAMES = np.array(["ant", "bee", "cow"])


def write(path: Path, m: int = 900, *, clean: float = 0.0) -> None:
    """Write a CSV with string labels, a categorical column, and a rare class."""
    rng = np.random.default_rng(0)
    y = rng.choice(3, size=m, p=[0.55, 0.43, 0.02])
    noisy = (rng.random(m)[:, None] >= T[:, y].T.cumsum(axis=1)).sum(axis=1)
    x = rng.normal(size=(m, 2)) + 2.5 * np.eye(3, 2)[y]
    colour = np.where(y == 2, "red", rng.choice(["blue", "green"], size=m))
    lines = ["size,weight,colour,label" + (",truth" if clean else "")]
    for i in range(m):
        line = f"{x[i, 0]:.4f},{x[i, 1]:.4f},{colour[i]},{NAMES[noisy[i]]}"
        if clean:
            line += f",{NAMES[y[i]] if rng.random() < clean else ''}"
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")


def test_an_interval_of_the_share_does_not_begin_below_0() -> None:
    # Draws of 20 small entries, so skewed that the sum of their medians is far below their sum.
    rng = np.random.default_rng(0)
    draws = 0.002 * rng.exponential(size=(400, 5, 5)) ** 4 * (1 - np.eye(5))
    draws[:, range(5), range(5)] = 1 - draws.sum(axis=1)
    draws = draws[draws.min(axis=(1, 2)) >= 0]
    noise = repair_estimate(np.median(draws, axis=0) + 1e-6, draws=draws)
    share = uncertainty(noise, np.full(5, 100)).share
    assert share.low == 0
    assert share.high > share.estimate


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_the_first_rows_of_a_plan_are_a_random_part(ncbench: Callable, tmp_path: Path) -> None:
    write(tmp_path / "pets.csv")
    options = ("estimate-noise", "pets.csv", "--target", "label", "--t-estimator", "forward_map")
    quick = ("--bootstrap", "0", "--plan", "0.03")
    rows = json.loads(ncbench(*options, *quick, "--json").out)["plan"]["rows"]
    assert len(rows) > 400
    assert np.mean(rows[:200]) == pytest.approx(450, abs=60)
    out = ncbench(*options, *quick).out
    assert "These are 200 of them, drawn at random as well; --json lists all." in out
    listed = out[out.index("without the header:") :].splitlines()[1]
    assert [int(row) for row in listed.split(", ")] == sorted(rows[:200])


def test_report_has_names_intervals_diagnostics_and_a_warning_about_the_rare_class(
    ncbench, tmp_path: Path
):
    write(tmp_path / "pets.csv", m=300)
    run = ncbench(
        *("estimate-noise", "pets.csv", "--target", "label", "--bootstrap", "5"),
        *("--t-estimator", "forward_map"),
    )
    assert run.code == 0, run.err
    assert "300 rows, 5 features, 3 classes" in run.out  # two numbers, three colours
    parts = "Wrong labels: ", "probably wrong", "P(truly column | labeled row)", "||T^-1||_1"
    for part in ("ant", "bee", "cow", "smallest singular value", "90% intervals", *parts):
        assert part in run.out
    assert "Verdict: known.\nTo know:" in run.out
    assert "classes with fewer than 30 true examples: cow (about " in run.out
    assert run.err == "ncbench: file 'pets.csv': numbers: size, weight; categories: colour (3)\n"


def test_json_counts_pairs_and_compares(ncbench, tmp_path: Path):
    write(tmp_path / "pets.csv", clean=0.5)
    run = ncbench(
        *("estimate-noise", "pets.csv", "--target", "label", "--clean-column", "truth"),
        *("--bootstrap", "4", "--t-estimator", "forward_map", "--json"),
    )
    assert run.code == 0, run.err
    found = json.loads(run.out)
    assert found["classes"] == ["ant", "bee", "cow"]
    assert found["features"] == 5  # the clean labels are none
    # About 250 and 190 pairs of the two frequent classes: three standard errors of their entries.
    assert np.abs(np.array(found["pairs"]["T"]) - T)[:, :2].max() < 0.1
    assert 350 < found["pairs"]["rows"] < 550
    error = np.abs(np.array(found["T"]) - found["pairs"]["T"]).mean()
    assert found["pairs"]["T_error"] == pytest.approx(error)
    low, high = (np.array(found["interval"][side]) for side in ("low", "high"))
    assert (low <= high).all()
    assert found["level"] == "known"


def test_resamples_have_no_row_twice_and_every_class():
    seen = []

    class Watch:
        def estimate(self, sample):
            seen.append(sample)
            return NoiseMatrix.identity(sample.n_classes)

    X = np.arange(41.0)[:, None]
    data = OwnData("toy", X, (X[:, 0] >= 36).astype(np.int64), ("a", "b"))
    finding = estimate_own_noise(data, Watch(), LogisticRegression(), name="watched", bootstrap=3)
    assert finding.resamples == 3
    for sample in seen[1:]:
        assert len(np.unique(sample.X)) == len(sample.X)
        assert len(sample.X) in (20, 21)
        assert sample.counts[1] in (2, 3)


BAD = {
    "one_class": ("x,label\n1,a\n2,a\n", "label", "2 labels of 1 class;"),
    "two_rows": ("x,label\n1,a\n2,b\n", "label", "2 rows are too few"),
    "rare": ("x,label\n" + "1,a\n2,a\n" * 20 + "3,b\n", "label", "have 40 and 1 rows; expected"),
    "target": ("x,label\n1,a\n2,b\n", "lable", "did you mean 'label'? Columns: x, label"),
}


def test_bad_data_gets_one_message(ncbench, tmp_path: Path):
    for case, (content, target, message) in BAD.items():
        (tmp_path / f"{case}.csv").write_text(content)
        run = ncbench("estimate-noise", f"{case}.csv", "--target", target)
        assert (run.code, run.out) == (2, "")
        *columns, refusal = run.err.splitlines()  # what became of the columns, once
        assert message in refusal
        assert columns in ([], [f"ncbench: file '{case}.csv': number: x"])


def test_bad_arguments_get_one_message(ncbench, tmp_path: Path):
    rows = "\n".join(f"{k},{'ab'[k % 2]}" for k in range(20))
    (tmp_path / "two.csv").write_text(f"x,label\n{rows}\n")
    for more, message in (
        (["--t-estimator", "magic"], "magic"),
        (["--cpe", "magic"], "magic"),
        (["--bootstrap", "-1"], "--bootstrap -1"),
        (["--plot", "no/such/folder.png"], "no such folder"),
        (["--clean-column", "label"], "'label' is not one of the other columns: x"),
        (["--t-estimator", "known"], "is not known"),
        (["--t-estimator", "trusted"], "needs clean labels"),
    ):
        run = ncbench("estimate-noise", "two.csv", "--target", "label", *more)
        assert run.code == 2
        assert message in run.err
        assert "Traceback" not in run.err


def test_trusted_pairs_of_the_clean_column_are_counted_already(ncbench, tmp_path: Path):
    write(tmp_path / "vets.csv", m=60, clean=0.5)
    run = ncbench(
        *("estimate-noise", "vets.csv", "--target", "label", "--clean-column", "truth"),
        *("--t-estimator", "trusted"),
    )
    assert run.code == 2
    assert "checked labels are counted and printed with every estimate" in run.err
    assert run.err.count("\n") == 2  # the first says what became of the columns


@pytest.mark.parametrize(
    "t_estimator",
    [
        pytest.param(
            "held_out_map", marks=pytest.mark.slow(reason="estimates and fits for seconds")
        ),
        *("confident_joint", "hoc"),
    ],
)
@pytest.mark.parametrize(
    ("each", "bootstrap"),
    [(2, 0), pytest.param(4, 5, marks=pytest.mark.slow(reason="estimates and fits for seconds"))],
)
def test_the_fewest_rows_that_are_taken_are_enough(t_estimator: str, each: int, bootstrap: int):
    y = np.repeat([0, 1, 2], [each, each, 1])  # one class may be as rare as can be
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    data = OwnData("few", X, y, ("a", "b", "c"))
    estimator = load("t_estimator", t_estimator)()
    finding = estimate_own_noise(
        data, estimator, LogisticRegression(), name="few", bootstrap=bootstrap
    )
    assert finding.level == "labels alone cannot tell"


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_plot_is_drawn_or_says_what_it_needs(
    ncbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write(tmp_path / "pets.csv", m=200)
    argv = ("estimate-noise", "pets.csv", "--target", "label", "--plot", "t.png")
    more = ("--bootstrap", "2", "--t-estimator", "forward_map")
    if importlib.util.find_spec("matplotlib"):
        assert ncbench(*argv, *more).code == 0
        assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")
    for module in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(
        "ncbench.own_labels.estimate_own_noise", None
    )  # it says so before it starts
    run = ncbench(*argv, *more)
    assert run.code == 2
    assert "pip install 'ncbench[report]'" in run.err
    with pytest.raises(NcbenchError, match=r"pip install 'ncbench\[report\]'"):
        estimate_noise(*two_classes(), "confident_joint").plot()


def two_classes(m: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=m)
    noisy = np.where(rng.random(m) < 0.2, 1 - y, y)
    return rng.normal(size=(m, 1)) + 5 * y[:, None], noisy


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_in_python_it_is_the_estimate_that_the_command_prints(ncbench, tmp_path: Path):
    X, noisy = two_classes()
    names = np.array(["yes", "no"])[noisy]  # "no" is the first in sorted order
    rows = "\n".join(f"{float(x)!r},{name}" for x, name in zip(X[:, 0], names, strict=True))
    (tmp_path / "two.csv").write_text(f"x,label\n{rows}\n")
    run = ncbench(
        *("estimate-noise", "two.csv", "--target", "label", "--bootstrap", "0"),
        *("--t-estimator", "confident_joint", "--seed", "3", "--json"),
    )
    found = json.loads(run.out)
    assert found["classes"] == ["no", "yes"]
    T = estimate_noise(X, names, "confident_joint", random_state=3)
    np.testing.assert_allclose(T.matrix, found["T"], rtol=1e-6)


def test_in_python_labels_may_be_of_any_type():
    X, noisy = two_classes()
    expected = estimate_noise(X, noisy, "hoc", GaussianNB(), random_state=0)
    for same in (noisy.astype(str).astype(object), noisy.astype(bool)):
        assert estimate_noise(X.tolist(), same, "hoc", GaussianNB(), random_state=0) == expected


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_in_python_estimator_and_learner_may_be_objects():
    X, noisy = two_classes()
    forward_map = load("t_estimator", "forward_map")
    quick = GaussianNB()  # of the verdict
    named = estimate_noise(X, noisy, "forward_map", quick, random_state=0)
    assert estimate_noise(X, noisy, forward_map(), quick, random_state=0) == named
    assert estimate_noise(X, noisy, forward_map(tau=0.05), quick, random_state=0) != named
    anchors = [
        estimate_noise(X, noisy, "anchor", cpe, random_state=0) for cpe in (None, GaussianNB())
    ]
    assert anchors[0] != anchors[1]
    assert estimate_noise(X, noisy, "anchor", "logistic", random_state=0) == anchors[0]
    with pytest.raises(NcbenchError, match=r"name of a learner: .*logistic"):
        estimate_noise(X, noisy, "anchor", GaussianNB)


def test_in_python_what_cannot_be_estimated_from_is_refused():
    X, noisy = two_classes()
    for name in ("known", "trusted"):
        with pytest.raises(NcbenchError, match="held_out_map and forward_map"):
            estimate_noise(X, noisy, name)
    with pytest.raises(NcbenchError, match="have 3 and 3 rows; expected at least 4 each"):
        estimate_noise(X[:6], [0, 1] * 3, "cautious_map", bootstrap=20)
    with pytest.raises(NcbenchError, match="3 rows are too few"):
        estimate_noise(X[:3], [0, 1, 1])
    with pytest.raises(NcbenchError, match="'magic' is not known"):
        estimate_noise(X, noisy, "magic")
    with pytest.raises(ValueError, match="Unknown label type"):
        estimate_noise(X, X[:, 0])
    with pytest.raises(NcbenchError, match="X is sparse, from which noise cannot be estimated"):
        estimate_noise(csr_matrix(X), noisy)


def test_in_python_a_class_of_checked_labels_alone_is_pointed_out():
    X, y = two_classes(60)
    names = np.array(["Birne", "Quitte"])[y]
    clean = np.where(np.arange(60) < 20, names, None)
    clean[:2] = ["birne", "Quitte"]
    with pytest.warns(UserWarning, match="class 'birne' occurs only .* if 'Birne' is meant"):
        noise = estimate_noise(X, names, "hoc", GaussianNB(), random_state=0, clean=clean)
    assert noise.classes == ("Birne", "Quitte", "birne")


def test_of_a_large_matrix_the_most_frequent_mistakes_are_printed() -> None:
    """Class 3, of 50 examples, is labeled 7 in 20; class 5, of 2, in every other one."""
    n = 13
    T = np.eye(n)
    T[[3, 7], 3], T[[5, 7], 5] = (0.6, 0.4), (0.5, 0.5)
    true = np.full(n, 40)
    true[[3, 5]] = 50, 2
    noise = NoiseEstimate(
        NoiseMatrix(T),
        **{"data": "mine", "estimator": "mine", "classes": [f"k{k}" for k in range(n)]},
        **{"counts": (T @ true).astype(int), "features": 2, "low": T * 0.8, "high": T},
        **{"share": Share(0.3), "resamples": 0, "pairs": np.eye(n, dtype=np.int64)},
    )
    shown = estimate_text(noise).splitlines()
    start = shown.index("Noise matrix by mine: the most frequent mistakes, 90% intervals")
    assert [line.split() for line in shown[start + 3 : start + 5]] == [
        ["k7", "k3", "20", "0.40", "[0.32,", "0.40]", "0.33"],
        ["k7", "k5", "1", "0.50", "[0.40,", "0.50]", "0.02"],
    ]
    assert shown[start + 6] == "These are 21 of 21 wrong labels; --json prints the whole matrix"
    assert "These are 0 of 0 wrong labels; --json prints the whole matrix" in shown  # of the pairs
    assert max(map(len, shown)) < 120
    assert len(shown) < 50 + n
    assert np.array(noise.as_json()["T"]).shape == (n, n)


def test_every_attribute_of_an_estimate_can_be_looked_at() -> None:
    noise = estimate_noise(*two_classes(), cpe=GaussianNB(), random_state=0)
    assert dict(inspect.getmembers(noise))["counted_error"] is None


def three_people(path: Path) -> pd.DataFrame:
    """Write iris with the labels of three people, of whom eve is the worst; 30 rows are checked."""
    iris = load_iris()
    rng = np.random.default_rng(0)
    table = pd.DataFrame(iris.data, columns=["a", "b", "c", "d"])
    for person, wrong in (("eve", 0.5), ("ann", 0.05), ("bob", 0.2)):
        table[person] = np.where(rng.random(150) < wrong, (iris.target + 1) % 3, iris.target)
    table["checked"] = pd.Series(iris.target).where(np.arange(150) % 5 == 0)
    table.to_csv(path, index=False)
    return table


def test_annotators_are_listed_the_best_first(ncbench: Callable, tmp_path: Path) -> None:
    table = three_people(tmp_path / "mine.csv")
    options = ("mine.csv", "--clean-column", "checked", "--bootstrap", "2")
    shown = ncbench("estimate-noise", *options, "--annotators", "eve,ann,bob")
    assert shown.code == 0, shown.err
    assert shown.out.startswith("mine: 450 labels of 150 rows by 3 people, 4 features, 3 classes")
    assert "Noise matrix by dawid_skene" in shown.out
    people = shown.out[shown.out.index("Annotators, the best first") :].splitlines()
    assert [line.split()[0] for line in people[3:6]] == ["ann", "bob", "eve"]
    rows = [(k + 1, who, table[who][k]) for k in range(150) for who in ("eve", "ann", "bob")]
    long = pd.DataFrame(rows, columns=["row", "who", "label"])
    long.to_csv(tmp_path / "long.csv", index=False)
    table.drop(columns=["eve", "ann", "bob"]).to_csv(tmp_path / "mine.csv", index=False)
    same = ncbench("estimate-noise", *options, "--annotations", "long.csv", "--json")
    found = json.loads(same.out)
    accuracy = {person["name"]: person["accuracy"] for person in found["annotators"]}
    assert accuracy == pytest.approx({"ann": 0.95, "bob": 0.8, "eve": 0.5}, abs=0.1)
    for person in found["annotators"]:
        assert person["low"] <= person["high"]
        assert np.sum(person["confusion"], axis=0) == pytest.approx(np.ones(3))
    assert found["pairs"]["rows"] == 90
    assert found["pairs"]["share_without"]["estimate"] != found["share"]["estimate"]


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_an_annotator_with_few_labels_is_neither_the_best_nor_certain(
    ncbench: Callable, tmp_path: Path
) -> None:
    table = three_people(tmp_path / "mine.csv")
    first = np.flatnonzero((table["ann"] == 0) & (table["bob"] == 0))[:4]
    table["new"] = table["ann"].where(np.isin(np.arange(150), first))  # agrees, in four rows
    table.to_csv(tmp_path / "mine.csv", index=False)
    options = ("mine.csv", "--annotators", "eve,ann,bob,new", "--bootstrap", "4")
    done = ncbench("estimate-noise", *options, "--drop", "checked", "--json")
    assert done.code == 0, done.err
    people = json.loads(done.out)["annotators"]
    assert people[0]["name"] == "ann"
    (new,) = (person for person in people if person["name"] == "new")
    assert new["accuracy"] > people[0]["accuracy"]
    assert new["low"] < 0.65  # Wilson's interval of 4 of 4 begins at 0.60
    for person in people:
        assert person["low"] <= person["accuracy"] <= person["high"]
    shown = ncbench("estimate-noise", *options, "--drop", "checked").out
    confused = next(line for line in shown.splitlines() if line.startswith("new "))
    assert " labeled 0, " in confused  # the only label that new gave


def test_a_plan_counts_rows_and_not_the_labels_of_several_people(tmp_path: Path) -> None:
    table = three_people(tmp_path / "mine.csv")
    table.loc[[3, 8], ["eve", "ann", "bob"]] = None  # nobody labels two rows
    table.to_csv(tmp_path / "mine.csv", index=False)
    path, people = str(tmp_path / "mine.csv"), ["eve", "ann", "bob"]
    data = read_annotations(path, people, None, "checked")
    noise = estimate_own_noise(data, load("t_estimator", "dawid_skene")(), GaussianNB(), name="x")
    for each in (data, one_label_each(data)):
        to_check = plan(noise, each, 0.1)
        assert len(to_check) == labels_to_check(noise.at_most, 0.1, 148) - 30
        assert not {4, 9, *(np.flatnonzero(table["checked"].notna()) + 1)} & {*to_check.tolist()}


def test_the_interval_of_the_share_is_not_moved_by_skewed_draws() -> None:
    """Ninety entries known to within a factor of three add up to more than their medians do."""
    n, rng = 10, np.random.default_rng(0)
    off = ~np.eye(n, dtype=bool)
    draws = np.tile(np.eye(n), (400, 1, 1))
    draws[:, off] = 0.01 * np.exp(rng.normal(size=(400, n * (n - 1))))
    draws[:, ~off] = 2 - draws.sum(axis=1)
    middle = np.where(off, 0.01, 0.91)
    share = uncertainty(repair_estimate(middle, draws=draws), np.full(n, 100)).share
    assert share.low is not None
    assert share.high is not None
    assert (share.low + share.high) / 2 == pytest.approx(0.09, abs=0.015)
    assert share.low < 0.09 < share.high
