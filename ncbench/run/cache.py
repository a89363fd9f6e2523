"""Cache the probabilities of CPE learners, so that cells share fits on the same data.

NCFW, FW, NCBS, BS, the plug-in rule and every measure need the same probabilities from the same
learner. ``SharedCPE`` stores them in files named by a hash of learner, versions, code, training
data and query examples. Only probabilities are stored, as plain arrays; models are not pickled.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from ncbench.core import NoiseMatrix
from ncbench.errors import notice_once
from ncbench.files import locked, read_json, write_json, write_whole
from ncbench.learning import fit_cpe
from ncbench.noise_estimation import restored, stored
from ncbench.plugin import get_registry, source_files
from ncbench.types import Array

Kept = TypeVar("Kept")


class SharedCPE(ClassifierMixin, BaseEstimator):
    """A CPE learner whose probabilities are stored in a folder.

    The learner is fitted only when probabilities are requested that the folder does not have.

    Parameters
    ----------
    cpe : scikit-learn classifier
        The learner.
    identity : str
        Identifies the learner: name, parameters, seed, versions.
    folder : str
        Where probabilities are stored.
    limit : float
        Maximum size of the folder in GB. Beyond it, the least recently used entries are deleted.
    renew : bool
        Write to the folder, but do not read from it.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = np.array([[0.0], [0.1], [1.0], [1.1]]), np.array([0, 0, 1, 1])
    >>> folder = tempfile.mkdtemp()
    >>> first = SharedCPE(GaussianNB(), "nb", folder).fit(X, y).predict_proba(X)
    >>> again = SharedCPE(GaussianNB(), "nb", folder).fit(X, y)
    >>> bool(np.array_equal(first, again.predict_proba(X))), again.fits_
    (True, 0)
    """

    def __init__(
        self, cpe: Any, identity: str, folder: str, limit: float = 2.0, renew: bool = False
    ) -> None:
        self.cpe = cpe
        self.identity = identity
        self.folder = folder
        self.limit = limit
        self.renew = renew

    def fit(self, X: Array, y: NDArray, noise_matrix: NoiseMatrix | None = None) -> Self:
        """Store the sample, and the noise matrix if the learner uses it."""
        if not has_fit_parameter(self.cpe, "noise_matrix"):
            noise_matrix = None
        self.classes_ = np.unique(y) if noise_matrix is None else np.arange(noise_matrix.n)
        self.fits_ = 0
        self._sample = (X, y, noise_matrix)
        self._fitted: Any = None
        used = () if noise_matrix is None else (noise_matrix.matrix,)
        self._key = digest(self.identity.encode(), X, y, *used)
        return self

    def alike(self, cpe: Any, name: str) -> SharedCPE:
        """Return another registered learner that uses the same folder."""
        identity = f"{self.identity}/{name}/{code_of_plugin('cpe', name)}"
        return SharedCPE(cpe, identity, self.folder, self.limit, self.renew)

    def predict_proba(self, X: Array) -> Array:
        """Return class probabilities, from the folder if they are there."""
        key = digest(self._key.encode(), X)
        return self._stored(key, lambda: self._model().predict_proba(X))

    @available_if(lambda self: hasattr(self.cpe, "held_out_posterior"))  # type: ignore[untyped-decorator]
    def held_out_posterior(self) -> Array:
        """Return what the learner predicted for the sample before it saw its labels."""
        key = digest(f"{self._key} held out".encode())
        return self._stored(key, lambda: self._model().held_out_posterior())

    def _stored(self, key: str, compute: Callable[[], Any]) -> Array:
        path = Path(self.folder) / f"{key}.npy"

        def compute_and_write() -> Array:
            probabilities = np.asarray(compute(), dtype=np.float64)
            _write(path, probabilities)
            _shrink(path.parent, self.limit)
            return probabilities

        return _shared(path, _read, compute_and_write, self.renew)

    def predict(self, X: Array) -> NDArray:
        """Return the most probable class of each row; ties go to the lowest."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def _model(self) -> Any:
        if self._fitted is None:
            self._fitted = fit_cpe(self.cpe, *self._sample)
            self.fits_ += 1
        return self._fitted


def code_of_plugin(kind: str, name: str) -> str:
    """Return a text that changes with the version and the code of a plug-in.

    Authors do not change the version with every edit, and the code may be in any file of the
    package, or in the core.

    Examples
    --------
    >>> logistic, forward = code_of_plugin("cpe", "logistic"), code_of_plugin("cpe", "forward")
    >>> logistic == forward  # both are shipped with ncbench
    True
    """
    registry = get_registry()
    plugin, target = registry.plugin(kind, name), registry.target(kind, name)
    package = str(getattr(target, "__module__", "")).partition(".")[0]
    return f"{plugin.distribution} {plugin.version} {hash_of_code(package)}"


@cache
def hash_of_code(package: str) -> str:
    """Return a hash of the Python files of a top-level package and of ncbench itself."""
    found = hashlib.blake2b(digest_size=16)
    for name in sorted({package, "ncbench"} - {""}):
        for file in source_files(name):
            with contextlib.suppress(OSError):  # an editor's lock file may be a broken link
                found.update(file.read_bytes())
    return found.hexdigest()


def digest(start: bytes, *arrays: NDArray) -> str:
    """Return a hash of a text and of arrays."""
    found = hashlib.blake2b(start, digest_size=16)
    for array in arrays:
        found.update(f"{array.shape}{array.dtype}".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()


def _shared(
    path: Path, read: Callable[[Path], Kept | None], compute: Callable[[], Kept], renew: bool
) -> Kept:
    """Return what a file holds, or compute it while other processes that need it wait."""
    kept = None if renew else read(path)
    if kept is None:
        with locked(path.with_suffix(".lock")):
            # Another process may have just computed it.
            kept = None if renew else read(path)
            if kept is None:
                kept = compute()
    return kept


def _read(path: Path) -> Array | None:
    """Return the stored probabilities, or None if they are missing or damaged."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        _notice(path, error.strerror)
        return None
    array, checksum = content[:-_CHECKSUM], content[-_CHECKSUM:]
    if _checksum(array) != checksum:
        _notice(path, "its checksum is wrong")
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # now the most recently used entry
    probabilities: Array = np.load(io.BytesIO(array), allow_pickle=False)
    return probabilities


def _write(path: Path, probabilities: Array) -> None:
    buffer = io.BytesIO()
    np.save(buffer, probabilities, allow_pickle=False)
    content = buffer.getvalue()
    try:
        write_whole(path, content + _checksum(content))
    except OSError as error:  # the cell needs the probabilities, not the file
        _notice(path, f"cannot write it: {error.strerror}")


_CHECKSUM = 16


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_CHECKSUM).digest()


def _notice(path: Path, problem: object) -> None:
    notice_once(f"{path}: {problem}; computed again")


def _shrink(folder: Path, limit: float) -> None:
    """Delete the least recently used entries until the folder is within its limit."""
    entries = []
    for path in folder.glob("*.npy"):
        with contextlib.suppress(FileNotFoundError):
            about = path.stat()
            entries.append((about.st_mtime, about.st_size, path))
    excess = sum(size for _, size, _ in entries) - limit * 1e9
    for _, size, path in sorted(entries):
        if excess <= 0:
            break
        path.unlink(missing_ok=True)
        excess -= size


# Cache the estimates of T, so that cells share them: measures and algorithms need the same one.

_WORTH_KEEPING = 0.1
"""Seconds of an estimate from which reading a file is clearly quicker."""


def shared_estimate(
    path: Path, estimate: Callable[[], NoiseMatrix], *, renew: bool = False
) -> NoiseMatrix:
    """Return the estimate that a file holds, or compute it and keep it there.

    Parameters
    ----------
    path : Path
        The file, named by everything that the estimate depends on.
    estimate : callable
        Computes it.
    renew : bool
        Do not read the file, but write it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.json")
    >>> def slow():
    ...     time.sleep(0.11)
    ...     return NoiseMatrix([[0.9, 0.2], [0.1, 0.8]])
    >>> (shared_estimate(path, slow).matrix == shared_estimate(path, None).matrix).all()
    np.True_
    """

    def compute() -> NoiseMatrix:
        started = time.perf_counter()
        found = estimate()
        if time.perf_counter() - started > _WORTH_KEEPING:
            with contextlib.suppress(OSError):  # the cell needs the estimate, not the file
                write_json(path, stored(found))
        return found

    return _shared(path, _read_matrix, compute, renew)


def _read_matrix(path: Path) -> NoiseMatrix | None:
    """Return the stored estimate, or None if it is missing or damaged."""
    if not path.exists():
        return None
    try:
        return restored(read_json(path))
    except (ValueError, KeyError, TypeError) as error:
        _notice(path, error)
        return None
