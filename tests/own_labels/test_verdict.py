"""When an estimate of noise is said to be reliable."""

import re

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from ncbench import NcbenchError, NoisySample, estimate_noise
from ncbench.core import NoiseMatrix
from ncbench.noise_estimation.share import Share, counted_share
from ncbench.own_labels import OwnData, plan
from ncbench.own_labels.noise_estimate import Rival
from ncbench.own_labels.verdict import (
    Uncertainty,
    _disagreement,
    _parameters,
    cheap_doubts,
    labels_to_check,
)


def problem(apart: float, wrong: float, m: int = 300, seed: int = 0):
    """Return features, noisy labels and true labels of two normal classes."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=m)
    X = rng.normal(size=(m, 2)) + apart * truth[:, None]
    return X, np.where(rng.random(m) < wrong, 1 - truth, truth), truth


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_separable_noisy_classes_are_relied_on():
    X, y, truth = problem(4, 0.2)
    found = estimate_noise(X, y, random_state=0)
    assert (found.verdict, found.doubts) == ("known", ())
    assert abs(found.share.estimate - (y != truth).mean()) < 0.04
    clean = estimate_noise(*problem(5, 0.0)[:2], random_state=0)
    assert clean.verdict == "known"
    assert clean.share.estimate < 0.02


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_overlap_is_said_with_a_range_and_a_number_of_labels_to_check():
    X, y, truth = problem(1, 0.1, seed=1)
    found = estimate_noise(X, y, random_state=0)
    assert re.fullmatch(
        r"between .* and \d+%: check \d+ rows drawn at random to know", found.verdict
    )
    (doubt,) = [doubt for doubt in found.doubts if "classes may overlap" in doubt]
    assert f"this estimate is {found.share.estimate:.0%}" in doubt
    assert all(f"if {rival.assumption}" in doubt for rival in found.rivals)
    clean = np.where(np.arange(300) < 150, truth, None)
    settled = estimate_noise(X, y, random_state=0, clean=clean)
    assert not any("classes may overlap" in doubt for doubt in settled.doubts)
    assert settled.checked == 150
    assert settled.unchecked is not None
    assert np.ptp(settled.share.ends) < 0.7 * np.ptp(settled.unchecked.ends)


def test_checked_labels_that_contradict_the_estimate_are_a_doubt():
    X, y, truth = problem(4, 0.2)
    clean = np.where(y != truth, truth, None)  # only wrong labels were checked
    found = estimate_noise(X, y, random_state=0, estimator="hoc", bootstrap=0, clean=clean)
    assert any("If these were drawn at random, rely on" in doubt for doubt in found.doubts)
    assert found.unchecked is None  # hoc does not use them


def test_as_many_labels_as_planned_give_the_width():
    share = 0.2
    count = labels_to_check(share, 0.08, rows=10**9)
    got = counted_share(round(share * count), count)
    assert np.ptp(got.ends) == pytest.approx(0.08, abs=0.006)
    assert labels_to_check(share, 0.08, rows=100) <= 100
    fewer = counted_share(round(share * count / 2), count)  # fewer are wrong than supposed
    assert np.ptp(fewer.ends) <= np.ptp(got.ends)


def test_the_verdict_asks_for_as_many_labels_as_the_plan():
    X, y, _ = problem(1, 0.1, seed=1)
    found = estimate_noise(X, y, "forward_map", random_state=0)
    (count,) = re.findall(r"check (\d+) rows", found.verdict)
    (width,) = re.findall(r"--plan ([\d.]+)", " ".join(found.doubts))
    data = OwnData("x", X, y, ("a", "b"))
    assert len(plan(found, data, float(width))) == int(count)
    assert found.at_most >= max(found.share.high or 0, found.share.estimate)


def test_a_rival_that_cannot_be_fitted_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def failed(*args: object) -> None:
        raise NcbenchError("no neighbors")

    monkeypatch.setattr("ncbench_plugins.t_estimators.hoc.HOC.estimate", failed)
    X, y, _ = problem(4, 0.2)
    found = estimate_noise(X, y, random_state=0, estimator="forward_map", bootstrap=0)
    assert [rival.estimator for rival in found.rivals] == ["confident_joint"]
    with pytest.raises(NcbenchError, match="no neighbors"):
        estimate_noise(X, y, random_state=0, estimator="hoc", bootstrap=0)


def test_the_learner_of_the_second_opinions_is_fitted_once_in_each_fold():
    fits = []

    class Counted(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            fits.append(len(y))
            return super().fit(X, y, sample_weight)

    X, y, _ = problem(4, 0.2)
    found = estimate_noise(X, y, "hoc", Counted(), random_state=0)
    assert [rival.estimator for rival in found.rivals] == ["hoc", "confident_joint"]
    assert fits == [240] * 5  # for the confident joint, and for what can be predicted


def test_of_many_columns_few_rows_need_their_neighbors():
    for rows, columns, points in ((10_000, 20, 20_000), (10_000, 1_000, 2_000)):
        X = np.broadcast_to(0.0, (rows, columns))
        sample = NoisySample(X, np.zeros(rows, dtype=int), 2, None, np.random.default_rng(0))
        assert _parameters("hoc", sample) == {"max_points": points}
        assert _parameters("confident_joint", sample) == {}


def test_reasons_that_cost_nothing():
    T = NoiseMatrix([[0.8, 0.3], [0.2, 0.7]])
    wide = Uncertainty(T.matrix - 0.2, T.matrix + 0.1, Share(0.2))
    plain = Uncertainty(None, None, Share(0.2))
    (said,) = cheap_doubts(T, np.array([70, 50]), ["ant", "bee"], wide)
    assert said.startswith("wide intervals:")
    (said,) = cheap_doubts(T, np.array([70, 30]), ["ant", "bee"], plain)
    assert said == "classes with fewer than 30 true examples: bee (about 20)"
    (said,) = cheap_doubts(T, np.array([80, 20]), ["ant", "bee "], plain)
    assert said.startswith("by this estimate, hardly any label of 'bee ' is right; check some, and")
    assert not cheap_doubts(T, np.array([70, 50]), ["ant"], wide._replace(share=Share(0.01)))


def test_a_share_that_predictions_exclude_is_said_with_the_reason():
    rivals = [Rival("hoc", "neighbors agree", 0.5), Rival("confident_joint", "no overlap", 0.15)]
    (said,) = _disagreement(0.8, 10_000, Share(0.05), rivals, None)
    assert "21% if neighbors agree; 15% if no overlap; more is impossible, because 80%" in said
    (said,) = _disagreement(0.4, 10_000, Share(0.05), rivals, None)
    assert "50% if neighbors agree" in said
    assert "impossible" not in said
