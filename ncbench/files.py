"""Files that several processes share: written whole or not at all, one writer at a time."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
        temporary.replace(path)
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
def locked(path: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold a lock among processes; it ends with the process that holds it, however that ends.

    Parameters
    ----------
    path : Path
        A file that exists while somebody holds or wants the lock; its folder is created.
    wait : bool
        If False and another process holds the lock, the block runs with False.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "lock")
    >>> with locked(path) as first, locked(path, wait=False) as second:
    ...     print(first, second)
    True False
    """
    from filelock import FileLock, Timeout  # a tenth of a second, which --help need not pay

    lock = FileLock(path, poll_interval=0.01)
    while True:
        make_folder(path.parent)
        try:
            lock.acquire(blocking=wait)
            break
        except (FileNotFoundError, FileExistsError):  # its last holder removed the empty folder
            continue
        except Timeout:
            yield False
            return
    try:
        yield True
    finally:
        # Still locked: a process that waits for this file finds it deleted, and locks a new one.
        with contextlib.suppress(OSError):  # Windows does not delete open files
            path.unlink(missing_ok=True)
        lock.release()


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
            raise NcbenchError(f"{folder}: cannot create the folder: {error.strerror}") from error
