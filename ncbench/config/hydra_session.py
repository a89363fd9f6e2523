"""All use of Hydra's internals.

Hydra's public functions compose one configuration. ncbench checks a whole sweep before it starts
and then hands the cells to a launcher, which needs more:

- ``hydra._internal.utils``: the parser of Hydra's options, its search path, and ``_run_hydra`` for
  the options that only print information (``--cfg``, ``--info``, ``--hydra-help``). One help text
  of the parser is not a string, which argparse of Python 3.14 refuses (Hydra's issue 3121);
- ``hydra._internal.hydra.Hydra``: ``compose_config``, which keeps the ``hydra`` node, and
  ``multirun``, which starts the launcher;
- ``ConfigLoaderImpl._apply_overrides_to_config``, which sets values as Hydra itself does;
- ``hydra.core.override_parser``: the key of an override, and the values it sweeps over;
- ``FileConfigSource`` and the registry of sources: every config file is checked before it is read;
- ``StructuredConfigSource``: the store of all plug-ins is not copied for every configuration.

``hydra_errors`` knows the wording of five of its messages, which it replaces by more helpful ones.

Tested with Hydra 1.3.2 to 1.3.8, OmegaConf 2.3 and Python 3.11 to 3.14; pyproject.toml excludes
Hydra 1.4.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, NoReturn

from hydra._internal import utils
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.core_plugins.file_config_source import FileConfigSource as _Files
from hydra._internal.core_plugins.structured_config_source import (
    StructuredConfigSource as _Structured,
)
from hydra._internal.hydra import Hydra
from hydra._internal.sources_registry import SourcesRegistry
from hydra._internal.utils import _run_hydra, create_config_search_path
from hydra.core.config_search_path import SearchPathQuery
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser, create_functions
from hydra.core.override_parser.types import Override, OverrideType
from hydra.core.plugins import Plugins
from hydra.errors import HydraException
from hydra.plugins.config_source import ConfigResult
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError  # type: ignore[import-untyped]

from ncbench.config.config_files import check_config_file, explained
from ncbench.config.settings import SETTINGS
from ncbench.errors import NcbenchError
from ncbench.plugin import KINDS, get_registry

CONFIG_NAME = "config"
CONFIG_PATH = "pkg://ncbench_conf"

FUNCTIONS = tuple(create_functions().functions)
"""Names that Hydra reads as functions in a value: ``range(...)``, ``glob(...)``."""

MOST_CELLS = 100_000
"""The largest number of cells of one sweep."""


class _Parser(argparse.ArgumentParser):
    """A parser whose help texts are strings, as argparse asks for."""

    def add_argument(self, *names: str, **options: Any) -> argparse.Action:
        if not isinstance(options.get("help", ""), str):
            options["help"] = "Install or uninstall shell completion of Hydra's options"
        return super().add_argument(*names, **options)


def _options_of_hydra() -> argparse.ArgumentParser:
    """Return the parser of Hydra's options."""
    names: Any = utils
    module, names.argparse = names.argparse, SimpleNamespace(ArgumentParser=_Parser)
    try:
        return utils.get_args_parser()
    finally:
        names.argparse = module


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """Separate Hydra's options from overrides, in any order."""
    parser = _options_of_hydra()
    parser.error = _refuse_arguments  # type: ignore[method-assign]
    args = parser.parse_intermixed_args(argv)
    if args.config_path is not None:
        raise NcbenchError(
            f"--config-path {args.config_path}: not supported; --config-dir FOLDER adds a folder "
            "with config files"
        )
    args.only_asks = bool(args.hydra_help or args.cfg or args.info or args.shell_completion)
    return args


def _refuse_arguments(message: str) -> NoReturn:
    raise NcbenchError(f"{message}; see --help")


def answer(args: argparse.Namespace, task: Callable[[DictConfig], Any]) -> None:
    """Let Hydra handle the options that only print information."""
    if not args.shell_completion:
        with open_session(args.config_dir, args.config_name, args.overrides) as session:
            session.compose(args.overrides)  # --info and --hydra-help configure logging
    _run_hydra(args, _options_of_hydra(), task, CONFIG_PATH, args.config_name or CONFIG_NAME)


def parse_override(text: str) -> Override:
    """Parse one override, without checking config groups."""
    override: Override = OverridesParser.create().parse_override(text)
    return override


def is_override(text: str) -> bool:
    """Whether Hydra can parse a text as an override."""
    try:
        parse_override(text)
    except HydraException:
        return False
    return True


def values_of(override: Override) -> list[str]:
    """Return one override for each value of an override."""
    text = override.input_line or ""
    if not override.is_sweep_override():
        return [text]
    key = text.split("=", 1)[0]
    with explained(f"{text}: "):
        try:
            found = [*itertools.islice(override.sweep_string_iterator(), MOST_CELLS + 1)]
        except ValueError as error:  # a step of 0
            raise NcbenchError(f"{text}: {error}") from error
    if not found:
        raise NcbenchError(f"{text}: no values; expected at least one")
    return [f"{key}={value}" for value in found]


class FileConfigSource(_Files):
    """Config files in folders, each checked before Hydra reads it.

    It has the name of Hydra's own class, because Hydra compares names when a process of a launcher
    registers that one.
    """

    read: ClassVar[list[Path]] = []

    def load_config(self, config_path: str) -> ConfigResult:
        """Check and read a file."""
        path = Path(self.path, self._normalize_file_name(config_path))
        check_config_file(path)
        self.read.append(path)
        return super().load_config(config_path)


class StructuredConfigSource(_Structured):
    """The schemas of plug-ins, in a store that is not copied.

    Hydra copies its sources before it composes a configuration, which would take a quarter of the
    time, because this one holds the schemas of all plug-ins. It also copies each schema it reads.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> StructuredConfigSource:
        return copy.copy(self)


class HydraSession:
    """Compose configurations and start launchers.

    Values below ``hydra`` decide which code Hydra runs. They come from the shipped files and from
    the command line only: :meth:`compose` refuses config files of others that change any of them,
    in whatever way. ``hydra.sweeper.params`` is the exception.

    Parameters
    ----------
    config_dir : str, optional
        A folder with the user's config files.
    config_name : str, optional
        The primary config, if it is not the shipped one.
    typed : sequence of str
        The overrides of the command line. Others come from ``hydra.sweeper.params`` of files.
    """

    def __init__(
        self,
        config_dir: str | None = None,
        config_name: str | None = None,
        typed: Sequence[str] = (),
    ) -> None:
        self._config_name = config_name or CONFIG_NAME
        self._typed = [text for text in typed if _is_hydra(text)]
        self._shipped_alone = not (config_dir or config_name or self._typed)
        self._shipped: dict[tuple[str, ...], dict[str, Any]] = {}
        self._composed: dict[tuple[str, ...], DictConfig] = {}
        self._first: dict[tuple[str, ...], dict[str, str]] = {}
        Plugins.instance()  # registers the sources
        SourcesRegistry.instance().types["file"] = FileConfigSource
        SourcesRegistry.instance().types["structured"] = StructuredConfigSource
        FileConfigSource.read.clear()
        search_path = create_config_search_path(CONFIG_PATH)
        if config_dir:
            folder = Path(config_dir).absolute()
            if not folder.is_dir():
                raise NcbenchError(
                    f"--config-dir {config_dir}: the folder does not exist (looked for {folder})"
                )
            before = SearchPathQuery(provider="schema")
            search_path.prepend("command-line", f"file://{folder}", before)
        self._hydra = Hydra.create_main_hydra2("ncbench", search_path)

    def parse(self, overrides: Sequence[str]) -> list[Override]:
        """Parse overrides and check the names of the plug-ins they choose."""
        parser = OverridesParser.create(config_loader=self._hydra.config_loader)
        parsed: list[Override] = parser.parse_overrides(list(overrides))
        for override in parsed:
            _refuse_odd(override)
            kind, _, parameter = override.key_or_group.partition(".")
            if kind not in KINDS or override.is_delete():
                continue
            if parameter == "name":
                raise NcbenchError(f"{override.input_line}: choose a plug-in with {kind}=NAME")
            if not parameter:
                for name in _names(override):
                    get_registry().plugin(kind, name)
        return parsed

    def compose(self, overrides: Sequence[str]) -> DictConfig:
        """Compose one configuration, including the ``hydra`` node, which callers do not change."""
        # A tenth of a second, and a sweep asks for the same one several times.
        key = tuple(overrides)
        if key not in self._composed:
            self._composed[key] = self._compose(overrides)
        return self._composed[key]

    def _compose(self, overrides: Sequence[str]) -> DictConfig:
        try:
            cfg: DictConfig = self._hydra.compose_config(
                config_name=self._config_name,
                overrides=list(overrides),
                run_mode=RunMode.RUN,
                with_log_configuration=False,
            )
        except (HydraException, OmegaConfBaseException, NcbenchError, YAMLError):
            raise
        except Exception as error:  # what Hydra did not expect of a file
            reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            raise NcbenchError(f"{self._files()}: Hydra cannot compose this: {reason}") from error
        self._refuse_hydra_of_files(cfg, overrides)
        return cfg

    def _refuse_hydra_of_files(self, cfg: DictConfig, overrides: Sequence[str]) -> None:
        """Raise unless the ``hydra`` node is that of the shipped files and the command line."""
        if not self._files_of_users(cfg):
            return
        typed = tuple(text for text in overrides if text in self._typed)
        if typed not in self._shipped:
            loader = ConfigLoaderImpl(create_config_search_path(CONFIG_PATH))
            alone = [text for text in typed if not text.startswith("hydra.searchpath=")]
            shipped = loader.load_configuration(CONFIG_NAME, alone, RunMode.RUN).hydra
            for text in set(typed) - set(alone):
                shipped.searchpath = parse_override(text).value()
            self._shipped[typed] = _of_files(shipped)
        key = _first_difference(self._shipped[typed], _of_files(cfg.hydra))
        given = cfg.hydra.overrides
        if key is None and sorted([*given.task, *given.hydra]) != sorted(overrides):
            key = "overrides"
        if key is not None:
            advice = "type on the command line what you trust"
            if self._config_name != CONFIG_NAME:
                advice += ", and begin the defaults of a primary config with 'config'"
            raise NcbenchError(
                f"{self._files()}: hydra.{key}: of the keys below hydra a config file can set "
                f"sweeper.params only; {advice}"
            )

    def _files_of_users(self, cfg: DictConfig) -> bool:
        """Whether Hydra reads config files other than those shipped."""
        providers = {source.provider for source in cfg.hydra.runtime.config_sources}
        return any(who == "command-line" or who.startswith("hydra.search") for who in providers)

    def _files(self) -> str:
        """Return the config files that were read; if some name hydra, only these."""
        read = list(dict.fromkeys(map(str, FileConfigSource.read)))
        named = [path for path in read if "hydra" in Path(path).read_text(encoding="utf-8")]
        return ", ".join(named or read) or "config files"

    def compose_each(self, combinations: Sequence[Sequence[str]]) -> Iterator[DictConfig]:
        """Compose every cell of a sweep, without its ``hydra`` node.

        Hydra takes a tenth of a second to compose a configuration, which is too slow for
        thousands of cells. Cells that differ only in plain values (``sigma=0.2``,
        ``algo.max_iter=50``) are composed once. Their values are then set as Hydra sets them,
        after everything else. Cells that differ in plug-ins (``algo=fw``) take each plug-in's group
        from the cell where it occurred first.
        """
        parsed = {text: self.parse([text])[0] for text in {*itertools.chain(*combinations)}}
        for combination in combinations:
            values = [text for text in combination if _is_value(parsed[text])]
            cfg = self._of_plugins({t: parsed[t] for t in combination if t not in values})
            ConfigLoaderImpl._apply_overrides_to_config([parsed[text] for text in values], cfg)
            yield cfg

    def _of_plugins(self, overrides: Mapping[str, Override]) -> DictConfig:
        """Return a new configuration, its groups taken from others that have the same plug-ins."""
        chosen = {o.key_or_group: t for t, o in overrides.items() if o.key_or_group in KINDS}
        others = [text for text in overrides if text not in chosen.values()]
        known = self._first.setdefault((*others, *sorted(chosen)), chosen)
        whole = self.compose([*others, *known.values()])
        if self._files_of_users(whole) or len(others) + len(chosen) < len(overrides):
            known, whole = chosen, self.compose(list(overrides))  # one may set keys of another
        cfg: DictConfig = OmegaConf.masked_copy(
            whole, [key for key in map(str, whole) if key != "hydra"]
        )
        for kind, text in chosen.items():
            if known[kind] != text:
                one = self.compose([*others, *{**known, kind: text}.values()])
                cfg[kind] = copy.deepcopy(one[kind])
        return cfg

    def swept_in_files(self, fixed: Sequence[str]) -> dict[str, Any]:
        """Return ``hydra.sweeper.params`` of the config files that the overrides name."""
        if self._shipped_alone and not any(text.startswith("+") for text in fixed):
            return {}  # config.yaml sweeps over nothing
        return dict(self.compose(fixed).hydra.sweeper.params or {})

    def runs_in_this_process(self, overrides: Sequence[str]) -> bool:
        """Whether the launcher is the basic one, which does not start processes."""
        parsed = zip(overrides, self.parse(overrides), strict=True)
        others = [text for text, override in parsed if not _is_value(override)]
        return "BasicLauncher" in self.compose(others).hydra.launcher["_target_"]

    def launch(
        self, task: Callable[[DictConfig], Any], overrides: Sequence[str], jobs: int
    ) -> None:
        """Let the launcher call a task with ``job=0`` to ``job=jobs-1``, and wait for it."""
        self._hydra.multirun(
            config_name=self._config_name,
            task_function=task,
            overrides=[
                *overrides,
                *("hydra.mode=MULTIRUN", "hydra.sweeper.params=null"),
                f"job={','.join(map(str, range(jobs)))}",
            ],
            with_log_configuration=False,
        )


@contextlib.contextmanager
def open_session(
    config_dir: str | None = None, config_name: str | None = None, typed: Sequence[str] = ()
) -> Iterator[HydraSession]:
    """Open a session in which Hydra's errors become NcbenchErrors."""
    try:
        with explained():
            yield HydraSession(config_dir, config_name, typed)
    finally:
        GlobalHydra.instance().clear()


def _refuse_odd(override: Override) -> None:
    """Raise for an override that Hydra accepts, but ncbench cannot follow."""
    key, line = override.key_or_group, override.input_line
    if not key or (key == "experiment" and override.value() is None):
        raise NcbenchError(f"{line}: expected KEY=VALUE; see --help")
    if key.endswith("_target_"):
        raise NcbenchError(f"{line}: not supported; a configuration names plug-ins, not code")
    if key == "hydra.job.chdir":
        raise NcbenchError(f"{line}: not supported; cells run in the folder of the command")
    if key == "hydra.launcher.n_jobs" and override.value() == 0:
        raise NcbenchError(f"{line}; expected at least 1, or -1 for all cores")
    # OmegaConf would read any other number as true.
    setting = SETTINGS.get(key)
    if setting is None or setting.type != "bool" or override.is_sweep_override():
        return
    value = override.value()
    if isinstance(value, int | float) and value not in (0, 1):
        raise NcbenchError(f"{override.input_line}; expected true or false")


def _names(override: Override) -> list[str]:
    if override.is_sweep_override():
        return [line.split("=", 1)[1] for line in values_of(override)]
    return [str(override.value())]


def _is_hydra(text: str) -> bool:
    override = parse_override(text)
    keys = (override.key_or_group, override.package or "")
    return any(re.match(r"hydra\b", key) for key in keys)


_SET_BY_HYDRA = {
    "overrides": ("task", "hydra"),
    "runtime": ("choices", "config_sources"),
    "job": ("override_dirname", "config_name"),
    "sweeper": ("params",),
}
"""Keys below ``hydra`` that differ from run to run, and the one that a file can set."""


def _of_files(hydra: DictConfig) -> dict[str, Any]:
    """Return the ``hydra`` node as plain data, without the keys that may differ."""
    plain: Any = OmegaConf.to_container(hydra, resolve=False)
    for key, names in _SET_BY_HYDRA.items():
        for name in names:
            plain[key].pop(name, None)
    return dict(plain)


def _first_difference(then: Any, now: Any) -> str | None:
    """Return the dotted key of the first difference, or None.

    >>> _first_difference({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}})
    'a.c'
    """
    if not isinstance(then, dict) or not isinstance(now, dict):
        return None if type(then) is type(now) and then == now else ""
    for key in {**then, **now}:
        inner = _first_difference(then[key], now[key]) if key in then and key in now else ""
        if inner is not None:
            return f"{key}.{inner}".rstrip(".")
    return None


def _is_value(override: Override) -> bool:
    key = override.key_or_group
    changes = override.type is OverrideType.CHANGE and override.package is None
    return changes and (key in SETTINGS or ("." in key and key.partition(".")[0] in KINDS))
