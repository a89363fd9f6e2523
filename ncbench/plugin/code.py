"""A hash of the code of a plug-in: its module, and the modules that it imports from nearby.

A version does not change with every edit, so records also have this hash. Code that is installed
together with Python is left out, except for the plug-in's own package: it has versions. So is
ncbench itself. Modules that are imported by a computed name are not found.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import sys
import sysconfig
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from ncbench.errors import NcbenchError
from ncbench.files import has_no_end, reads

# Plug-ins from a single file that the user names on the command line.

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


def code_of_module(module: str) -> str:
    """Return a hash of the source files of a module and of what it imports.

    Examples
    --------
    >>> len(code_of_module("ncbench_plugins.algorithms.frank_wolfe"))
    12
    """
    path = _find(module, None)
    return _code(path, module) if path else ""


def code_of_file(path: Path) -> str:
    """Return a hash of a plug-in file and of what it imports."""
    return _code(path, "")


def is_own(module: str) -> bool:
    """Whether a module is neither part of Python nor installed with pip, except as editable."""
    path = _find(module, None)
    return path is not None and not _installed(path)


def own_line(error: BaseException) -> str:
    """Return the file and line of one's own code that an error went through last, or ''.

    Own code is neither ncbench's, with its plug-ins, nor installed with pip.

    Examples
    --------
    >>> own_line(ValueError("raised nowhere"))
    ''
    """
    shipped = [Path(__file__).parents[1]]
    if spec := find_spec("ncbench_plugins"):
        shipped += map(Path, spec.submodule_search_locations or ())
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        ours = any(path.is_relative_to(folder) for folder in shipped)
        if path.is_file() and not ours and not _installed(path):
            return f"{path.name}, line {frame.lineno}"
    return ""


def _code(start: Path, module: str) -> str:
    top = module.partition(".")[0]
    found: dict[Path, str] = {}
    waiting = [(start, module)]
    while waiting:
        path, name = waiting.pop()
        if path in found:
            continue
        found[path], imports = _read(path, name)
        for imported in imports:
            there = _find(imported, start.parent)
            own = imported.partition(".")[0]
            if there and own != "ncbench" and (own == top or not _installed(there)):
                waiting.append((there, imported))
    # Not the paths: the same code in another folder is the same code.
    return hashlib.sha256("".join(sorted(found.values())).encode()).hexdigest()[:12]


def _read(path: Path, module: str) -> tuple[str, tuple[str, ...]]:
    """Return a hash of a file, and the names of the modules that it may import."""
    try:
        about = path.stat()
    except OSError:
        return "", ()
    return _parse(path, module, about.st_mtime_ns, about.st_size)


@lru_cache(1000)
def _parse(path: Path, module: str, time: int, size: int) -> tuple[str, tuple[str, ...]]:
    content = path.read_bytes()
    imports: set[str] = set()
    with contextlib.suppress(SyntaxError, ValueError):  # its import will say what is wrong
        for node in ast.walk(ast.parse(content)):
            imports.update(_imported(node, module, path.name == "__init__.py"))
    return hashlib.sha256(content).hexdigest(), tuple(sorted(imports))


def _imported(node: ast.AST, module: str, package: bool) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parts = module.split(".")
            up = parts[: len(parts) - node.level + package]
            base = ".".join([*up, base] if base else up)
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names)  # a module, or a name in it


def _find(module: str, folder: Path | None) -> Path | None:
    """Return the source file of a module, without importing it or its package."""
    return _found(module, folder, tuple(sys.path))


@lru_cache(10_000)  # a sweep of thousands of cells asks for each of them
def _found(module: str, folder: Path | None, path: tuple[str, ...]) -> Path | None:
    top, *rest = module.split(".")
    if top in sys.stdlib_module_names:
        return None
    spec = None
    with contextlib.suppress(ImportError, ValueError):
        spec = find_spec(top) if top else None
    if spec is not None:
        places = [Path(place) for place in spec.submodule_search_locations or ()]
        here = [Path(spec.origin)] if spec.origin else []
    else:
        if folder is None or not top:
            return None
        places, here = [folder / top], [folder / f"{top}.py", folder / top / "__init__.py"]
    candidates = here
    if rest:
        below = [place.joinpath(*rest) for place in places]
        candidates = [f for b in below for f in (b / "__init__.py", b.with_name(f"{b.name}.py"))]
    return next((f for f in candidates if f.suffix == ".py" and f.is_file()), None)


def _installed(path: Path) -> bool:
    # Also of the user, or of the system below a virtual environment: not only where pip installs.
    if {"site-packages", "dist-packages"} & {*path.parts}:
        return True
    return any(path.is_relative_to(folder) for folder in _standard_library())


@cache
def _standard_library() -> tuple[Path, ...]:
    paths = sysconfig.get_paths()
    return tuple({Path(paths[name]) for name in ("stdlib", "platstdlib")})
