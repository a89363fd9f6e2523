"""Estimators of T: closed forms, gradients, published implementations, and what they promise."""

from __future__ import annotations

import cleanlab
import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from ncbench import NcbenchError, NoiseMatrix, NoisySample, load
from ncbench.learning.joint_noise import JointCrossEntropy, fit_joint_noise
from ncbench.learning.linear_softmax import LinearSoftmax, _Problem, _whitening
from ncbench.noise_estimation.sample import CleanLabels
from ncbench.plugin import get_registry
from ncbench_plugins.t_estimators.hoc import _with_itself_first, solve_moments
from ncbench_plugins.t_estimators.joint_fit import SymmetricPrior, Volume
from ncbench_plugins.t_estimators.posteriors import Anchor, ConfidentJoint, DualT
from ncbench_plugins.t_estimators.t_revision import ReweightedCrossEntropy
from ncbench_plugins.t_estimators.told import TrustedSet, count_pairs, two_sample

# dawid_skene needs several labels for each example: test_annotators.py.
NAMES = [name for name in get_registry().names("t_estimator") if name != "dawid_skene"]
VARIANTS = {
    **{name: (name, {}) for name in NAMES},
    **{kind: ("anchor", {"variant": kind}) for kind in ("quantile", "classwise")},
    **{kind: ("trusted", {"variant": kind, "fraction": 0.3}) for kind in ("glc", "two_sample")},
}


def slow_if_held_out(names):
    slow = {"held_out_map": pytest.mark.slow(reason="estimates of two seconds each")}
    return [pytest.param(name, marks=slow.get(name, ())) for name in names]


def random_noise(rng, n, sigma=0.3):
    T = rng.random((n, n)) * (1 - np.eye(n))
    return NoiseMatrix(sigma * T / T.sum(axis=0) + (1 - sigma) * np.eye(n))


def noisy_sample(m, n, noise=None, d=3, cpe=None, seed=0, scale=3.0):
    """Draw a sample of a linear softmax model, each class at least once."""
    rng = np.random.default_rng(seed)
    noise = noise or random_noise(rng, n)
    X = rng.normal(size=(m, d))
    clean_posterior = LinearSoftmax(scale * rng.normal(size=(d, n)), np.zeros(n)).posterior(X)
    clean = (rng.random(m)[:, None] >= clean_posterior.cumsum(axis=1)[:, :-1]).sum(axis=1)
    y = noise.draw_labels(clean, rng)
    y[:n] = np.arange(n)
    return NoisySample(
        X=X,
        y=y,
        n_classes=n,
        cpe=cpe or LogisticRegression(),
        rng=np.random.default_rng(seed),
        noise_matrix=noise,
        clean=CleanLabels(clean, np.random.default_rng(1)),
    )


def estimate(name, sample, **params):
    return load("t_estimator", name)(**params).estimate(sample)


@pytest.mark.parametrize("variant", slow_if_held_out(VARIANTS))
def test_every_estimate_can_be_used_whatever_the_classes_and_the_learner(variant):
    name, params = VARIANTS[variant]
    for n in (2, 7):
        found = estimate(name, noisy_sample(150, n), **params)
        assert found.n == n
        assert found.smallest_singular_value >= 0.05 - 1e-9 or name == "known"
    # Classes that are absent from folds, and learners with hard zeros.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.repeat([0, 1, 2], [25, 14, 1])
    X[:, 0] += y
    for cpe in (DecisionTreeClassifier(max_depth=3), KNeighborsClassifier(3)):
        sample = NoisySample(
            X=X,
            y=y,
            n_classes=4,  # the last one has no example at all
            cpe=cpe,
            rng=np.random.default_rng(0),
            noise_matrix=NoiseMatrix.identity(4),
            clean=CleanLabels(y, np.random.default_rng(0)),
        )
        assert estimate(name, sample, **params).n == 4


# Of three distant clumps the likelihood says nothing of T: forward-MAP is left out.
@pytest.mark.parametrize(
    "name",
    slow_if_held_out(sorted({*NAMES} - {"known", "identity", "forward_map", "cautious_map"})),
)
def test_estimates_are_near_the_truth_where_classes_are_apart(name):
    X, clean = load_iris(return_X_y=True)
    X, clean = np.tile(X, (8, 1)), np.tile(clean, 8)
    X = X + 5 * np.eye(3, 4)[clean]
    X += np.random.default_rng(1).normal(scale=0.05, size=X.shape)
    noise = NoiseMatrix([[0.8, 0.1, 0.0], [0.15, 0.85, 0.3], [0.05, 0.05, 0.7]])
    sample = NoisySample(
        X=X,
        y=noise.draw_labels(clean, np.random.default_rng(2)),
        n_classes=3,
        cpe=LogisticRegression(max_iter=1000),
        rng=np.random.default_rng(1),
        clean=CleanLabels(clean, np.random.default_rng(1)),
    )
    params = {"fraction": 0.5} if name == "trusted" else {}
    # Dual-T's first factor is what anchors give, T, and so is its second: see its docstring.
    expected = noise.matrix @ noise.matrix if name == "dual_t" else noise.matrix
    assert np.abs(estimate(name, sample, **params).matrix - expected).mean() < 0.05


def test_classes_are_named_in_warnings():
    sample = noisy_sample(60, 3)
    object.__setattr__(sample, "classes", ("ant", "bee", "cow"))
    y = np.where(sample.y == 2, 0, sample.y)
    object.__setattr__(sample, "y", y)
    assert any("cow" in text for text in estimate("dual_t", sample).warnings)


def test_anchor_variants_on_an_example():
    # Class 0 has its largest posteriors in rows 0 to 3.
    P = np.array([[1 - k / 1000, k / 1000] for k in range(1, 101)])
    assert Anchor("max").columns(P)[0, 0] == pytest.approx(0.999)
    # The 97% quantile, the value above, is the third largest; the next below it stands.
    assert Anchor("quantile").columns(P)[0, 0] == pytest.approx(0.996)
    # All hundred are predicted as 0: the mean of the top three. None as 1: the largest.
    T = Anchor("classwise").columns(P)
    assert T[0, 0] == pytest.approx(0.998)
    assert T[1, 1] == pytest.approx(0.1)
    np.testing.assert_allclose(Anchor("quantile").columns(np.full((9, 2), 0.5)), 0.5)


def test_dual_t_is_exact_where_predictions_are_right():
    """If P is one-hot and right, the anchors are exact and S alone is T."""
    rng = np.random.default_rng(0)
    clean = np.repeat([0, 1, 2], 50)
    noisy = random_noise(rng, 3).draw_labels(clean, rng)
    counted = np.zeros((3, 3))
    np.add.at(counted, (noisy, clean), 1 / 50)
    np.testing.assert_allclose(DualT().product(np.eye(3)[clean], noisy), counted)


def test_confident_joint_is_cleanlabs():
    for n in (2, 12):
        sample = noisy_sample(20_000, n, scale=2.0)
        P = sample.out_of_fold_posterior()
        joint = cleanlab.count.compute_confident_joint(sample.y, P)
        _, expected, _ = cleanlab.count.estimate_latent(joint, sample.y)
        found = ConfidentJoint().matrix(P, sample.y)
        np.testing.assert_allclose(found / found.sum(axis=0), expected, atol=2e-3)


def test_hoc_recovers_t_from_exact_moments():
    for n in (2, 12):
        rng = np.random.default_rng(n)
        T, p = random_noise(rng, n, 0.4).matrix, rng.dirichlet(np.full(n, 4.0))
        moments = T @ p, (T * p) @ T.T, np.einsum("ij,kj,lj,j->ikl", T, T, T, p)
        np.testing.assert_allclose(solve_moments(moments), T, atol=1e-6)


def test_hoc_finds_neighbours_among_equal_points():
    near = np.array([[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 2]])
    triples = _with_itself_first(near, np.arange(4))
    assert triples.tolist() == [[0, 1, 2], [1, 0, 2], [2, 0, 1], [3, 0, 1]]


def test_trusted_labels_of_a_share_only_nested_and_repeatable():
    y = np.arange(100)
    clean = CleanLabels(y, np.random.default_rng(0))
    few, more = clean.of_share(0.1), clean.of_share(0.3)
    assert (len(few.examples), len(more.examples)) == (10, 30)
    assert set(few.examples) < set(more.examples)
    np.testing.assert_array_equal(few.y, few.examples)
    again = CleanLabels(y, np.random.default_rng(0)).of_share(0.1)
    np.testing.assert_array_equal(few.examples, again.examples)


def test_trusted_pairs_are_counted_and_smoothed():
    T = count_pairs(np.array([0, 0, 1]), np.array([0, 0, 0]), n=2)
    np.testing.assert_allclose(T, [[2.25 / 3.5, 0], [1.25 / 3.5, 0]])


def test_trusted_two_sample_is_exact_in_expectation():
    """With posteriors that are the same in both samples, T is the ratio of the two moments."""
    rng = np.random.default_rng(0)
    T, prior = random_noise(rng, 3).matrix, np.array([2, 3, 5])
    clean = np.repeat([0, 1, 2], 100 * prior)
    h = np.repeat(rng.dirichlet(np.ones(3), 3), 100 * prior, axis=0)
    # Each class's labels in exactly the proportions of T, to a hundredth.
    T = np.round(T, 2) + np.diag(1 - np.round(T, 2).sum(axis=0))
    noisy = np.concatenate(
        [np.repeat([0, 1, 2], np.round(100 * p * T[:, j]).astype(int)) for j, p in enumerate(prior)]
    )
    np.testing.assert_allclose(two_sample(h, noisy, h, clean, n=3), T, atol=1e-9)


def test_bad_parameters_are_refused():
    for name, params, message in (
        ("anchor", {"variant": "min"}, "variant is 'min'; expected one of max"),
        ("trusted", {"variant": "all"}, "variant is 'all'"),
        ("trusted", {"fraction": 0.0}, "fraction is 0.0"),
        ("forward_map", {"tau": 0.0}, "tau is 0.0"),
        ("cautious_map", {"taus": [-1.0, 1.0]}, "taus is "),
        ("cautious_map", {"folds": 1}, "folds is 1"),
        ("cautious_map", {"penalty": -1.0}, "t_estimator.penalty=-1.0"),
        ("t_revision", {"held_out": 1.0}, "held_out is 1.0"),
        ("t_revision", {"step": 0.0}, "t_estimator.step=0.0; expected a number > 0"),
        ("t_revision", {"penalty": -1.0}, "t_estimator.penalty=-1.0; expected at least 0"),
        ("forward_map", {"max_iter": 0}, "t_estimator.max_iter=0; expected at least 1"),
        ("volmin", {"penalty": -1.0}, "t_estimator.penalty=-1.0"),
    ):
        with pytest.raises(NcbenchError, match=message):
            load("t_estimator", name)(**params)


def test_what_is_not_there_is_not_made_up():
    sample = noisy_sample(20, 2)
    bare = NoisySample(sample.X, sample.y, 2, sample.cpe, sample.rng)
    with pytest.raises(NcbenchError, match="is not known"):
        estimate("known", bare)
    with pytest.raises(NcbenchError, match="needs clean labels"):
        TrustedSet().estimate(bare)


def numeric_and_analytic(loss, n, extra, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(len(loss._y), 3))
    problem = _Problem(X, _whitening(X, 0.1), loss, 0.1, n)
    theta = np.concatenate([rng.normal(size=4 * n), extra])
    return approx_fprime(theta, lambda t: problem(t)[0], 1e-7), problem(theta)[1]


def test_gradients_of_volmin_and_forward_map():
    for regulariser in (Volume(0.3), SymmetricPrior(0.5, m=25)):
        n = 4
        rng = np.random.default_rng(n)
        loss = JointCrossEntropy(rng.integers(n, size=25), n, regulariser)
        numeric, analytic = numeric_and_analytic(loss, n, rng.normal(size=n * (n - 1)))
        np.testing.assert_allclose(analytic, numeric, atol=2e-5)


def test_gradients_of_t_revision():
    n, rng = 4, np.random.default_rng(4)
    loss = ReweightedCrossEntropy(rng.integers(n, size=25))
    numeric, analytic = numeric_and_analytic(loss, n, random_noise(rng, n).matrix.ravel())
    np.testing.assert_allclose(analytic, numeric, atol=2e-5)


def test_volume_is_constant_where_it_would_have_no_bound():
    flat = np.full((2, 2), 0.5) + 1e-9 * np.eye(2)
    value, _, gradient = Volume(1.0)(np.zeros(2), flat)
    assert value == pytest.approx(2 * np.log(1e-4))
    assert not gradient.any()


def test_forward_map_with_a_narrow_prior_is_symmetric_and_with_a_wide_one_the_likelihoods():
    sample = noisy_sample(400, 3)
    off = ~np.eye(3, dtype=bool)
    assert np.ptp(estimate("forward_map", sample, tau=1e-3).matrix[off]) < 1e-4
    assert np.ptp(estimate("forward_map", sample).matrix[off]) > 0.05
    flat = lambda V, T: (0.0, 0 * V, 0 * T)  # noqa: E731
    free, wide, narrow = (
        fit_joint_noise(sample.X, sample.y, 3, regulariser, penalty=1e-4)
        .losses(sample.X, sample.y)
        .mean()
        for regulariser in (flat, SymmetricPrior(1e4, 400), SymmetricPrior(1e-3, 400))
    )
    assert wide == pytest.approx(free, abs=1e-4)
    assert narrow > free + 1e-3


def test_forward_map_converges_on_the_synthetic_problem():
    rng = np.random.default_rng(0)
    data = load("dataset", "synthetic")(rng=rng, train=90_000, test=10_000)
    noise = NoiseMatrix(0.7 * np.eye(3) + 0.1)  # symmetric, as in the paper
    sample = NoisySample(data.X, noise.draw_labels(data.y, rng), 3, None, rng)
    assert np.abs(estimate("forward_map", sample).matrix - noise.matrix).mean() < 0.01


def test_cautious_map_is_cautious_only_where_the_sample_does_not_say_otherwise():
    # One class takes all the noise of its neighbor: far from the symmetric noise of a small tau.
    noise = NoiseMatrix([[1.0, 0.45, 0.0], [0.0, 0.55, 0.0], [0.0, 0.0, 1.0]])
    for m, tau in ((60, 0.3), (3000, 1.0)):
        chosen = estimate("cautious_map", noisy_sample(m, 3, noise), taus=[0.3, 1.0])
        alone = estimate("cautious_map", noisy_sample(m, 3, noise), taus=[tau])
        np.testing.assert_array_equal(chosen.matrix, alone.matrix)


def test_volmin_stops_after_max_iter():
    sample = noisy_sample(400, 6, d=8, scale=1.0)
    by_steps = {k: estimate("volmin", sample, max_iter=k).matrix for k in (2, 60, 2000)}
    np.testing.assert_array_equal(estimate("volmin", sample).matrix, by_steps[60])
    assert np.abs(by_steps[60] - by_steps[2]).max() > 1e-3
    assert np.abs(by_steps[60] - by_steps[2000]).max() > 1e-3
