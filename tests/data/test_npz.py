"""Data sets as .npz files: sums, and files that are whole or not written."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncbench import NcbenchError
from ncbench.data.npz import check_sum, read_npz, sum_file, write_npz
from ncbench_plugins.datasets import uci
from ncbench_plugins.datasets.file import file


def vehicle_arrays(rows: int = 40) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {"X": rng.normal(size=(rows, 18)), "y": np.arange(rows) % 4}


def test_checksum_that_does_not_match_names_file_and_both_sums(tmp_path: Path) -> None:
    path = tmp_path / "vehicle.npz"
    write_npz(path, vehicle_arrays())
    check_sum(path)
    expected = hashlib.sha256(path.read_bytes()).hexdigest()
    np.savez(path, **vehicle_arrays(44))
    actual = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(NcbenchError, match=f"{actual} but vehicle.npz.sha256 says {expected}"):
        uci.vehicle(data_dir=str(tmp_path))
    sum_file(path).unlink()
    assert len(uci.vehicle(data_dir=str(tmp_path)).y) == 44


def test_equal_arrays_are_equal_files(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        write_npz(tmp_path / name, vehicle_arrays())
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_interrupted_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "a.npz"
    write_npz(path, {"X": np.zeros(3)})
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_npz(path, {"X": np.ones(3)})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.npz", "a.npz.sha256"]
    np.testing.assert_array_equal(read_npz(path)["X"], np.zeros(3))


class Exploding:
    """Unpickling it would raise: proof that no pickle is read."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return (eval, ("1/0",))


def test_object_arrays_are_never_loaded(tmp_path: Path) -> None:
    arrays = {**vehicle_arrays(), "y": np.array([Exploding()] * 40, dtype=object)}
    np.savez(tmp_path / "vehicle.npz", **arrays)
    with pytest.raises(NcbenchError, match="'y' is an array of Python objects"):
        uci.vehicle(data_dir=str(tmp_path))
    with pytest.raises(NcbenchError, match="'y' is an array of Python objects"):
        file(str(tmp_path / "vehicle.npz"))
    with pytest.raises(NcbenchError, match="'y' is an array of Python objects"):
        write_npz(tmp_path / "own.npz", arrays)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": np.array([0.0, np.inf, 1.0, 0.0])}, "label inf in row 2; expected classes"),
        ({"y": np.array([b"\xff", b"a", b"b", b"a"])}, "text that is not UTF-8"),
        ({"noise_matrix_2": np.eye(2).astype(str)}, "not a matrix of numbers"),
        ({"noise_matrix_" + "9" * 400: np.eye(2)}, "k is at most 10"),
    ],
)
def test_arrays_that_are_not_what_they_should_be_are_refused(
    arrays: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "odd.npz"
    np.savez(path, **{"X": np.eye(4), "y": np.array([0, 1, 0, 1]), **arrays})
    with pytest.raises(NcbenchError, match=message):
        file(str(path))


def test_an_array_that_does_not_fit_into_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.npz"
    np.savez(path, X=np.eye(2))

    def refuse(*_: object) -> None:
        raise MemoryError("Unable to allocate 728. TiB")

    monkeypatch.setattr("ncbench.data.npz._loaded", refuse)
    with pytest.raises(NcbenchError, match=r"large\.npz: not a readable \.npz file: Unable"):
        read_npz(path)
