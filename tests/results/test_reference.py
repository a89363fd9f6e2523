"""``ncbench compare``: our means beside a published table."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_up import record, tidy
from made_up_files import put
from needs import shared
from scipy import stats

from ncbench.results.reference import Comparison, read_reference

COLUMNS = ["measure", "dataset", "algo", "sigma"]
KEYS = "measure,dataset,algo,sigma,mean,sem\n"


def write(folder: Path, algo: str, sigma: float, losses: list[float], status: str = "done") -> None:
    """Write a record of two trials, say: their mean, and a standard error that is known."""
    named = {"measure": "h_mean", "dataset": "iris", "algo": algo}
    config = {**{key: {"name": name} for key, name in named.items()}, "sigma": sigma}
    trials = [{"trial": k, "losses": {"h_mean": loss}} for k, loss in enumerate(losses)]
    path = folder / "cells" / f"{algo}-{sigma}" / "record.json"
    put(path, {"status": status, "config": config, "trials": trials, "reason": "because"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return records with mean 0.30 and standard error 0.03 (ddof 1), one failed, one alone."""
    for algo in ("a", "b", "c"):
        write(tmp_path, algo, 0.1, [0.27, 0.33])
    write(tmp_path, "d", 0.1, [], status="failed")
    write(tmp_path, "alone", 0.1, [0.5, 0.5])
    rows = [
        "h_mean,iris,a,0.10,0.36,0.04",  # (0.30 - 0.36) / sqrt(0.03^2 + 0.04^2) = -1.2
        "h_mean,iris,b,0.1,0.34,0.04",  # -0.8
        "h_mean,iris,c,0.1,0.20,0.04",  # +2
        "h_mean,iris,d,0.1,0.20,0.04",
        "h_mean,iris,e,0.1,0.20,0.04",
    ]
    (tmp_path / "theirs.csv").write_text(KEYS + "\n".join(rows) + "\n")
    return tmp_path


def cells(ncbench: Callable, *options: str) -> pd.DataFrame:
    out = ncbench("compare", ".", "--reference", "theirs.csv", "--format", "json", *options).out
    return pd.DataFrame(json.loads(out)).set_index("algo")


def test_differences_in_standard_errors(ncbench: Callable, folder: Path) -> None:
    found = cells(ncbench)
    assert found["verdict"].to_dict() == {
        "a": "lower",
        "b": "lower",
        "c": "higher",
        "d": "failed",
        "e": "not present",
    }
    assert found["in_errors"].tolist()[:3] == pytest.approx([-1.2, -0.8, 2])
    assert found["difference"].tolist()[:3] == pytest.approx([-0.06, -0.04, 0.1])
    assert found["ours"].isna().tolist() == [False, False, False, True, True]


def test_other_rules(ncbench: Callable, folder: Path) -> None:
    assert cells(ncbench, "--errors", "theirs")["in_errors"]["a"] == pytest.approx(-1.5)
    assert cells(ncbench, "--errors", "ours")["in_errors"]["a"] == pytest.approx(-2)
    # With ddof 0 the standard error of two values is 1/sqrt(2) of that with ddof 1.
    ddof_0 = cells(ncbench, "--errors", "ours", "--ddof", "0")["in_errors"]["a"]
    assert ddof_0 == pytest.approx(-2 * math.sqrt(2))


def test_the_table_counts_and_says_what_it_counts(ncbench: Callable, folder: Path) -> None:
    for form in ("table", "md", "tex"):
        out = ncbench("compare", ".", "--reference", "theirs.csv", "--format", form).out
        assert (
            "0 ahead, 2 lower, 1 higher, 0 behind, 1 not present, 1 failed; 1 of ours is not" in out
        )
        assert "sqrt(ours^2 + theirs^2)" in out.replace("\\textasciicircum{}", "^").replace(
            "\\", ""
        )
        assert "ddof 1" in out


def test_keys_of_ones_own_are_matched_too(ncbench: Callable, folder: Path) -> None:
    for path in list(folder.rglob("record.json")):
        content = json.loads(path.read_text())
        content["config"]["seed"] = 0
        path.write_text(json.dumps(content))
        content["config"]["seed"] = 1
        copy = folder / "cells" / f"{path.parent.name}-again" / "record.json"
        put(copy, {**content, "id": copy.parent.name})
    found = cells(ncbench)  # both answer a row that does not say which seed
    assert found["verdict"].tolist().count("higher") == 2
    text = (folder / "theirs.csv").read_text().replace("\n", ",1\n").replace("sem,1", "sem,seed", 1)
    (folder / "theirs.csv").write_text(text)
    found = cells(ncbench)
    assert found["verdict"].tolist().count("higher") == 1
    assert set(found["seed"].astype(str)) == {"1"}


def test_the_papers_tables(ncbench: Callable, folder: Path) -> None:
    # The paper has 0.254 (0.007) for NCFW, beside which nc_selected stands, too.
    for algo, losses in {"ncfw": [0.200, 0.220], "nc_selected": [0.29, 0.31]}.items():
        write(folder, algo, 0.1, losses)
        path = next(folder.rglob(f"{algo}-0.1/record.json"))
        path.write_text(path.read_text().replace("iris", "vehicle"))
    write(folder, "fw", 0.1, [0.1, 0.1])
    path = next(folder.rglob("fw-0.1/record.json"))
    path.write_text(path.read_text().replace("iris", "vehicle").replace("h_mean", "q_mean"))
    out = ncbench("compare", ".", "--reference", "paper").out
    first, second = out.partition("Table 6: Q-mean\n")[::2]
    assert first.startswith("Table 2: H-mean\n")
    assert "0.210 (0.010)  0.254 (0.007)  -0.044      -3.6  lower" in first
    assert "0.300 (0.010)  0.254 (0.007)  +0.046      +3.8  higher" in first
    assert "fw  " in second
    assert "Of 480 cells: 0 ahead, 2 lower, 1 higher, 0 behind, 477 not present; 5 of" in out
    only = ("--where", "measure=h_mean", "dataset=vehicle", "algo=ncfw")
    out = ncbench("compare", ".", "--reference", "paper", *only).out
    assert "Of 4 cells: 0 ahead, 1 lower, 0 higher, 0 behind, 3 not present." in out


def test_the_published_numbers_are_the_papers() -> None:
    ours = read_reference("paper")
    ours = ours[ours["algo"] != "nc_selected"].drop(columns="table").sort_values(COLUMNS)
    theirs = pd.read_csv(shared("paper/tables.csv")).drop(columns="bold").sort_values(COLUMNS)
    pd.testing.assert_frame_equal(
        ours.reset_index(drop=True), theirs.reset_index(drop=True), check_dtype=False
    )


BAD = {
    "no column": ("measure,dataset,algo,mean\n", ["sigma, sem", "measure, dataset, algo, mean"]),
    "no number": (KEYS + "h_mean,iris,a,0.1,0.3 (0.1),0.1\n", ["line 2", "mean is '0.3 (0.1)'"]),
    "no sigma": (KEYS + "h_mean,iris,a,,0.3,0.1\n", ["line 2", "sigma is ''"]),
    "nan": (KEYS + "h_mean,iris,a,0.1,0.3,nan\n", ["line 2", "sem is 'nan'"]),
    "negative": (KEYS + "h_mean,iris,a,0.1,0.3,-1\n", ["sem is '-1'"]),
    "twice": (KEYS + "h_mean,iris,a,0.1,0.3,0.1\n" * 2, ["two rows", "algo=a sigma=0.1"]),
    "another": (KEYS + "h_mean,wine,a,0.1,0.3,0.1\n", ["no cell of the reference", "dataset=wine"]),
    "empty": ("", ["not CSV"]),
    "no rows": (KEYS, ["no row"]),
    "not text": ("\x00\x01", ["NUL bytes"]),
    "longer": (KEYS + "h_mean,iris,a,0.1,0.3,0.1,\n", ["line 2 has 7 fields"]),
}


def test_a_bad_reference_is_refused(ncbench: Callable, folder: Path) -> None:
    for case, (content, fragments) in BAD.items():
        (folder / "theirs.csv").write_text(content)
        outcome = ncbench("compare", ".", "--reference", "theirs.csv")
        assert (outcome.code, outcome.out) == (2, ""), case
        assert "Traceback" not in outcome.err, case
        assert [said for said in fragments if said not in outcome.err] == [], case


def test_no_reference_and_no_folder(ncbench: Callable, folder: Path) -> None:
    assert "no such file" in ncbench("compare", ".", "--reference", "nowhere.csv").err
    assert "no such folder" in ncbench("compare", "nowhere", "--reference", "theirs.csv").err
    assert ncbench("compare", ".").code == 2


def test_keys_that_were_not_swept_are_matched_too(ncbench: Callable, folder: Path) -> None:
    for path in folder.rglob("record.json"):
        record = json.loads(path.read_text())
        record["config"] |= {"cpe": {"name": "logistic", "tol": 0.0001}}
        path.write_text(json.dumps(record))
    lines = (folder / "theirs.csv").read_text().splitlines()
    cpe = ["cpe,cpe.tol,note", *["boosting,1e-4,x", "logistic,1e-4,y"] * 2, "logistic,1e-4,z"]
    lines = [f"{line},{more}" for line, more in zip(lines, cpe, strict=True)]
    (folder / "theirs.csv").write_text("\n".join(lines) + "\n")
    assert cells(ncbench)["verdict"].to_dict() == {
        "a": "not present",
        "b": "lower",
        "c": "not present",
        "d": "failed",
        "e": "not present",
    }


def test_one_trial_is_never_beyond_chance(ncbench: Callable, folder: Path) -> None:
    write(folder, "e", 0.1, [0.1])
    for errors in ("combined", "ours", "theirs"):
        found = cells(ncbench, "--errors", errors)
        assert found["verdict"]["e"] == "lower"
        assert math.isnan(found["p_holm"]["e"])
        assert math.isnan(found["in_errors"]["e"]) == (errors != "theirs")
        assert found["difference"]["e"] == pytest.approx(-0.1)
    out = ncbench("compare", ".", "--reference", "theirs.csv").out
    assert "0 ahead, 3 lower, 1 higher, 0 behind, 0 not present, 1 failed" in out
    assert "inf" not in out
    assert "nan" not in out


def frame_of(losses: list[list[float]], **sizes: int) -> pd.DataFrame:
    records = [record(each, sigma=k / 10) for k, each in enumerate(losses)]
    for each in records:
        each["trials"] = [trial | sizes for trial in each["trials"]]
    return tidy(records)


def published(means: list[float], sem: float) -> pd.DataFrame:
    named = {"measure": "h_mean", "dataset": "iris", "algo": "ncfw"}
    return pd.DataFrame({**named, "sigma": np.arange(len(means)) / 10, "mean": means, "sem": sem})


def test_the_verdict_allows_for_overlap_and_for_many_cells() -> None:
    losses = [0.28, 0.29, 0.30, 0.31, 0.32]  # s^2 = 0.00025, so the standard error is sqrt(0.00005)
    error = math.sqrt(2 * 0.00005)  # of the difference, if theirs is as large
    theirs = published([0.30 + 4.5 * error, 0.30, 0.30], math.sqrt(0.00005))
    alone = Comparison.of(frame_of([losses]), theirs[:1])
    assert alone.cells["in_errors"].tolist() == pytest.approx([-4.5])
    assert alone.cells["p_holm"].tolist() == pytest.approx([2 * stats.t.sf(4.5, 4)])
    assert alone.cells["verdict"].tolist() == ["ahead"]
    overlapping = Comparison.of(frame_of([losses], train_size=70, test_size=30), theirs[:1])
    wider = math.sqrt(1 + 5 * 3 / 7)
    assert overlapping.cells["ours_sem"].tolist() == pytest.approx(
        [math.sqrt(0.00005)]
    )  # as theirs
    assert overlapping.cells["p_holm"].tolist() == pytest.approx([2 * stats.t.sf(4.5 / wider, 4)])
    assert overlapping.cells["verdict"].tolist() == ["lower"]
    among_others = Comparison.of(frame_of([losses] * 3), theirs)
    assert among_others.cells["p_holm"][0] == pytest.approx(3 * 2 * stats.t.sf(4.5, 4))
    assert among_others.cells["verdict"].tolist() == ["ahead", "equal", "equal"]
    assert "for 3 cells" in among_others.definition


@pytest.mark.slow(reason="simulates many tables")
def test_equal_methods_seldom_have_a_verdict() -> None:
    # Both tables have the same expected losses; one standard error gave 40 to 60% of cells a
    # verdict.
    rng = np.random.default_rng(0)
    verdicts = []
    for _ in range(200):
        # Losses over five 70:30 splits: correlated by the test parts they share.
        both = rng.normal(0.3, 0.02, (2, 5)) + rng.normal(0, 0.02 * math.sqrt(3 / 7), (2, 1))
        theirs = published([both[1].mean()], both[1].std(ddof=1) / math.sqrt(5))
        ours = frame_of([both[0].tolist()], train_size=70, test_size=30)
        verdicts += Comparison.of(ours, theirs).cells["verdict"].tolist()
    assert sum(verdict in ("ahead", "behind") for verdict in verdicts) <= 0.06 * 200
