"""Cache of plug-in descriptions, so that listing plug-ins does not import them.

Listing plug-ins and checking a command line need signatures, not code, and importing scikit-learn
to get a signature takes seconds. An entry is valid as long as the version and the files of the
plug-in's package do not change. Deleting the cache file is always safe. If its folder is not
writable, plug-ins are imported every time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ncbench.files import write_json
from ncbench.plugin.description import Plugin
from ncbench.plugin.file import PluginFile


def default_path() -> Path:
    """Return the cache file of this Python environment, in the user's cache folder."""
    own, user = os.environ.get("NCBENCH_CACHE_HOME"), os.environ.get("XDG_CACHE_HOME")
    folder = Path(own) if own else Path(user or Path.home() / ".cache") / "ncbench"
    environment = hashlib.sha256(f"{sys.prefix} {sys.version}".encode()).hexdigest()[:16]
    return folder / f"plugins-{environment}.json"


class Catalogue:
    """Descriptions of plug-ins by entry point.

    Parameters
    ----------
    path : Path
        The cache file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._changed = False
        try:
            self._entries: dict[str, Any] = dict(json.loads(path.read_text()))
        except (OSError, ValueError, TypeError):
            self._entries = {}

    def find(self, point: EntryPoint | PluginFile) -> list[Plugin] | None:
        """Return the plug-ins of an entry point; None if they are not cached or have changed."""
        entry = self._entries.get(_key(point))
        try:
            if entry is None or entry["state"] != _state(point):
                return None
            return [Plugin.from_json(plugin) for plugin in entry["plugins"]]
        except (KeyError, TypeError):  # a file of another version or program
            return None

    def keep(self, point: EntryPoint | PluginFile, plugins: list[Plugin]) -> None:
        """Store the plug-ins of an entry point."""
        described = [asdict(plugin) for plugin in plugins]
        self._entries[_key(point)] = {"state": _state(point), "plugins": described}
        self._changed = True

    def save(self) -> None:
        """Write the cache file atomically, if anything changed."""
        if not self._changed:
            return
        with contextlib.suppress(OSError, TypeError, ValueError):
            write_json(self._path, self._entries)


def _key(point: EntryPoint | PluginFile) -> str:
    value = "" if isinstance(point, PluginFile) else point.value
    return f"{point.dist.name if point.dist else ''}:{point.name}={value}"


def _state(point: EntryPoint | PluginFile) -> str:
    """Return a hash that changes when the plug-in's package or the core is edited or upgraded."""
    state = hashlib.sha256((point.dist.version if point.dist else "").encode())
    # The version of a plug-in file is already a hash of its content.
    own = [] if isinstance(point, PluginFile) else [point.module.partition(".")[0]]
    for package in (*own, "ncbench"):
        for file in source_files(package):
            about = file.lstat()  # an editor's lock file may be a dangling link
            state.update(f"{file} {about.st_mtime_ns} {about.st_size}\n".encode())
    return state.hexdigest()


def source_files(package: str) -> Iterator[Path]:
    """Yield the Python files of a top-level package or module, without importing it."""
    # The spec of a top-level package is found without importing it.
    spec = None
    with contextlib.suppress(ValueError):  # __main__ has no spec
        spec = find_spec(package)
    if spec is None:
        return
    if spec.submodule_search_locations:
        for folder in spec.submodule_search_locations:
            yield from sorted(Path(folder).rglob("*.py"))
    elif spec.origin:
        yield Path(spec.origin)
