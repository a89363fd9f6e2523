"""The registry in use: of installed plug-ins, and of files that a command names."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from ncbench.plugin.file import PluginFile, read_files
from ncbench.plugin.registry import Registry
from ncbench.plugin.signature_cache import Catalogue, default_path

ENTRY_POINT_GROUP = "ncbench"

_files: tuple[PluginFile, ...] = ()


def use_files(paths: Iterable[str | Path]) -> None:
    """Make :func:`get_registry` use the plug-ins of these files; replaces earlier files.

    Applies to this process. Raises NcbenchError if a file is missing, broken, or has no hook.
    """
    global _files
    files = read_files(paths)
    if files:
        _registry(files)  # raises now if a file is broken
    _files = files


def files_in_use() -> list[str]:
    """Return the absolute paths last passed to :func:`use_files`."""
    return [str(file.path) for file in _files]


def get_registry() -> Registry:
    """Return the registry of installed plug-ins and files in use.

    Each process builds it on first use.
    """
    return _temporary or _registry(_files)


_temporary: Registry | None = None


@contextlib.contextmanager
def using(registry: Registry) -> Iterator[None]:
    """Make :func:`get_registry` return another registry inside the block."""
    global _temporary
    before, _temporary = _temporary, registry
    try:
        yield
    finally:
        _temporary = before


@cache
def _registry(files: tuple[PluginFile, ...]) -> Registry:
    installed = entry_points(group=ENTRY_POINT_GROUP)
    return Registry([*installed, *files], Catalogue(default_path()))
