"""Files: atomic writes, locks between processes, and inputs that no output may replace."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import signal
import stat
import uuid
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ncbench.errors import NcbenchError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}


def is_full(error: BaseException) -> bool:
    """Whether an error says that a disk or another device takes no more."""
    return isinstance(error, OSError) and error.errno in _FULL


def has_no_end(path: str | Path) -> bool:
    """Whether a path is a pipe or a device, which a reader may wait for, or read, forever.

    Examples
    --------
    >>> has_no_end("/dev/zero"), has_no_end("."), has_no_end("no-such-file")
    (True, False, False)
    """
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # whoever opens it says why it cannot be read
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: under a temporary name, flushed, then renamed.

    Readers see the old content or the new content, never a part of either.

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


class _Command:
    """The files of the command that runs, by device and inode: links and names do not matter."""

    def __init__(self) -> None:
        self.inputs: set[tuple[int, int]] = set()
        self.outputs: dict[tuple[int, int], str] = {}

    def refuse_both(self) -> None:
        for key in self.inputs & self.outputs.keys():
            raise NcbenchError(
                f"{self.outputs[key]}: this file is read, and would be lost; give another name"
            )


_command: _Command | None = None


@contextlib.contextmanager
def keeping_inputs() -> Iterator[None]:
    """While a command runs, refuse that it writes to a file that it reads.

    Whatever reads a file that a user names says so by :func:`reads`. In Python, where a program may
    well read a file and write it again, nothing is refused.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.csv")
    >>> write_output(path, b"a,b")
    >>> with keeping_inputs():
    ...     reads(path)
    ...     try:
    ...         write_output(path.parent / "." / "a.csv", b"lost")
    ...     except NcbenchError as error:
    ...         print(str(error).split(": ", 1)[1])
    this file is read, and would be lost; give another name
    """
    global _command
    _command = _Command()
    try:
        yield
    finally:
        _command = None


def reads(path: str | Path) -> None:
    """Note that the command reads a file; raise NcbenchError if it is to be written, too."""
    if _command is not None and (key := _identity(path)):
        _command.inputs.add(key)
        _command.refuse_both()


def writes(path: str | Path, option: str = "--out") -> None:
    """Note that the command will write a file; raise NcbenchError if it is read, too."""
    if _command is not None and (key := _identity(path)):
        _command.outputs[key] = f"{option} {path}"
        _command.refuse_both()


def _identity(path: str | Path) -> tuple[int, int] | None:
    try:
        about = os.stat(path)
    except (OSError, ValueError):  # not there, so nothing can be lost
        return None
    return (about.st_dev, about.st_ino) if stat.S_ISREG(about.st_mode) else None


def write_output(out: Path, content: bytes) -> None:
    """Write the file given by ``--out`` atomically; raise NcbenchError if that fails.

    A device, a pipe or a link, such as ``/dev/stdout``, is not replaced: the content is written
    to what is there.

    Examples
    --------
    >>> import tempfile
    >>> try:
    ...     write_output(Path(tempfile.mkdtemp()), b"all of it")
    ... except NcbenchError as error:
    ...     print(str(error).split(": ", 1)[1])
    cannot be written: Is a directory
    """
    writes(out)
    try:
        if out.is_symlink() or (out.exists() and not out.is_file() and not out.is_dir()):
            with out.open("wb") as stream:
                stream.write(content)
        else:
            write_whole(out, content)
    except OSError as error:
        raise NcbenchError(f"--out {out}: cannot be written: {error.strerror}") from error


_CHECKSUM = b', "checksum": "'


def write_json(path: Path, data: Any) -> None:
    """Write plain data as JSON, atomically; see :func:`as_json`."""
    write_whole(path, as_json(data))


def as_json(data: Any) -> bytes:
    """Return plain data as JSON in one line; NaN and infinity raise ValueError.

    A mapping gets a last key, ``checksum``, for :func:`from_json`.
    """
    content = json.dumps(data, allow_nan=False).encode()
    if isinstance(data, dict) and data:
        content = content[:-1] + _CHECKSUM + _digest(content[:-1]) + b'"}'
    return content


def read_json(path: Path) -> Any:
    """Read a file that ``write_json`` wrote; raise ValueError, with the path, if it is damaged.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.json")
    >>> write_json(path, {"loss": 0.25})
    >>> read_json(path)
    {'loss': 0.25}
    >>> _ = path.write_text(path.read_text().replace("0.25", "0.15"))
    >>> try:
    ...     read_json(path)
    ... except ValueError as error:
    ...     print(str(error).split("a.json: ")[1])
    damaged or edited: its checksum does not match (without the key "checksum" it would be read)
    """
    return from_json(read_bytes(path), str(path))


def read_bytes(path: Path) -> bytes:
    """Return the content of a file; raise ValueError, with the path, if it cannot be read."""
    reads(path)
    try:
        if path.exists() and not path.is_file():  # a pipe would never end
            raise ValueError(f"{path}: not a regular file")
        return path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from error


def from_json(content: bytes, where: str) -> Any:
    """Return the data of :func:`as_json`; raise ValueError, with its origin, if it is damaged."""
    verified(content, where)
    try:
        data = json.loads(content)
        if b"\\ud" in content:  # half of a character: no later command could print or write it
            json.dumps(data, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError(f"{where}: nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"{where}: not JSON ({error})") from error
    if isinstance(data, dict):
        data.pop("checksum", None)
    return data


def verified(content: bytes, where: str) -> None:
    """Raise ValueError, with its origin, for JSON that does not match its checksum.

    The checksum covers every byte before it. Content without one is taken as it is.
    """
    head, checksum, tail = content.rpartition(_CHECKSUM)
    if checksum and tail.strip() != _digest(head) + b'"}':
        raise ValueError(
            f"{where}: damaged or edited: its checksum does not match (without the key "
            '"checksum" it would be read)'
        )


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).hexdigest().encode()


@contextlib.contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold a lock between processes; it is released when its process ends, even if killed.

    Parameters
    ----------
    path : Path
        A file that exists while a process holds or wants the lock; its folder is created.
    wait : bool
        If False and another process holds the lock, yield False.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "lock")
    >>> with locked(path) as first, locked(path, wait=False) as second:
    ...     print(first, second)
    True False
    """
    from filelock import FileLock, Timeout  # takes a tenth of a second, which --help should not pay

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
        except OSError as error:  # a folder or a link of that name
            if is_full(error):
                raise
            raise NcbenchError(f"{path}: cannot be locked: {error.strerror}") from error
    fault_point(f"locked {path.name}")
    try:
        yield True
    finally:
        # Delete while locked: a process that waits for this file finds it deleted and locks a new
        # one.
        with contextlib.suppress(OSError):  # Windows does not delete open files
            path.unlink(missing_ok=True)
        lock.release()


def make_folder(folder: Path) -> None:
    """Create a folder with its parents; raise NcbenchError if that fails."""
    for attempt in range(100):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return
        except OSError as error:
            # Something of that name existed: a file, or a folder that was removed in between.
            if isinstance(error, FileExistsError) and attempt < 99:
                continue
            raise NcbenchError(f"{folder}: cannot create the folder: {error.strerror}") from error


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
