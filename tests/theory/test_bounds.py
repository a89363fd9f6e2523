"""The paper's theory: optimal losses, Theorem 11, Lemmas 18, 19, 22 and 23, and records."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy.integrate import cumulative_simpson
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize
from scipy.stats import norm

from ncbench import NcbenchError, NoiseMatrix
from ncbench.core.confusion import expected_confusion
from ncbench.core.measure import Measure
from ncbench.errors import NotApplicable
from ncbench.plugin.registry import get_registry
from ncbench.report.figures.regret import draw
from ncbench.results.regret import CURVE, curve_keys, slopes, terms
from ncbench.theory.bayes import bayes_optimal
from ncbench.theory.bounds import op1_terms, op2_terms
from ncbench.types import Array
from ncbench_plugins.datasets import synthetic

seeds = st.integers(0, 2**32 - 1)
relaxed = settings(max_examples=50, deadline=None)

OPTIMISABLE = ["h_mean", "q_mean", "g_mean", "balanced_error", "micro_f1", "zero_one"]


def measure(name: str) -> Measure:
    psi: Measure = get_registry().build("measure", name)
    return psi


def random_noise(n: int, rng: np.random.Generator) -> NoiseMatrix:
    """Return a T that can be inverted well."""
    return NoiseMatrix(0.5 * np.eye(n) + 0.5 * rng.dirichlet(np.ones(n), size=n).T)


# --- Bayes-optimal losses ---------------------------------------------------------------------


@lru_cache
def masses() -> CubicSpline:
    """Return t -> (P(Y = i, s <= t))_i, with s = x1 + x2, on which alone eta depends."""
    s = np.linspace(-40, 45, 20_001)
    centres, deviation = synthetic.MEANS.sum(axis=1), np.sqrt(2 * synthetic.VARIANCE)
    density = np.mean([norm.pdf(s, centre, deviation) for centre in centres], axis=0)
    eta = synthetic.posterior(np.column_stack([s / 2, s / 2]))
    return CubicSpline(s, cumulative_simpson(eta * density[:, None], x=s, axis=0, initial=0))


def loss_of_thresholds(psi: Measure, thresholds: Array) -> float:
    """Return psi of: class 2 below the first threshold, class 1 to the second, class 0 above.

    By decreasing weight of s in their logits: every cost-sensitive optimum has this form.
    """
    low, high = sorted(thresholds)
    below, upto, everything = masses()(low), masses()(max(high, low)), masses()(45.0)
    return psi(np.column_stack([everything - upto, upto - below, below]))


def by_thresholds(psi: Measure) -> float:
    """Search all threshold classifiers: a grid, then the simplex method."""
    grid = np.linspace(-12, 14, 40)
    pairs = [np.array(pair) for pair in product(grid, grid) if pair[0] <= pair[1]]
    best = min(pairs, key=lambda pair: loss_of_thresholds(psi, pair))
    options = {"xatol": 1e-7, "fatol": 1e-12}
    found = minimize(
        lambda pair: loss_of_thresholds(psi, pair), best, method="Nelder-Mead", options=options
    )
    return float(found.fun)


@pytest.mark.parametrize("name", OPTIMISABLE)
def test_optimal_losses_on_synthetic_by_two_methods(name: str) -> None:
    psi = measure(name)
    coarse, fine = (
        bayes_optimal(psi, synthetic.posterior(synthetic.population(k))) for k in (20_000, 80_000)
    )
    assert fine.gap <= 1e-6
    assert abs(fine.value - coarse.value) < 1e-5
    assert fine.value == pytest.approx(by_thresholds(psi), abs=1e-5)
    published = {"q_mean": 0.526, "micro_f1": 0.783}  # with the fitted constants
    if name in published:
        assert fine.value == pytest.approx(published[name], abs=0.002)


@relaxed
@given(seeds, st.sampled_from(["micro_f1", "zero_one"]), st.integers(2, 3), st.integers(1, 5))
def test_optimum_against_every_classifier(seed: int, name: str, n: int, points: int) -> None:
    # A ratio of linear functions has a deterministic optimum.
    eta = np.random.default_rng(seed).dirichlet(np.ones(n), size=points)
    psi = measure(name)
    everyone = (eta.T @ np.eye(n)[list(h)] / points for h in product(range(n), repeat=points))
    optimum = bayes_optimal(psi, eta)
    assert optimum.value == pytest.approx(min(psi(C) for C in everyone), abs=1e-6)
    assert psi(eta.T @ optimum.classifier.distribution(eta) / points) == optimum.value


@settings(max_examples=6, deadline=None)
@given(seeds, st.sampled_from(["h_mean", "q_mean", "g_mean"]))
def test_optimum_against_a_grid_of_randomized_classifiers(seed: int, name: str) -> None:
    # Two kinds of points, two classes: h is a pair of probabilities.
    eta = np.random.default_rng(seed).dirichlet(np.ones(2), size=2)
    psi = measure(name)
    grid = np.linspace(0, 1, 41)
    losses = [psi(eta.T @ np.array([[a, 1 - a], [b, 1 - b]]) / 2) for a, b in product(grid, grid)]
    optimum = bayes_optimal(psi, eta)
    assert optimum.value <= min(losses) + 1e-6
    assert optimum.value - optimum.gap >= min(losses) - 0.05  # the step of the grid
    reached = psi(eta.T @ optimum.classifier.distribution(eta) / 2)
    assert reached == pytest.approx(optimum.value, abs=1e-9)


def test_a_measure_that_is_only_reported_has_no_optimum() -> None:
    with pytest.raises(NotApplicable, match="MacroF1"):
        bayes_optimal(measure("macro_f1"), np.full((2, 2), 0.5))


def test_the_population_is_the_distribution() -> None:
    X = synthetic.population(20_000)
    # Of the mixture: the mean of the centres, and VARIANCE plus the centres' own spread.
    np.testing.assert_allclose(X.mean(axis=0), [0.8, 0.8], atol=1e-3)
    covariance = synthetic.VARIANCE * np.eye(2) + 1.12**2
    np.testing.assert_allclose(np.cov(X.T), covariance, atol=0.01)
    np.testing.assert_allclose(synthetic.posterior(X).mean(axis=0), masses()(45.0), atol=1e-5)


# --- Correcting psi, and the lemmas -----------------------------------------------------------


@relaxed
@given(seeds, st.integers(2, 3), st.integers(1, 5))
def test_theorem_11_the_optimum_of_corrected_psi_is_optimal_on_clean_data(
    seed: int, n: int, points: int
) -> None:
    rng = np.random.default_rng(seed)
    noise = random_noise(n, rng)
    joint = rng.dirichlet(np.ones(points * n)).reshape(points, n)
    A, B = rng.random((n, n)), 0.1 + rng.random((n, n))
    corrected_A, corrected_B = noise.correct_loss(A), noise.correct_loss(B)
    clean, corrected = [], []
    for h in product(range(n), repeat=points):
        C = joint.T @ np.eye(n)[list(h)]
        noisy = noise.matrix @ C
        assert np.sum(corrected_B * noisy) > 0
        clean.append(np.sum(A * C) / np.sum(B * C))
        corrected.append(np.sum(corrected_A * noisy) / np.sum(corrected_B * noisy))
    # psi~ = psi o T^-1 as a function, and so the same classifiers are optimal.
    np.testing.assert_allclose(corrected, clean, rtol=1e-9)
    assert clean[int(np.argmin(corrected))] == pytest.approx(min(clean), rel=1e-9)


@relaxed
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


@relaxed
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
    assert ncbench(*options, "theory=true").code == 0
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


def test_theory_prints_the_terms_and_draws(ncbench: Callable, tmp_path: Path) -> None:
    options = ("algo=ncbs", "measure=micro_f1", "noise=symmetric", "trials=2", "dataset.test=300")
    options = (*options, "cpe=logistic", "cpe.C=1.0", "theory=true")
    assert ncbench(*options, "dataset.train=200").code == 0
    one = ncbench("theory", "outputs", "--figures", "figures").out
    assert "No slope of the regret: that takes two or more sample sizes" in one
    assert "Empty" not in one
    assert ncbench(*options, "dataset.train=2000").code == 0
    assert (
        ncbench("dataset=iris", "algo=cpe_argmax", "trials=1", *options[-2:]).code == 0
    )  # has no regret
    table = ncbench("theory", "outputs", "--format", "csv", "--figures", "of_csv")
    assert "drawn: of_csv/regret_micro_f1_ncbs.svg" in table.err
    frame = pd.read_csv(io.StringIO(table.out))
    assert frame["m"].tolist() == [200, 2000]
    assert (frame["regret"] >= -1e-6).all()
    confusions = [
        np.array(trial["theory"]["confusion"])
        for path in tmp_path.rglob("record.json")
        for record in [json.loads(path.read_text())]
        for trial in record["trials"]
        if record["config"]["dataset"].get("train") == 200
    ]
    losses = [measure("micro_f1")(C) for C in confusions]
    assert frame["regret"][0] == pytest.approx(np.mean(losses) - 0.78271, abs=2e-5)
    outcome = ncbench("theory", "outputs", "--figures", "figures", "--format", "md")
    slope = np.log(frame["regret"][1] / frame["regret"][0]) / np.log(10)
    assert f"| 0.1 | {slope:.4g} |" in outcome.out
    assert "</svg>" in (tmp_path / "figures" / "regret_micro_f1_ncbs.svg").read_text()
    (tmp_path / "taken").touch()
    refused = ncbench("theory", "outputs", "--figures", "taken")
    assert (refused.code, refused.out) == (2, "")
    assert "taken: cannot create the folder: File exists" in refused.err


def test_theory_without_anything_to_say(ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "outputs").mkdir()
    for argv, message in (
        (("theory", "outputs"), "no regret in these records"),
        (("theory", "nowhere"), "nowhere: no such folder"),
        (("bayes", "--size", "999"), "size=999; expected at least 1000"),
        (("bayes", "--size", "-5"), "size=-5; expected at least 1000"),
        (("bayes", "iris"), "dataset=iris: its distribution is not known"),
    ):
        outcome = ncbench(*argv)
        assert (outcome.code, outcome.out) == (2, "")
        assert message in outcome.err


def theory_record(m: int, loss: float, time: str = "00", **config: Any) -> dict[str, Any]:
    """Make up the record of a cell with a known zero-one loss on the true distribution."""
    named = {"measure": "zero_one", "algo": "fw", "t_estimator": "given", "cpe": "logistic"}
    base: dict[str, Any] = {key: {"name": name} for key, name in named.items()}
    base |= {"dataset": {"name": "synthetic", "train": m}, "noise": {"name": "symmetric"}}
    C = np.array([[1 - loss, loss, 0], [0, 0, 0], [0, 0, 0]])
    trial = {"train_size": m, "theory": {"confusion": C.tolist(), "inverse_norm": 1.0}}
    return {
        "id": f"{m}-{loss}",
        "status": "done",
        "config": base | {"sigma": 0.1, "seed": 0} | config,
        "trials": [trial],
        "provenance": {"time": f"2026-01-01T00:00:{time}+0000"},
    }


def test_a_curve_is_of_cells_that_differ_in_m_alone(tmp_path: Path) -> None:
    least = by_thresholds(measure("zero_one"))
    records = [
        theory_record(m, least + regret * 100 / m, **config)
        for regret, config in (
            (0.4, {}),
            (0.3, {"seed": 1}),
            (0.2, {"noise": {"name": "uniform"}}),
            (0.1, {"algo": {"name": "fw", "max_iter": 7}}),
        )
        for m in (100, 1000)
    ]
    frame = terms(records)
    assert list(frame.columns[:9]) == [*CURVE, "noise", "seed", "algo.max_iter", "sigma"]
    found = slopes(frame)
    # Merged, the four would have one slope; apart, each falls like 1 / m.
    assert found["slope"].tolist() == pytest.approx([-1] * 4, abs=0.01)
    assert sorted(found["at_1"] / 100) == pytest.approx([0.1, 0.2, 0.3, 0.4], rel=0.02)
    drawn = {path.name for path in draw(frame, tmp_path)}
    assert len(drawn) == 4
    assert "regret_zero_one_fw_noise=uniform_seed=0.svg" in drawn


def test_what_differs_between_algorithms_alone_is_no_key_of_a_curve() -> None:
    other = {"algo": {"name": "ncfw", "max_iter": 7}, "seed": 1}
    records = [theory_record(100, 0.5), theory_record(100, 0.5, **other)]
    assert curve_keys(terms(records)) == CURVE


def test_older_records_and_those_that_cannot_be_measured_are_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    records = [
        theory_record(100, 0.7, time="10"),
        theory_record(100, 0.5, time="30"),
        theory_record(100, 0.6, time="20"),
        theory_record(200, 0.5, measure={"name": "gone"}),
        theory_record(300, 0.5, measure={"name": "cost", "matrix": None, "path": "gone.csv"}),
    ]
    frame = terms(records)
    assert frame["m"].tolist() == [100]
    assert frame["regret"].tolist() == pytest.approx([0.5 - 0.14907], abs=1e-3)
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("skipped: record 200-0.5: measure=gone")
    assert said[1].startswith("skipped: record 300-0.5: measure.path=gone.csv")
    assert said[2] == "left out: 2 older records of the same configurations"


def test_bayes_prints_every_optimisable_measure(ncbench: Callable) -> None:
    lines = ncbench("bayes", "--size", "20000").out.split("\n")
    assert sorted(line.split()[0] for line in lines[1:] if line) == sorted(OPTIMISABLE)
    assert any(line.split()[:2] == ["q_mean", "0.52564"] for line in lines)


@pytest.mark.parametrize("algo", ["ncfw", "fw", "nclr_backward", "nclr_forward", "nclr_plugin"])
def test_a_sample_may_lack_a_rare_class(algo: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, 2, 0)  # class 1 of three is absent
    T = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    fitted = get_registry().build("algo", algo, cpe=None, random_state=0).fit(X, y, noise_matrix=T)
    assert fitted.classes_.tolist() == [0, 1, 2]
    distribution = fitted.predict_proba(X)
    assert distribution.shape == (60, 3)
    np.testing.assert_allclose(distribution.sum(axis=1), 1)
    assert set(fitted.predict(X)) >= {0, 2}
    # Labels that are no numbers of classes cannot be placed.
    with pytest.raises(NcbenchError, match="does not fit 2 classes"):
        get_registry().build("algo", "ncfw").fit(X, y.astype(str), noise_matrix=T)
