"""A single file as a plug-in: named on the command line, never found by lying in a folder.

It stands in for an entry point: its distribution is the file's name and its version a hash of
its content, so that records say which state of it they came from, and an edit makes new cells.
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


class FileDistribution(NamedTuple):
    """What stands where an installed plug-in has its distribution."""

    name: str
    version: str


@dataclass(frozen=True)
class PluginFile:
    """A file of Python code with hooks in it.

    Parameters
    ----------
    path : Path
        Absolute, so that processes with another working folder find it.
    version : str
        Hash of the content.
    """

    path: Path
    version: str

    @classmethod
    def read(cls, path: str | Path) -> PluginFile:
        """Look at a file; raise NcbenchError if there is none."""
        place = Path(path).expanduser().resolve()
        try:
            content = place.read_bytes()
        except OSError as error:
            raise NcbenchError(
                f"plugins_from={path}: {error.strerror} (looked for {place})"
            ) from error
        if place.suffix != ".py":
            raise NcbenchError(f"plugins_from={path}: expected a Python file, NAME.py")
        return cls(place, hashlib.sha256(content).hexdigest()[:12])

    @property
    def name(self) -> str:
        """The file's name without suffix, where an installed plug-in has its entry point's."""
        return self.path.stem

    @property
    def dist(self) -> FileDistribution:
        """Name of the file and version of its content."""
        return FileDistribution(self.path.name, self.version)

    def load(self) -> ModuleType:
        """Run the file as a module; raise NcbenchError, with the line, if it cannot be."""
        # The version is part of the name: an edited file is another module. Dots would make it
        # part of a package, where pickle would look for it.
        name = f"ncbench_plugin_file_{self.name.replace('.', '_')}_{self.version}"
        if name in sys.modules:
            return sys.modules[name]
        spec = importlib.util.spec_from_file_location(name, self.path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # where pickle and type hints look for it
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
        """Return ``, line 7``, the last line of this file that the error came by."""
        if isinstance(error, SyntaxError) and error.filename == str(self.path):
            return f", line {error.lineno}"
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == str(self.path)
        ]
        return f", line {lines[-1]}" if lines else ""


def _message(error: BaseException) -> str:
    return str(error.msg if isinstance(error, SyntaxError) else error)


def read_files(paths: Iterable[str | Path]) -> tuple[PluginFile, ...]:
    """Look at several files, each once."""
    return tuple(dict.fromkeys(PluginFile.read(path) for path in paths))
