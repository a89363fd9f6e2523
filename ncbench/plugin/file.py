"""Plug-ins from a single file that the user names on the command line.

The file takes the place of an entry point. Its distribution is the file's name and its version is a
hash of its content, so records identify the content they came from, and an edit makes new cells.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from ncbench.errors import NcbenchError
from ncbench.files import has_no_end, reads

_OF_FILES = "ncbench_plugin_file_"


class FileDistribution(NamedTuple):
    """Name and version of a plug-in file, in place of an installed distribution."""

    name: str
    version: str


@dataclass(frozen=True)
class PluginFile:
    """A Python file with hooks.

    Parameters
    ----------
    path : Path
        Absolute, so that processes with another working directory find it.
    version : str
        Hash of the content.
    """

    path: Path
    version: str

    @classmethod
    def read(cls, path: str | Path) -> PluginFile:
        """Read a file; raise NcbenchError if it is missing or not a Python file."""
        place = Path(path)
        try:
            place = place.expanduser().resolve()
            reads(place)
            if has_no_end(place):
                raise NcbenchError(f"plugins_from={path}: not a regular file")
            content = place.read_bytes()
        except (OSError, RuntimeError) as error:  # RuntimeError: no such user, or links in a circle
            reason = getattr(error, "strerror", None) or error
            raise NcbenchError(f"plugins_from={path}: {reason} (looked for {place})") from error
        if place.suffix != ".py":
            raise NcbenchError(f"plugins_from={path}: expected a Python file, NAME.py")
        return cls(place, hashlib.sha256(content).hexdigest()[:12])

    @property
    def name(self) -> str:
        """The file's name without suffix, in place of an entry point's name."""
        return self.path.stem

    @property
    def dist(self) -> FileDistribution:
        """The file's name and the version of its content."""
        return FileDistribution(self.path.name, self.version)

    def load(self) -> ModuleType:
        """Import the file as a module; raise NcbenchError, with the line, if that fails."""
        # The name includes the version, so an edited file is a new module. It has no dots: with
        # them, pickle would look for a package.
        name = f"{_OF_FILES}{self.name.replace('.', '_')}_{self.version}"
        if name in sys.modules:
            return sys.modules[name]
        spec = importlib.util.spec_from_file_location(name, self.path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # pickle and type hints look here
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            del sys.modules[name]
            if not isinstance(error, Exception | SystemExit):
                raise
            raise NcbenchError(
                f"{self.path}{self._line(error)}: {type(error).__name__}: {_message(error)}"
            ) from error
        return module

    def _line(self, error: BaseException) -> str:
        """Return ``, line 7``: the last line of this file in the traceback."""
        if isinstance(error, SyntaxError) and error.filename == str(self.path):
            return f", line {error.lineno}"
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == str(self.path)
        ]
        return f", line {lines[-1]}" if lines else ""


def shown_module(name: str) -> str:
    """Return the name of a module for messages: that of its file, if it was read from one.

    Examples
    --------
    >>> shown_module("ncbench_plugin_file_my_rule_a0daa50577f7"), shown_module("rules.mine")
    ('my_rule', 'rules.mine')
    """
    if not name.startswith(_OF_FILES):
        return name
    return name.removeprefix(_OF_FILES).rpartition("_")[0]


def _message(error: BaseException) -> str:
    return str(error.msg if isinstance(error, SyntaxError) else error)


def read_files(paths: Iterable[str | Path]) -> tuple[PluginFile, ...]:
    """Read several files, each once."""
    return tuple(dict.fromkeys(PluginFile.read(path) for path in paths))
