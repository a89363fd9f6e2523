"""The object that estimate_noise returns."""

import json

import numpy as np
import pandas as pd
import pytest

from ncbench import NcbenchError, NoiseMatrix, estimate_noise, load
from ncbench.noise_estimation.share import class_frequencies, share_of_wrong
from ncbench.own_labels.noise_estimate import NoiseEstimate

pytestmark = pytest.mark.xdist_group("estimate")  # one process makes the estimate for all

T = np.array([[0.8, 0.1], [0.2, 0.9]])


@pytest.fixture(scope="module")
def found() -> NoiseEstimate:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=300)
    X = rng.normal(size=(300, 1)) + 5 * truth[:, None]
    y = NoiseMatrix(T).draw_labels(truth, rng)
    return estimate_noise(X, np.array(["cat", "dog"])[y], random_state=0)


def test_it_is_a_noise_matrix_with_names_and_intervals(found: NoiseEstimate):
    assert isinstance(found, NoiseMatrix)
    assert found.to_frame().loc["dog", "cat"] == found.matrix[1, 0]
    assert found.low is not None
    assert found.high is not None
    assert (found.low <= found.matrix).all()
    assert (found.matrix <= found.high).all()
    assert found.share.low is not None
    assert found.share.low < found.share.estimate < found.share.high  # type: ignore[operator]
    assert np.abs(found.matrix - T).max() < 0.08
    share = f"{found.share} of 300 labels are wrong"
    assert repr(found) == f"<NoiseEstimate by held_out_map: {share}; {found.verdict}>"


def test_what_a_label_says_of_the_truth_follows_from_bayes(found: NoiseEstimate):
    p = class_frequencies(found, found.counts)
    joint = found.matrix * p
    np.testing.assert_allclose(found.true_given_label, joint / joint.sum(axis=1, keepdims=True))
    found.posterior = None
    by_matrix = share_of_wrong(found, found.counts)
    np.testing.assert_allclose(found.wrong_by_label.sum() / 300, by_matrix, atol=1e-9)


def test_json_is_plain(found: NoiseEstimate):
    read = json.loads(json.dumps(found.as_json()))
    assert read["verdict"] == found.verdict
    assert read["level"] == found.level == "between"
    assert [rival["estimator"] for rival in read["rivals"]] == ["hoc", "confident_joint"]


def test_fit_aligns_it_by_name(found: NoiseEstimate):
    X = np.array([[0.0], [5.0]] * 20)
    y = np.array(["cat", "dog"] * 20)
    algorithm = load("algo", "cpe_argmax")()
    assert algorithm.fit(X, y, noise_matrix=found).predict([[5.0]]) == ["dog"]
    turned = pd.DataFrame(found.matrix[::-1, ::-1], index=["dog", "cat"], columns=["dog", "cat"])
    again = load("algo", "cpe_argmax")().fit(X, y, noise_matrix=turned)
    np.testing.assert_allclose(again.predict_proba(X), algorithm.predict_proba(X))
    with pytest.raises(NcbenchError, match="cow"):
        algorithm.fit(X, np.array(["cat", "cow"] * 20), noise_matrix=found)


def test_it_is_drawn(found: NoiseEstimate, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra 'report' is not installed")
    figure = found.plot(str(tmp_path / "t.svg"))
    assert "y: noise by held_out_map" in figure.axes[0].get_title()
    with pytest.raises(NcbenchError, match="cannot draw"):
        found.plot(str(tmp_path / "no" / "t.svg"))
