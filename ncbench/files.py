"""Files that several processes share: written whole or not at all, one writer at a time."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import uuid
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Any

from ncbench.errors import NcbenchError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under a temporary name, flush it, and rename it.

    Whoever looks finds the old content or the new one, never a part of either.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a", "b.txt")
    >>> write_whole(path, b"all of it")
    >>> path.read_text(), len(list(path.parent.iterdir()))
    ('all of it', 1)
    """
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        fault_point(f"writing {path.name}")
        temporary.replace(path)
        fault_point(f"written {path.name}")
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_output(out: Path, content: bytes) -> None:
    """Write a file that ``--out`` asked for, whole or not at all; say in words why it cannot be.

    Examples
    --------
    >>> import tempfile
    >>> try:
    ...     write_output(Path(tempfile.mkdtemp()), b"all of it")
    ... except NcbenchError as error:
    ...     print(str(error).split(": ", 1)[1])
    cannot be written: Is a directory
    """
    try:
        write_whole(out, content)
    except OSError as error:
        raise NcbenchError(f"--out {out}: cannot be written: {error.strerror}") from error


def write_json(path: Path, data: Any) -> None:
    """Write plain data as JSON, whole or not at all; NaN and infinity are refused."""
    write_whole(path, json.dumps(data, allow_nan=False).encode())


@contextlib.contextmanager
def only_one(lock: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold a lock among processes; it ends with the process that holds it, however that ends.

    Without ``wait``, a lock that another process holds is left to it, and False is given.

    Examples
    --------
    >>> import tempfile
    >>> lock = Path(tempfile.mkdtemp(), "lock")
    >>> with only_one(lock) as first, only_one(lock, wait=False) as second:
    ...     print(first, second)
    True False
    """
    while True:
        make_folder(lock.parent)
        try:
            stream = lock.open("w")
        except FileNotFoundError:  # whoever held it before took its empty folder away
            continue
        if not _locked(stream, wait):
            stream.close()
            yield False
            return
        # Whoever held it before has deleted it: the file that is locked must be the one in place.
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(stream.fileno()), lock.stat()):
                break
        stream.close()
    fault_point(f"locked {lock.name}")
    try:
        yield True
    finally:
        lock.unlink(missing_ok=True)
        stream.close()


def _locked(stream: IO[str], wait: bool) -> bool:
    """Lock an open file; False if another process has, and it was not to be waited for."""
    # Windows and some network file systems have no such locks: then work may be done twice, but
    # what is written is still whole.
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        try:
            fcntl.flock(stream, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def make_folder(folder: Path) -> None:
    """Make a folder, or say in words why it cannot be."""
    for attempt in range(100):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return
        except OSError as error:
            # It was there, and no folder: a file, or one that was taken away empty since.
            if isinstance(error, FileExistsError) and attempt < 99:
                continue
            raise NcbenchError(f"{folder}: cannot be made a folder: {error.strerror}") from error


_passed: Counter[str] = Counter()


def fault_point(name: str) -> None:
    """Kill this process if the environment variable ``NCBENCH_FAULT`` names this point.

    Tests use it to end a process at a known moment. Files and locks are the points: ``writing``
    a file (flushed, not yet renamed), ``written``, and ``locked``. The variable holds a pattern,
    such as ``written trial-*.json``, and after ``#`` the pass to die at, 1 by default.
    """
    pattern, _, count = os.environ.get("NCBENCH_FAULT", "").partition("#")
    if pattern and fnmatchcase(name, pattern):
        _passed[pattern] += 1
        if _passed[pattern] == int(count or 1):
            os.kill(os.getpid(), signal.SIGKILL)
