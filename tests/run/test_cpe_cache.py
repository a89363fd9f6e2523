"""Sharing CPE probabilities: one fit, the same numbers, no damage."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from ncbench.run.cache import SharedCPE, code_of_plugin, hash_of_code

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)


def shared(folder: Path, identity: str = "lr", limit: float = 1.0) -> SharedCPE:
    return SharedCPE(LogisticRegression(), identity, str(folder), limit).fit(X, Y)


def test_the_second_asks_without_fitting_and_gets_the_same(tmp_path: Path) -> None:
    plain = LogisticRegression().fit(X, Y).predict_proba(X)
    first, second = shared(tmp_path), shared(tmp_path)
    np.testing.assert_array_equal(first.predict_proba(X), plain)
    np.testing.assert_array_equal(second.predict_proba(X), plain)
    assert (first.fits_, second.fits_) == (1, 0)
    np.testing.assert_array_equal(second.classes_, [0, 1])


def test_other_data_labels_examples_or_learners_are_other_entries(tmp_path: Path) -> None:
    shared(tmp_path).predict_proba(X)
    asked = [
        (SharedCPE(LogisticRegression(), "lr", str(tmp_path)).fit(X + 1, Y), X),
        (SharedCPE(LogisticRegression(), "lr", str(tmp_path)).fit(X, 1 - Y), X),
        (shared(tmp_path), X[:10]),
        (shared(tmp_path, identity="lr with other parameters"), X),
    ]
    for cpe, examples in asked:
        cpe.predict_proba(examples)
        assert cpe.fits_ == 1
    assert len(list(tmp_path.glob("*.npy"))) == 5


def test_one_that_renews_fits_and_replaces_what_is_there(tmp_path: Path) -> None:
    expected = shared(tmp_path).predict_proba(X)
    (entry,) = tmp_path.glob("*.npy")
    np.save(entry, np.zeros_like(expected))  # as if an older state of the learner's code gave it
    renewed = SharedCPE(LogisticRegression(), "lr", str(tmp_path), renew=True).fit(X, Y)
    np.testing.assert_array_equal(renewed.predict_proba(X), expected)
    assert renewed.fits_ == 1
    np.testing.assert_array_equal(shared(tmp_path).predict_proba(X), expected)


def test_an_edit_in_any_file_of_the_package_is_another_learner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "own_learners"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "helper.py").write_text("SMOOTHING = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = hash_of_code.__wrapped__("own_learners")
    assert hash_of_code.__wrapped__("own_learners") == before
    (package / "helper.py").write_text("SMOOTHING = 2\n")
    assert hash_of_code.__wrapped__("own_learners") != before
    assert hash_of_code.__wrapped__("__main__")  # that of the core alone


def test_a_candidate_of_a_selection_is_kept_under_its_own_code(tmp_path: Path) -> None:
    first = shared(tmp_path).alike(LogisticRegression(), "logistic")
    assert code_of_plugin("cpe", "logistic") in first.identity
    assert first.identity != shared(tmp_path).alike(LogisticRegression(), "forward").identity


DAMAGE = {
    "empty": lambda content: b"",
    "cut": lambda content: content[:-20],
    "a flipped bit": lambda content: content[:-40] + bytes([content[-40] ^ 1]) + content[-39:],
    "no array": lambda content: b"nonsense",
    "without its checksum": lambda content: content[:-16],
}


def test_a_damaged_entry_is_computed_again_with_a_notice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for damage in DAMAGE:
        folder = tmp_path / damage  # a file is pointed out once
        first = shared(folder).predict_proba(X)
        (entry,) = folder.glob("*.npy")
        entry.write_bytes(DAMAGE[damage](entry.read_bytes()))
        again = shared(folder)
        np.testing.assert_array_equal(again.predict_proba(X), first)
        assert again.fits_ == 1
        assert f"{entry}: its checksum is wrong; computed again" in capsys.readouterr().err
        third = shared(folder)
        np.testing.assert_array_equal(third.predict_proba(X), first)
        assert third.fits_ == 0


def test_a_folder_in_the_place_of_an_entry_costs_time_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = shared(tmp_path).predict_proba(X)
    (entry,) = tmp_path.glob("*.npy")
    entry.unlink()
    entry.mkdir()
    np.testing.assert_array_equal(shared(tmp_path).predict_proba(X), first)
    assert "computed again" in capsys.readouterr().err


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    size = shared(tmp_path).predict_proba(X).nbytes + 128  # with the header of the file
    (old,) = tmp_path.glob("*.npy")
    os.utime(old, (0, 0))
    limit = 2.5 * size / 1e9
    for k in range(1, 4):
        shared(tmp_path, f"lr {k}", limit).predict_proba(X)
        for age, path in enumerate(sorted(tmp_path.glob("*.npy"), key=os.path.getmtime)):
            os.utime(path, (age + k, age + k))
    assert not old.exists()
    assert len(list(tmp_path.glob("*.npy"))) == 2


def test_it_can_be_cloned(tmp_path: Path) -> None:
    copy = clone(shared(tmp_path))
    assert copy.get_params()["identity"] == "lr"


def ask(folder: str, answers: Any) -> None:
    X = np.random.default_rng(0).normal(size=(20000, 30))
    cpe = SharedCPE(LogisticRegression(), "lr", folder).fit(X, (X[:, 0] > 0).astype(int))
    answers.put((cpe.predict_proba(X).sum(), cpe.fits_))


def test_processes_that_want_the_same_entry_share_one_fit(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")  # a new one would import scikit-learn
    answers = context.Queue()
    asking = [context.Process(target=ask, args=(str(tmp_path), answers)) for _ in range(3)]
    for process in asking:
        process.start()
    found = [answers.get(timeout=120) for _ in asking]
    for process in asking:
        process.join(timeout=120)
    assert sorted(fits for _, fits in found) == [0, 0, 1]
    assert len({total for total, _ in found}) == 1
    assert [path.suffix for path in tmp_path.iterdir()] == [".npy"]  # no temporary file, no lock
