"""A hash of the code of a plug-in: its module, and the modules that it imports from nearby.

A version does not change with every edit, so records also have this hash. Code that is installed
together with Python is left out, except for the plug-in's own package: it has versions. So is
ncbench itself. Modules that are imported by a computed name are not found.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path


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
