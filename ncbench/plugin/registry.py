"""Find plug-ins by entry point or file, one at a time, and list what each of them offers."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import pluggy

from ncbench import __version__
from ncbench.errors import NcbenchError, UnknownName
from ncbench.plugin import spec
from ncbench.plugin.code import (
    PluginFile,
    code_of_file,
    code_of_module,
    is_own,
    read_files,
    shown_module,
)
from ncbench.plugin.signature import (
    Catalogue,
    Plugin,
    Problem,
    as_arguments,
    default_path,
    parameters_of,
)

Address = tuple[str, str, str]
"""Distribution, version and entry point of a plug-in."""


@dataclass(frozen=True)
class Kind:
    """A kind of plug-in: its config group, its hook, and the arguments the core supplies."""

    group: str
    hook: str
    title: str
    supplied: tuple[str, ...] = ()


KINDS = {
    kind.group: kind
    for kind in (
        Kind("dataset", "ncbench_datasets", "data set", ("data_dir", "rng")),
        Kind("noise", "ncbench_noise_models", "noise model"),
        Kind("cpe", "ncbench_cpe_learners", "CPE learner", ("random_state",)),
        Kind("t_estimator", "ncbench_t_estimators", "T estimator"),
        Kind("measure", "ncbench_measures", "measure"),
        Kind("algo", "ncbench_algorithms", "algorithm", ("measure", "cpe", "random_state")),
    )
}
"""The kinds that each cell chooses one plug-in of."""

OBSERVERS = Kind("observers", "ncbench_observers", "observer")

_KINDS = {**KINDS, OBSERVERS.group: OBSERVERS}
_HOOKS = tuple(kind.hook for kind in _KINDS.values())


class Registry:
    """The plug-ins of this environment.

    Parameters
    ----------
    points : sequence of EntryPoint or PluginFile
        Sources of plug-ins. A broken entry point is listed in ``problems``. A broken file raises,
        because the user asked for it by name.
    catalogue : Catalogue, optional
        Cached descriptions, so that listing plug-ins does not import them.
    """

    def __init__(
        self, points: Sequence[EntryPoint | PluginFile], catalogue: Catalogue | None = None
    ) -> None:
        self._points: dict[Address, EntryPoint | PluginFile | None] = {
            _address(point): point for point in points
        }
        self._targets: dict[Address, dict[str, dict[str, Any]]] = {}
        self._given: dict[Address, dict[str, dict[str, Any]]] = {}
        self._manager = pluggy.PluginManager("ncbench")
        self._manager.add_hookspecs(spec)
        self.problems: list[Problem] = []
        self._plugins: dict[tuple[str, str], list[Plugin]] = {}
        for point in points:
            address = _address(point)
            try:
                found = catalogue.find(point) if catalogue else None
                if found is None:
                    found = self._describe(address, point)
                    if catalogue:
                        catalogue.keep(point, found)
            except (Exception, SystemExit) as error:
                # A broken plug-in must not affect runs that do not use it.
                if isinstance(point, PluginFile):
                    raise NcbenchError(_in_file(point, error)) from error
                self.problems.append(Problem(*_distribution(point), point.name, _one_line(error)))
                continue
            for plugin in found:
                self._plugins.setdefault((plugin.kind, plugin.name), []).append(plugin)
        if catalogue:
            catalogue.save()
        self.problems += [
            Problem(p.distribution, p.version, p.entry_point, _clash(claims))
            for claims in self._plugins.values()
            if len(claims) > 1
            for p in claims
        ]

    def names(self, kind: str) -> list[str]:
        """Return the usable names of a kind, sorted; ``NAME@DISTRIBUTION`` if two have one name."""
        return [plugin.name for plugin in self.plugins(kind)]

    def plugins(self, *kinds: str) -> list[Plugin]:
        """Return the usable plug-ins of these kinds, sorted by kind and name.

        By default, of all kinds that a cell chooses from.
        """
        claims = self._plugins.values()
        usable = [p for same in claims for p in (same if len(same) == 1 else _qualified(same))]
        order = {kind: place for place, kind in enumerate(kinds or KINDS)}
        chosen = [plugin for plugin in usable if plugin.kind in order]
        return sorted(chosen, key=lambda p: (order[p.kind], p.name))

    def plugin(self, kind: str, name: str) -> Plugin:
        """Return the description of one plug-in, by its name or as ``NAME@DISTRIBUTION``."""
        short, at, owner = name.partition("@")
        claims = self._plugins.get((kind, short), [])
        found = _qualified(claims) if len(claims) > 1 else claims
        found = [p for p in found if p.distribution == owner] if at else claims
        if not found:
            raise self.unknown(kind, name)
        if len(found) > 1:
            raise NcbenchError(_clash(claims))
        return found[0]

    def unknown(self, kind: str, name: str) -> UnknownName:
        """Return the error for a name that is not registered, or for an unknown kind."""
        if kind not in _KINDS:
            return UnknownName.among("kind of plug-in", kind, _KINDS)
        error = UnknownName.among(f"{kind}={name}: {_KINDS[kind].title}", name, self.names(kind))
        broken = {problem.distribution for problem in self.problems}
        if broken:
            error.add(
                f"plug-ins of {', '.join(sorted(broken))} could not be loaded; "
                "see python -m ncbench plugins"
            )
        return error

    def code(self, kind: str, name: str) -> str:
        """Return a hash of the code of a plug-in, without importing it."""
        plugin = self.plugin(kind, name)
        point = self._points[plugin.distribution, plugin.version, plugin.entry_point]
        if isinstance(point, PluginFile):
            return code_of_file(point.path)
        if point is None:  # given to ``check`` as an object
            return code_of_module(plugin.module)
        same = plugin.module.partition(".")[0] == point.module.partition(".")[0]
        # The class of a partial function, for example, is in the standard library.
        return code_of_module(plugin.module if same or is_own(plugin.module) else point.module)

    def target(self, kind: str, name: str) -> Any:
        """Return the registered class or function, importing its module if necessary."""
        plugin = self.plugin(kind, name)
        address = (plugin.distribution, plugin.version, plugin.entry_point)
        return self._load(address, self._points[address])[kind][short_name(name)]

    def build(self, kind: str, /, name: str, **arguments: Any) -> Any:
        """Call a plug-in with its configuration.

        Drops arguments that the core supplies to this kind if the plug-in's signature does not have
        them.
        """
        target = self.target(kind, name)
        wanted = inspect.signature(target).parameters
        supplied = _KINDS[kind].supplied
        given = {k: v for k, v in arguments.items() if k in wanted or k not in supplied}
        return target(**as_arguments(given, self.plugin(kind, name).parameters))

    def each_built(
        self, kind: str, leave_out: type[Exception] = NcbenchError
    ) -> Iterator[tuple[str, Any]]:
        """Yield the name of each plug-in of a kind, and what its defaults build.

        Plug-ins that raise ``leave_out`` are left out, such as those with a required parameter.
        """
        for name in self.names(kind):
            with contextlib.suppress(leave_out):
                yield name, self.build(kind, name)

    def takes(self, kind: str, name: str, argument: str) -> bool:
        """Whether the signature of a plug-in has an argument; known without importing it."""
        plugin = self.plugin(kind, name)
        return argument in (*plugin.supplied, *(each.name for each in plugin.parameters))

    def including(self, offers: Mapping[str, Mapping[str, Any]]) -> Registry:
        """Return a registry that also has these plug-ins, by kind and name; they replace others."""
        address = ("unregistered", "", "")
        more = copy.copy(self)  # both have what either loads
        more._given = {address: {kind: dict(named) for kind, named in offers.items()}}
        found = {(p.kind, p.name): [p] for p in more._describe(address, None)}
        more._points, more._plugins = {**self._points, address: None}, {**self._plugins, **found}
        return more

    def _describe(self, address: Address, point: EntryPoint | PluginFile | None) -> list[Plugin]:
        distribution, version, entry_point = address
        return [
            Plugin(
                kind=group,
                name=name,
                summary=_summary(target),
                parameters=parameters_of(target, _KINDS[group].supplied),
                distribution=distribution,
                version=version,
                entry_point=entry_point,
                module=str(getattr(target, "__module__", "")),
                supplied=tuple(
                    each
                    for each in inspect.signature(target).parameters
                    if each in _KINDS[group].supplied
                ),
            )
            for group, targets in self._load(address, point).items()
            for name, target in targets.items()
        ]

    def _load(
        self, address: Address, point: EntryPoint | PluginFile | None
    ) -> dict[str, dict[str, Any]]:
        if address in self._given:
            return self._given[address]
        if address not in self._targets:
            assert point is not None
            module = point.load()
            try:
                self._manager.register(module, name="/".join(address))
                self._targets[address] = self._offers(module)
            except BaseException:
                if self._manager.is_registered(module):
                    self._manager.unregister(module)
                raise
        return self._targets[address]

    def _offers(self, module: Any) -> dict[str, dict[str, Any]]:
        callers = {c.name: c for c in self._manager.get_hookcallers(module) or []}
        for name, caller in callers.items():
            if not caller.has_spec():  # a misspelled hook would never be called
                raise UnknownName.among("hook", name, _HOOKS)
        offers: dict[str, dict[str, Any]] = {}
        for kind in _KINDS.values():
            for implementation in getattr(self._manager.hook, kind.hook).get_hookimpls():
                if implementation.plugin is not module:
                    continue
                offered = implementation.function()
                if not isinstance(offered, Mapping) or not all(
                    isinstance(name, str) and callable(target) for name, target in offered.items()
                ):
                    raise NcbenchError(
                        f"{kind.hook}() returned {offered!r}; expected a mapping from name to "
                        "a class or function"
                    )
                for name in offered:
                    if "@" in name:
                        raise NcbenchError(
                            f"{kind.hook}(): {name!r} has an @, which comes before the distribution"
                        )
                offers[kind.group] = dict(offered)
        if not offers:
            there = [name for name in _HOOKS if hasattr(module, name)]
            raise NcbenchError(
                f"{shown_module(module.__name__)} has no hook; mark "
                f"{' and '.join(there) or 'one of ' + ', '.join(_HOOKS)} with @ncbench.hookimpl"
            )
        return offers


def _address(point: EntryPoint | PluginFile) -> Address:
    return (*_distribution(point), point.name)


def _distribution(point: EntryPoint | PluginFile) -> tuple[str, str]:
    return (point.dist.name, point.dist.version) if point.dist else ("unknown", "unknown")


def _summary(target: Any) -> str:
    return (inspect.getdoc(target) or "").strip().split("\n")[0]


def _one_line(error: BaseException) -> str:
    said = str(error) if isinstance(error, NcbenchError) else f"{type(error).__name__}: {error}"
    if isinstance(error, ImportError) and str(error.name).partition(".")[0] == "ncbench":
        said += f"; this is ncbench {__version__}: another version may have it"
    return " ".join(said.split("\n"))


def _in_file(file: PluginFile, error: BaseException) -> str:
    said = _one_line(error)
    return said if str(file.path) in said else f"{file.path}: {said}"


def short_name(name: str) -> str:
    """Return the name of a plug-in without its distribution.

    Examples
    --------
    >>> short_name("ncfw@my-distribution"), short_name("ncfw")
    ('ncfw', 'ncfw')
    """
    return name.partition("@")[0]


def _qualified(claims: list[Plugin]) -> list[Plugin]:
    """Name each of several plug-ins with one name after its distribution, if that tells them."""
    owners = [p.distribution for p in claims]
    return [
        dataclasses.replace(p, name=f"{p.name}@{p.distribution}")
        for p in claims
        if owners.count(p.distribution) == 1
    ]


def _clash(claims: list[Plugin]) -> str:
    kind, name = claims[0].kind, claims[0].name
    owners = " and ".join(f"{p.distribution} {p.version}" for p in claims)
    remedy = "rename" if any(p.distribution.endswith(".py") for p in claims) else "uninstall"
    choices = " or ".join(f"{kind}={p.name}" for p in _qualified(claims))
    choose = f", or choose with {choices}" if choices else ""
    return f"{_KINDS[kind].title} {name!r} is registered by {owners}; {remedy} one of them{choose}"


# The registry in use: of installed plug-ins, and of files that a command names.

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
