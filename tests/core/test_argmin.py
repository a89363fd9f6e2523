"""The lazy path against plain evaluation: equal bit for bit, whatever the sequence of losses."""

from __future__ import annotations

import numpy as np
import pytest
from counting import confusion_matrix
from hypothesis import given, settings, strategies as st

from ncbench.core import argmin as argmin_path
from ncbench.core.argmin import ConfusionPath, argmin_labels, mixture_distribution
from ncbench.errors import NcbenchError

SEQUENCES = ("converging", "rescaled", "oscillating", "jumping", "integer", "diagonal", "repeated")
POSTERIORS = ("probabilities", "negative", "integer", "duplicated", "sparse")


def make_posterior(kind: str, m: int, n: int, rng: np.random.Generator) -> np.ndarray:
    if kind == "integer":  # ties everywhere
        return rng.integers(-2, 3, size=(m, n)).astype(float)
    posterior = rng.dirichlet(np.full(n, 0.5), size=m)
    if kind == "negative":  # as T^-1 eta~
        posterior = posterior * (1 + n) - 1
    elif kind == "duplicated":
        posterior = posterior[rng.integers(0, max(1, m // 10), size=m)]
    elif kind == "sparse":  # null rows, and rows whose squares underflow, too
        posterior = np.where(rng.random((m, n)) < 0.6, 0.0, posterior)
        tiny = 10.0 ** -np.where(rng.random(m) < 0.8, rng.uniform(155, 164, m), 305.0)
        posterior *= np.where(rng.random(m) < 0.5, tiny, 1.0)[:, None]
    return posterior


def make_losses(kind: str, steps: int, n: int, rng: np.random.Generator) -> np.ndarray:
    limit = rng.normal(size=(n, n))
    noise = rng.normal(size=(steps, n, n))
    t = np.arange(1, steps + 1)[:, None, None]
    if kind == "converging":
        return limit + noise / t**1.5
    if kind == "rescaled":  # neither a scale nor a constant per row moves the argmin
        scale = 10.0 ** rng.integers(-3, 4, size=(steps, 1, 1))
        return (limit + noise / t**2) * scale + rng.normal(size=(steps, n, 1))
    if kind == "oscillating":
        return limit + noise[0] * (-1.0) ** t / t
    if kind == "jumping":  # converges, then goes elsewhere, negated, constant, null
        losses = limit + 1e-3 * noise
        losses[steps // 4 : steps // 2] = -losses[steps // 4 : steps // 2]
        losses[steps // 2] = 3.0
        losses[steps // 2 + 1] = 0.0
        return losses
    if kind == "integer":
        return rng.integers(-1, 2, size=(steps, n, n)).astype(float)
    if kind == "diagonal":  # the losses of recall measures, up to a constant per row
        return np.eye(n) * -np.exp(rng.normal(size=n) * 2 + noise[:, 0, :1] / t[:, 0])[:, :, None]
    return np.repeat(limit[None], steps, axis=0)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that small examples have many blocks and sorts, as large ones have."""
    monkeypatch.setattr(argmin_path, "BLOCK", 4)
    monkeypatch.setattr(argmin_path, "SORT_COST", 0.1)
    monkeypatch.setattr(argmin_path, "SORT_OVERHEAD", 0)


cases = given(
    sequence=st.sampled_from(SEQUENCES),
    kind=st.sampled_from(POSTERIORS),
    m=st.one_of(st.integers(1, 12), st.integers(13, 400), st.integers(1000, 3000)),
    n=st.integers(2, 12),
    seed=st.integers(0, 2**32 - 1),
)
thorough = settings(max_examples=100, deadline=None, derandomize=True)


@thorough
@cases
def test_path_equals_plain_evaluation(sequence, kind, m, n, seed):
    rng = np.random.default_rng(seed)
    posterior = make_posterior(kind, m, n, rng)
    y = rng.integers(0, n, size=m)
    path = ConfusionPath(posterior, y, n, lazy_from=0)
    for loss in make_losses(sequence, 40, n, rng):
        expected = confusion_matrix(y, argmin_labels(posterior, loss), n)
        assert np.array_equal(path(loss), expected)


@thorough
@cases
def test_mixture_equals_brute_force(sequence, kind, m, n, seed):
    rng = np.random.default_rng(seed)
    posterior = make_posterior(kind, m, n, rng)
    losses = make_losses(sequence, 25, n, rng)
    weights = rng.dirichlet(np.ones(len(losses)))
    expected = np.zeros((m, n))
    for loss, weight in zip(losses, weights, strict=True):
        expected[np.arange(m), argmin_labels(posterior, loss)] += weight
    got = mixture_distribution(posterior, losses, weights, lazy_from=0)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(got.sum(axis=1), 1.0, rtol=0, atol=1e-14)
    assert got.min() >= 0.0


def test_mixture_when_a_sort_coincides_with_a_jump():
    """Whenever the next sort is due, the labels far from a change may have changed as well."""
    rng = np.random.default_rng(6)
    posterior = rng.dirichlet(np.ones(3), size=1000)
    start = rng.normal(size=(3, 3))
    near = start + 0.005 * rng.normal(size=(3, 3))
    for wait in range(20):
        losses = np.array([start] * 2 + [near] * wait + [-start] * 2 + [start])
        weights = rng.dirichlet(np.ones(len(losses)))
        expected = np.zeros((1000, 3))
        for loss, weight in zip(losses, weights, strict=True):
            expected[np.arange(1000), argmin_labels(posterior, loss)] += weight
        got = mixture_distribution(posterior, losses, weights, lazy_from=0)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-14)


def test_labels_do_not_depend_on_the_batch():
    """Sums of ten terms that cancel: another order of addition would round to another label."""
    for n in (2, 3, 7, 8, 9, 12):
        rng = np.random.default_rng(n)
        loss = rng.normal(size=(n, n)) * 10.0 ** rng.integers(0, 12, size=(n, 1))
        loss[:, 1] = loss[::-1, 0]
        posterior = rng.normal(size=(300, n))
        posterior += posterior[:, ::-1]  # columns 0 and 1 tie, but for rounding
        whole = argmin_labels(posterior, loss)
        for order in ("C", "F"):
            loss = np.asarray(loss, order=order)
            for size in (1, 2, 3, 5, 8, 13, 64, 100, 299, 300):
                for start in range(300 - size + 1):
                    part = argmin_labels(posterior[start : start + size], loss)
                    assert np.array_equal(part, whole[start : start + size])


def test_labels_are_the_exact_argmin():
    """Integers are exact in floating point: the labels are known, ties (to the lowest) included.

    Few examples and many take different ways, and so do the first losses and a repeated one.
    """
    for copies in (1, 60):
        rng = np.random.default_rng(0)
        posterior = rng.integers(-2, 3, size=(50, 4))
        loss = rng.integers(-2, 3, size=(4, 4))
        loss[:, 1] = loss[:, 0]
        scores = [
            [sum(int(e) * int(c) for e, c in zip(x, column, strict=True)) for column in loss.T]
            for x in posterior
        ]
        expected = np.tile([row.index(min(row)) for row in scores], copies)
        assert sum(row.count(min(row)) > 1 for row in scores) > 5
        posterior = np.tile(posterior, (copies, 1)).astype(float)
        assert np.array_equal(argmin_labels(posterior, loss), expected)
        y = rng.integers(0, 4, size=len(posterior))
        path = ConfusionPath(posterior, y, lazy_from=0)
        for _ in range(5):
            assert np.array_equal(path(loss), confusion_matrix(y, expected, 4))


def test_scale_of_the_loss_changes_nothing():
    for scale in (1e-305, 1e-160, 1.0, 1e160, 1e305):
        rng = np.random.default_rng(1)
        posterior = rng.dirichlet(np.ones(5), size=500) * 50
        loss = rng.normal(size=(5, 5))
        y = rng.integers(0, 5, size=500)
        expected = confusion_matrix(y, (posterior @ loss).argmin(axis=1), 5)
        path = ConfusionPath(posterior, y, lazy_from=0)
        for _ in range(4):
            assert np.array_equal(path(loss * scale), expected)


def test_a_constant_loss_gives_label_0():
    for constant in (0.0, 0.1, -1e300):
        rng = np.random.default_rng(2)
        posterior = rng.normal(size=(200, 6))
        path = ConfusionPath(posterior, np.zeros(200, dtype=np.int64), lazy_from=0)
        for _ in range(4):
            with np.errstate(divide="raise", invalid="raise"):
                assert path(np.full((6, 6), constant))[0, 0] == 1.0
        assert not argmin_labels(posterior, np.full((6, 6), constant)).any()


def test_a_change_that_just_reaches_an_example():
    """Losses at which one example after the other ties, and one ulp to either side."""
    for width in (0.2, 1e-4, 1e-6, 1e-7, 1e-8, 1e-9, 1e-12, 1e-15):
        m = 2000
        share = 0.5 + width * np.linspace(-1, 1, m)
        posterior = np.column_stack([share, 1 - share])
        y = np.zeros(m, dtype=np.int64)
        path = ConfusionPath(posterior, y, lazy_from=0)
        for _ in range(3):
            path(1 - np.eye(2))
        for target in share[900:1100:2]:
            tie = np.array([[0.0, 1 - target], [target, 0.0]])
            for loss in (tie, np.nextafter(tie, 0.0), np.nextafter(tie, 2.0)):
                expected = confusion_matrix(y, argmin_labels(posterior, loss), 2)
                assert np.array_equal(path(loss), expected)


def test_rounding_of_large_scores():
    """A constant per row moves no gap but rounds the scores: labels near a tie do change."""
    for offset in (1.0, 1e3, 1e6, 1e9, 1e12):
        rng = np.random.default_rng(5)
        m = 2000
        share = 0.5 + offset * 1e-15 * rng.uniform(-1, 1, m)
        posterior = np.column_stack([share, 1 - share])
        y = np.zeros(m, dtype=np.int64)
        path = ConfusionPath(posterior, y, lazy_from=0)
        seen = set()
        for _ in range(100):
            loss = 1 - np.eye(2) + offset * rng.normal(size=(2, 1))
            expected = confusion_matrix(y, argmin_labels(posterior, loss), 2)
            assert np.array_equal(path(loss), expected)
            seen.add(expected[0, 0])
        assert len(seen) > 1  # otherwise this tests nothing


def test_examples_whose_squares_are_not_accurate_are_always_evaluated():
    for scale in (1e-200, 1e-160, 1e160, 1e200):
        rng = np.random.default_rng(7)
        posterior = rng.dirichlet(np.ones(3), size=600)
        posterior[::2] *= scale
        y = rng.integers(0, 3, size=600)
        path = ConfusionPath(posterior, y, lazy_from=0)
        for loss in rng.normal(size=(3, 3)) + 0.02 * rng.normal(size=(60, 3, 3)):
            expected = confusion_matrix(y, argmin_labels(posterior, loss), 3)
            assert np.array_equal(path(loss), expected)


def test_converging_losses_leave_most_examples_alone():
    """Laziness itself: the examples evaluated, counted."""
    for sequence in ("converging", "rescaled"):
        rng = np.random.default_rng(3)
        posterior = rng.dirichlet(np.ones(5), size=3000)
        lazy = argmin_path._LazyLabels(posterior, 0)
        evaluated = sum(len(lazy.step(x)[1]) for x in make_losses(sequence, 1000, 5, rng))
        assert evaluated < 0.05 * 1000 * 3000


def test_results_are_fresh_arrays():
    rng = np.random.default_rng(4)
    posterior = rng.dirichlet(np.ones(3), size=100)
    path = ConfusionPath(posterior, rng.integers(0, 3, size=100), lazy_from=0)
    loss = 1 - np.eye(3)
    first = path(loss)
    for _ in range(5):
        again = path(loss)
        assert np.array_equal(again, first)
        again[:] = -1.0
    assert np.array_equal(path(loss), first)


def test_what_does_not_fit_is_refused():
    for posterior, y, n, message in (
        (np.ones((3, 2)), np.zeros(4, dtype=int), None, "does not fit 4 labels"),
        (np.ones((3, 2)), np.zeros(3, dtype=int), 5, "of 5 classes"),
        (np.full((3, 2), np.nan), np.zeros(3, dtype=int), None, "finite"),
    ):
        with pytest.raises(NcbenchError, match=message):
            ConfusionPath(posterior, y, n)


def test_a_loss_that_is_not_finite_is_refused():
    path = ConfusionPath(np.ones((3, 2)), np.zeros(3, dtype=int))
    with pytest.raises(NcbenchError, match="finite"):
        path(np.array([[0.0, np.nan], [1.0, 0.0]]))


def test_the_bound_allows_for_the_rounding_of_its_sums():
    """1 / cos^2 is made of three sums of n^2 terms, each off by at most n^2 eps (Higham 2002)."""
    for n in (2, 5, 12):
        rng = np.random.default_rng(n)
        columns = rng.dirichlet(np.ones(n), size=50).T
        reference = argmin_path._Reference(columns, rng.normal(size=(n, n)))
        assert reference._slack >= 3 * n * n * np.finfo(float).eps


def test_sizes_whose_squares_underflow_are_not_divided_by_with_large_losses():
    """A loss of 1e40 makes a size of 1e-155 out of a posterior of 1e-195: its square is inexact."""
    loss = 1e40 * (1 - np.eye(2))
    columns = np.array([[0.7, 0.7e-195], [0.3, 0.3e-195]])
    labels, distance = argmin_path._distances(columns, loss, np.full(2, 1e40))
    assert labels.tolist() == [0, 0]
    assert distance[0] == pytest.approx(0.4 / np.hypot(0.7, 0.3))
    assert distance[1] == 0  # always evaluated
