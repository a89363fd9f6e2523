"""Lemmas 18, 19, 22 and 23, and the terms of the regret bounds in records."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from known_problem import masses, measure, random_noise, seeds

from ncbench import NcbenchError, NoiseMatrix
from ncbench.core.confusion import expected_confusion
from ncbench.plugin import get_registry
from ncbench.theory import op1_terms, op2_terms
from ncbench_plugins.datasets import synthetic

# --- Correcting psi, and the lemmas -----------------------------------------------------------


@given(seeds, st.integers(2, 6), st.booleans())
def test_lemmas_18_and_22(seed: int, n: int, known: bool) -> None:
    rng = np.random.default_rng(seed)
    noise = random_noise(n, rng)
    used = noise if known else random_noise(n, rng)
    eta, estimate = rng.dirichlet(np.ones(n), size=(2, 20))
    terms = op1_terms(estimate, eta, noise, used)
    inverse, used_inverse = np.linalg.inv(noise.matrix), np.linalg.inv(used.matrix)
    left = np.mean([np.abs(used_inverse @ e - c).sum() for e, c in zip(estimate, eta, strict=True)])
    cpe = np.mean([np.abs(e - noise.matrix @ c).sum() for e, c in zip(estimate, eta, strict=True)])
    right = np.linalg.norm(inverse, 1) * cpe + np.linalg.norm(used_inverse - inverse, 1)
    assert terms["op1"] == pytest.approx(left)
    assert terms["op1_bound"] == pytest.approx(right)
    assert left <= right * (1 + 1e-12)


@given(seeds, st.integers(2, 6), st.booleans())
def test_lemmas_19_and_23(seed: int, n: int, known: bool) -> None:
    rng = np.random.default_rng(seed)
    noise = random_noise(n, rng)
    used = noise if known else random_noise(n, rng)
    C = rng.dirichlet(np.ones(n * n)).reshape(n, n)
    sample = rng.multinomial(50, (noise.matrix @ C).ravel()).reshape(n, n) / 50
    terms = op2_terms(sample, C, noise, used)
    inverse, used_inverse = np.linalg.inv(noise.matrix), np.linalg.inv(used.matrix)
    left = np.abs(C - used_inverse @ sample).max()
    right = n * np.linalg.norm(inverse, 1) * np.abs(noise.matrix @ C - sample).max()
    right += np.linalg.norm(used_inverse - inverse, 1)
    assert terms["op2"] == pytest.approx(left)
    assert terms["op2_bound"] == pytest.approx(right)
    assert left <= right * (1 + 1e-12)


def test_lemma_18_cannot_be_improved() -> None:
    # An error along the class whose column of T^-1 is largest is magnified by all of ||T^-1||_1.
    noise = NoiseMatrix([[0.9, 0.3], [0.1, 0.7]])
    eta = np.array([[0.5, 0.5]])
    worst = int(np.abs(np.linalg.inv(noise.matrix)).sum(axis=0).argmax())
    terms = op1_terms(noise.corrupt_posterior(eta) + 0.1 * np.eye(2)[worst], eta, noise, noise)
    assert terms["op1"] == pytest.approx(terms["op1_bound"])


# --- Measured in runs -------------------------------------------------------------------------


def run(ncbench: Callable, tmp_path: Path, *options: str) -> dict[str, Any]:
    """Return the terms of one trial."""
    small = ("trials=1", "dataset.train=400", "dataset.test=400", "noise=symmetric", "sigma=0.3")
    if not any(option.startswith("dataset=") for option in options):
        options = (*small, *options)
    assert ncbench("cpe=logistic", *options, "theory=true").code == 0
    newest = max(tmp_path.rglob("record.json"), key=lambda path: path.stat().st_mtime_ns)
    terms: dict[str, Any] = json.loads(newest.read_text())["trials"][0]["theory"]
    return terms


def test_a_run_on_synthetic_records_the_terms(ncbench: Callable, tmp_path: Path) -> None:
    terms = run(ncbench, tmp_path, "algo=ncfw", "algo.max_iter=50", "measure=q_mean")
    C = np.array(terms["confusion"])
    np.testing.assert_allclose(C.sum(axis=1), masses()(45.0), atol=1e-5)
    assert 0.5256 < measure("q_mean")(C) < 0.8  # not below what is possible
    assert terms["inverse_norm"] == pytest.approx(2.091, abs=1e-3)
    assert terms["inverse_error"] == 0
    # For symmetric T and rows that sum to 0, T^-1 is a multiple: 1 / (1 - 1.5 sigma).
    assert terms["op1"] == pytest.approx(terms["cpe_error"] / 0.55)
    assert terms["op1"] <= terms["op1_bound"] == pytest.approx(2.0909091 * terms["cpe_error"])
    assert terms["op2"] <= terms["op2_bound"] == pytest.approx(3 * 2.0909091 * terms["op2_error"])
    assert terms["op2_error"] < 0.15  # 400 examples


def test_the_confusion_matrix_of_op2_is_the_classifiers(ncbench: Callable) -> None:
    # With all of the sample for both, OP2's estimate can be computed from outside.
    data = synthetic.synthetic(np.random.default_rng(0), train=300, test=300)
    for name, psi in (("ncfw", "h_mean"), ("ncbs", "micro_f1")):
        algorithm = get_registry().build(
            "algo", name, measure=psi, cpe=None, random_state=0, sample_split="none", max_iter=30
        )
        noise = NoiseMatrix([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
        algorithm.fit(data.X, data.y, noise_matrix=noise)
        expected = expected_confusion(data.y, algorithm.predict_proba(data.X))
        np.testing.assert_allclose(algorithm.confusion_, expected, atol=1e-12)


def test_what_is_corrected_for_counts(ncbench: Callable, tmp_path: Path) -> None:
    # FW corrects nothing, whatever it is told: Lemmas 22 and 23 with T^ = I.
    terms = run(ncbench, tmp_path, "algo=fw", "algo.max_iter=50", "measure=q_mean")
    inverse = np.linalg.inv(np.full((3, 3), 0.15) + 0.55 * np.eye(3))
    assert terms["inverse_error"] == pytest.approx(np.linalg.norm(inverse - np.eye(3), 1))
    assert terms["op1"] <= terms["op1_bound"]
    assert terms["op2"] <= terms["op2_bound"]


def test_terms_where_there_is_less_to_measure(ncbench: Callable, tmp_path: Path) -> None:
    # NCLR has no noisy class probabilities of its own, and real data no known distribution.
    terms = run(ncbench, tmp_path, "algo=nclr_forward", "measure=zero_one")
    assert sorted(terms) == ["confusion", "inverse_norm"]
    assert run(ncbench, tmp_path, "dataset=iris", "algo=cpe_argmax", "trials=1") is None


def test_a_sample_may_lack_a_rare_class() -> None:
    for algo in ("ncfw", "fw", "nclr_backward", "nclr_forward", "nclr_plugin"):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 2))
        y = np.where(X[:, 0] > 0, 2, 0)  # class 1 of three is absent
        T = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
        fitted = (
            get_registry().build("algo", algo, cpe=None, random_state=0).fit(X, y, noise_matrix=T)
        )
        assert fitted.classes_.tolist() == [0, 1, 2]
        distribution = fitted.predict_proba(X)
        assert distribution.shape == (60, 3)
        np.testing.assert_allclose(distribution.sum(axis=1), 1)
        assert set(fitted.predict(X)) >= {0, 2}
        # Labels that are no numbers of classes cannot be placed.
        with pytest.raises(NcbenchError, match="does not fit 2 classes"):
            get_registry().build("algo", "ncfw").fit(X, y.astype(str), noise_matrix=T)
