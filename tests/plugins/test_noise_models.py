"""Noise models: the matrix each one documents.

What every noise model promises is in ``test_contract.py``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest

from ncbench.core.noise_matrix import NoiseMatrix
from ncbench.data.dataset import Dataset, NoisyLabels
from ncbench.errors import NcbenchError
from ncbench_plugins.noise.instance_dependent import InstanceDependent
from ncbench_plugins.noise.matrices import (
    GivenMatrix,
    NoNoise,
    PairFlip,
    Random,
    Recorded,
    Symmetric,
)

LEVELS = [Symmetric, Random, PairFlip]
T2 = [[0.9, 0.2], [0.1, 0.8]]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def dataset(n: int = 3, m: int = 3000, **more: object) -> Dataset:
    labels = np.arange(m) % n
    return Dataset.from_labels(np.zeros((m, 1)), labels, name="toy", **more)


# One number


def test_sigma_is_the_probability_of_a_wrong_label() -> None:
    for model in LEVELS:
        for n, sigma in ((2, 0.4), (3, 0.0), (7, 0.1)):
            T = NoiseMatrix(model().matrix(n, sigma, rng())).matrix
            np.testing.assert_allclose(np.diagonal(T), 1 - sigma, atol=1e-15)
            off = T - np.diag(np.diagonal(T))
            np.testing.assert_allclose(off.sum(axis=0), sigma, atol=1e-15)
            assert off.min() >= 0
        with pytest.raises(NcbenchError, match="condition number"):  # coin flips
            model().corrupt(dataset(n=2), 0.5, rng())


def test_symmetric_spreads_errors_evenly_and_pair_flip_mistakes_each_class_for_the_next() -> None:
    T, flipped = (model().matrix(4, 0.3, rng()) for model in (Symmetric, PairFlip))
    np.testing.assert_allclose(T, 0.6 * np.eye(4) + 0.1)
    for j in range(4):
        np.testing.assert_allclose(flipped[[j, (j + 1) % 4], j], [0.7, 0.3])


def test_random_of_three_classes_has_the_distribution_of_rescaled_uniforms() -> None:
    # Off the diagonal: sigma U / (U + V). P(U / (U + V) <= v) = P(U <= V v / (1 - v)), which is
    # v / (2 (1 - v)) up to 1/2 and 1 - (1 - v) / (2 v) from there on.
    def cdf(v: np.ndarray) -> np.ndarray:
        return np.where(v <= 0.5, v / (2 * (1 - v)), 1 - (1 - v) / (2 * v))

    generator = rng()
    T = np.stack([Random().matrix(3, 0.3, generator) for _ in range(1500)])
    columns = [(1, 0), (0, 1), (0, 2)]  # one entry of each column: those are independent
    for i, j in columns:
        assert kstest(T[:, i, j] / 0.3, cdf).pvalue > 1e-3
    assert abs(np.corrcoef(T[:, 1, 0], T[:, 0, 1])[0, 1]) < 4 / np.sqrt(1500)


def test_random_treats_all_wrong_classes_alike() -> None:
    generator = rng()
    n, sigma, draws = 4, 0.4, 1500
    T = np.stack([Random().matrix(n, sigma, generator) for _ in range(draws)])
    off = ~np.eye(n, dtype=bool)
    # Exchangeable entries that sum to sigma: each has mean sigma / (n - 1), and any two of one
    # column have correlation -1 / (n - 2).
    standard_error = T[:, off].std() / np.sqrt(draws)
    np.testing.assert_allclose(T[:, off].mean(axis=0), sigma / (n - 1), atol=5 * standard_error)
    correlation = np.corrcoef(T[:, 1:, 0].T)[np.triu_indices(n - 1, 1)]
    np.testing.assert_allclose(correlation, -1 / (n - 2), atol=5 / np.sqrt(draws))


class Scripted:
    """A generator that returns given matrices."""

    def __init__(self, *matrices: np.ndarray) -> None:
        self.matrices = list(matrices)

    def random(self, shape: tuple[int, int]) -> np.ndarray:
        return self.matrices.pop(0).copy()


def test_random_draws_again_where_the_matrix_is_singular() -> None:
    # With sigma = 2/3 and equal entries, every entry of T is 1/3.
    ones = np.ones((3, 3))
    other = rng().random((3, 3))
    generator = Scripted(ones, ones, other)
    expected = Random().matrix(3, 2 / 3, Scripted(other))
    np.testing.assert_array_equal(Random().matrix(3, 2 / 3, generator), expected)
    assert generator.matrices == []


def test_no_noise_means_clean_labels_whatever_sigma_is() -> None:
    data = dataset()
    noise, y = NoNoise().corrupt(data, 0.4, rng())
    assert noise == NoiseMatrix.identity(3)
    np.testing.assert_array_equal(y, data.y)


# A matrix of one's own


def test_a_matrix_is_inline_or_in_a_file_and_does_not_use_sigma(tmp_path: Path) -> None:
    csv, npy = tmp_path / "T.csv", tmp_path / "T.npy"
    csv.write_text("0.9,0.2\n0.1,0.8\n")
    np.save(npy, np.array(T2, dtype=np.float32))
    for given in ({"matrix": T2}, {"path": str(csv)}, {"path": str(npy)}):
        noise, _ = GivenMatrix(**given).corrupt(dataset(n=2), 0.4, rng())
        np.testing.assert_allclose(noise.matrix, T2, atol=1e-7)


def test_matrices_that_do_not_fit_are_refused_in_words() -> None:
    for matrix in (T2, [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]], [0.5, 0.5, 0.0]):
        with pytest.raises(NcbenchError, match=r"T has shape \(.*3 classes: expected \(3, 3\)"):
            GivenMatrix(matrix=matrix).corrupt(dataset(n=3), 0.1, rng())
    with pytest.raises(NcbenchError, match="not n rows of n numbers"):
        GivenMatrix(matrix=[[0.9, 0.1], [0.2]])
    with pytest.raises(NcbenchError, match="transpose it"):
        GivenMatrix(matrix=[[0.9, 0.1], [0.2, 0.8]]).corrupt(dataset(n=2), 0.1, rng())
    for arguments in ({}, {"matrix": T2, "path": "T.csv"}):
        with pytest.raises(NcbenchError, match=r"either noise\.matrix=.* or noise\.path="):
            GivenMatrix(**arguments)


def test_a_matrix_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(NcbenchError, match=r"nowhere\.csv: no such file \(looked in "):
        GivenMatrix(path=str(tmp_path / "nowhere.csv"))
    for name, content in (
        ("T.csv", b""),
        ("T.csv", b"a,b\n0.9,0.1\n"),
        ("T.csv", b"0.9,0.2\n0.1\n"),
        ("T.csv", b"\xff\xfe\x00"),
        ("T.npy", b"0.9,0.2\n0.1,0.8\n"),
        ("T.npy", b""),
        ("T.npy", b"\x93NUMPY\x01\x00"),
    ):
        file = tmp_path / name
        file.write_bytes(content)
        with pytest.raises(NcbenchError, match="expected a CSV file of numbers") as caught:
            GivenMatrix(path=str(file))
        assert f"noise.path={file}" in str(caught.value)


class Trap:
    """Unpickled, it would leave a mark."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple:
        return (Path.touch, (self.mark,))


def test_npy_of_objects_is_refused_and_not_executed(tmp_path: Path) -> None:
    mark, file = tmp_path / "mark", tmp_path / "T.npy"
    np.save(file, np.array([[Trap(mark), 0], [0, 1]], dtype=object), allow_pickle=True)
    with pytest.raises(NcbenchError, match="allow_pickle"):
        GivenMatrix(path=str(file))
    assert not mark.exists()
    np.load(file, allow_pickle=True)
    assert mark.exists()  # the trap was armed


# Noise that comes with the data


def test_recorded_noise_is_found_by_sigma() -> None:
    noises = {
        sigma: Symmetric().corrupt(dataset(), sigma, rng(k)) for k, sigma in enumerate((0.1, 0.3))
    }
    data = dataset(recorded_noise=noises)
    assert Recorded().corrupt(data, 0.1, rng()) is noises[0.1]
    assert Recorded().corrupt(data, 0.1 + 0.2, rng()) is noises[0.3]  # a sum that rounds
    with pytest.raises(NcbenchError, match=r"'toy' has recorded noise only for sigma=0\.1, 0\.3"):
        Recorded().corrupt(data, 0.2, rng())
    with pytest.raises(NcbenchError, match="'toy' has no recorded noise; use noise=random"):
        Recorded().corrupt(dataset(), 0.1, rng())


def test_random_takes_recorded_noise_where_there_is_some() -> None:
    X, y = np.zeros((4, 1)), np.array([0, 1, 0, 1])
    brought = NoisyLabels(NoiseMatrix([[0.8, 0.2], [0.2, 0.8]]), np.array([1, 1, 0, 1]))
    data = Dataset(X, y, ("a", "b"), "toy", recorded_noise={0.2: brought})
    model = Random(recorded=True)
    assert model.corrupt(data, 0.2, np.random.default_rng(0)) is brought
    drawn = model.corrupt(data, 0.3, np.random.default_rng(0))
    assert np.diagonal(drawn.noise_matrix.matrix) == pytest.approx([0.7, 0.7])
    assert Random().corrupt(data, 0.2, np.random.default_rng(0)) is not brought


# Noise that depends on the example


def overlapping(m: int = 6000) -> Dataset:
    """Return three classes that overlap, the first the most frequent."""
    y = np.repeat([0, 0, 0, 1, 1, 2], m // 6)
    centers = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    return Dataset.from_labels(centers[y] + rng(7).normal(size=(m, 2)), y, name="overlapping")


def test_sigma_is_the_share_of_wrong_labels_in_each_class() -> None:
    for strength, sigma in ((0.0, 0.1), (3.0, 0.4), (10.0, 0.0)):
        data = overlapping()
        model = InstanceDependent(strength=strength)
        P = model.probabilities(data, sigma, rng())
        right = P[np.arange(len(P)), data.y]
        noisy = model.corrupt(data, sigma, rng())
        for j in range(3):
            of_class = data.y == j
            assert right[of_class].mean() == pytest.approx(1 - sigma, abs=1e-9)
            error = 5 * np.sqrt(sigma * (1 - sigma) / of_class.sum())
            assert np.mean(noisy.y[of_class] != j) == pytest.approx(sigma, abs=error + 1e-12)
        assert noisy.noise_matrix is not None
        assert np.diagonal(noisy.noise_matrix.matrix) == pytest.approx(1 - sigma, abs=1e-9)
        assert noisy.class_conditional is False


def test_hard_examples_are_mislabeled_more_often_and_as_what_they_resemble() -> None:
    data = overlapping()
    P = InstanceDependent(strength=3.0).probabilities(data, 0.3, rng())
    zero = data.y == 0
    x, wrong = data.X[zero], 1 - P[zero, 0]
    hard = x.max(axis=1) > 1.5  # on the side of another class
    assert wrong[hard].mean() > 3 * wrong[~hard].mean()
    toward_1, toward_2 = x[:, 0] > x[:, 1] + 1, x[:, 1] > x[:, 0] + 1
    as_1 = P[zero, 1] / wrong
    assert as_1[toward_1].mean() > as_1[toward_2].mean() + 0.3


def test_strength_0_is_random_noise_in_distribution() -> None:
    data = dataset(m=30)
    seeds = range(200)
    ours, theirs = (
        np.stack([model.corrupt(data, 0.3, rng(k)).noise_matrix.matrix for k in seeds])
        for model in (InstanceDependent(strength=0.0), Random())
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-12)  # drawn alike from one seed
    P = InstanceDependent(strength=0.0).probabilities(data, 0.3, rng())
    for j in range(3):
        assert np.ptp(P[data.y == j], axis=0).max() == 0.0


def test_a_strength_that_is_not_one_is_refused() -> None:
    with pytest.raises(NcbenchError, match=r"strength is -1; expected a number in \[0, 10\]"):
        InstanceDependent(strength=-1)
