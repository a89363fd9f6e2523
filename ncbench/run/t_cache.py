"""Cache the estimates of T, so that cells share them: measures and algorithms need the same one.

Estimates are stored as JSON with a checksum, in files named by a hash of estimator, learner,
versions, code and noisy sample. An estimator that is told a part of the truth is always run.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ncbench.core import NoiseMatrix
from ncbench.files import locked, read_json, write_json
from ncbench.noise_estimation import restored, stored

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
    kept = None if renew else _read(path)
    if kept is not None:
        return kept
    with locked(path.with_suffix(".lock")):
        if not renew:
            kept = _read(path)  # another process may have just computed it
        if kept is not None:
            return kept
        started = time.perf_counter()
        found = estimate()
        if time.perf_counter() - started > _WORTH_KEEPING:
            with contextlib.suppress(OSError):  # the cell needs the estimate, not the file
                write_json(path, stored(found))
        return found


def _read(path: Path) -> NoiseMatrix | None:
    """Return the stored estimate, or None if it is missing or damaged."""
    if not path.exists():
        return None
    try:
        return restored(read_json(path))
    except (ValueError, KeyError, TypeError) as error:
        print(f"ncbench: {path}: {error}; computed again", file=sys.stderr, flush=True)
        return None
