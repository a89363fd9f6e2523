"""Labels that are probably wrong, in Python and on the command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics import average_precision_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier

from ncbench import NcbenchError, NoiseMatrix, find_label_issues
from ncbench.noise_estimation.share import Share
from ncbench.own_labels.text import issues_text
from ncbench.own_labels.verdict import Findings

T = NoiseMatrix([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
NAMES = np.array(["ant", "bee", "cow"])


def problem(m: int = 600) -> tuple[Any, Any, Any]:
    """Return features of overlapping Gaussians, true labels and noisy ones."""
    rng = np.random.default_rng(0)
    truth = rng.choice(3, size=m, p=[0.5, 0.3, 0.2])
    X = 2.0 * np.eye(3)[truth] + 0.7 * rng.normal(size=(m, 3))
    return X, NAMES[truth], NAMES[T.draw_labels(truth, rng)]


X, TRUTH, Y = problem()


def test_probabilities_are_calibrated_and_depths_add_up() -> None:
    found = find_label_issues(X, Y, T, GaussianNB(), random_state=0)
    wrong = Y != TRUTH
    assert found["p_wrong"].sum() == pytest.approx(wrong.sum(), rel=0.15)
    assert average_precision_score(wrong, found["p_wrong"]) > 0.85
    ranked = found.sort_values("rank")
    assert ranked["rank"].tolist() == list(range(1, 601))
    assert ranked["p_wrong"].is_monotonic_decreasing
    np.testing.assert_allclose(ranked["expected_issues"], ranked["p_wrong"].cumsum())
    # The promise holds at each depth where many labels were ranked.
    right = wrong[ranked.index].cumsum() / ranked["rank"]
    np.testing.assert_allclose(ranked["expected_precision"][50:], right[50:], atol=0.1)
    doubted = found["p_wrong"] > 0.7
    assert (found["likeliest"] == TRUTH)[doubted].mean() > 0.8


def test_an_examples_own_label_does_not_vouch_for_it() -> None:
    # Each example is its own nearest neighbor.
    nearest = KNeighborsClassifier(1)
    found = find_label_issues(X, Y, T, nearest, random_state=0)
    wrong = Y != TRUTH
    assert nearest.fit(X, Y).score(X, Y) == 1
    assert average_precision_score(wrong, found["p_wrong"]) > wrong.mean() + 0.1


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_what_a_linear_model_does_not_understand_is_not_taken_for_a_wrong_label() -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, size=(400, 2))
    truth = (points.prod(axis=1) > 0).astype(int)
    noise = NoiseMatrix([[0.85, 0.15], [0.15, 0.85]])
    y = noise.draw_labels(truth, rng)
    found = find_label_issues(points, y, noise, random_state=0)
    linear = find_label_issues(points, y, noise, "forward", random_state=0)
    assert average_precision_score(y != truth, found["p_wrong"]) > 0.85
    assert average_precision_score(y != truth, linear["p_wrong"]) < 0.3
    assert (y != truth)[found["rank"] <= 20].mean() > 0.9


def test_the_index_of_a_frame_is_kept_and_classes_are_aligned() -> None:
    frame = pd.DataFrame(X, index=[f"row {k}" for k in range(600)])
    mixed = pd.DataFrame(T.matrix, NAMES, NAMES).loc[NAMES[::-1], NAMES]
    found = find_label_issues(frame, Y, mixed, GaussianNB(), random_state=0)
    plain = find_label_issues(X, Y, T, GaussianNB(), random_state=0)
    np.testing.assert_array_equal(found["p_wrong"], plain["p_wrong"])
    assert found.index.equals(frame.index)
    counts = csr_matrix(np.round(np.abs(X)))
    assert len(find_label_issues(counts, Y, T, MultinomialNB())) == 600


def test_a_label_that_no_mistake_leads_to_is_right() -> None:
    codes = np.searchsorted(NAMES, TRUTH)
    one_way = NoiseMatrix([[0.6, 0.0, 0.0], [0.4, 1.0, 0.0], [0.0, 0.0, 1.0]])  # ant as bee
    y = NAMES[one_way.draw_labels(codes, np.random.default_rng(1))]
    found = find_label_issues(X, y, one_way, KNeighborsClassifier(25), random_state=0)
    assert (found["p_wrong"][y != "bee"] == 0).all()
    first = found[found["rank"] <= 20]
    assert (first["likeliest"] == "ant").all()
    assert (y != TRUTH)[found["rank"] <= 20].mean() > 0.9


def known(share: float) -> Findings:
    return Findings(Share(share), None, None, None, [])


def test_a_label_that_is_the_likeliest_is_not_listed() -> None:
    issues = pd.DataFrame({"label": ["a", "b", "b"], "p_wrong": [0.1, 0.75, 0.2]})
    issues = issues.assign(likeliest=["a", "a", "b"], rank=[3, 1, 2], expected_issues=0.0)
    shown = issues_text(issues, known(0.35), show=3)
    assert len(shown.splitlines()) == 4
    assert "Of the first 1, expect 0.8 (75%). Of all other labels, the likeliest is the" in shown
    everything_right = issues.assign(likeliest=issues["label"])
    assert issues_text(everything_right, known(0.0), show=3).count("\n") == 0


def test_what_does_not_fit_is_refused() -> None:
    for arguments, message in (
        ({"noise_matrix": "trusted"}, "needs clean"),
        ({"noise_matrix": T, "clean": Y}, "clean is for an estimate"),
        ({"X": csr_matrix(X)}, "X is sparse, which the learner Blend"),
    ):
        with pytest.raises(NcbenchError, match=message):
            find_label_issues(**{"X": X, "y": Y, **arguments})


def test_a_missing_label_is_named_with_its_row() -> None:
    for gap in (None, np.nan):
        labels = Y.astype(object)
        labels[7] = gap
        with pytest.raises(NcbenchError, match=rf"y\[7\] is {gap}; leave out the rows without"):
            find_label_issues(X, labels)


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_the_command_prints_the_first_ranks_and_writes_all(
    ncbench: Callable, tmp_path: Path
) -> None:
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=Y)
    table["checked"] = np.where(np.arange(600) < 100, TRUTH, None)
    table["batch"] = np.arange(600) + 7000  # left out as an id, unless asked for
    table.to_csv(tmp_path / "mine.csv", index=False)
    done = ncbench(
        *("issues", "mine.csv", "--target", "label", "--clean-column", "checked"),
        *("--keep", "batch", "--drop", "c"),
        *("--out", "issues.csv", "--show", "3", "--cpe", "logistic"),
    )
    assert done.code == 0, done.err
    assert "numbers: a, b, batch; left out: c (as asked)" in done.err
    first = done.out.splitlines()
    level = re.match(r"Wrong labels of 600: (between \d+% and \d+%: check \d+ rows)", first[0])
    assert level is not None
    assert first[0].endswith("100 checked labels are not listed.")
    fitted = ncbench(
        *("fit", "mine.csv", "--target", "label", "--clean-column", "checked", "--drop", "c"),
        *("--keep", "batch", "--out", "model.skops", "--cpe", "logistic"),
    )
    assert f"Wrong labels: {level[1]}" in fitted.out  # by the same T
    rows = [int(line.split()[1]) for line in first[3:]]
    assert min(rows) > 100  # the others were checked
    assert first[2].split()[:5] == ["rank", "row", "line", "label", "likeliest"]
    assert len(first) == 6
    assert "issues.csv, with all 600 rows" in done.err
    written = pd.read_csv(tmp_path / "issues.csv")
    assert written["rank"].tolist() == list(range(1, 601))
    assert sorted(written["row"]) == list(range(1, 601))
    np.testing.assert_array_equal(written["line"], written["row"] + 1)  # after the header
    # Rows are counted from 1: those that were checked are certain.
    checked = written[written["row"] <= 100].sort_values("row")
    np.testing.assert_array_equal(checked["p_wrong"], (Y != TRUTH)[:100])
    np.testing.assert_array_equal(written["label"], Y[written["row"] - 1])
    np.testing.assert_array_equal(written["checked"], written["row"] <= 100)
    # Where the share is a range, so is P(wrong), and nothing is promised.
    third = written[~written["checked"]].iloc[2]
    assert first[5].endswith(f"{third['p_low']:.2f} to {third['p_high']:.2f}")
    assert "expect" not in first[0]


def test_the_command_takes_a_noise_matrix_and_leaves_columns_out(
    ncbench: Callable, tmp_path: Path
) -> None:
    table = pd.DataFrame(X[:100], columns=["a", "b", "c"]).assign(label=Y[:100], leak=TRUTH[:100])
    table.to_csv(tmp_path / "mine.csv", index=False)
    pd.DataFrame(np.eye(3), np.unique(Y), np.unique(Y)).to_csv(tmp_path / "T.csv")
    options = ("--target", "label", "--drop", "leak", "--cpe", "logistic")
    done = ncbench("issues", "mine.csv", *options, "--noise-matrix", "T.csv", "--show", "1")
    assert done.code == 0, done.err
    assert "left out: leak (as asked)" in done.err
    assert done.out.startswith("About 0 of 100 labels are wrong: 0.0%. Of all other labels")
    refused = ncbench(
        "issues", "mine.csv", *options, "--noise-matrix", "T.csv", "--t-estimator", "x"
    )
    assert refused.code == 2
    assert "not allowed with" in refused.err
