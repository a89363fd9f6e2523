"""Frank-Wolfe on soft labels."""

import numpy as np
import pytest

from ncbench import NoiseMatrix, load
from ncbench_plugins.algorithms.soft_frank_wolfe import _gradient, with_misses

T = NoiseMatrix([[0.8, 0.1, 0.0], [0.2, 0.8, 0.1], [0.0, 0.1, 0.9]])


def sample(counts, seed, apart=2.0):
    """Normal classes, with the posterior that generated them."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(3), counts)
    X = rng.normal(size=(len(y), 3)) + apart * np.eye(3)[y]
    log = np.log(np.array(counts) / len(y)) + apart * X - apart**2 / 2
    return y, np.exp(log) / np.exp(log).sum(axis=1, keepdims=True)


def fitted(name, measure, p, y, noise):
    algorithm = load("algo", name)(load("measure", measure)())
    algorithm.classes_ = np.arange(3)
    return algorithm, algorithm.fit_mixture(p, y, noise)


def test_the_gradient_is_that_of_the_measure_with_misses():
    for measure in ("g_mean", "q_mean"):
        psi = load("measure", measure)()
        rng = np.random.default_rng(0)
        C = rng.dirichlet(np.ones(9)).reshape(3, 3)
        kept = np.array([0.5, 0.9, 1.0])
        L = _gradient(psi, C, kept)
        for i, j in np.ndindex(3, 3):
            # A row's sum is fixed, so what counts is to move mass within it.
            move = np.zeros((3, 3))
            move[i, j], move[i, (j + 1) % 3] = 1e-6, -1e-6
            change = psi(with_misses(C + move, kept)) - psi(with_misses(C - move, kept))
            assert change / 2 == pytest.approx((L * move).sum(), rel=1e-4, abs=1e-12)


def test_is_as_good_as_algorithm_1_with_many_examples():
    for measure in ("g_mean", "q_mean"):
        clean, p = sample([4000, 1000, 500], 0)
        y = T.draw_labels(clean, np.random.default_rng(1))
        psi = load("measure", measure)()
        losses = {}
        for name in ("ncfw", "soft_fw"):
            algorithm, mixture = fitted(name, measure, p, y, T)
            C = np.eye(3)[clean].T @ mixture.distribution(p) / len(clean)
            losses[name] = psi(C)
        assert losses["soft_fw"] == pytest.approx(losses["ncfw"], abs=0.01)
        np.testing.assert_allclose(algorithm.expected_, [4000, 1000, 500], rtol=0.2)
        assert algorithm.diagnostics_["expected_examples"] == algorithm.expected_.tolist()


def flooded():
    """T says that more labels of class 2 are wrong than there are."""
    clean, p = sample([300, 300, 4], 3, apart=3.0)
    noise = NoiseMatrix([[0.97, 0.0, 0.0], [0.0, 0.97, 0.0], [0.03, 0.03, 1.0]])
    return p, clean, noise


def test_a_class_whose_labels_all_seem_wrong_is_not_given_up():
    p, y, noise = flooded()
    recalls = {}
    for name in ("soft_fw", "ncfw"):
        _, mixture = fitted(name, "g_mean", p, y, noise)
        C = np.eye(3)[y].T @ mixture.distribution(p)
        recalls[name] = np.diagonal(C) / C.sum(axis=1)
    assert recalls["ncfw"].min() < 0.1, "Algorithm 1 floods"
    assert recalls["soft_fw"].min() > 0.5


def test_algorithm_1_says_which_class_it_floods(capsys):
    p, y, noise = flooded()
    algorithm = load("algo", "ncfw")(load("measure", "g_mean")())
    algorithm.classes_ = np.array(["ant", "bee", "cicada"])
    algorithm.fit_mixture(p, y, noise)
    assert algorithm.diagnostics_["no_frequency"] == [2]
    assert algorithm.diagnostics_["never_predicted"] == [2]
    said = capsys.readouterr().err
    assert "class cicada has no example left, by T and the labels" in said
    assert "class cicada is never predicted" in said


def test_a_linear_measure_needs_one_step_and_no_misses():
    clean, p = sample([300, 300, 20], 0)
    _, mixture = fitted("soft_fw", "zero_one", p, clean, NoiseMatrix.identity(3))
    np.testing.assert_array_equal(mixture.distribution(p).argmax(axis=1), p.argmax(axis=1))
