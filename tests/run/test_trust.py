"""Numbers that a plug-in nobody asked for, or a careless one, cannot change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import records_in

from ncbench.files import read_json

SWIFT = ("dataset=iris", "cpe=logistic", "cpe.C=1.0", "trials=1", "cache=false")
QUICK = (*SWIFT, "algo.max_iter=20")

MEASURES = """
from ncbench import Measure, hookimpl


class TwoClasses(Measure):
    "For two classes only."

    def __call__(self, C):
        if len(C) != 2:
            raise ValueError(f"two classes are needed, not {len(C)}")
        return 1 - C[0, 0]


class Normalizes(Measure):
    "Writes into what it is given."

    def __call__(self, C):
        C /= C.sum() / 2
        return float(C[0, 0])


class NotFinite(Measure):
    "Divides by zero."

    def __call__(self, C):
        return float("nan")


class CannotBeBuilt(Measure):
    "Raises when it is built."

    def __init__(self):
        raise RuntimeError("no")

    def __call__(self, C):
        return 0.0


class Score(Measure):
    "Higher is better."

    def __call__(self, C):
        return float(C.trace())


@hookimpl
def ncbench_measures():
    return {
        "two_classes": TwoClasses, "normalizes": Normalizes, "not_finite": NotFinite,
        "cannot_be_built": CannotBeBuilt, "score": Score,
    }
"""

OTHERS = """
import numpy as np
from ncbench import MatrixNoise, NoiseMatrix, NoisyLabelClassifier, hookimpl


class WritesLabels(MatrixNoise):
    "Flips the clean labels in place."

    def matrix(self, n, sigma, rng):
        return np.eye(n)

    def corrupt(self, dataset, sigma, rng):
        dataset.y[:] = 0
        return super().corrupt(dataset, sigma, rng)


class WrongLabels(MatrixNoise):
    "Makes a label that no class has."

    def matrix(self, n, sigma, rng):
        return np.eye(n)

    def corrupt(self, dataset, sigma, rng):
        noisy = super().corrupt(dataset, sigma, rng)
        noisy.y[3] = 7
        return noisy


class WritesFeatures(NoisyLabelClassifier):
    "Scales the features in place."

    def fit(self, X, y, noise_matrix=None):
        X *= 2
        return self

    def _fit(self, X, y, noise): ...
    def _predict_proba(self, X): ...


class Thrice(NoisyLabelClassifier):
    "A mixture whose weights sum to 3."

    randomized = True

    def _fit(self, X, y, noise):
        self.n_ = noise.n

    def _predict_proba(self, X):
        return np.full((len(X), self.n_), 3 / self.n_)


class NotANumber(Thrice):
    "Diverged."

    randomized = False

    def _predict_proba(self, X):
        return np.full((len(X), self.n_), np.nan)


@hookimpl
def ncbench_noise_models():
    return {"writes_labels": WritesLabels, "wrong_labels": WrongLabels}


@hookimpl
def ncbench_algorithms():
    return {"writes_features": WritesFeatures, "thrice": Thrice, "not_a_number": NotANumber}
"""


@pytest.fixture
def record(ncbench: Callable, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    (tmp_path / "measures.py").write_text(MEASURES)
    (tmp_path / "others.py").write_text(OTHERS)

    def run(*options: str) -> dict[str, Any]:
        outcome = ncbench(*QUICK, *options)
        assert outcome.code == 0, outcome.err
        (path,) = tmp_path.rglob("record.json")
        found: dict[str, Any] = read_json(path)
        path.unlink()
        return found

    return run


def test_a_measure_nobody_asked_for_changes_nothing(record: Callable) -> None:
    plain = record()["trials"][0]
    beside = record("plugins_from=measures.py")["trials"][0]
    assert beside["losses"].pop("score") > 0.5
    assert beside["losses"] == plain["losses"]
    assert beside["confusion"] == plain["confusion"]
    assert "absent" not in plain
    assert beside["absent"] == {
        "normalizes": "ValueError: output array is read-only",
        "not_finite": f"NcbenchError: NotFinite of C = {plain['confusion']} is nan",
        "two_classes": "ValueError: two classes are needed, not 3",
    }


WRONG = {
    "algo=cpe_argmax measure": {
        "two_classes": "two classes are needed, not 3",
        "score": "measure=score: 1 if every prediction is right, and 0.333333 if all are",
    },
    "noise": {
        "writes_labels": "assignment destination is read-only",
        "wrong_labels": "noise=wrong_labels: label 7 in row 3",
    },
    "algo": {
        "writes_features": "output array is read-only",
        "thrice": "Thrice: predict_proba returned [1.0, 1.0, 1.0] for row 0",
        "not_a_number": "NotANumber: predict_proba returned [nan, nan, nan] for row 0",
    },
}


@pytest.mark.parametrize("swept", WRONG)
def test_what_would_be_wrong_quietly_fails(swept: str, ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "measures.py").write_text(MEASURES)
    (tmp_path / "others.py").write_text(OTHERS)
    *more, kind = swept.split()
    names = ",".join(WRONG[swept])
    plugins = "plugins_from=[measures.py,others.py]"
    assert ncbench("-m", *SWIFT, plugins, *more, f"{kind}={names}").code == 1
    records = records_in(tmp_path)
    assert {record["status"] for record in records} == {"failed"}
    reasons = {record["config"][kind]["name"]: record["reason"] for record in records}
    assert reasons.keys() == WRONG[swept].keys()
    for name, message in WRONG[swept].items():
        assert message in reasons[name]


ESTIMATORS = """
import dataclasses
import numpy as np
from ncbench import NoiseMatrix, hookimpl


class Peeks:
    "Returns the true T and does not say so."

    def estimate(self, sample):
        return dataclasses.replace(sample, y=sample.y.copy()).noise_matrix


class Counts:
    "Counts all clean labels and does not say so."

    def estimate(self, sample):
        examples, clean = sample.trusted(1.0)
        counts = np.eye(sample.n_classes)
        np.add.at(counts, (sample.y[examples], clean), 1)
        return NoiseMatrix(counts / counts.sum(axis=0))


class Declares(Counts):
    "Counts all clean labels and says so."

    needs = ("clean_labels",)


class Misspelled(Counts):
    needs = ("clean_label",)


@hookimpl
def ncbench_t_estimators():
    return {
        "peeks": Peeks, "counts": Counts, "declares": Declares,
        "misspelled": Misspelled,
    }
"""


UNDECLARED = {
    "peeks": "Peeks uses the true noise matrix, but does not declare this; give it the attribute "
    'needs = ("noise_matrix",)',
    "counts": "Counts uses clean labels of training examples, but does not declare this; give it "
    'the attribute needs = ("clean_labels",)',
    "misspelled": "did you mean 'clean_labels'",
}


def test_an_estimator_is_not_given_a_truth_that_it_does_not_declare(
    ncbench: Callable, tmp_path: Path
) -> None:
    for name in UNDECLARED:
        (tmp_path / "estimators.py").write_text(ESTIMATORS)
        outcome = ncbench(*QUICK, "plugins_from=estimators.py", f"t_estimator={name}")
        assert outcome.code == 2
        assert UNDECLARED[name] in outcome.err
        assert "Traceback" not in outcome.err
        assert not list(tmp_path.rglob("record.json"))


def test_what_an_estimator_was_told_is_in_the_record(ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "estimators.py").write_text(ESTIMATORS)
    told = {
        "known": {"noise_matrix": True},
        "declares": {"clean_labels": 105},
        "trusted": {"clean_labels": 10},
        "identity": {},
    }
    names = ",".join(told)
    done = ncbench("-m", *QUICK, "plugins_from=estimators.py", f"t_estimator={names}")
    assert done.code == 0, done.out
    found = {
        record["config"]["t_estimator"]["name"]: record["trials"][0]["told"]
        for record in records_in(tmp_path)
    }
    assert found == {name: {"t_estimator": what} for name, what in told.items()}


ASKS = """
import numpy as np
from ncbench import NoisyLabelClassifier, hookimpl


class Asks(NoisyLabelClassifier):
    "Predicts the most frequent clean label of a tenth."

    needs = ("clean_labels", "unlabeled")

    def fit(self, X, y, noise_matrix=None, clean_labels=None, unlabeled=None):
        examples, clean = clean_labels.of_share(0.1)
        self.most_ = np.bincount(clean).argmax()
        self.diagnostics_ = {"trusted": len(examples), "unlabeled": len(unlabeled)}
        return super().fit(X, y, noise_matrix)

    def _fit(self, X, y, noise):
        self.n_ = noise.n

    def _predict_proba(self, X):
        return np.eye(self.n_)[np.full(len(X), self.most_)]


class DoesNotAsk(Asks):
    "Is not given what it does not ask for."

    needs = ()


class AsksForT(Asks):
    "An algorithm is given an estimate of T."

    needs = ("noise_matrix",)


@hookimpl
def ncbench_algorithms():
    return {"asks": Asks, "does_not_ask": DoesNotAsk, "asks_for_t": AsksForT}
"""


def test_an_algorithm_is_given_what_it_asks_for_and_nothing_else(
    ncbench: Callable, tmp_path: Path
) -> None:
    (tmp_path / "asks.py").write_text(ASKS)
    options = ("plugins_from=asks.py", *SWIFT)
    assert ncbench(*options, "algo=asks", "t_estimator=identity").code == 0
    (record,) = records_in(tmp_path)
    (trial,) = record["trials"]
    assert trial["told"] == {"t_estimator": {}, "algo": {"clean_labels": 10, "unlabeled": 0}}
    assert trial["diagnostics"] == {"trusted": 10, "unlabeled": 0}
    table = ncbench("aggregate", "outputs").out
    assert "Told the truth: algo=asks (clean_labels)" in table
    with pytest.raises(AttributeError, match="of_share"):
        ncbench(*options, "algo=does_not_ask")
    refused = ncbench(*options, "algo=asks_for_t")
    assert refused.code == 2
    assert "needs noise_matrix, which only T estimators are given" in refused.err
