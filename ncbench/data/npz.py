"""Data sets stored as ``.npz`` files of plain arrays.

======================= =====================================================================
key                     content
======================= =====================================================================
``X``, ``y``            features and clean labels
``noise_matrix_k``      a column-stochastic T for sigma = k/10, optional
``noisy_y_k``           the noisy labels drawn with it, optional
======================= =====================================================================

If ``a.npz.sha256`` exists next to ``a.npz``, in the format of ``sha256sum``, it is checked. Arrays
of Python objects are an error, because loading them can run code from the file.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncbench.core import NoiseMatrix, stream
from ncbench.data.dataset import NoisyLabels, positions
from ncbench.data.labels import label_array
from ncbench.errors import NcbenchError
from ncbench.files import reads, write_whole
from ncbench.types import Labels

Arrays = dict[str, NDArray[Any]]

_NOISE_MATRIX = re.compile(r"noise_matrix_(\d+)")
_NOISY_LABELS = re.compile(r"noisy_y_(\d+)")


def read_npz(path: Path) -> Arrays:
    """Read all arrays of a file, after verifying its checksum if there is one.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.npz")
    >>> write_npz(path, {"y": np.array([0, 1])})
    >>> read_npz(path)["y"]
    array([0, 1])
    """
    reads(path)
    check_sum(path)
    try:
        with np.load(path, allow_pickle=False) as stored:
            if not isinstance(stored, np.lib.npyio.NpzFile):
                raise NcbenchError(
                    f"file {path}: a single array; expected an .npz file with keys X and y"
                )
            return {key: _loaded(stored, key, path) for key in stored.files}
    except (OSError, EOFError, ValueError, MemoryError, zipfile.BadZipFile, zlib.error) as error:
        if isinstance(error, NcbenchError):
            raise
        raise NcbenchError(f"file {path}: not a readable .npz file: {error}") from error


def _loaded(stored: Mapping[str, NDArray[Any]], key: str, path: Path) -> NDArray[Any]:
    try:
        return stored[key]
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        raise NcbenchError(
            f"file {path}: {key!r} is an array of Python objects, which is never loaded because "
            "it can run code; save numbers, or text with array.astype(str)"
        ) from error


def examples(
    arrays: Mapping[str, NDArray[Any]], path: Path, labels: str = "y"
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the features and labels among a file's arrays, after checking their shapes.

    Examples
    --------
    >>> examples({"X": np.eye(2), "y": np.array([0, 1, 1])}, Path("a.npz"))
    Traceback (most recent call last):
    ...
    ncbench.errors.NcbenchError: file a.npz: X is float64 of shape (2, 2) and y of shape (3,); expected numbers of shape (m, d) and labels of shape (m,), with m and d at least 1
    """  # noqa: E501
    for needed in ("X", labels):
        if needed not in arrays:
            held = ", ".join(arrays) or "nothing"
            raise NcbenchError(f"file {path}: no array {needed!r}; it holds {held}")
    X, y = arrays["X"], arrays[labels]
    if X.dtype.kind not in "biuf" or X.ndim != 2 or y.shape != X.shape[:1] or not X.size:
        raise NcbenchError(
            f"file {path}: X is {X.dtype} of shape {X.shape} and {labels} of shape {y.shape}; "
            "expected numbers of shape (m, d) and labels of shape (m,), with m and d at least 1"
        )
    return X, y


def sum_file(path: Path) -> Path:
    """Return the path of a file's checksum.

    Examples
    --------
    >>> sum_file(Path("iris.npz")).name
    'iris.npz.sha256'
    """
    return path.with_name(path.name + ".sha256")


def digest(path: Path) -> str:
    """Return the SHA-256 of a file's content."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def content_of_path(path: str | None = None, **_: Any) -> str:
    """Return the digest of the file in a plug-in's parameter ``path``, as its fingerprint.

    Examples
    --------
    >>> content_of_path(path=None, matrix=[[1.0]])
    ''
    """
    if not path:
        return ""
    try:
        place = Path(path).expanduser()
        return digest(place) if place.is_file() else ""
    except (OSError, RuntimeError) as error:  # no permission, or an unknown home directory
        reason = getattr(error, "strerror", None) or error
        raise NcbenchError(f"file {path!r}: cannot be read: {reason}") from error


def check_sum(path: Path) -> None:
    """Raise NcbenchError if the file does not match the checksum stored next to it."""
    kept = sum_file(path)
    if not kept.is_file():
        return
    expected = (kept.read_text(encoding="utf-8", errors="replace").split() or [""])[0].lower()
    actual = digest(path)
    if actual != expected:
        raise NcbenchError(
            f"file {path}: SHA-256 is {actual} but {kept.name} says {expected or 'nothing'}; the "
            f"file has changed or is damaged. Delete both files to get it again, or {kept.name} "
            "alone if the change was intended"
        )


def write_npz(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file and its checksum, each atomically.

    The checksum is written first, and equal arrays give equal bytes. So a process that reads
    between the two steps, or writes the same data at the same time, finds no file or a valid one.
    """
    buffer = io.BytesIO()
    for key, array in arrays.items():
        if array.dtype.hasobject:
            raise NcbenchError(f"file {path}: {key!r} is an array of Python objects")
    np.savez_compressed(buffer, **dict(arrays))  # type: ignore[arg-type]
    content = buffer.getvalue()
    checksum = hashlib.sha256(content).hexdigest()
    write_whole(sum_file(path), f"{checksum}  {path.name}\n".encode())
    write_whole(path, content)


def recorded_noise(
    arrays: Mapping[str, NDArray[Any]], y: Labels, classes: tuple[str, ...], *, name: str
) -> dict[float, NoisyLabels]:
    """Return the noise stored in a file, by sigma.

    Parameters
    ----------
    arrays : mapping
        The content of the file. Its noisy labels name classes as its ``y`` does.
    y : array of int
        Clean labels, 0..n-1.
    classes : tuple of str
        Names of the classes, in the order of the matrices' rows and columns.
    name : str
        The data set. If a matrix comes without labels, they are drawn; the same name and sigma
        always give the same labels.

    Examples
    --------
    >>> arrays = {"noise_matrix_2": np.array([[0.8, 0.2], [0.2, 0.8]]),
    ...           "noisy_y_2": np.array(["b", "b", "a"])}
    >>> noise = recorded_noise(arrays, np.array([0, 1, 0]), ("a", "b"), name="toy")
    >>> {sigma: noisy.y.tolist() for sigma, noisy in noise.items()}
    {0.2: [1, 1, 0]}
    """
    found = {}
    for key in sorted(arrays):
        labels_of = _NOISY_LABELS.fullmatch(key)
        if labels_of and f"noise_matrix_{labels_of[1]}" not in arrays:
            raise NcbenchError(
                f"data set {name!r}: {key!r} comes without 'noise_matrix_{labels_of[1]}', the "
                "matrix it was drawn with"
            )
        match = _NOISE_MATRIX.fullmatch(key)
        if match is None:
            continue
        if int(match[1]) > 10:
            raise NcbenchError(
                f"data set {name!r}: {key[:40]!r} is noise for sigma = k/10, so k is at most 10"
            )
        sigma = int(match[1]) / 10
        try:
            noise = NoiseMatrix.of(arrays[key], len(classes))
        except NcbenchError as error:
            raise NcbenchError(f"data set {name!r}, {key!r}: {error}") from error
        noisy_key = f"noisy_y_{match[1]}"
        if noisy_key in arrays:
            where = f"data set {name!r}, {noisy_key!r}"
            noisy = _numbered(arrays[noisy_key], classes, len(y), where)
        else:
            noisy = noise.draw_labels(y, stream(0, "recorded", name, sigma))
        found[sigma] = NoisyLabels(noise, noisy)
    return found


def _numbered(labels: NDArray[Any], classes: tuple[str, ...], rows: int, where: str) -> Labels:
    if labels.shape != (rows,):
        raise NcbenchError(f"{where}: shape {labels.shape}; expected ({rows},), one label per row")
    names = label_array(labels, where=where).astype(str)
    wrong = names[~np.isin(names, classes)]
    if len(wrong):
        raise NcbenchError(f"{where}: label {str(wrong[0])!r} is not among {', '.join(classes)}")
    return positions(names, np.array(classes))
